"""What will be asked for and cost, before anything is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from ..reports.model_tables import estimate_table, estimates_table
from ..runs.plan import PlannedStage
from .results import print_json, print_tables


@dataclass(frozen=True)
class Estimated:
    """One kind of call to one model. A cost is null where no price is known.

    `calls` is what is likely; where replies decide how many there are, they are at least and at most so many.
    """

    stage: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    calls_at_least: int
    calls_at_most: int
    cost_at_most_usd: float | None
    calls_nothing_shared: int
    cost_nothing_shared_usd: float | None

    @classmethod
    def of(cls, stage: PlannedStage) -> Self:
        return cls(
            stage=stage.stage,
            model=stage.model,
            calls=stage.shared.calls,
            input_tokens=stage.shared.input_tokens,
            output_tokens=stage.shared.output_tokens,
            cost_usd=stage.cost_usd(stage.shared),
            calls_at_least=stage.least.calls,
            calls_at_most=stage.most.calls,
            cost_at_most_usd=stage.cost_usd(stage.most),
            calls_nothing_shared=stage.alone.calls,
            cost_nothing_shared_usd=stage.cost_usd(stage.alone),
        )


@dataclass(frozen=True)
class EstimatedOfMethod(Estimated):
    """The same for one method of several. `calls_made_by_another` are those of a method before it, and are
    counted there."""

    method: str
    calls_made_by_another: int


def show_estimates(title: str, methods: Mapping[str, Sequence[PlannedStage]], *, as_json: bool) -> None:
    """Of several methods side by side, with one total."""
    if not as_json:
        print_tables(estimates_table(title, methods))
        return
    print_json(
        [
            EstimatedOfMethod(
                **vars(Estimated.of(stage)), method=method, calls_made_by_another=stage.elsewhere.calls
            )
            for method, stages in methods.items()
            for stage in stages
        ]
    )


def show_estimate(title: str, stages: Sequence[PlannedStage], *, as_json: bool) -> None:
    if as_json:
        print_json([Estimated.of(stage) for stage in stages])
    else:
        print_tables(estimate_table(title, stages))
