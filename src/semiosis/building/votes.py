"""Forced choices between two works of one group, and what people said of them, by file.

    columns = VoteColumns(group=("season",))
    choices = read(open_rows("votes.csv").read(), columns)
    choices[0].group, choices[0].a, choices[0].winner           ("spring",), "gpt", "b"

A row names its group and the two works. `winner` is "a", "b" or what `sources.winners` knows, null (skipped:
people were not sure) or "" (nobody was asked). A file may have several votes a choice instead: as `share_a`,
as `votes_a` and `votes_b`, or as several rows with one id, which may have their sides swapped.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import model_validator

from ..core.errors import BadData, BadRecord, InputError
from ..core.item import BadRow
from ..core.sign import Side, other
from ..core.text import brief
from ..core.value import Value
from ..sources.columns import in_our_names
from ..sources.rows import Rows, SourceRow
from ..sources.winners import Ballot, spelling, winner

Group = tuple[str, ...]
Cell = str | int | float | bool | None

_YES = ("true", "1", "yes")


class ForcedChoice(Value):
    """Two works of a `group`, whose works can be compared with each other, and what people chose.

    `winner` is None where people were undecided, or not asked: `annotated` is false.
    """

    id: str
    group: Group
    prompt: str
    a: str
    b: str
    winner: Side | None = None
    annotated: bool = True
    share_a: float | None = None

    @property
    def swapped(self) -> "ForcedChoice":
        return self.model_copy(
            update={
                "a": self.b,
                "b": self.a,
                "winner": self.winner and other(self.winner),
                "share_a": None if self.share_a is None else 1 - self.share_a,
            }
        )

    @model_validator(mode="before")
    @classmethod
    def _sides(cls, record: Any) -> Any:
        """Earlier releases stored the sides as left and right."""
        match record:
            case {"left": _, "right": _}:
                return {**in_our_names(record), "winner": winner(record.get("winner"))}
            case _:
                return record


@dataclass(frozen=True)
class VoteColumns:
    """What a file calls the labels of a group, the two sides, and the words that people were shown; and how
    winners are written there; every spelling is read."""

    group: tuple[str, ...]
    a: str = "a"
    b: str = "b"
    prompt: str = "prompt"
    winners: tuple[str, str] = ("a", "b")

    @property
    def needed(self) -> tuple[str, ...]:
        return (*self.group, self.a, self.b)


def read(rows: Rows, columns: VoteColumns) -> tuple[ForcedChoice, ...]:
    """Every choice in its order, with all its votes counted. Raises BadRecord, with the place."""
    votes: dict[str, list[ForcedChoice]] = {}
    for row in _with_sides(rows, columns):
        try:
            vote = _choice(row.cells, row.number, columns)
        except InputError as error:
            raise BadRecord(brief(f"{row.where}: {error}")) from None
        votes.setdefault(vote.id, []).append(vote)
    return tuple(_counted(some) for some in votes.values())


def _choice(cells: Mapping[str, object], number: int, columns: VoteColumns) -> ForcedChoice:
    """A row. Raises InputError, without the place."""
    if lacking := [name for name in columns.needed if cells.get(name) in (None, "")]:
        raise BadRecord(f"The row has no {', '.join(lacking)}.")
    *group, a, b = (str(cells[name]) for name in columns.needed)
    if a == b:
        raise BadRecord(f"The row compares {a} with itself.")
    winner, annotated, share = _vote(cells)
    id = cells.get("id")
    return ForcedChoice(
        id=str(number) if id in (None, "") else str(id),
        group=tuple(group),
        prompt=str(cells.get(columns.prompt) or ""),
        a=a,
        b=b,
        winner=winner,
        annotated=annotated,
        share_a=share,
    )


def as_row(choice: ForcedChoice, columns: VoteColumns) -> dict[str, Cell]:
    """As `read` reads it again; labels that are numbers are written as numbers."""
    words = dict(zip(("a", "b", None), (*columns.winners, None), strict=True))
    row: dict[str, Cell] = {
        "id": _number(choice.id),
        **{name: _number(label) for name, label in zip(columns.group, choice.group, strict=True)},
        columns.prompt: choice.prompt,
        columns.a: choice.a,
        columns.b: choice.b,
        "winner": words[choice.winner] if choice.annotated else "",
    }
    if choice.annotated:
        row["skipped"] = choice.winner is None
    return row if choice.share_a is None else row | {"share_a": choice.share_a}


def decided(choices: Iterable[ForcedChoice]) -> tuple[ForcedChoice, ...]:
    """Those that have a winner."""
    return tuple(choice for choice in choices if choice.winner is not None)


def grouped(choices: Iterable[ForcedChoice]) -> dict[Group, list[ForcedChoice]]:
    """In order of appearance."""
    groups: dict[Group, list[ForcedChoice]] = {}
    for choice in choices:
        groups.setdefault(choice.group, []).append(choice)
    return groups


def _with_sides(rows: Rows, columns: VoteColumns) -> list[SourceRow]:
    """With our names for the sides, and each winner as a, b or tie; where nobody won, as it is."""
    good: list[SourceRow] = []
    for row in rows:
        if isinstance(row, BadRow):
            raise BadRecord(f"{row.where}: {row.reason}")
        good.append(row._replace(cells={**in_our_names(row.cells), **row.cells}))
    names = ("winner", columns.a, columns.b)
    ballots = [Ballot(row.where, *(_text(row.cells.get(name)) for name in names)) for row in good]
    try:
        side = spelling(ballots)
    except BadRecord as error:
        raise BadRecord(brief(str(error))) from None
    return [
        row._replace(cells={**row.cells, "winner": winner}) if winner else row
        for row, winner in zip(good, map(side, ballots), strict=True)
    ]


def _text(cell: object) -> str | None:
    return None if cell is None else str(cell)


def _vote(cells: Mapping[str, object]) -> tuple[Side | None, bool, float | None]:
    """The winner, whether anybody was asked, and the share of votes for a."""
    cell = cells.get("winner", "")
    winner = cell if cell in ("a", "b") else None
    skipped = str(cells.get("skipped") or "").lower() in _YES
    share = _share(cells)
    if share is not None:
        if winner and _majority(share) != winner:
            raise BadData(f"The winner is {winner}, yet {share:.0%} of the votes are for a.")
        return _majority(share), True, share
    if skipped:
        return None, True, None
    return winner, cell is None or str(cell).strip() != "", None


def _majority(share: float) -> Side | None:
    return None if share == 0.5 else "a" if share > 0.5 else "b"


def _share(cells: Mapping[str, object]) -> float | None:
    cell = cells.get("share_a")
    if cell not in (None, ""):
        share = _float(cell, "share_a")
        if not 0 <= share <= 1:
            raise BadData(f"share_a is {share:g}, which is no share: it lies between 0 and 1.")
        return share
    counts = {name: cells.get(name) for name in ("votes_a", "votes_b")}
    if any(count in (None, "") for count in counts.values()):
        return None
    a, b = (_float(count, name) for name, count in counts.items())
    if min(a, b) < 0:
        raise BadData(f"A row has {a:g} votes for a and {b:g} for b.")
    return a / (a + b) if a + b else None


def _float(value: object, name: str) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadData(f"{name} is {str(value)[:40]!r}, which is no number.")
    return number


def _counted(votes: list[ForcedChoice]) -> ForcedChoice:
    """Rows with one id as the votes on one choice, shown as in the first of them."""
    first = votes[0]
    if len(votes) == 1:
        return first
    same = [each.swapped if each.a == first.b else each for each in votes]
    if any((e.group, e.a, e.b) != (first.group, first.a, first.b) for e in same):
        raise BadRecord(f"Two different comparisons have the id {first.id!r}.")
    if any(each.share_a is not None for each in same):
        raise BadRecord(f"The comparison {first.id!r} is there twice, each time with a share of votes.")
    cast = [each for each in same if each.annotated]
    if not cast:
        return first
    # A vote for neither is half a vote for each.
    share = sum({"a": 1.0, "b": 0.0}.get(each.winner or "", 0.5) for each in cast) / len(cast)
    return first.model_copy(update={"winner": _majority(share), "annotated": True, "share_a": share})


def _number(text: str) -> str | int:
    return int(text) if text.isascii() and text.isdigit() and str(int(text)) == text else text
