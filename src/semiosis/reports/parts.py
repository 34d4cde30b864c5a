"""What a number is made of, laid out: rows that hang under what they need, with what each picture got.

layout = layout_of(judgment.score_a, judgment.score_b)
layout.rows[2].rails, layout.rows[2].marks      where the tree's lines run, and the answers side by side
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..core.kinds.rating import Measurement, ScorePart
from .lines import line
from .words import count

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

# Down from one row to the next: a line that goes by, one that forks off to this row, one that ends at it.
Rail = Literal["by", "fork", "end", "none"]
_BELOW: Mapping[Rail, Rail] = {"by": "by", "fork": "by", "end": "none", "none": "none"}
# Deeper ones are drawn as deep as this.
DEEPEST = 6
Standing = Literal["yes", "no", "number", "unasked", "none"]


@dataclass(frozen=True)
class PartMark:
    """What one picture got for one part; `because` says why it was not asked."""

    standing: Standing
    shown: str
    reason: str
    because: str = ""


@dataclass(frozen=True)
class PartRow:
    """A part, under the first that it needs; `others` are the rest of these."""

    id: str
    about: str
    parent: str
    rails: tuple[Rail, ...]
    others: tuple[str, ...]
    marks: tuple[PartMark, ...]

    @property
    def differs(self) -> bool:
        """Whether the pictures got different things."""
        return len({(mark.standing, mark.shown) for mark in self.marks}) > 1


@dataclass(frozen=True)
class PartsLayout:
    """Rows in the order in which they are read; a tree where any part needs another."""

    rows: tuple[PartRow, ...]
    is_tree: bool
    asks: bool
    sums: tuple[str, ...]


def layout_of(*measurements: Measurement | None) -> PartsLayout | None:
    """Of one picture or several; None where no number has parts.

    A part of several pictures is known by its id. Where they differ in what a part needs, the first counts.
    """
    held = [{part.id: part for part in each.parts} if each else {} for each in measurements]
    parts: dict[str, ScorePart] = {}
    for each in held:
        parts = {**each, **parts}
    if not parts:
        return None
    asks = all(part.yes_no for each in held for part in each.values())
    rows = tuple(
        PartRow(
            id=id,
            about=parts[id].about,
            parent=parent,
            rails=rails,
            others=tuple(need for need in parts[id].needs if need != parent),
            marks=tuple(_mark(each.get(id), each, asks=asks) for each in held),
        )
        for id, parent, rails in _walk(parts)
    )
    return PartsLayout(
        rows=rows,
        is_tree=any(row.rails or row.others for row in rows),
        asks=asks,
        sums=tuple(_sum(each.values()) if asks else "" for each in held),
    )


_RAILS: Mapping[Rail, str] = {"by": "│ ", "fork": "├ ", "end": "└ ", "none": "  "}
_STYLES: Mapping[Standing, str] = {
    "yes": "bold",
    "no": "bold red",
    "number": "bold",
    "unasked": "dim",
    "none": "dim",
}


def part_lines(layout: PartsLayout, names: Sequence[str] = ("",)) -> "list[RenderableType]":
    """The rows for a terminal: what each picture got, the part, and why; of several, where they differ."""
    widths = [
        max(len(name), *(len(row.marks[at].shown) for row in layout.rows)) for at, name in enumerate(names)
    ]
    head = "".join(f"  {name:{width}}" for name, width in zip(names, widths, strict=True))
    lines: list[RenderableType] = [line((head, "dim"))] if head.strip() else []
    for row in layout.rows:
        name = f"{row.id} " if layout.is_tree else ""
        lines.append(_part_line(row, line((name, "dim"), row.about or row.id), names, widths))
    return lines


def _why(mark: PartMark) -> str:
    if mark.standing != "unasked":
        return mark.reason
    return f"not asked: {mark.because}" if mark.because else "not asked"


def _part_line(row: PartRow, about: "Text", names: Sequence[str], widths: Sequence[int]) -> "RenderableType":
    from rich.console import Group
    from rich.table import Table

    whys = [
        line((f"{name}: " if name else "", "dim"), (why, "dim"))
        for name, why in zip(names, map(_why, row.marks), strict=True)
        if why and (len(names) == 1 or row.differs)
    ]
    others = f" ({'also ' if row.rails else ''}needs {', '.join(row.others)})" if row.others else ""
    tree = "".join(_RAILS[rail] for rail in row.rails)
    grid = Table.grid(padding=(0, 0))
    for width in widths:
        grid.add_column(width=width + 2)
    grid.add_column(width=len(tree) + 2)
    grid.add_column(overflow="fold")
    marks = [line(f"  {mark.shown}") for mark in row.marks]
    for text, mark in zip(marks, row.marks, strict=True):
        text.stylize(_STYLES[mark.standing])
    grid.add_row(*marks, line(("  " + tree, "dim")), Group(about.append(others, "dim"), *whys))
    return grid


def _mark(part: ScorePart | None, held: Mapping[str, ScorePart], *, asks: bool) -> PartMark:
    if part is None:
        return PartMark("none", "–", "")
    if not part.asked:
        failed = [need for need in part.needs if need in held and not held[need].value]
        because = f"needs {_listed(failed)}, which failed" if failed else ""
        return PartMark("unasked", "–", part.reason, because)
    if part.value is None:
        return PartMark("none", "–", part.reason)
    if asks:
        return PartMark("yes" if part.value else "no", "yes" if part.value else "no", part.reason)
    number = f"{part.value:z.4g}" if abs(part.value) < 10_000 else f"{part.value:,.0f}"
    return PartMark("number", number, part.reason)


def _sum(parts: Collection[ScorePart]) -> str:
    """How many questions were answered how; empty where there are none."""
    if not parts:
        return ""
    holding, unasked = sum(part.value == 1 for part in parts), sum(not part.asked for part in parts)
    left = f"; {count(unasked, 'was', 'were')} not asked" if unasked else ""
    return f"{count(holding, 'of', 'of')} {count(len(parts), 'holds', 'hold')}{left}"


def _listed(ids: Sequence[str]) -> str:
    return ids[0] if len(ids) == 1 else f"{', '.join(ids[:-1])} and {ids[-1]}"


def _walk(parts: Mapping[str, ScorePart]) -> Iterator[tuple[str, str, tuple[Rail, ...]]]:
    """Each part once, with the one it hangs under; one of each circle that a stored record has under none."""
    parents = {
        id: next((need for need in part.needs if need in parts and need != id), "")
        for id, part in parts.items()
    }
    children: dict[str, list[str]] = {}
    for id, parent in parents.items():
        children.setdefault(parent, []).append(id)
    seen: set[str] = set()
    for root in (*children.get("", ()), *parts):
        stack: list[tuple[str, tuple[Rail, ...]]] = [] if root in seen else [(root, ())]
        while stack:
            id, rails = stack.pop()
            seen.add(id)
            yield id, parents[id] if rails else "", rails
            below = [each for each in children.get(id, ()) if each not in seen]
            for each in reversed(below):
                drawn: list[Rail] = [_BELOW[rail] for rail in rails]
                drawn.append("end" if each == below[-1] else "fork")
                stack.append((each, tuple(drawn[-DEEPEST:])))
