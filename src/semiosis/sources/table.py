"""Tables for statistics, from all that pairs come in: ratings, and columns of numbers. Votes are in votes.py.

    table = open_table("ratings.csv")
    ratings(table).table                            # for stats.krippendorff_alpha
    numbers(open_table("scores.jsonl"), ["score", "human"]).columns

What a row lacks is counted, never guessed; what cannot be understood raises, with its place.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from ..core.errors import BadRecord, BadSetting
from ..core.item import BadRow
from ..core.text import brief
from .columns import IDS, PROMPTS, listed
from .opening import open_rows
from .rows import Rows, SourceRow

# Columns that name a row, and so are no rater's.
NAMES = {
    *IDS,
    *PROMPTS,
    "",
    "unit",
    "units",
    "item",
    "items",
    "subject",
    "subjects",
    "target",
    "index",
    "key",
}

LOOK_AHEAD = 1000
LARGEST = 1e100

_NO_NUMBER = {"", "nan", "na", "n/a", "null", "none"}
_NESTED = (dict, list, bytes)
# Of a column of names, so many of its values differ; ratings come from a few categories.
_NEARLY_ALL = 0.9


@dataclass(frozen=True)
class RowTable:
    """Its rows can be read once. Columns are those of the first thousand rows."""

    name: str
    names: tuple[str, ...]
    rows: Rows

    def column(self, name: str, option: str) -> str:
        if name not in self.names:
            raise BadSetting(f"{self.name} has no column {name!r} ({option}); it has {self.listed}.")
        return name

    @property
    def listed(self) -> str:
        return listed(self.names)

    def good(self, bad: list[BadRow]) -> Iterator[SourceRow]:
        """The rows; what cannot be read is put into `bad`."""
        for row in self.rows:
            if isinstance(row, BadRow):
                bad.append(row)
            else:
                yield with_labels(row)


@dataclass(frozen=True)
class RowTally:
    """What was read besides: how many rows, which were left out and why, which could not be read."""

    rows: int = 0
    dropped: dict[str, int] = field(default_factory=dict[str, int])
    bad: tuple[BadRow, ...] = ()


@dataclass(frozen=True)
class RatingTable:
    """A row a unit, a column a rater. `numeric` where every rating is a number. `left_out` says of columns
    that were not taken as raters why."""

    raters: list[str]
    table: list[list[str | float | None]]
    numeric: bool
    read: RowTally
    left_out: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def first_text(self) -> tuple[str, str] | None:
        """The first rating that is no number, after its rater."""
        cells = (cell for row in self.table for cell in zip(self.raters, row, strict=True))
        return next(((by, value) for by, value in cells if isinstance(value, str) and _is_text(value)), None)


@dataclass(frozen=True)
class Numbers:
    """Columns of equal length; None where a row has no number."""

    columns: dict[str, list[float | None]]
    groups: list[str] | None
    read: RowTally


def open_table(where: str | Path) -> RowTable:
    """Whatever `open_rows` takes."""
    source = open_rows(where)
    name, rows = source.name, source.read()
    first = list(islice(rows, LOOK_AHEAD))
    good = (with_labels(row) for row in first if isinstance(row, SourceRow))
    columns = dict.fromkeys(column for row in good for column in row.cells)
    if not columns:
        broken = next((f"; {row.where}: {row.reason}" for row in first if isinstance(row, BadRow)), ".")
        raise BadRecord(f"{name} holds no rows{broken}")
    return RowTable(name, tuple(columns), chain(first, rows))


def ratings(table: RowTable, columns: Sequence[str] | None = None) -> RatingTable:
    """A column a rater; without names, all columns that do not name the row, by their title or their texts.

    Without names, a text column that shares no value with any other is refused: it is a rater's name, or some
    other label, and no rating.
    """
    left_out: dict[str, str] = {}
    if columns is None:
        left_out = {name: "which by its title names the row" for name in table.names if _names_rows(name)}
        raters = [name for name in table.names if name not in left_out]
    else:
        raters = [table.column(name, "--columns") for name in columns]
    if len(set(raters)) < max(2, len(raters)):
        raise BadSetting(
            f"Agreement needs two raters or more, each once, and {table.name} has {table.listed}: name their "
            "columns with --columns, or use --unit, --rater and --value where each row is one rating."
        )
    bad: list[BadRow] = []
    rows = [[label(row, name) for name in raters] for row in table.good(bad)]
    if columns is None:
        by_rater = _by_rater(raters, rows)
        differing = _differing(by_rater)
        left_out |= differing
        rows = [[row[at] for at, name in enumerate(raters) if name not in differing] for row in rows]
        raters = [name for name in raters if name not in differing]
        _alike(table, {name: set(by_rater[name]) for name in raters})
    read = RowTally(len(rows), bad=tuple(bad))
    return replace(_rated(raters, rows, read), left_out=left_out)


def long_ratings(table: RowTable, *, unit: str, rater: str, value: str) -> RatingTable:
    """A row a rating. A rater who rated a unit twice raises: which of the two counts is not ours to say."""
    wanted = ((unit, "--unit"), (rater, "--rater"), (value, "--value"))
    at = [table.column(name, option) for name, option in wanted]
    units: dict[str, dict[str, str]] = {}
    raters: dict[str, None] = {}
    bad: list[BadRow] = []
    count = dropped = 0
    for row in table.good(bad):
        count += 1
        one, by, rating = (label(row, name) for name in at)
        if one is None or by is None or rating is None:
            dropped += 1
            continue
        raters[by] = None
        rated = units.setdefault(one, {})
        if by in rated:
            raise BadRecord(f"{row.where}: {by!r} has rated {one!r} before; keep one of the two.")
        rated[by] = rating
    if len(raters) < 2:
        raise BadRecord(f"{table.name} has {len(raters)} raters in {rater!r}; agreement needs two or more.")
    rows = [[rated.get(by) for by in raters] for rated in units.values()]
    gaps = {"without unit, rater or value": dropped} if dropped else {}
    return _rated(list(raters), rows, RowTally(count, gaps, tuple(bad)))


def numbers(table: RowTable, columns: Sequence[str], *, within: str | None = None) -> Numbers:
    """Columns of numbers; a row without its group is left out and counted."""
    values: dict[str, list[float | None]] = {name: [] for name in columns}
    groups: list[str] | None = None if within is None else []
    bad: list[BadRow] = []
    count = dropped = 0
    for row in table.good(bad):
        count += 1
        if within is not None and groups is not None:
            group = label(row, within)
            if group is None:
                dropped += 1
                continue
            groups.append(group)
        for name, column in values.items():
            column.append(number(row, name))
    gaps = {"without a group": dropped} if dropped else {}
    return Numbers(values, groups, RowTally(count, gaps, tuple(bad)))


def label(row: SourceRow, column: str) -> str | None:
    """A cell as the text that names something; 3.0 is 3, as tables with gaps write it."""
    cell = row.cells.get(column)
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, _NESTED):
        raise BadRecord(f"{row.where}: {column!r} is neither a text nor a number.")
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell).strip() or None


def number(row: SourceRow, column: str) -> float | None:
    cell = row.cells.get(column)
    try:
        value = _parsed(cell)
    except ValueError:
        raise BadRecord(f"{row.where}: {column!r} is {str(cell)[:40]!r}, which is no number.") from None
    if value is not None and abs(value) > LARGEST:
        raise BadRecord(f"{row.where}: {column!r} is {str(cell)[:40]!r}, too large to be measured.")
    return value


def _parsed(cell: object) -> float | None:
    """Raises ValueError for what is no number. A number too large for Python is infinite here."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, str):
        text = cell.strip()
        if text.lower() in _NO_NUMBER:
            return None
        # Python reads 1_000 as a number; whoever writes tables does not.
        return float(text.replace("_", "?"))
    if isinstance(cell, bool) or not hasattr(cell, "__float__"):
        raise ValueError
    try:
        return float(cast(Any, cell))
    except OverflowError:
        return math.inf


