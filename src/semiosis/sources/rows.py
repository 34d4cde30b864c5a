"""A row of a source, or why there is none."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..core.errors import BadRecord, SemiosisError
from ..core.item import BadRow

SHOWN = 400

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Row(NamedTuple):
    where: str
    number: int
    cells: dict[str, object]


Rows = Iterator[Row | BadRow]
Reader = Callable[[], Rows]


def bad_row(where: str, reason: str) -> BadRow:
    return BadRow(printable(where), printable(reason))


def some(rows: Rows, else_said: str) -> Rows:
    """The rows, of which there must be one."""
    first = next(rows, None)
    if first is None:
        raise BadRecord(else_said)
    yield first
    yield from rows


def printable(text: str) -> str:
    """One line that can be shown and stored, whatever a hostile row put in it."""
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], shown)


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
            raise BadRecord(printable(f"{name} cannot be read: {reason}.")) from None
        yield bad_row(f"after {last}", f"The rest of {name} cannot be read: {reason}.")
