"""The gap: equation 4 as a judge without a judge, from graphs alone.

    score = await Gap(backbone).score(prompt, artifact)       # an absolute number for each picture
    ranking = await Gap(backbone).rank(prompt, artifacts)     # any number of pictures, best first

The distance between the object the prompt means and the object a picture was read as, through an embedding.
The picture is read without the prompt, as the paper's second interpreter does; in `gap/prompted` its reader
is shown the prompt's graph. `gap/coverage` measures how well the picture's nodes cover the prompt's parts.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from ...backbones.backbone import Backbone
from ...backbones.embedders import MiniLM, RehearsedEmbedder, shared_minilm
from ...backbones.single_flight import SharedWork, together
from ...core.cascade import Cascade, Embed, Reading, SemiosisGap, semiosis_gap
from ...core.kinds.rating import Score
from ...core.loop import run
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Prompt
from ..card import Card
from ..contract import method
from ..scorer import JudgesByScore
from ..settings import Temperature
from .reader import Reader
from .settings import Measure, PictureReading, Size
from .shared_readings import SharingReader, shared_readings


@method(
    "gap",
    prompted={"reading": "prompted"},
    coverage={"measure": "coverage"},
    **{"prompted/coverage": {"reading": "prompted", "measure": "coverage"}},
)
@dataclass(frozen=True)
class Gap(JudgesByScore):
    """Measures, through an embedding, how far a picture was read from what its prompt means.

    backbone    builds the graphs
    size        of the graphs: "standard" (at most 3 parts) or "complex" (3 to 5)
    reading     of the picture: "unprompted", or "prompted", which is shown the prompt and its graph
    measure     "distance" between the root objects, or "coverage" of the prompt's parts
    embed       gives a vector for each of a list of texts; all-MiniLM-L6-v2 if left out
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one
    """

    version: ClassVar[str] = "3"
    card: ClassVar[Card] = Card(
        paper="SemJudge, equation 4",
        licence="all-MiniLM-L6-v2: Apache-2.0",
        needs="a model that sees, and the embedding all-MiniLM-L6-v2",
        scale="-1 to 0 for distances, -1 to 1 for coverage",
        unverified="which embedding the paper would use is not said",
    )
    backbone: Backbone
    size: Size = "standard"
    reading: PictureReading = "unprompted"
    measure: Measure = "distance"
    embed: Embed | None = None
    temperature: Temperature | None = 0.0
    seed: int | None = None
    _shared: SharedWork[Reading] = field(
        default_factory=shared_readings, init=False, repr=False, compare=False
    )

    @property
    def label(self) -> str:
        variants = {"prompted": self.reading == "prompted", "coverage": self.measure == "coverage"}
        return "/".join([self.name, *(name for name, chosen in variants.items() if chosen)])

    async def score(self, prompt: Prompt, artifact: Artifact) -> Score | Failure:
        log: list[Exchange] = []
        cascade = await self._cascade(prompt, artifact, log)
        if isinstance(cascade, Failure):
            return self.failed(cascade, log)
        gap = await asyncio.to_thread(semiosis_gap, cascade, self._embedder())
        value = value_of(gap, self.measure)
        if isinstance(value, Failure):
            return self.failed(value, log)
        return Score(
            prompt=prompt,
            artifact=artifact,
            value=value,
            gap=gap,
            cascade=cascade,
            provenance=self.provenance(log),
        )

    async def rank(self, prompt: Prompt, artifacts: Sequence[Artifact]) -> list[Score | Failure]:
        """A score for each of `artifacts`, best first; failures, which have no place in a ranking, last."""
        scores = await together(*(self.score(prompt, artifact) for artifact in artifacts))
        ranked = sorted((each for each in scores if isinstance(each, Score)), key=self.standing, reverse=True)
        return [*ranked, *(each for each in scores if isinstance(each, Failure))]

    def rank_sync(self, prompt: Prompt, artifacts: Sequence[Artifact]) -> list[Score | Failure]:
        """As `rank`, outside async code."""
        return run(self.rank(prompt, artifacts))

    def with_models(self, stand_in: Callable[[Backbone], Backbone]) -> Self:
        return replace(super().with_models(stand_in), embed=RehearsedEmbedder())

    def require(self) -> None:
        super().require()
        self._embedder()

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        embedder = getattr(self.embed, "name", "all-MiniLM-L6-v2" if self.embed is None else "given")
        return {
            "builder": self.backbone.name,
            "size": self.size,
            "reading": self.reading,
            "measure": self.measure,
            "embedding": embedder,
            "temperature": self.temperature,
            "seed": self.seed,
        }

    async def _cascade(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> Cascade | Failure:
        self._embedder()
        sharing = SharingReader(self._reader(), self._shared)
        read = await sharing.prompt(prompt, log)
        if isinstance(read, Failure):
            return read
        if self.reading == "prompted":
            picture = await sharing.picture(prompt, read, artifact, log)
        else:
            picture = await sharing.unprompted(artifact, log)
        return picture if isinstance(picture, Failure) else Cascade(rounds=(read, picture))

    def _reader(self) -> Reader:
        return Reader(self.backbone, self.size, self.temperature, self.seed)

    def _embedder(self) -> Embed:
        """The embedding, or a sentence that says what is missing, before anything is asked and paid for."""
        if self.embed is not None:
            return self.embed
        MiniLM.require()
        return shared_minilm()


def value_of(gap: SemiosisGap, measure: Measure) -> float | Failure:
    """The number that `measure` makes of a gap; where a prompt has no parts, its coverage is none."""
    if measure == "distance":
        return gap.score
    if gap.coverage is None:
        message = "The prompt was read without parts, so none can be covered; measure the distance instead."
        return Failure(reason="invalid", message=message, stage="coverage")
    return gap.coverage