def _rated(raters: list[str], rows: list[list[str | None]], read: RowTally) -> RatingTable:
    """As numbers, if all of them are; whatever stands for "no number" is then missing."""
    distinct = {value for row in rows for value in row if value is not None}
    if not distinct:
        raise BadRecord(f"The columns {', '.join(map(brief, raters[:20]))} hold no ratings.")
    try:
        parsed = {value: _parsed(value) for value in distinct}
    except ValueError:
        parsed = dict[str, float | None]()
    values = [value for value in parsed.values() if value is not None]
    if not values:
        return RatingTable(raters, [list(row) for row in rows], False, read)
    huge = next((value for value in values if abs(value) > LARGEST), None)
    if huge is not None:
        raise BadRecord(f"A rating is {huge:g}, too large to be measured.")
    table: list[list[str | float | None]] = [
        [None if value is None else parsed[value] for value in row] for row in rows
    ]
    return RatingTable(raters, table, True, read)


def _names_rows(column: str) -> bool:
    plain = column.strip().lower()
    return plain in NAMES or plain.endswith("_id")


def _is_text(value: str) -> bool:
    try:
        _parsed(value)
    except ValueError:
        return True
    return False


def _by_rater(raters: list[str], rows: list[list[str | None]]) -> dict[str, list[str]]:
    return {name: [value for row in rows if (value := row[at]) is not None] for at, name in enumerate(raters)}


