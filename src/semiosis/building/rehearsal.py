"""What a session of a build would ask for: its steps are run with a stand-in for the model, on a copy.

means = RehearsedMeans.of(Means("openai/gpt-5"))
with copied(folder, "haiku") as store:
    await Mine(folder, inputs, Asker(store, means)).ask()       a build that writes nothing
means.stages()                                                  calls, tokens and dollars
"""

from dataclasses import dataclass, field
from typing import Self

from ..backbones.backbone import Backbone
from ..backbones.budget import Budgeted
from ..backbones.rehearsal import RehearsedCall, StandIn
from ..runs.plan import PlannedStage, exact_stages
from ..runs.rehearsal import PlannedCall
from .asking import Means


@dataclass(frozen=True)
class RehearsedMeans(Means):
    """Which model is stood in for, whether its price must be known, and in `calls` what it would be asked."""

    needs_price: bool = False
    calls: list[RehearsedCall] = field(default_factory=list[RehearsedCall])

    @classmethod
    def of(cls, means: Means) -> Self:
        return cls(means.model, means.base_url, means.timeout_s, needs_price=means.budget_usd is not None)

    def bare(self) -> Backbone:
        backbone = super().bare()
        if self.needs_price:
            Budgeted(backbone, 1.0)
        return StandIn(backbone, self.calls)

    def stages(self) -> tuple[PlannedStage, ...]:
        return exact_stages(map(PlannedCall.of, self.calls))
