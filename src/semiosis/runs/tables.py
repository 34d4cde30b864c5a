"""Tables for statistics, from all that pairs come in: ratings, and columns of numbers. Votes are in votes.py.

    table = open_table("ratings.csv")
    ratings(table).table                            # for stats.krippendorff_alpha
    numbers(open_table("scores.jsonl"), ["score", "human"]).columns

What a row lacks is counted, never guessed; what cannot be understood raises, with its place.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from ..core.errors import BadRecord, BadSetting
from ..core.item import BadRow
from .sources import files, tables
from .sources.columns import IDS, PROMPTS
from .sources.rows import Reader, Row, Rows, printable

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


@dataclass(frozen=True)
class Table:
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
        more = len(self.names) - 20
        shown = ", ".join(printable(name)[:40] for name in self.names[:20])
        return f"{shown} and {more} more" if more > 0 else shown

    def good(self, bad: list[BadRow]) -> Iterator[Row]:
        """The rows; what cannot be read is put into `bad`."""
        for row in self.rows:
            if isinstance(row, BadRow):
                bad.append(row)
            else:
                yield _with_labels(row)


@dataclass(frozen=True)
class Read:
    """What was read besides: how many rows, which were left out and why, which could not be read."""

    rows: int = 0
    dropped: dict[str, int] = field(default_factory=dict[str, int])
    bad: tuple[BadRow, ...] = ()


@dataclass(frozen=True)
class Ratings:
    """A row a unit, a column a rater. `numeric` where every rating is a number."""

    raters: list[str]
    table: list[list[str | float | None]]
    numeric: bool
    read: Read


@dataclass(frozen=True)
class Numbers:
    """Columns of equal length; None where a row has no number."""

    columns: dict[str, list[float | None]]
    groups: list[str] | None
    read: Read


def open_table(where: str | Path) -> Table:
    """A .jsonl, .ndjson, .json, .csv or .tsv file (also with .gz), a .parquet file, a folder of Parquet or of
    `datasets.save_to_disk`, or a dataset as hf:owner/name:config:split."""
    name = str(where) if str(where).startswith("hf:") else Path(where).name
    rows = _reader(where)()
    first = list(islice(rows, LOOK_AHEAD))
    good = (_with_labels(row) for row in first if isinstance(row, Row))
    columns = dict.fromkeys(column for row in good for column in row.cells)
    if not columns:
        broken = next((f"; {row.where}: {row.reason}" for row in first if isinstance(row, BadRow)), ".")
        raise BadRecord(f"{name} holds no rows{broken}")
    return Table(name, tuple(columns), chain(first, rows))


def ratings(table: Table, columns: Sequence[str] | None = None) -> Ratings:
    """A column a rater; without names, all columns that are not an id or a prompt."""
    if columns is None:
        raters = [name for name in table.names if name.strip().lower() not in NAMES]
    else:
        raters = [table.column(name, "--columns") for name in columns]
    if len(set(raters)) < max(2, len(raters)):
        raise BadSetting(
            f"Agreement needs two raters or more, each once, and {table.name} has {table.listed}: name their "
            "columns with --columns, or use --unit, --rater and --value where each row is one rating."
        )
    bad: list[BadRow] = []
    found = [[label(row, name) for name in raters] for row in table.good(bad)]
    return _rated(raters, found, Read(len(found), bad=tuple(bad)))


def long_ratings(table: Table, *, unit: str, rater: str, value: str) -> Ratings:
    """A row a rating. A rater who rated a unit twice raises: which of the two counts is not ours to say."""
    wanted = ((unit, "--unit"), (rater, "--rater"), (value, "--value"))
    at = [table.column(name, option) for name, option in wanted]
    units: dict[str, dict[str, str]] = {}
    raters: dict[str, None] = {}
    bad: list[BadRow] = []
    count = dropped = 0
    for row in table.good(bad):
        count += 1
        one, by, said = (label(row, name) for name in at)
        if one is None or by is None or said is None:
            dropped += 1
            continue
        raters[by] = None
        rated = units.setdefault(one, {})
        if by in rated:
            raise BadRecord(f"{row.where}: {by!r} has rated {one!r} before; keep one of the two.")
        rated[by] = said
    if len(raters) < 2:
        raise BadRecord(f"{table.name} has {len(raters)} raters in {rater!r}; agreement needs two or more.")
    found = [[rated.get(by) for by in raters] for rated in units.values()]
    told = {"without unit, rater or value": dropped} if dropped else {}
    return _rated(list(raters), found, Read(count, told, tuple(bad)))


def numbers(table: Table, columns: Sequence[str], *, within: str | None = None) -> Numbers:
    """Columns of numbers; a row without its group is left out and counted."""
    found: dict[str, list[float | None]] = {name: [] for name in columns}
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
        for name, column in found.items():
            column.append(number(row, name))
    told = {"without a group": dropped} if dropped else {}
    return Numbers(found, groups, Read(count, told, tuple(bad)))


def label(row: Row, column: str) -> str | None:
    """A cell as the text that names something; 3.0 is 3, as tables with gaps write it."""
    cell = row.cells.get(column)
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, _NESTED):
        raise BadRecord(f"{row.where}: {column!r} is neither a text nor a number.")
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell).strip() or None


def number(row: Row, column: str) -> float | None:
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


def _rated(raters: list[str], found: list[list[str | None]], read: Read) -> Ratings:
    """As numbers, if all of them are; whatever stands for "no number" is then missing."""
    said = {value for row in found for value in row if value is not None}
    if not said:
        raise BadRecord(f"The columns {', '.join(map(printable, raters[:20]))} hold no ratings.")
    try:
        parsed = {value: _parsed(value) for value in said}
    except ValueError:
        parsed = dict[str, float | None]()
    values = [value for value in parsed.values() if value is not None]
    if not values:
        return Ratings(raters, [list(row) for row in found], False, read)
    huge = next((value for value in values if abs(value) > LARGEST), None)
    if huge is not None:
        raise BadRecord(f"A rating is {huge:g}, too large to be measured.")
    table: list[list[str | float | None]] = [
        [None if value is None else parsed[value] for value in row] for row in found
    ]
    return Ratings(raters, table, True, read)


def _with_labels(row: Row) -> Row:
    """Of an exported run also what its labels hold (model_a, ...), under their own names."""
    labels = row.cells.get("labels")
    if isinstance(labels, str) and labels.startswith("{"):
        try:
            labels = json.loads(labels)
        except (ValueError, RecursionError):
            return row
    if not isinstance(labels, dict):
        return row
    return row._replace(cells={**cast("dict[str, object]", labels), **row.cells})


def _reader(where: str | Path) -> Reader:
    if str(where).startswith("hf:"):
        return partial(tables.hub, str(where).removeprefix("hf:"))
    path = Path(where)
    if path.is_dir():
        if tables.is_saved(path):
            return partial(tables.saved, path)
        if parquet := sorted(path.rglob("*.parquet")):
            return partial(tables.parquet, parquet)
        raise BadRecord(f"{path} is a folder without a table in it: name a file.")
    if not path.exists():
        raise BadRecord(f"There is no file {path}.")
    if path.suffix.lower() == ".parquet":
        return partial(tables.parquet, [path])
    if files.format_of(path) is None:
        known = ", ".join(files.FORMATS)
        raise BadRecord(f"{path.name} is in no format that is read here: save it as {known} or .parquet.")
    return partial(files.read, path)
