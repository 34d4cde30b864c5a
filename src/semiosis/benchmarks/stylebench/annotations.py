"""Comparisons of two stylised pictures, and what people said of them.

    rows = load("FineArtBench", "global", edition="paper")
    rows = load("my_votes.csv")
    rows = load("hf:Ruixiang/FineArtBench:global:train")

A row names a content, a style and the methods left and right. In the published files `winner` is "left",
"right", null (skipped: the annotators were not sure) or "" (nobody was asked). A file may have several votes
a comparison instead: as `left_share`, as `votes_left` and `votes_right`, or as several rows with one id,
which may have their sides swapped.
"""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, get_args

from ...core.errors import BadData, BadRecord, InputError
from ...core.item import BadRow
from ...core.text import brief
from ...core.value import Value
from ...sources.arrow import is_saved
from ...sources.opening import Source, open_rows
from ...sources.rows import Rows, SourceRow
from ...sources.winners import Ballot, Winner, spelling
from . import layout
from .layout import Edition, Kind

Side = Literal["left", "right"]
Group = tuple[str, str]

NEEDED = ("content_index", "style_index", "method_left", "method_right")
_SIDES: dict[Winner | None, Literal["left", "right", "tie"]] = {"a": "left", "b": "right", "tie": "tie"}
_YES = ("true", "1", "yes")


class Comparison(Value):
    """One forced choice. `winner` is None where people were undecided, or not asked: `annotated` is false."""

    id: str
    content: str
    style: str
    prompt: str
    left: str
    right: str
    winner: Side | None = None
    annotated: bool = True
    left_share: float | None = None

    @property
    def group(self) -> Group:
        """Content and style: the pictures that can be compared with each other."""
        return self.content, self.style

    @property
    def swapped(self) -> "Comparison":
        winner: dict[Side | None, Side] = {"left": "right", "right": "left"}
        share = None if self.left_share is None else 1 - self.left_share
        return self.model_copy(
            update={
                "left": self.right,
                "right": self.left,
                "winner": winner.get(self.winner),
                "left_share": share,
            }
        )

    def as_row(self) -> dict[str, str | int | float | bool | None]:
        """As the authors write it; `load` reads it again."""
        row: dict[str, str | int | float | bool | None] = {
            "id": _number(self.id),
            "content_index": _number(self.content),
            "style_index": _number(self.style),
            "style_prompt": self.prompt,
            "method_left": self.left,
            "method_right": self.right,
            "winner": self.winner if self.annotated else "",
        }
        if self.annotated:
            row["skipped"] = self.winner is None
        return row if self.left_share is None else row | {"left_share": self.left_share}


def load(
    where: str | Path, kind: Kind = "global", *, edition: Edition = "extended"
) -> tuple[Comparison, ...]:
    """Every row in its order. `kind` and `edition` choose the file where `where` is FineArtBench's folder.

    The `paper` files are the ones the paper was written with; the others hold about 40% more annotations.
    """
    source = _open(where, layout.annotations(kind, edition))
    found: dict[str, list[Comparison]] = {}
    for row in _with_sides(source.read()):
        try:
            each = comparison(row.cells, row.number)
        except InputError as error:
            raise BadRecord(brief(f"{row.where}: {error}")) from None
        found.setdefault(each.id, []).append(each)
    if not found:
        raise BadRecord(f"{source.name} holds no comparisons.")
    return tuple(_counted(rows) for rows in found.values())


def kind_of(where: str | Path, kind: Kind) -> Kind | None:
    """Which kind `load` gives: as asked for of FineArtBench's folder, by the name of one of its files, else
    nobody knows."""
    path = Path(where)
    if path.is_dir() and not is_saved(path):
        return kind
    names: dict[str, Kind] = {f"{each}_annotation": each for each in get_args(Kind)}
    return next((each for name, each in names.items() if path.name.startswith(name)), None)


def load_others(where: str | Path, kind: Kind, *, edition: Edition = "extended") -> tuple[Comparison, ...]:
    """The rows of the other kind than `kind` that lie beside these; none where they do not."""
    path = Path(where)
    folder = path if path.is_dir() else path.parent
    other: Kind = "instance" if kind == "global" else "global"
    file = layout.find(folder, layout.annotations(other, edition))
    return load(file) if file else ()


