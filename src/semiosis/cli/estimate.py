"""What a judgment will ask for and cost, before anything is asked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..methods.base import PlannedCall


def show_estimate(label: str, plan: "Sequence[PlannedCall]", *, as_json: bool) -> None:
    import json

    from rich.table import Table

    from ..backbones.prices import AS_OF
    from .setting import console

    if as_json:
        print(json.dumps([_totals(call) for call in plan], indent=2))
        return
    table = Table(title=f"{label}: what one judgment asks for", title_justify="left")
    for column in ("stage", "model"):
        table.add_column(column)
    for column in ("calls", "tokens in", "tokens out", "about USD"):
        table.add_column(column, justify="right")
    for call in plan:
        table.add_row(
            call.stage,
            call.backbone,
            str(call.calls),
            f"{call.calls * call.input_tokens:,}",
            f"{call.calls * call.output_tokens:,}",
            _dollars(call.cost_usd),
        )
    costs = [call.cost_usd for call in plan]
    known = [cost for cost in costs if cost is not None]
    total = sum(known) if len(known) == len(costs) else None
    table.add_section()
    table.add_row("together", "", str(sum(call.calls for call in plan)), "", "", _dollars(total))
    out = console()
    out.print(table)
    out.print(f"Estimates. Prices as of {AS_OF}; a cached reply costs nothing.", highlight=False)


def _totals(call: "PlannedCall") -> dict[str, str | int | float | None]:
    """One stage, over all its calls, as the table shows it."""
    return {
        "stage": call.stage,
        "model": call.backbone,
        "calls": call.calls,
        "input_tokens": call.calls * call.input_tokens,
        "output_tokens": call.calls * call.output_tokens,
        "cost_usd": call.cost_usd,
    }


def _dollars(cost: float | None) -> str:
    return "unknown" if cost is None else f"{cost:.4f}"