def _differing(by_rater: dict[str, list[str]]) -> dict[str, str]:
    """Columns of texts that (nearly) all differ and that no other column has, with that reason; none where
    fewer than two columns would remain."""
    distinct = {name: set(values) for name, values in by_rater.items()}
    suspects = {
        name
        for name, values in by_rater.items()
        if values and len(distinct[name]) >= _NEARLY_ALL * len(values) and any(map(_is_text, distinct[name]))
    }
    others = set[str]().union(*(distinct[name] for name in by_rater if name not in suspects))
    # Three raters with three units may all differ too, but they say the same things.
    out = [name for name in by_rater if name in suspects and not distinct[name] & others]
    if len(by_rater) - len(out) < 2:
        return {}
    every = {name: len(distinct[name]) == len(by_rater[name]) for name in out}
    return {name: f"whose values {'' if every[name] else 'nearly '}all differ" for name in out}


def _alike(table: RowTable, by_rater: dict[str, set[str]]) -> None:
    """Refuse a column of texts of which no other column has any."""
    for name, values in by_rater.items():
        others = set[str]().union(*(by_rater[other] for other in by_rater if other != name))
        if others and not values & others and any(map(_is_text, values)):
            texts = ", ".join(brief(value)[:40] for value in sorted(values)[:3])
            texts += ", ..." if len(values) > 3 else ""
            raise BadSetting(
                f"Column {brief(name)} of {table.name} ({texts}) shares no value with the others, so it "
                "is no rater's: say --unit, --rater and --value where each row is one rating, or name the "
                "raters' columns with --columns."
            )


def with_labels(row: SourceRow) -> SourceRow:
    """Of an exported run also what its labels hold (model_a, ...), under their own names, and its prompt."""
    labels = _object(row.cells.get("labels"))
    if labels is None:
        return row
    prompt = _prompt(_object(row.cells.get("item")) or {})
    return row._replace(cells={**({"prompt": prompt} if prompt else {}), **labels, **row.cells})


def _object(cell: object) -> dict[str, object] | None:
    if isinstance(cell, str) and cell.startswith("{"):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):
            return None
    return cast("dict[str, object]", cell) if isinstance(cell, dict) else None


def _prompt(item: Mapping[str, object]) -> str:
    """The text of the prompt that an item, or its pair, is about."""
    match item:
        case {"prompt": {"text": str(text)}} | {"pair": {"prompt": {"text": str(text)}}}:
            return text
        case _:
            return ""
