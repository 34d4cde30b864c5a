"""Cover and overlap are those that counting the cells of a raster gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiosis.benchmarks.minimal_pairs.geometry import area, cover, intersection, iou, union_area
from semiosis.core.grounding import Box

CELLS = 12


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    """On the lines of a grid, so that a raster of its cells is exact."""
    x0, y0 = draw(st.integers(0, CELLS - 1)), draw(st.integers(0, CELLS - 1))
    x1, y1 = draw(st.integers(x0 + 1, CELLS)), draw(st.integers(y0 + 1, CELLS))
    return Box(x0=x0 / CELLS, y0=y0 / CELLS, x1=x1 / CELLS, y1=y1 / CELLS)


def cells(box: Box) -> set[tuple[int, int]]:
    columns = range(round(box.x0 * CELLS), round(box.x1 * CELLS))
    rows = range(round(box.y0 * CELLS), round(box.y1 * CELLS))
    return {(x, y) for x in columns for y in rows}


@given(st.lists(boxes(), max_size=6))
def test_a_union_is_what_a_raster_counts(some: list[Box]) -> None:
    counted = set[tuple[int, int]]().union(*map(cells, some))
    assert union_area(some) == pytest.approx(len(counted) / CELLS**2)


@given(boxes(), st.lists(boxes(), max_size=6))
def test_cover_is_what_a_raster_counts_and_no_order_changes_it(place: Box, some: list[Box]) -> None:
    wanted = cells(place)
    counted = wanted & set[tuple[int, int]]().union(*map(cells, some))
    assert cover(place, some) == pytest.approx(len(counted) / len(wanted))
    assert cover(place, some[::-1] + some) == pytest.approx(cover(place, some))


@given(boxes(), boxes())
def test_iou_is_what_a_raster_counts_and_symmetric(one: Box, other: Box) -> None:
    counted = len(cells(one) & cells(other)) / len(cells(one) | cells(other))
    assert iou(one, other) == pytest.approx(counted)
    assert iou(other, one) == iou(one, other)
    assert iou(one, one) == pytest.approx(1)


def test_boxes_that_only_touch_share_nothing() -> None:
    left, right = Box(x0=0, y0=0, x1=0.5, y1=1), Box(x0=0.5, y0=0, x1=1, y1=1)
    assert (area(intersection(left, right)), iou(left, right), cover(left, [right])) == (0, 0, 0)
    assert union_area([left, right]) == 1
    assert union_area([]) == 0
