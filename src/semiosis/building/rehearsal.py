"""What a session of a build would ask for: its steps are run with a stand-in for the model, on a copy.

means = RehearsedMeans.of(Means("openai/gpt-5"))
with copied(folder) as store:
    await Mine(folder, inputs, Asker(store, means)).run()       a build that writes nothing
means.stages                                                    calls, tokens and dollars
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from ..backbones.backbone import Backbone
from ..backbones.rehearsal import Rehearsal, RehearsedCall
from ..runs.plan import PlannedStage, exact_stages
from ..runs.script import whole
from ..runs.store import Store
from .asking import Means
from .steps import STEPS, STORE


@dataclass(frozen=True)
class RehearsedMeans(Means):
    """Which model is stood in for, and in `calls` what it would have been asked."""

    calls: list[RehearsedCall] = field(default_factory=list[RehearsedCall])

    @classmethod
    def of(cls, means: Means) -> Self:
        return cls(means.model, means.base_url, means.timeout_s)

    def bare(self) -> Backbone:
        return Rehearsal(super().bare(), self.calls)

    @property
    def stages(self) -> tuple[PlannedStage, ...]:
        return exact_stages(map(whole, self.calls))


def copied(folder: Path) -> Store:
    """The replies of the build in that folder, in memory: those are not asked for again."""
    return Store.copied(folder / STEPS / STORE)
