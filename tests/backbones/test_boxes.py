"""Four conventions, one box."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiosis.backbones.backbone import Traits
from semiosis.backbones.boxes import RawBox, read_boxes
from semiosis.backbones.families import traits_of
from semiosis.core.grounding import Box

PLAIN = Traits(endpoint="test")
SENT = (1280, 640)


def corners(box: Box) -> tuple[float, float, float, float]:
    return (box.x0, box.y0, box.x1, box.y1)


def test_the_asked_convention_is_taken_without_a_mark() -> None:
    (box,) = read_boxes([RawBox((100, 200, 500, 900))], PLAIN, SENT)
    assert corners(box) == (0.1, 0.2, 0.5, 0.9)
    assert box.marks == ()
    assert box.verified


def test_pixels_of_the_sent_picture_are_recognised_for_all_boxes_of_the_picture_together() -> None:
    boxes = read_boxes([RawBox((0, 0, 1280, 640)), RawBox((128, 64, 640, 320))], PLAIN, SENT)
    assert [corners(box) for box in boxes] == [(0, 0, 1, 1), (0.1, 0.1, 0.5, 0.5)]
    assert all(box.marks == ("from-pixels",) for box in boxes)


def test_shares_of_one_are_recognised() -> None:
    (box,) = read_boxes([RawBox((0.1, 0.2, 0.5, 1.0))], PLAIN, SENT)
    assert corners(box) == (0.1, 0.2, 0.5, 1.0)
    assert box.marks == ("from-0-1",)


def test_a_bare_list_from_a_y_first_family_is_turned_and_named_corners_are_not() -> None:
    gemini = traits_of("gemini-3.1-flash-lite", "test")
    listed, named = read_boxes(
        [RawBox((200, 100, 900, 500), named=False), RawBox((100, 200, 500, 900))], gemini, SENT
    )
    assert corners(listed) == corners(named) == (0.1, 0.2, 0.5, 0.9)
    assert (listed.marks, named.marks) == (("from-y-first",), ())


def test_a_pixel_family_is_believed_when_its_numbers_fit_a_small_picture() -> None:
    qwen = traits_of("qwen2.5-vl-7b-instruct", "test")
    (box,) = read_boxes([RawBox((50, 40, 250, 200))], qwen, (500, 400))
    assert corners(box) == (0.1, 0.1, 0.5, 0.5)
    assert traits_of("qwen3-vl-8b", "test").box_scale == "0-1000"


@pytest.mark.parametrize(
    ("size", "values", "expected", "mark"),
    [
        ((1024, 512), (500, 256, 1000, 512), (500 / 1024, 0.5, 1000 / 1024, 1.0), "from-pixels"),
        ((800, 400), (100, 100, 500, 700), (0.1, 0.1, 0.5, 0.7), None),
    ],
)
def test_a_pixel_family_is_believed_where_its_numbers_fit_both_sides_of_the_picture(
    size: tuple[int, int], values: tuple[float, ...], expected: tuple[float, ...], mark: str | None
) -> None:
    qwen = traits_of("qwen2.5-vl-7b-instruct", "test")
    (box,) = read_boxes([RawBox(values)], qwen, size)  # type: ignore[arg-type]
    assert corners(box) == pytest.approx(expected)
    assert box.marks == ((mark,) if mark else ())


def test_the_whole_picture_in_shares_is_not_a_speck() -> None:
    whole, part = read_boxes([RawBox((0, 0, 1, 1)), RawBox((100, 200, 500, 900))], PLAIN, SENT)
    assert corners(whole) == (0, 0, 1, 1)
    assert corners(part) == (0.1, 0.2, 0.5, 0.9)


def test_numbers_out_of_all_bounds_are_kept_unverified() -> None:
    (box,) = read_boxes([RawBox((-1e308, 0.1, 0.5, 1e308))], PLAIN, SENT)
    assert not box.verified


def test_swapped_corners_are_mended_and_marked() -> None:
    (box,) = read_boxes([RawBox((500, 900, 100, 200))], PLAIN, SENT)
    assert corners(box) == (0.1, 0.2, 0.5, 0.9)
    assert box.marks == ("corners-swapped",)


@pytest.mark.parametrize("values", [(0, 0, 5000, 5000), (-50, 0, 100, 100), (100, 100, 100, 400)])
def test_a_box_outside_the_picture_or_without_area_is_kept_unverified(values: tuple[float, ...]) -> None:
    (box,) = read_boxes([RawBox(values)], PLAIN, SENT)  # type: ignore[arg-type]
    assert not box.verified


def test_no_boxes_are_no_boxes() -> None:
    assert read_boxes([], PLAIN, SENT) == []


shares = st.floats(0, 1)


# A box that nowhere exceeds a hundredth of the picture cannot be told from one in shares of 1.
boxes_of_some_size = st.tuples(shares, shares, shares, shares).filter(lambda box: max(box) > 0.01)


@given(st.lists(boxes_of_some_size, min_size=1, max_size=5))
def test_pixels_and_thousandths_of_the_same_boxes_agree(
    boxes: list[tuple[float, float, float, float]],
) -> None:
    width, height = 4000, 3000
    whole = RawBox((0, 0, width, height))
    pixels = [RawBox((x0 * width, y0 * height, x1 * width, y1 * height)) for x0, y0, x1, y1 in boxes]
    thousandths = [RawBox((1000 * x0, 1000 * y0, 1000 * x1, 1000 * y1)) for x0, y0, x1, y1 in boxes]
    from_pixels = read_boxes([whole, *pixels], PLAIN, (width, height))[1:]
    from_thousandths = read_boxes([RawBox((0, 0, 1000, 1000)), *thousandths], PLAIN, (width, height))[1:]
    for one, other in zip(from_pixels, from_thousandths, strict=True):
        assert corners(one) == pytest.approx(corners(other), abs=1e-9)
        assert one.x0 <= one.x1
        assert one.y0 <= one.y1
