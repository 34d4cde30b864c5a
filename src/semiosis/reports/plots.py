"""Figures of statistics: ratings with their intervals, a triangle of agreement, a scatter of two columns.

    save_ratings(bradley_terry(a, b, winner), "ratings.svg")
    save_triangle(["ann", "bea"], {("ann", "bea"): 0.61}, "agreement.png", title="Cohen's kappa")
    save_scatter(scores, ratings, "scatter.pdf", names=("score", "rating"))

Blue and orange are told apart with every kind of colour vision. Names come from outside: they are drawn as
plain text, shortened where they are long. `Drawn.lacking` has the characters no font here could draw.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING

from .chart import (
    BELOW_TITLE,
    BLUE,
    EDGE,
    ORANGE,
    Drawn,
    Scale,
    draw_axis,
    draw_head,
    labelled,
    number_words,
    range_words,
    tint,
)
from .figure import INK, PAPER, RULE, SOFT, Align, Sheet, sheet

if TYPE_CHECKING:
    from ..stats.ratings import Rating, Ratings

MOST_ITEMS, MOST_RATERS, MOST_POINTS = 200, 60, 4000

_NAME = 2.7
# Beyond this many spreads of the values an interval's end is drawn as an arrow; its number is still told.
_REACH = 0.35
_NUMBERED = 22
_GRAIN = 0.07
_READABLE = 4.5
_BLACK = "#000000"
_MOST_BARS = 24
_HEADS = {"bradley-terry": ("score", "95% interval", "rank"), "elo": ("rating", "95% of orders", "rank")}
_ENDS: tuple[tuple[int, Align], ...] = ((-1, "left"), (0, "center"), (1, "right"))
_AXES = {
    "elo": "rating; the line is the mean",
    "bradley-terry": "log-odds against an average item",
}


def save_ratings(ratings: "Ratings", to: str | Path, *, title: str = "", note: str = "") -> Drawn:
    """A row an item, best on top: a dot, its interval, the numbers, and where it may rank."""
    heading = title or ("Elo ratings" if ratings.model == "elo" else "Bradley-Terry scores")
    entries = ratings.ratings[:MOST_ITEMS]
    row = 0.34 if len(entries) <= 12 else 0.27 if len(entries) <= 30 else 0.235
    size = 9.5 if len(entries) <= 12 else 8.5
    with sheet(to, title=heading) as page:
        names = [page.fitted(str(each.item), size, _NAME) for each in entries]
        heads = _HEADS[ratings.model]
        digits = 0 if ratings.model == "elo" else 2
        numbers = [number_words(each.value, digits) for each in entries]
        ranged = [range_words(each.low, each.high, digits) for each in entries]
        placed = [_places(each) for each in entries]
        number_column = max(page.width(text, size) for text in numbers)
        widths = [
            max(page.width(text, size - 1) for text in [head, *texts]) if any(texts) else 0.0
            for head, texts in zip(heads[1:], (ranged, placed), strict=True)
        ]
        left = EDGE + page.width(f"{len(entries)}", size - 1) + 0.14
        start = left + max(page.width(name, size) for name in names) + 0.32
        end = start + 3.7
        columns = [end + 0.32 + number_column]
        for width in widths:
            columns.append(columns[-1] + (width + 0.28 if width else 0))
        top = BELOW_TITLE + 0.42
        bottom = top + row * len(entries)
        page.resize(columns[-1] + EDGE, bottom + 0.85 + (0.3 if note else 0))
        draw_head(page, heading, _caption(ratings, len(entries)))
        scale = _rating_scale(entries, start, end)
        for at in range(5, len(entries), 5) if len(entries) > 12 else ():
            page.line((EDGE, top + row * at), (columns[-1], top + row * at), colour=tint(RULE, 0.6))
        draw_axis(page, scale, top - 0.08, bottom, _middle(ratings))
        page.text((start + end) / 2, bottom + 0.4, _AXES[ratings.model], size=8, colour=SOFT, align="center")
        for x, head, texts in zip(columns, heads, (numbers, ranged, placed), strict=True):
            if any(texts):
                page.text(x, top - 0.26, head, size=size - 1.5, colour=SOFT, align="right")
        for at, each in enumerate(entries):
            y = top + row * (at + 0.5)
            page.text(left - 0.14, y, f"{each.rank}", size=size - 1, colour=SOFT, align="right")
            page.text(left, y, names[at], size=size, bold=each.rank == 1)
            _interval(page, scale, each, y)
            page.text(columns[0], y, numbers[at], size=size, align="right")
            page.text(columns[1], y, ranged[at], size=size - 1, colour=SOFT, align="right")
            page.text(columns[2], y, placed[at], size=size - 1, colour=SOFT, align="right")
        if note:
            page.text(EDGE, bottom + 0.78, page.fitted(note, 8, columns[-1] - EDGE), size=8, colour=SOFT)
    return Drawn(Path(to), frozenset(page.lacking))


def save_triangle(
    names: Sequence[str],
    values: Mapping[tuple[str, str], float | None],
    to: str | Path,
    *,
    title: str,
    note: str = "",
) -> Drawn:
    """A cell a pair, from -1 (orange) over 0 (blank) to 1 (blue); a name stands where its row and its column
    meet. Pairs without a value stay empty."""
    axis = list(names[:MOST_RATERS])
    caption = note if len(axis) == len(names) else f"the first {len(axis)} of {len(names):,}  ·  {note}"
    cell = 0.62 if len(axis) <= 8 else 0.46 if len(axis) <= _NUMBERED else 0.22
    size = 9.5 if len(axis) <= _NUMBERED else 8
    with sheet(to, title=title) as page:
        labels = [page.fitted(name, size, _NAME) for name in axis]
        top, side = BELOW_TITLE + 0.1, cell * len(axis)
        reach = [EDGE + cell * at + page.width(label, size) + 0.2 for at, label in enumerate(labels)]
        width = (
            max(*reach, EDGE + page.width(title, 13, bold=True), EDGE + page.width(caption, 9), 3.6) + EDGE
        )
        page.resize(width, top + side + 0.85)
        draw_head(page, title, caption)
        for i, one in enumerate(axis):
            y = top + cell * i
            page.text(EDGE + cell * i + (0.08 if i else 0.03), y + cell / 2, labels[i], size=size)
            for j, two in enumerate(axis[:i]):
                value = values.get((two, one), values.get((one, two)))
                _cell(page, EDGE + cell * j, y, cell, value, numbered=len(axis) <= _NUMBERED)
        _legend(page, EDGE, top + side + 0.34)
    return Drawn(Path(to), frozenset(page.lacking))


def save_scatter(
    x: Sequence[float],
    y: Sequence[float],
    to: str | Path,
    *,
    names: tuple[str, str] = ("x", "y"),
    title: str = "",
    note: str = "",
) -> Drawn:
    """A dot a row, larger where rows coincide, with both margins; the line of equality where both columns
    are on one scale. Many rows are gathered into small squares first."""
    heading = title or f"{names[1]} by {names[0]}"
    side, strip = 4.4, 0.42
    with sheet(to, title=heading) as page:
        distinct = len(set(zip(x, y, strict=True)))
        pad = 0.28 if distinct <= MOST_POINTS and distinct < len(x) else 0.12
        shared = _shared(x, y)
        low_x, high_x = shared or _extent(x)
        low_y, high_y = shared or _extent(y)
        top = BELOW_TITLE + strip + 0.1
        up = Scale(low_y, high_y, top + side - pad, top + pad)
        start = EDGE + 0.3 + max(page.width(text, 8) for _, text in labelled(up))
        across = Scale(low_x, high_x, start + pad, start + side - pad)
        page.resize(start + side + strip + 0.1 + EDGE, top + side + 0.85)
        draw_head(page, page.fitted(heading, 13, side + 0.6), page.fitted(note, 9, side + 1.2))
        _frame(page, across, up, (start, top, side))
        if shared:
            page.line((start, top + side), (start + side, top), colour=tint(SOFT, 0.7), width=0.7)
            page.text(start + side + 0.05, top - 0.1, "equal", size=7.5, colour=SOFT)
        _margins(page, x, y, across, up, (start, top, side, strip))
        _points(page, x, y, across, up)
        below = top + side + 0.52
        page.text(start + side / 2, below, page.fitted(names[0], 9.5, side), size=9.5, align="center")
        page.upright(EDGE + 0.05, top + side / 2, page.fitted(names[1], 9.5, side), size=9.5)
    return Drawn(Path(to), frozenset(page.lacking))


def _caption(ratings: "Ratings", count: int) -> str:
    several = len(ratings.ratings)
    items = f"{several:,} items" if count == several else f"the best {count:,} of {several:,} items"
    parts = [items, f"{ratings.comparisons:,} comparisons"]
    if ratings.side is not None:
        side = ratings.side
        sign = "+" if side.value > 0 else ""
        parts.append(f"side a {sign}{number_words(side.value, 2)} ({range_words(side.low, side.high, 2)})")
    return "  ·  ".join(parts)


def _middle(ratings: "Ratings") -> float:
    return fmean(each.value for each in ratings.ratings) if ratings.model == "elo" else 0.0


def _rating_scale(ratings: Sequence["Rating"], start: float, end: float) -> Scale:
    values = [each.value for each in ratings]
    ranges = [(each.low, each.high) for each in ratings if each.low is not None and each.high is not None]
    ends = [end for ends in ranges for end in ends if math.isfinite(end)]
    widths = [high - low for low, high in ranges if math.isfinite(high - low)]
    spread = max(max(values) - min(values), 3 * median(widths) if widths else 0) or 1.0
    low = max(min([*values, *ends]), min(values) - _REACH * spread)
    high = min(max([*values, *ends]), max(values) + _REACH * spread)
    pad = (high - low or spread) * 0.05
    return Scale(low - pad, high + pad, start, end)


def _interval(page: Sheet, scale: Scale, each: "Rating", y: float) -> None:
    if each.low is not None and each.high is not None:
        start, end = max(each.low, scale.low), min(each.high, scale.high)
        page.line((scale(start), y), (scale(end), y), colour=tint(BLUE, 0.45), width=2.4, round_=True)
        if each.low < scale.low:
            page.arrow(scale.start - 0.02, y, right=False, colour=tint(BLUE, 0.45))
        if each.high > scale.high:
            page.arrow(scale.end + 0.02, y, right=True, colour=tint(BLUE, 0.45))
    page.dots([scale(each.value)], [y], areas=38, colour=BLUE, rim=PAPER)


def _cell(page: Sheet, x: float, y: float, side: float, value: float | None, *, numbered: bool) -> None:
    size = 8.5 if side > 0.5 else 7
    if value is None:
        page.text(x + side / 2, y + side / 2, "–", size=size, colour=SOFT, align="center")
        return
    gap, colour = (0.025 if side > 0.3 else 0.012), _shade(value)
    page.box(x + gap, y + gap, side - 2 * gap, side - 2 * gap, colour)
    if numbered:
        page.text(
            x + side / 2,
            y + side / 2,
            number_words(value, 2),
            size=size,
            colour=_ink_on(colour),
            align="center",
        )


def _legend(page: Sheet, x: float, y: float) -> None:
    steps, width, height = 80, 1.6, 0.08
    for at in range(steps):
        # Each reaches to the end, and the next covers it: no seams.
        begin = width * at / steps
        page.box(x + begin, y, width - begin, height, _shade(-1 + 2 * (at + 0.5) / steps))
    for value, align in _ENDS:
        text = number_words(value, 0)
        page.text(x + width * (value + 1) / 2, y + 0.22, text, size=7.5, colour=SOFT, align=align)


def _frame(page: Sheet, across: Scale, up: Scale, place: tuple[float, float, float]) -> None:
    start, top, side = place
    for tick, text in labelled(across):
        page.line((across(tick), top), (across(tick), top + side), colour=tint(RULE, 0.6))
        page.text(across(tick), top + side + 0.18, text, size=8, colour=SOFT, align="center")
    for tick, text in labelled(up):
        page.line((start, up(tick)), (start + side, up(tick)), colour=tint(RULE, 0.6))
        page.text(start - 0.1, up(tick), text, size=8, colour=SOFT, align="right")


def _margins(
    page: Sheet,
    x: Sequence[float],
    y: Sequence[float],
    across: Scale,
    up: Scale,
    place: tuple[float, float, float, float],
) -> None:
    start, top, side, strip = place
    colour = tint(BLUE, 0.28)
    for low, high, share in _bins(x, across):
        page.box(across(low), top - 0.08 - strip * share, across(high) - across(low), strip * share, colour)
    for low, high, share in _bins(y, up):
        page.box(start + side + 0.08, up(high), strip * share, up(low) - up(high), colour)


def _bins(values: Sequence[float], scale: Scale) -> list[tuple[float, float, float]]:
    """Bars by low end, high end and share of the highest. Ratings on a few steps get a bar a step."""
    counts = Counter(values)
    distinct = sorted(counts)
    if len(distinct) <= _MOST_BARS and 2 * len(distinct) <= len(values):
        gap = min((b - a for a, b in pairwise(distinct)), default=scale.high - scale.low)
        half = min(gap * 0.4, (scale.high - scale.low) / 40)
        bars = [(value - half, value + half, count) for value, count in counts.items()]
    else:
        many = min(_MOST_BARS, max(6, round(2 * math.sqrt(len(values)))))
        low, width = distinct[0], (distinct[-1] - distinct[0]) / many or 1.0
        places = Counter(min(many - 1, int((value - low) / width)) for value in values)
        bars = [(low + width * (at + 0.06), low + width * (at + 0.94), count) for at, count in places.items()]
    tallest = max(count for *_, count in bars)
    return [(low, high, count / tallest) for low, high, count in sorted(bars)]


def _points(page: Sheet, x: Sequence[float], y: Sequence[float], across: Scale, up: Scale) -> None:
    """Areas are as counts are."""
    fine = len(set(zip(x, y, strict=True))) <= MOST_POINTS
    counts = Counter(
        place if fine else (round(place[0] / _GRAIN) * _GRAIN, round(place[1] / _GRAIN) * _GRAIN)
        for place in zip(map(across, x), map(up, y), strict=True)
    )
    most = max(counts.values())
    widest = min(0.42, 0.8 * _gap(counts)) if fine else _GRAIN
    largest = (widest * 72) ** 2 if most > 1 else 17.0
    page.dots(
        [place[0] for place in counts],
        [place[1] for place in counts],
        areas=[max(largest * count / most, 17.0 if fine else 1.2) for count in counts.values()],
        colour=BLUE,
        alpha=0.35 if fine and len(counts) > 400 else 0.7,
    )


def _gap(places: Iterable[tuple[float, float]]) -> float:
    """The least distance between neighbours along an axis, but no less than a dot needs."""
    axes = (sorted({place[axis] for place in places}) for axis in (0, 1))
    return max(0.1, min((b - a for values in axes for a, b in pairwise(values)), default=1.0))


def _shared(x: Sequence[float], y: Sequence[float]) -> tuple[float, float] | None:
    """One scale for both columns, where their ranges say that it is one."""
    both = [*x, *y]
    low, high = min(both), max(both)
    least = min(max(x) - min(x), max(y) - min(y))
    return (low, high) if least > 0 and high - low <= 2 * least else None


def _extent(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _places(rating: "Rating") -> str:
    low, high = rating.rank_low, rating.rank_high
    if low is None or high is None:
        return ""
    return f"{low}" if low == high else f"{low}–{high}"


def _shade(value: float) -> str:
    """Nought is blank, and neither side's."""
    return tint(BLUE if value >= 0 else ORANGE, min(1.0, abs(value)))


def _ink_on(shade: str) -> str:
    """White as soon as it can be read (WCAG 2.2, 1.4.3); black where neither white nor the ink can."""
    return next((ink for ink in (PAPER, INK) if _contrast(ink, shade) >= _READABLE), _BLACK)


def _contrast(one: str, two: str) -> float:
    """WCAG 2.2, contrast ratio."""
    high, low = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    shares = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return sum(weight * share for weight, share in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
