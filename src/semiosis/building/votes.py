"""Forced choices between two works of one group, and what people said of them, by file.

    columns = VoteColumns(group=("season",))
    choices = read(open_rows("votes.csv").read(), columns)
    choices[0].group, choices[0].left, choices[0].winner        ("spring",), "gpt", "right"

A row names its group and who stands left and right. `winner` is "left", "right", null (skipped: people were
not sure) or "" (nobody was asked). A file may have several votes a choice instead: as `left_share`, as
`votes_left` and `votes_right`, or as several rows with one id, which may have their sides swapped.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ..core.errors import BadData, BadRecord, InputError
from ..core.item import BadRow
from ..core.text import brief
from ..core.value import Value
from ..sources.rows import Rows, SourceRow
from ..sources.votes import Verdict
from ..sources.winners import Ballot, Winner, spelling

Hand = Literal["left", "right"]
Group = tuple[str, ...]
Cell = str | int | float | bool | None

_SIDES: dict[Winner | None, Verdict] = {"a": "left", "b": "right", "tie": "tie"}
_OTHER: dict[Hand | None, Hand] = {"left": "right", "right": "left"}
_YES = ("true", "1", "yes")


class ForcedChoice(Value):
    """Two works of a `group`, whose works can be compared with each other, and what people chose.

    `winner` is None where people were undecided, or not asked: `annotated` is false.
    """

    id: str
    group: Group
    prompt: str
    left: str
    right: str
    winner: Hand | None = None
    annotated: bool = True
    left_share: float | None = None

    @property
    def swapped(self) -> "ForcedChoice":
        return self.model_copy(
            update={
                "left": self.right,
                "right": self.left,
                "winner": _OTHER.get(self.winner),
                "left_share": None if self.left_share is None else 1 - self.left_share,
            }
        )


@dataclass(frozen=True)
class VoteColumns:
    """What a file calls the labels of a group, the two sides, and the words that people were shown."""

    group: tuple[str, ...]
    left: str = "left"
    right: str = "right"
    prompt: str = "prompt"

    @property
    def needed(self) -> tuple[str, ...]:
        return (*self.group, self.left, self.right)


def read(rows: Rows, columns: VoteColumns) -> tuple[ForcedChoice, ...]:
    """Every choice in its order, with all its votes counted. Raises BadRecord, with the place."""
    votes: dict[str, list[ForcedChoice]] = {}
    for row in _with_sides(rows, columns):
        try:
            vote = choice(row.cells, row.number, columns)
        except InputError as error:
            raise BadRecord(brief(f"{row.where}: {error}")) from None
        votes.setdefault(vote.id, []).append(vote)
    return tuple(_counted(some) for some in votes.values())


def choice(cells: Mapping[str, object], number: int, columns: VoteColumns) -> ForcedChoice:
    """A row. Raises InputError, without the place."""
    if lacking := [name for name in columns.needed if cells.get(name) in (None, "")]:
        raise BadRecord(f"The row has no {', '.join(lacking)}.")
    *group, left, right = (str(cells[name]) for name in columns.needed)
    if left == right:
        raise BadRecord(f"The row compares {left} with itself.")
    winner, annotated, share = _vote(cells)
    id = cells.get("id")
    return ForcedChoice(
        id=str(number) if id in (None, "") else str(id),
        group=tuple(group),
        prompt=str(cells.get(columns.prompt) or ""),
        left=left,
        right=right,
        winner=winner,
        annotated=annotated,
        left_share=share,
    )


def as_row(choice: ForcedChoice, columns: VoteColumns) -> dict[str, Cell]:
    """As `read` reads it again; labels that are numbers are written as numbers."""
    row: dict[str, Cell] = {
        "id": _number(choice.id),
        **{name: _number(label) for name, label in zip(columns.group, choice.group, strict=True)},
        columns.prompt: choice.prompt,
        columns.left: choice.left,
        columns.right: choice.right,
        "winner": choice.winner if choice.annotated else "",
    }
    if choice.annotated:
        row["skipped"] = choice.winner is None
    return row if choice.left_share is None else row | {"left_share": choice.left_share}


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
    """With each winner as left, right or tie, however the file spells it; where nobody won, as it is."""
    good: list[SourceRow] = []
    for row in rows:
        if isinstance(row, BadRow):
            raise BadRecord(f"{row.where}: {row.reason}")
        good.append(row)
    names = ("winner", columns.left, columns.right)
    ballots = [Ballot(row.where, *(_text(row.cells.get(name)) for name in names)) for row in good]
    try:
        side = spelling(ballots)
    except BadRecord as error:
        raise BadRecord(brief(str(error))) from None
    sides = [_SIDES.get(side(ballot)) for ballot in ballots]
    return [
        row._replace(cells={**row.cells, "winner": side}) if side else row
        for row, side in zip(good, sides, strict=True)
    ]


def _text(cell: object) -> str | None:
    return None if cell is None else str(cell)


def _vote(cells: Mapping[str, object]) -> tuple[Hand | None, bool, float | None]:
    """The winner, whether anybody was asked, and the share of votes for the left."""
    cell = cells.get("winner", "")
    winner = cell if cell in ("left", "right") else None
    skipped = str(cells.get("skipped") or "").lower() in _YES
    share = _share(cells)
    if share is not None:
        if winner and _majority(share) != winner:
            raise BadData(f"The winner is {winner}, yet {share:.0%} of the votes are for the left.")
        return _majority(share), True, share
    if skipped:
        return None, True, None
    return winner, cell is None or str(cell).strip() != "", None


def _majority(share: float) -> Hand | None:
    return None if share == 0.5 else "left" if share > 0.5 else "right"


def _share(cells: Mapping[str, object]) -> float | None:
    cell = cells.get("left_share")
    if cell not in (None, ""):
        share = _float(cell, "left_share")
        if not 0 <= share <= 1:
            raise BadData(f"left_share is {share:g}, which is no share: it lies between 0 and 1.")
        return share
    counts = [cells.get(name) for name in ("votes_left", "votes_right")]
    if any(count in (None, "") for count in counts):
        return None
    left, right = (
        _float(count, name) for count, name in zip(counts, ("votes_left", "votes_right"), strict=True)
    )
    if min(left, right) < 0:
        raise BadData(f"A row has {left:g} votes for the left and {right:g} for the right.")
    return left / (left + right) if left + right else None


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
    same = [each.swapped if each.left == first.right else each for each in votes]
    if any((e.group, e.left, e.right) != (first.group, first.left, first.right) for e in same):
        raise BadRecord(f"Two different comparisons have the id {first.id!r}.")
    if any(each.left_share is not None for each in same):
        raise BadRecord(f"The comparison {first.id!r} is there twice, each time with a share of votes.")
    cast = [each for each in same if each.annotated]
    if not cast:
        return first
    # A vote for neither is half a vote for each.
    share = sum({"left": 1.0, "right": 0.0}.get(each.winner or "", 0.5) for each in cast) / len(cast)
    return first.model_copy(update={"winner": _majority(share), "annotated": True, "left_share": share})


def _number(text: str) -> str | int:
    return int(text) if text.isascii() and text.isdigit() and str(int(text)) == text else text
