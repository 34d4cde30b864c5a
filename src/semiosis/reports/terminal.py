"""An outcome in the terminal.

show(judgment)
"""

from typing import TYPE_CHECKING

from ..core.outcome import Outcome, Provenance
from .lines import line
from .page import lines_of
from .provenance import account

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def show(outcome: Outcome, console: "Console | None" = None) -> None:
    from rich.console import Console, Group

    lines = lines_of(outcome)
    if outcome.provenance:
        lines += [line(), _account(outcome.provenance)]
    (console or Console()).print(Group(*lines))


def _account(provenance: Provenance) -> "Text":
    summary = account(provenance)
    parts = [summary.method, ", ".join(summary.models), f"tokens: {summary.tokens}", f"cost: {summary.cost}"]
    if summary.cached:
        parts.append(f"{summary.cached} of {len(summary.calls)} calls from the cache")
    if summary.recorded:
        parts.append(f"{summary.recorded} of {len(summary.calls)} replayed from a recording")
    return line((" · ".join(part for part in parts if part), "dim"))
