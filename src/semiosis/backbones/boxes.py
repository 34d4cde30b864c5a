"""Each model family's way of writing a box, brought to shares of the picture.

The prompts ask for one way: named corners x0, y0, x1, y1 on a scale of 0 to 1000 both ways. Replies that
fit only another scale are recognised together, one picture at a time, since one box alone is often
ambiguous; what was converted is marked. Sources for the families' habits: docs/backbones.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..core.grounding import Box, BoxMark
from .base import BoxScale, Traits

ASKED = 1000.0


@dataclass(frozen=True)
class RawBox:
    """Four numbers as they came: by name (x0, y0, x1, y1), or as a bare list whose order is a habit."""

    values: tuple[float, float, float, float]
    named: bool = True
    y_first: bool = False


def read_boxes(raw: Sequence[RawBox], traits: Traits, sent_size: tuple[int, int]) -> list[Box]:
    """All boxes of one picture. `sent_size` is the width and height the model saw."""
    scale = _scale([value for box in raw for value in box.values], traits, sent_size)
    return [_read(box, scale, traits, sent_size) for box in raw]


def _scale(values: Sequence[float], traits: Traits, sent_size: tuple[int, int]) -> BoxScale:
    if not values:
        return "0-1000"
    largest = max(values)
    if largest <= 1.0 and any(0.0 < value < 1.0 for value in values):
        return "0-1"
    # Above 1000 the asked scale is impossible; within the sent picture, pixels explain it.
    if largest > ASKED and largest <= max(sent_size):
        return "pixels"
    # A family that is known to answer in pixels is believed when its numbers fit the picture it saw and
    # the picture is too small for the asked scale to be the plainer reading.
    if traits.box_scale == "pixels" and largest <= max(sent_size) < ASKED:
        return "pixels"
    return "0-1000"


def _read(box: RawBox, scale: BoxScale, traits: Traits, sent_size: tuple[int, int]) -> Box:
    marks: list[BoxMark] = []
    first, second, third, fourth = box.values
    if box.y_first or (not box.named and traits.box_order == "y-first"):
        first, second, third, fourth = second, first, fourth, third
        marks.append("from-y-first")
    width, height = sent_size
    match scale:
        case "pixels":
            marks.append("from-pixels")
            across, down = float(width), float(height)
        case "0-1":
            marks.append("from-0-1")
            across = down = 1.0
        case "0-1000":
            across = down = ASKED
    return Box(
        x0=first / across, y0=second / down, x1=third / across, y1=fourth / down, marks=tuple(marks)
    ).mended()
