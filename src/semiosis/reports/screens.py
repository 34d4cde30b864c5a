"""What screens of results are made of. Names come from outside: they are shown as plain text."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from ..core.text import brief, share
from .tables import Sheet

if TYPE_CHECKING:
    from ..stats.estimate import Estimate


def headed(name: str, sheet: Sheet) -> Group:
    """What a sheet is of, over it: as the title of a column it would go where rows are blocks."""
    return Group(text(name, "bold"), sheet)


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    found = Table.grid(padding=(0, 2))
    found.add_column(no_wrap=True)
    found.add_column(overflow="fold")
    for name, told in rows:
        found.add_row(dim(name), text(told))
    return found


def text(words: str, style: str = "") -> Text:
    return Text(brief(words), style=style)


def dim(words: str) -> Text:
    return text(words, "dim")


def title(name: str, about: str) -> Text:
    return Text.assemble((brief(name), "bold"), f": {brief(about)}")


def value(found: float, low: float | None, high: float | None, digits: int) -> str:
    ends_ = "" if low is None or high is None else f" ({low:z,.{digits}f} to {high:z,.{digits}f})"
    return f"{found:z,.{digits}f}{ends_}"


def interval(found: "Estimate", digits: int, *, sign: bool = False) -> str:
    plus = "+" if sign and found.value > 0 else ""
    return f"{plus}{value(found.value, found.low, found.high, digits)}"


def ends(found: "Estimate", digits: int) -> str:
    return f"{found.low:z.{digits}f} to {found.high:z.{digits}f}"


def percent(found: "Estimate") -> str:
    return share(found.value, found.low, found.high)


def p(found: float) -> str:
    return "< 0.0001" if found < 0.0001 else f"{found:.4f}"
