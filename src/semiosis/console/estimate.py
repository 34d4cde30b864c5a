"""What will be asked for and cost, before anything is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from ..core.text import usd

if TYPE_CHECKING:
    from ..runs.plan import Load, Stage


@dataclass(frozen=True)
class Estimated:
    """One kind of call to one model. A cost is null where no price is known."""

    stage: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    calls_nothing_shared: int
    cost_nothing_shared_usd: float | None

    @classmethod
    def of(cls, stage: "Stage") -> Self:
        return cls(
            stage=stage.stage,
            model=stage.model,
            calls=stage.shared.calls,
            input_tokens=stage.shared.input_tokens,
            output_tokens=stage.shared.output_tokens,
            cost_usd=stage.cost_usd,
            calls_nothing_shared=stage.alone.calls,
            cost_nothing_shared_usd=stage.cost_alone_usd,
        )


def show_estimate(title: str, stages: "Sequence[Stage]", *, as_json: bool) -> None:
    """By stage and model; where calls are shared, beside what they would be if nothing were."""
    from rich.text import Text

    from ..backbones.prices import AS_OF
    from ..core.text import plain
    from ..reports.tables import Sheet
    from .results import print_json
    from .screen import console

    if as_json:
        print_json([Estimated.of(stage) for stage in stages])
        return
    shares = any(stage.alone != stage.shared for stage in stages)
    models = sorted({stage.model for stage in stages})
    columns = ("stage", "calls", "tokens in", "tokens out", "USD")
    unshared = ("unshared calls", "unshared USD") if shares else ()
    sheet = Sheet(*columns, *unshared, right=range(1, 7))
    for stage in stages:
        name = stage.stage if len(models) == 1 else f"{stage.stage}\n  {stage.model}"
        sheet.add(name, *_numbers([stage.shared], stage.cost_usd), *_alone(stage, shares))
    alone = sum(stage.alone.calls for stage in stages)
    cost_alone = _total([stage.cost_alone_usd for stage in stages])
    sheet.add(
        "together",
        *_numbers([stage.shared for stage in stages], _total([stage.cost_usd for stage in stages])),
        *((f"{alone:,}", usd(cost_alone)) if shares else ()),
        style="bold",
    )
    out = console()
    out.print(Text(plain(title), style="italic"), sheet, sep="\n")
    asked = f"{models[0]}. " if len(models) == 1 else ""
    out.print(f"{asked}Estimates, at prices of {AS_OF}; a reply that is kept already costs nothing.")
    unknown = ", ".join(sorted({stage.model for stage in stages if stage.cost_usd is None}))
    if unknown:
        out.print(f"No price is known for {unknown}: tokens only. SEMIOSIS_PRICES names a file of prices.")


def _numbers(loads: "Sequence[Load]", cost_usd: float | None) -> tuple[str, ...]:
    calls = sum(load.calls for load in loads)
    tokens_in = sum(load.input_tokens for load in loads)
    tokens_out = sum(load.output_tokens for load in loads)
    return f"{calls:,}", f"{tokens_in:,}", f"{tokens_out:,}", usd(cost_usd)


def _alone(stage: "Stage", shares: bool) -> tuple[str, ...]:
    return (f"{stage.alone.calls:,}", usd(stage.cost_alone_usd)) if shares else ()


def _total(costs: "Sequence[float | None]") -> float | None:
    """The sum; None where a part of it is not known."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
