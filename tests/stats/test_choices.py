"""Choices between two: the exact p by counting, the interval by another way to it."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binomtest

from semiosis.core.errors import BadData, BadSetting
from semiosis.stats.choices import balance
from semiosis.stats.estimate import wilson

counts = st.integers(0, 40)


@settings(deadline=None)
@given(counts, counts, counts)
def test_p_is_the_exact_binomial_tests_of_what_is_no_draw(first: int, second: int, draws: int) -> None:
    if first + second + draws == 0:
        return
    p = balance(first, second, draws).p
    assert p == (pytest.approx(binomtest(first, first + second).pvalue) if first + second else 1.0)


def test_the_levels_are_the_ps_that_so_many_choices_can_have() -> None:
    assert balance(3, 2).levels == pytest.approx((2 / 32, 12 / 32, 1.0))
    assert balance(0, 0, 4).levels == (1.0,)
    assert set(balance(k, 7 - k).p for k in range(8)) == set(balance(7, 0, 3).levels)
    assert balance(300, 200).levels == ()


@settings(deadline=None)
@given(st.integers(0, 30), st.integers(0, 30))
def test_without_draws_the_interval_is_wilsons(first: int, second: int) -> None:
    if first + second == 0:
        return
    ours, theirs = balance(first, second).share, wilson(first, first + second)
    assert (ours.value, ours.low, ours.high) == pytest.approx(
        (theirs.value, theirs.low, theirs.high), abs=1e-9
    )


def score(first: int, second: int, draws: int, difference: float) -> float:
    """Tango's statistic, its nuisance found by maximising the likelihood rather than by his formula."""
    total = first + second + draws
    least, most = max(0.0, -difference), (1 - difference) / 2

    def loss(q: float) -> float:
        shares = ((first, q + difference), (second, q), (draws, 1 - 2 * q - difference))
        return -sum(count * math.log(max(share, 1e-300)) for count, share in shares if count)

    q = minimize_scalar(loss, bounds=(least, most), method="bounded", options={"xatol": 1e-12}).x
    variance = total * (2 * q + difference * (1 - difference))
    return (first - second - total * difference) / math.sqrt(variance)


@pytest.mark.parametrize(
    ("first", "second", "draws"), [(9, 4, 14), (21, 4, 2), (3, 3, 21), (1, 7, 19), (12, 2, 30)]
)
def test_with_draws_it_is_tangos(first: int, second: int, draws: int) -> None:
    interval = balance(first, second, draws).share
    value = (first - second) / (first + second + draws)
    low = brentq(lambda d: score(first, second, draws, d) - 1.959964, -0.999, value - 1e-6)
    high = brentq(lambda d: score(first, second, draws, d) + 1.959964, value + 1e-6, 0.999)
    assert (2 * interval.low - 1, 2 * interval.high - 1) == pytest.approx((low, high), abs=1e-4)


@settings(deadline=None)
@given(counts, counts, counts)
def test_the_two_may_change_places(first: int, second: int, draws: int) -> None:
    if first + second + draws == 0:
        return
    one, other = balance(first, second, draws), balance(second, first, draws)
    assert one.p == other.p
    assert (one.share.low, one.share.high) == pytest.approx((1 - other.share.high, 1 - other.share.low))
    assert one.share.low <= one.share.value <= one.share.high


def test_draws_alone_say_how_little_is_known() -> None:
    share = balance(0, 0, 27).share
    # z^2 / (n + z^2) either way of a half: half of a Wilson interval of nothing.
    assert (share.value, share.low, share.high) == pytest.approx((0.5, 0.43772, 0.56228), abs=1e-5)


def test_what_is_no_count_is_refused() -> None:
    with pytest.raises(BadData, match="not 0, 0 and 0 draws"):
        balance(0, 0)
    with pytest.raises(BadData, match="not 1, -1 and 0 draws"):
        balance(1, -1)
    with pytest.raises(BadSetting, match="confidence is 1"):
        balance(1, 1, confidence=1)
