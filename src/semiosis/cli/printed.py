"""What commands print as JSON where that is more than one value: `semiosis schema` publishes these types."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from ..core.item import BadRow
from ..core.value import Value
from ..reports.measures import Agreement, ColumnCorrelation, Correlated
from ..runs.comparison import Disagreement, RunComparison
from ..stats.ratings import Ratings

if TYPE_CHECKING:
    from ..sources.table import RowTally

BAD_ROWS_SHOWN = 100

Settings = dict[str, bool | int | float]


class Dropped(Value):
    """Rows that were left out, and why."""

    why: str
    rows: int


class ReadFile(Value):
    """A table, and what of it could not be used."""

    file: str
    rows: int
    dropped: tuple[Dropped, ...]
    bad_rows: int
    first_bad_rows: tuple[BadRow, ...]

    @classmethod
    def of(cls, file: str, read: "RowTally") -> Self:
        return cls(
            file=file,
            rows=read.rows,
            dropped=tuple(Dropped(why=why, rows=rows) for why, rows in read.dropped.items()),
            bad_rows=len(read.bad),
            first_bad_rows=read.bad[:BAD_ROWS_SHOWN],
        )


class RatedFile(ReadFile, Ratings):
    """`semiosis stats rate`. `columns` says which of the file's hold what, `intervals` how they were made."""

    columns: dict[str, str]
    settings: Settings
    intervals: str | None


class AgreedFile(ReadFile, Agreement):
    """`semiosis stats agree`."""

    settings: Settings
    columns_left_out: tuple[str, ...]


class CorrelatedFile(ReadFile, Correlated):
    """`semiosis stats correlate`."""


class CorrelatedColumns(ReadFile):
    """`semiosis stats correlate --columns`."""

    spearman: tuple[ColumnCorrelation, ...]


@dataclass(frozen=True)
class ComparedRuns(RunComparison):
    """`semiosis runs compare`. `disagreements` are there with --items."""

    disagreements: tuple[Disagreement, ...] | None = None
