"""What figures share: a scale from values to inches, its axis, a heading, numbers as words, tints."""

import math
from dataclasses import dataclass
from pathlib import Path

from .figure import PAPER, RULE, SOFT, Sheet
from .palette import LINES

BLUE, ORANGE = LINES[1], LINES[5]
EDGE = 0.45
BELOW_TITLE = 1.02


@dataclass(frozen=True)
class Drawn:
    path: Path
    lacking: frozenset[str]


@dataclass(frozen=True)
class Scale:
    """From values to inches."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        from matplotlib.ticker import MaxNLocator

        ticks = MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(self.low, self.high)
        slack = (self.high - self.low) * 1e-9
        return [float(tick) for tick in ticks if self.low - slack <= tick <= self.high + slack]


def draw_head(page: Sheet, title: str, note: str) -> None:
    page.text(EDGE, 0.5, title, size=13, bold=True)
    page.text(EDGE, 0.77, note, size=9, colour=SOFT)


def draw_axis(page: Sheet, scale: Scale, top: float, bottom: float, middle: float) -> None:
    for tick, text in labelled(scale):
        page.line((scale(tick), top), (scale(tick), bottom), colour=tint(RULE, 0.6))
        page.text(scale(tick), bottom + 0.16, text, size=8, colour=SOFT, align="center")
    if scale.low < middle < scale.high:
        page.line((scale(middle), top), (scale(middle), bottom), colour=SOFT, width=0.9)


def labelled(scale: Scale) -> list[tuple[float, str]]:
    return [(tick, f"{tick:z,.6g}".replace("-", "−")) for tick in scale.ticks(6)]


def range_words(low: float | None, high: float | None, digits: int) -> str:
    return (
        "" if low is None or high is None else f"{number_words(low, digits)} to {number_words(high, digits)}"
    )


def number_words(value: float, digits: int) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:z,.{digits}f}".replace("-", "−")


def tint(colour: str, share: float) -> str:
    """Of the colour this share, the rest paper."""
    channels = ((int(colour[at : at + 2], 16), int(PAPER[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(over * share + under * (1 - share)):02x}" for over, under in channels)
