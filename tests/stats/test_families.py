"""Holm's correction against an independent one, and its bound where tests can have few ps."""

import itertools
import math
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from semiosis.core.errors import BadData
from semiosis.stats.choices import balance
from semiosis.stats.families import holm

ps = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(ps)
def test_it_is_holms(some: list[float]) -> None:
    # It collects garbage at each call, which takes a second beside all other tests.
    with patch("gc.collect"):
        assert holm(some) == pytest.approx(multipletests(some, method="holm")[1])


@given(ps)
def test_tests_that_can_have_any_p_are_corrected_as_by_holm(some: list[float]) -> None:
    assert holm(some, levels=[()] * len(some)) == holm(some)


def test_a_test_that_cannot_be_so_small_does_not_count() -> None:
    few = (0.25, 1.0)
    assert holm([0.03, 1.0, 1.0], levels=[(), few, few]) == (0.03, 1.0, 1.0)
    assert holm([0.03, 1.0, 1.0]) == pytest.approx((0.09, 1.0, 1.0))
    assert holm([0.03, 0.25], levels=[(0.01, 0.03, 1.0), few]) == pytest.approx((0.03, 0.25))
    assert holm([0.03, 0.25], levels=[(0.01, 0.03, 1.0), (0.02, 0.25)]) == pytest.approx((0.05, 0.25))


def test_a_p_that_is_its_own_level_but_for_rounding_counts() -> None:
    assert holm([0.1 + 0.2], levels=[(0.3, 1.0)]) == pytest.approx((0.3,))


def test_of_coins_at_most_5_in_100_families_are_below_the_line_whatever_their_sizes() -> None:
    """Every outcome of three sign tests of 6, 9 and 12 choices, each weighed by how often it comes."""
    sizes = (6, 9, 12)
    below = 0.0
    for heads in itertools.product(*(range(size + 1) for size in sizes)):
        chance = math.prod(math.comb(size, k) / 2**size for size, k in zip(sizes, heads, strict=True))
        some = [balance(k, size - k) for size, k in zip(sizes, heads, strict=True)]
        adjusted = holm([each.p for each in some], levels=[each.levels for each in some])
        below += chance * (min(adjusted) < 0.05)
    assert 0.03 < below <= 0.05


def test_what_is_no_p_is_refused() -> None:
    with pytest.raises(BadData, match=r"1\.5 does not"):
        holm([0.5, 1.5])
    with pytest.raises(BadData, match="nan does not"):
        holm([math.nan])
    with pytest.raises(BadData, match="There are 2 tests, and levels of 1"):
        holm([0.5, 0.5], levels=[()])
    assert holm([]) == ()
