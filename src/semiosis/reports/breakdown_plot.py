"""A number by part of the data, a mark for each of several judges: how each does where.

parts = [PlottedPart("style: prompt length", "short", 12, ((mine, theirs),))]
save_breakdown(parts, ["always a", "mine"], "parts.svg", panels=["Elo"], title="Rho by attribute")
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from .chart import BELOW_TITLE, BLUE, EDGE, ORANGE, Drawn, Scale, draw_axis, draw_head, tint
from .figure import PAPER, RULE, SOFT, Shape, Sheet, sheet
from .palette import LINES

if TYPE_CHECKING:
    from ..core.table import Ends

COLOURS = (BLUE, ORANGE, LINES[2], LINES[3], LINES[4], LINES[0])
MOST_JUDGES = len(COLOURS)
"""So many are told apart, besides the one that they are held against."""

_SHAPES: tuple[Shape, ...] = ("circle", "square", "triangle", "diamond", "circle", "square")
# So that each looks as large as the others.
_AREAS: dict[Shape, float] = {"circle": 36, "square": 32, "triangle": 46, "diamond": 26}
_SIZE = 9.5
_SMALL = 8.0
_NAME = 2.4
_LEGEND_NAME = 2.0
_WIDE, _APART = 3.1, 0.4
_LEGEND_ROW, _HEADING = 0.27, 0.4
# Above and below the marks of a row, and from one mark to the next.
_MARGIN, _STEP = 0.138, 0.115


@dataclass(frozen=True)
class PlottedPart:
    """A row of the plot. `estimates` are by panel, then by judge; None where a judge has none there."""

    group: str
    label: str
    count: int
    estimates: "tuple[tuple[Ends | None, ...], ...]"


@dataclass(frozen=True)
class _Look:
    """How a judge is drawn; the first is in grey, and hollow."""

    name: str
    colour: str
    shape: Shape
    hollow: bool

    def draw(self, page: Sheet, x: float, y: float) -> None:
        fill, rim = (PAPER, self.colour) if self.hollow else (self.colour, PAPER)
        page.dots([x], [y], areas=_AREAS[self.shape], colour=fill, rim=rim, shape=self.shape)


def save_breakdown(
    parts: Sequence[PlottedPart],
    judges: Sequence[str],
    to: str | Path,
    *,
    panels: Sequence[str],
    title: str,
    note: str = "",
) -> Drawn:
    """A row a part, under its group; a panel for each way to measure. The first judge is what the others are
    held against. Numbers lie between -1 and 1."""
    row = 2 * _MARGIN + _STEP * (len(judges) - 1)
    groups = [(name, list(some)) for name, some in groupby(parts, key=lambda part: part.group)]
    with sheet(to, title=title) as page:
        looks = list(_looks(page, judges))
        labels = {part.label: page.fitted(part.label, _SIZE, _NAME) for part in parts}
        count_at = EDGE + 0.62 + max(page.width(each, _SIZE) for each in labels.values())
        starts = [count_at + 0.3 + at * (_WIDE + _APART) for at in range(len(panels))]
        right = starts[-1] + _WIDE
        top = _draw_legend(page, looks, right) + 0.62
        bottom = top + row * len(parts) + _HEADING * sum(bool(name) for name, _ in groups)
        page.resize(right + EDGE, bottom + 0.85)
        draw_head(page, page.fitted(title, 13, right - EDGE), page.fitted(note, 9, right - EDGE))
        page.text(count_at, top - 0.2, "n", size=_SMALL, colour=SOFT, align="right")
        scales = [Scale(_low(parts), 1.0, start, start + _WIDE) for start in starts]
        for scale, panel in zip(scales, panels, strict=True):
            draw_axis(page, scale, top - 0.06, bottom, 0.0)
            page.text(scale.start, top - 0.2, panel, size=_SIZE, bold=True)
        y = top
        for name, some in groups:
            if name:
                page.line((EDGE, y + 0.06), (right, y + 0.06), colour=RULE)
                page.text(EDGE, y + _HEADING - 0.12, name, size=_SMALL, colour=SOFT)
                y += _HEADING
            for part in some:
                page.text(EDGE + 0.12, y + row / 2, labels[part.label], size=_SIZE)
                page.text(count_at, y + row / 2, f"{part.count:,}", size=_SIZE, colour=SOFT, align="right")
                for scale, estimates in zip(scales, part.estimates, strict=True):
                    _draw_row(page, scale, looks, estimates, y + _MARGIN)
                y += row
    return Drawn(Path(to), frozenset(page.lacking))


def _looks(page: Sheet, judges: Sequence[str]) -> Iterator[_Look]:
    names = [page.fitted(name, 9, _LEGEND_NAME) for name in judges]
    yield _Look(names[0], SOFT, "circle", hollow=True)
    for name, colour, shape in zip(names[1:], COLOURS, _SHAPES, strict=False):
        yield _Look(name, colour, shape, hollow=False)


def _draw_legend(page: Sheet, looks: Sequence[_Look], right: float) -> float:
    """Side by side, in as many lines as they take; the middle of the last one."""
    x, y = EDGE, BELOW_TITLE + 0.1
    for look in looks:
        width = 0.5 + page.width(look.name, 9)
        if x > EDGE and x + width > right:
            x, y = EDGE, y + _LEGEND_ROW
        look.draw(page, x + 0.06, y)
        page.text(x + 0.2, y, look.name, size=9)
        x += width
    return y


def _low(parts: Sequence[PlottedPart]) -> float:
    """The least of all ends, by fifths, and no more than nought."""
    ends = [
        end
        for part in parts
        for estimates in part.estimates
        for each in estimates
        if each is not None
        for end in (each.value, each.low)
        if end is not None
    ]
    return max(-1.0, min(0.0, math.floor(5 * min(ends, default=0.0)) / 5))


def _draw_row(
    page: Sheet, scale: Scale, looks: Sequence[_Look], estimates: "Sequence[Ends | None]", y: float
) -> None:
    for at, (look, each) in enumerate(zip(looks, estimates, strict=True)):
        if each is None:
            continue
        place = y + _STEP * at
        if each.low is not None and each.high is not None:
            ends = (scale(max(each.low, scale.low)), place), (scale(min(each.high, scale.high)), place)
            page.line(*ends, colour=tint(look.colour, 0.45), width=2.0, round_=True)
        look.draw(page, scale(each.value), place)
