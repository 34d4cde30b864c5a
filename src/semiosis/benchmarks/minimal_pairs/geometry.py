"""How far boxes lie on a place.

cover(changed, cited)       the share of the changed box that the cited ones cover together
iou(changed, box)           intersection over union of two
"""

from collections.abc import Sequence
from itertools import pairwise

from ...core.grounding import Box


def area(box: Box) -> float:
    return max(0.0, box.x1 - box.x0) * max(0.0, box.y1 - box.y0)


def intersection(one: Box, other: Box) -> Box:
    """What both hold; where they do not meet, a box without area."""
    x0, y0 = max(one.x0, other.x0), max(one.y0, other.y0)
    return Box(x0=x0, y0=y0, x1=max(x0, min(one.x1, other.x1)), y1=max(y0, min(one.y1, other.y1)))


def union_area(boxes: Sequence[Box]) -> float:
    """What the boxes cover together, counted once: exact, cell by cell of the grid that their edges draw."""
    columns = sorted({edge for box in boxes for edge in (box.x0, box.x1)})
    rows = sorted({edge for box in boxes for edge in (box.y0, box.y1)})
    return sum(
        (right - left) * (lower - upper)
        for left, right in pairwise(columns)
        for upper, lower in pairwise(rows)
        if any(box.x0 <= left and right <= box.x1 and box.y0 <= upper and lower <= box.y1 for box in boxes)
    )


def cover(place: Box, boxes: Sequence[Box]) -> float:
    """The share of `place` that the `boxes` cover together."""
    return union_area([intersection(place, box) for box in boxes]) / area(place)


def iou(one: Box, other: Box) -> float:
    """Intersection over union."""
    shared = area(intersection(one, other))
    return shared / (area(one) + area(other) - shared)
