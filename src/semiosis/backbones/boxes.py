"""Each model family's way of writing a box, brought to shares of the picture.

The prompts ask for one way: named corners x0, y0, x1, y1 on a scale of 0 to 1000 both ways. Replies that
fit only another scale are recognised together, one picture at a time, since one box alone is often
ambiguous; what was converted is marked. Sources for the families' habits: docs/backbones.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..core.grounding import Box, BoxMark
from .backbone import BoxScale, Traits

ASKED = 1000.0
LARGEST = 1e6


@dataclass(frozen=True)
class RawBox:
    """Four numbers as they came: by name (x0, y0, x1, y1), or as a bare list whose order is a habit."""

    values: tuple[float, float, float, float]
    named: bool = True
    y_first: bool = False


def read_boxes(raw: Sequence[RawBox], traits: Traits, sent_size: tuple[int, int]) -> list[Box]:
    """All boxes of one picture. `sent_size` is the width and height the model saw."""
    turned = [_turned(box, traits) for box in raw]
    # A box of thousandths that nowhere exceeds 1 would be a speck: it was meant as shares.
    scale = _scale([box for box in turned if max(box.values) > 1.0], traits, sent_size)
    return [_read(box, "0-1" if max(box.values) <= 1.0 else scale, sent_size) for box in turned]


def _turned(box: RawBox, traits: Traits) -> RawBox:
    """x first, and within numbers that can still be computed with."""
    first, second, third, fourth = (min(max(value, -LARGEST), LARGEST) for value in box.values)
    if box.y_first or (not box.named and traits.box_order == "y-first"):
        return RawBox((second, first, fourth, third), y_first=True)
    return RawBox((first, second, third, fourth))


def _scale(boxes: Sequence[RawBox], traits: Traits, sent_size: tuple[int, int]) -> BoxScale:
    width, height = sent_size
    fits = all(
        max(box.values[0], box.values[2]) <= width and max(box.values[1], box.values[3]) <= height
        for box in boxes
    )
    # Above 1000 the asked scale is impossible; below it, a family known to answer in pixels is believed
    # wherever its numbers fit the picture it saw.
    impossible = any(max(box.values) > ASKED for box in boxes)
    return "pixels" if boxes and fits and (impossible or traits.box_scale == "pixels") else "0-1000"


def _read(box: RawBox, scale: BoxScale, sent_size: tuple[int, int]) -> Box:
    marks: list[BoxMark] = ["from-y-first"] if box.y_first else []
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
    x0, y0, x1, y1 = box.values
    return Box(x0=x0 / across, y0=y0 / down, x1=x1 / across, y1=y1 / down, marks=tuple(marks)).mended()