def load_tasks(folder: str | Path, kind: Kind = "global") -> tuple[Comparison, ...]:
    """The published tasks, of which nothing is annotated."""
    return load(layout.need(Path(folder), layout.tasks(kind)))


def decided(rows: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """Those that have a winner."""
    return tuple(row for row in rows if row.winner is not None)


def first_annotated(rows: Iterable[Comparison], before: int | None = 1000) -> tuple[Comparison, ...]:
    """The first `before` rows that people were asked about, the undecided ones among them: what the authors'
    script looks at."""
    return tuple(row for row in rows if row.annotated)[:before]


def comparison(cells: Mapping[str, object], number: int) -> Comparison:
    """A row in the authors' columns. Raises InputError, without the place."""
    if lacking := [name for name in NEEDED if cells.get(name) in (None, "")]:
        raise BadRecord(f"The row has no {', '.join(lacking)}.")
    content, style, left, right = (str(cells[name]) for name in NEEDED)
    if left == right:
        raise BadRecord(f"The row compares {left} with itself.")
    winner, annotated, share = _said(cells)
    id = cells.get("id")
    return Comparison(
        id=str(number) if id in (None, "") else str(id),
        content=content,
        style=style,
        prompt=str(cells.get("style_prompt") or ""),
        left=left,
        right=right,
        winner=winner,
        annotated=annotated,
        left_share=share,
    )


def _open(where: str | Path, file: str) -> Source:
    path = Path(where)
    if path.is_dir() and not is_saved(path):
        return open_rows(layout.need(path, file))
    return open_rows(where)


def _with_sides(rows: Rows) -> list[SourceRow]:
    """With each winner as left, right or tie, however the file spells it; where nobody won, as it is."""
    given: list[SourceRow] = []
    for row in rows:
        if isinstance(row, BadRow):
            raise BadRecord(f"{row.where}: {row.reason}")
        given.append(row)
    ballots = [
        Ballot(row.where, *(_text(row.cells.get(name)) for name in ("winner", *NEEDED[2:]))) for row in given
    ]
    try:
        read = spelling(ballots)
    except BadRecord as error:
        raise BadRecord(brief(str(error))) from None
    sides = [_SIDES.get(read(ballot)) for ballot in ballots]
    return [
        row._replace(cells={**row.cells, "winner": side}) if side else row
        for row, side in zip(given, sides, strict=True)
    ]


def _text(cell: object) -> str | None:
    return None if cell is None else str(cell)


def _said(cells: Mapping[str, object]) -> tuple[Side | None, bool, float | None]:
    cell = cells.get("winner", "")
    winner = cell if cell in ("left", "right") else None
    skipped = str(cells.get("skipped") or "").lower() in _YES
    share = _share(cells)
    if share is not None:
        by_votes: Side | None = None if share == 0.5 else "left" if share > 0.5 else "right"
        if winner and by_votes != winner:
            raise BadData(f"The winner is {winner}, yet {share:.0%} of the votes are for the left.")
        return by_votes, True, share
    if skipped:
        return None, True, None
    return winner, cell is None or str(cell).strip() != "", None


def _share(cells: Mapping[str, object]) -> float | None:
    given = cells.get("left_share")
    if given not in (None, ""):
        share = _float(given, "left_share")
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
        found = float(str(value))
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise BadData(f"{name} is {str(value)[:40]!r}, which is no number.")
    return found


def _counted(votes: list[Comparison]) -> Comparison:
    """Rows with one id as the votes on one comparison, shown as in the first of them."""
    first = votes[0]
    if len(votes) == 1:
        return first
    same = [each.swapped if each.left == first.right else each for each in votes]
    if any((e.group, e.left, e.right) != (first.group, first.left, first.right) for e in same):
        raise BadRecord(f"Two different comparisons have the id {first.id!r}.")
    if any(each.left_share is not None for each in same):
        raise BadRecord(f"The comparison {first.id!r} is there twice, each time with a share of votes.")
    asked = [each for each in same if each.annotated]
    if not asked:
        return first
    # A vote for neither is half a vote for each.
    share = sum({"left": 1.0, "right": 0.0}.get(each.winner or "", 0.5) for each in asked) / len(asked)
    winner: Side | None = None if share == 0.5 else "left" if share > 0.5 else "right"
    return first.model_copy(update={"winner": winner, "annotated": True, "left_share": share})


def _number(text: str) -> str | int:
    return int(text) if text.isascii() and text.isdigit() and str(int(text)) == text else text
