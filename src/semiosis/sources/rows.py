"""A row of a source, or why there is none."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..core.errors import BadRecord, SemiosisError
from ..core.item import BadRow
from ..core.text import brief


class SourceRow(NamedTuple):
    where: str
    number: int
    cells: dict[str, object]


Rows = Iterator[SourceRow | BadRow]
Reader = Callable[[], Rows]


def bad_row(where: str, reason: str) -> BadRow:
    return BadRow(brief(where), brief(reason))


def some(rows: Rows, else_said: str) -> Rows:
    """The rows, of which there must be one."""
    first = next(rows, None)
    if first is None:
        raise BadRecord(else_said)
    yield first
    yield from rows


def until_broken(rows: Rows, name: str, *errors: type[Exception], begun: bool = False) -> Rows:
    """What was read before a source broke stands; one that breaks before anything was read raises."""
    last = name if begun else ""
    try:
        for row in rows:
            yield row
            last = row.where
    except SemiosisError:
        raise
    except errors as error:
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        if not last:
            raise BadRecord(brief(f"{name} cannot be read: {reason}.")) from None
        yield bad_row(f"after {last}", f"The rest of {name} cannot be read: {reason}.")
