"""What a session would ask for, before anything is asked or written."""

from pathlib import Path

from ....building.asking import Asker, Means
from ....building.rehearsal import RehearsedMeans
from ....building.steps import copied
from ....core import loop
from ....core.sign import Artifact
from ....core.value import Value
from ....runs.plan import PlannedStage
from . import inputs
from .contents import Content
from .inputs import BuildInputs
from .pipeline import BENCHMARK, Build
from .state import PARTS


def rehearse(folder: Path, session: BuildInputs, means: Means) -> tuple[PlannedStage, ...]:
    """By kind of question, in the order of the build. A model is looked for only if there is a question."""
    rehearsed = RehearsedMeans.of(means)
    with copied(folder, BENCHMARK, PARTS) as store:
        asker = Asker(store, rehearsed)
        loop.run(asker.session(RehearsedBuild(folder, session, asker).ask()))
    return rehearsed.stages()


class RehearsedBuild(Build):
    """Writes nothing: pictures that were not taken in yet are looked at where they are."""

    def __init__(self, folder: Path, session: BuildInputs, asker: Asker) -> None:
        super().__init__(folder, session, asker)
        self._artifacts: dict[str, Artifact] = {}
        self._writes_styles = False

    async def _styles(self) -> None:
        self._writes_styles = inputs.styles_to_make(self.state, self._session) is not None
        await super()._styles()

    def _review(self) -> None:
        # Which style a review means is open until there are styles.
        skipped = "style" if self._writes_styles else None
        self.state.reviews = inputs.reviews_in_force(self.state, self._session, skipped)

    def _take_in(self, artifacts: dict[str, Artifact]) -> None:
        self._artifacts = artifacts

    def _picture(self, content: Content) -> Artifact:
        return self._artifacts.get(content.sha256) or super()._picture(content)

    def _save(self, step: str, value: Value) -> None:
        pass

    def _publish(self) -> None:
        pass
