"""An outcome in the terminal.

show(judgment)
"""

from typing import TYPE_CHECKING

from ..core.outcome import Outcome, Provenance
from .lines import line
from .page import page_of
from .provenance import account

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def show(outcome: Outcome, console: "Console | None" = None) -> None:
    from rich.console import Console, Group

    lines = page_of(outcome).lines(outcome)
    if outcome.provenance:
        lines += [line(), _account(outcome.provenance)]
    (console or Console()).print(Group(*lines))


def _account(provenance: Provenance) -> "Text":
    told = account(provenance)
    parts = [told.method, ", ".join(told.models), f"tokens: {told.tokens}", f"cost: {told.cost}"]
    if told.cached:
        parts.append(f"{told.cached} of {len(told.calls)} calls from the cache")
    if told.recorded:
        parts.append(f"{told.recorded} of {len(told.calls)} replayed from a recording")
    return line((" · ".join(part for part in parts if part), "dim"))
