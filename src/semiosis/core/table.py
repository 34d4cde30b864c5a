"""A table as a value: cells are plain data, and a column says how its numbers are written.

    Table(
        columns=(words("judge"), numbers("score", digits=2), numbers("failed", alarm=True)),
        rows=(("mine", Interval(value=0.479, low=0.128, high=0.724), 0),),
        notes=("95% intervals.",),
    )
    Table.facts([("items", "20: 12 settled")], title="first: semjudge on samples")

JSON has the numbers; every text form (`semiosis.reports.tables`) has them as `Column.written` writes them.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, Self

from pydantic import model_validator

from .text import share, usd
from .value import Value

NOTHING = "-"

Form = Literal["number", "percent", "usd", "p"]


class Ends(Protocol):
    """Whatever has a value and the ends of its interval."""

    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class Interval(Value):
    """A number, and the ends of its interval where it has one."""

    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, estimate: Ends) -> Self:
        return cls(value=estimate.value, low=estimate.low, high=estimate.high)


@dataclass(frozen=True)
class Share:
    """So many of so many, with the ends of its interval; of none there is no share."""

    count: int
    of: int
    value: float | None = None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return f"{self.count:,} of {self.of:,}"
        return f"{share(self.value, self.low, self.high)}, {self.count:,} of {self.of:,}"


Cell = str | bool | int | float | Interval | Share | None
Cells = tuple[Cell, ...]


class Column(Value):
    """What a column holds.

    numbers     right-aligned
    flows       text that may go over several lines
    form        how a number is written
    digits      after the point; without, as many as a fraction needs, at most six in all
    sign        a plus before what is not below zero
    alarm       what is not zero is worth a look
    """

    name: str = ""
    numbers: bool = False
    flows: bool = False
    form: Form = "number"
    digits: int | None = None
    sign: bool = False
    alarm: bool = False

    def written(self, cell: Cell) -> str:
        match cell:
            case None:
                return NOTHING
            case bool():
                return "yes" if cell else "no"
            case str() | Share():
                return str(cell)
            case Interval():
                value = self._number(cell.value)
                if cell.low is None or cell.high is None:
                    return value
                low, high = (self._number(end).removesuffix("%") for end in (cell.low, cell.high))
                return f"{value} ({low} to {high})"
            case _:
                return self._number(cell)

    def alarms(self, cell: Cell) -> bool:
        return self.alarm and bool(cell.count if isinstance(cell, Share) else cell)

    def _number(self, value: float) -> str:
        """No minus before a zero."""
        sign = "+" if self.sign else ""
        match self.form:
            case "percent":
                return f"{value:{sign}z,.{1 if self.digits is None else self.digits}%}"
            case "usd":
                return usd(value)
            case "p":
                return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
            case "number" if isinstance(value, int):
                return f"{value:{sign},}"
            case "number":
                kind = "6g" if self.digits is None else f"{self.digits}f"
                return f"{value:{sign}z,.{kind}}"


class Table(Value):
    """The first `heading` columns name a row. `emphasised` and `alarmed` are rows by their place, from 0.

    A table whose columns have no names is a list of facts.
    """

    title: str = ""
    columns: tuple[Column, ...]
    rows: tuple[Cells, ...] = ()
    notes: tuple[str, ...] = ()
    heading: int = 1
    emphasised: tuple[int, ...] = ()
    alarmed: tuple[int, ...] = ()

    @classmethod
    def facts(
        cls,
        rows: Iterable[tuple[str, Cell]],
        *,
        title: str = "",
        notes: Iterable[str] = (),
        alarms: Collection[str] = (),
    ) -> Self:
        """Names and texts; `alarms` are the names of those that are worth a look."""
        every = tuple(rows)
        alarmed = tuple(place for place, (name, _) in enumerate(every) if name in alarms)
        columns = (words(), words(flows=True))
        return cls(title=title, columns=columns, rows=every, notes=tuple(notes), alarmed=alarmed)

    @property
    def is_titled(self) -> bool:
        return any(column.name for column in self.columns)

    def alarms(self, row: int, column: int) -> bool:
        return row in self.alarmed or self.columns[column].alarms(self.rows[row][column])

    @model_validator(mode="after")
    def _check_shape(self) -> Self:
        odd = next((row for row in self.rows if len(row) != len(self.columns)), None)
        if odd is not None:
            raise ValueError(f"A row has {len(odd)} cells, and the table {len(self.columns)} columns.")
        if not 0 <= self.heading <= len(self.columns):
            raise ValueError(f"{self.heading} of {len(self.columns)} columns cannot name a row.")
        return self


def words(name: str = "", *, flows: bool = False, alarm: bool = False) -> Column:
    """A column of text."""
    return Column(name=name, flows=flows, alarm=alarm)


def numbers(
    name: str, digits: int | None = None, *, form: Form = "number", sign: bool = False, alarm: bool = False
) -> Column:
    """A column of numbers."""
    return Column(name=name, numbers=True, digits=digits, form=form, sign=sign, alarm=alarm)
