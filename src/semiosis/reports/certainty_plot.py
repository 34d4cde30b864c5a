"""How often verdicts of each certainty are right, or flipped: a row a level, the surest on top.

save_certainty(by_certainty(certainty, agrees), "certainty.svg", against="agrees")
"""

from pathlib import Path
from typing import TYPE_CHECKING

from ..core.certainty import CERTAINTY_WORDS
from ..core.table import Interval, numbers
from ..core.text import percent
from .chart import BELOW_TITLE, BLUE, EDGE, Drawn, Scale, draw_axis, draw_head, tint
from .figure import INK, PAPER, SOFT, sheet

if TYPE_CHECKING:
    from ..stats.certainty import ByCertainty

_ROW, _SIZE = 0.42, 9.5
_WIDE = 3.9


def save_certainty(
    report: "ByCertainty", to: str | Path, *, against: str, title: str = "", note: str = ""
) -> Drawn:
    """A dot a level with its interval, larger for more verdicts; a level that nobody gave is faint."""
    name = title or "How sure, and how it went"
    levels = report.levels[::-1]
    with sheet(to, title=name) as page:
        labels = [f"{each.level}  {CERTAINTY_WORDS[each.level - 1]}" for each in levels]
        shares = [percent(each.share.value, 0) if each.share else "–" for each in levels]
        counts = [f"{each.count:,}" for each in levels]
        start = EDGE + max(page.width(label, _SIZE) for label in labels) + 0.35
        end = start + _WIDE
        share_at = end + 0.62
        count_at = share_at + 0.35 + max(page.width(text, _SIZE) for text in (*counts, "verdicts"))
        top = BELOW_TITLE + 0.42
        bottom = top + _ROW * len(levels)
        page.resize(count_at + EDGE, bottom + 0.85)
        draw_head(page, name, page.fitted(note or _told(report), 9, count_at - EDGE))
        scale = Scale(0.0, 100.0, start, end)
        draw_axis(page, scale, top - 0.08, bottom, 50.0)
        page.text(
            (start + end) / 2,
            bottom + 0.4,
            page.fitted(f"{against}, % of verdicts", 8, _WIDE),
            size=8,
            colour=SOFT,
            align="center",
        )
        page.text(share_at, top - 0.26, "share", size=8, colour=SOFT, align="right")
        page.text(count_at, top - 0.26, "verdicts", size=8, colour=SOFT, align="right")
        most = max(each.count for each in levels)
        for at, each in enumerate(levels):
            y = top + _ROW * (at + 0.5)
            ink = INK if each.share else SOFT
            page.text(EDGE, y, labels[at], size=_SIZE, colour=ink)
            page.text(share_at, y, shares[at], size=_SIZE, align="right", colour=ink)
            page.text(count_at, y, counts[at], size=_SIZE, align="right", colour=SOFT)
            if each.share is None:
                continue
            low, high = scale(100 * each.share.low), scale(100 * each.share.high)
            page.line((low, y), (high, y), colour=tint(BLUE, 0.45), width=2.4, round_=True)
            area = 30 + 90 * each.count / most
            page.dots([scale(each.share.value * 100)], [y], areas=area, colour=BLUE, rim=PAPER)
    return Drawn(Path(to), frozenset(page.lacking))


def _told(report: "ByCertainty") -> str:
    if report.trend is None:
        return f"{report.count:,} verdicts  ·  95% intervals (Wilson)"
    sure = report.trend.low < report.trend.high
    gamma = numbers("", 2).written(Interval.of(report.trend) if sure else report.trend.value)
    return f"{report.count:,} verdicts  ·  gamma {gamma}  ·  95% intervals (Wilson)"
