"""What will be asked for and cost, before anything is asked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..runs.plan import Stage


def show_estimate(title: str, stages: "Sequence[Stage]", *, as_json: bool) -> None:
    """By stage and model; where items share calls, beside what they would take one by one."""
    import json

    from rich.table import Table

    from ..backbones.prices import AS_OF
    from .setting import console

    if as_json:
        print(json.dumps([_record(stage) for stage in stages], indent=2))
        return
    shares = any(stage.alone != stage.shared for stage in stages)
    table = Table(title=title, title_justify="left")
    for column in ("stage", "model"):
        table.add_column(column)
    for column in ("calls", "tokens in", "tokens out", "about USD"):
        table.add_column(column, justify="right")
    if shares:
        for column in ("one by one: calls", "about USD"):
            table.add_column(column, justify="right", style="dim")
    for stage in stages:
        table.add_row(
            stage.stage,
            stage.model,
            f"{stage.shared.calls:,}",
            f"{stage.shared.input_tokens:,}",
            f"{stage.shared.output_tokens:,}",
            _dollars(stage.cost_usd),
            *([f"{stage.alone.calls:,}", _dollars(stage.cost_alone_usd)] if shares else []),
        )
    table.add_section()
    table.add_row(
        "together",
        "",
        f"{sum(stage.shared.calls for stage in stages):,}",
        f"{sum(stage.shared.input_tokens for stage in stages):,}",
        f"{sum(stage.shared.output_tokens for stage in stages):,}",
        _dollars(total([stage.cost_usd for stage in stages])),
        *(
            [
                f"{sum(stage.alone.calls for stage in stages):,}",
                _dollars(total([stage.cost_alone_usd for stage in stages])),
            ]
            if shares
            else []
        ),
    )
    out = console()
    out.print(table)
    unknown = sorted({stage.model for stage in stages if stage.cost_usd is None})
    out.print(f"Estimates. Prices as of {AS_OF}; a reply that is kept already costs nothing.")
    if unknown:
        out.print(
            f"No price is known for {', '.join(unknown)}: tokens only (SEMIOSIS_PRICES names a price file)."
        )


def total(costs: "Sequence[float | None]") -> float | None:
    """The sum; None where a part of it is not known."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _record(stage: "Stage") -> dict[str, str | int | float | None]:
    return {
        "stage": stage.stage,
        "model": stage.model,
        "calls": stage.shared.calls,
        "input_tokens": stage.shared.input_tokens,
        "output_tokens": stage.shared.output_tokens,
        "cost_usd": stage.cost_usd,
        "calls_one_by_one": stage.alone.calls,
        "cost_one_by_one_usd": stage.cost_alone_usd,
    }


def _dollars(cost: float | None) -> str:
    return "unknown" if cost is None else f"{cost:,.4f}" if cost < 100 else f"{cost:,.2f}"
