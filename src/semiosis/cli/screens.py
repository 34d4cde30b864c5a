"""What screens of results are made of. Names come from outside: they are shown as plain text."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ..runs.sources.rows import printable

if TYPE_CHECKING:
    from ..stats.estimate import Estimate


def table(*columns: str, right: Iterable[int] = ()) -> Table:
    found = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    numbers = set(right)
    for at, name in enumerate(columns):
        is_number = at in numbers
        # Wide enough to tell names apart: numbers give way before names vanish.
        found.add_column(
            text(name),
            justify="right" if is_number else "left",
            overflow="fold",
            min_width=0 if is_number else 8,
        )
    return found


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    found = Table.grid(padding=(0, 2))
    found.add_column(no_wrap=True)
    found.add_column(overflow="fold")
    for name, told in rows:
        found.add_row(dim(name), text(told))
    return found


def text(words: str, style: str = "") -> Text:
    return Text(printable(words), style=style)


def dim(words: str) -> Text:
    return text(words, "dim")


def title(name: str, about: str) -> Text:
    return Text.assemble((printable(name), "bold"), f": {printable(about)}")


def value(found: float, low: float | None, high: float | None, digits: int) -> str:
    ends_ = "" if low is None or high is None else f" ({low:z,.{digits}f} to {high:z,.{digits}f})"
    return f"{found:z,.{digits}f}{ends_}"


def interval(found: "Estimate", digits: int, *, sign: bool = False) -> str:
    plus = "+" if sign and found.value > 0 else ""
    return f"{plus}{value(found.value, found.low, found.high, digits)}"


def ends(found: "Estimate", digits: int) -> str:
    return f"{found.low:z.{digits}f} to {found.high:z.{digits}f}"


def percent(found: "Estimate") -> str:
    return f"{found.value:.1%} ({found.low * 100:.1f} to {found.high * 100:.1f})"


def p(found: float) -> str:
    return "< 0.0001" if found < 0.0001 else f"{found:.4f}"
