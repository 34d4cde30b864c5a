"""Shares by certainty by hand, the trend against scipy's count of pairs, what is left when only the sure are kept."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import somersd

from semiosis.core.errors import BadData
from semiosis.stats import by_certainty, wilson

CERTAINTY = [1, 1, 2, 3, 4, 5, 5, 5, 2.5, 4.49]
RIGHT = [False, True, False, True, True, True, True, True, False, True]

verdicts = st.lists(st.tuples(st.sampled_from([1, 1.5, 2, 2.5, 3, 4, 5]), st.booleans()), min_size=2).filter(
    lambda rows: len({scale for scale, _ in rows}) > 1
)


def test_levels_by_hand() -> None:
    report = by_certainty(CERTAINTY, RIGHT)
    assert [(each.level, each.count) for each in report.levels] == [(1, 2), (2, 1), (3, 2), (4, 2), (5, 3)]
    assert [each.share for each in report.levels] == [
        wilson(1, 2),
        wilson(0, 1),
        wilson(1, 2),
        wilson(2, 2),
        wilson(3, 3),
    ]
    assert report.count == 10


def test_a_half_belongs_to_the_upper_level() -> None:
    report = by_certainty([1.5, 2.5, 3.5, 4.5, 1.499999], [True] * 5)
    assert [each.count for each in report.levels] == [1, 1, 1, 1, 1]


def test_a_level_without_verdicts_has_no_share() -> None:
    report = by_certainty([1, 5, 5], [False, True, False])
    assert [each.share is None for each in report.levels] == [False, True, True, True, False]
    assert by_certainty([1, 1, 2], [False, True, False]).kept[4].share is None


def test_what_is_kept_is_fewer_and_told() -> None:
    report = by_certainty(CERTAINTY, RIGHT)
    assert [(each.least, each.count, each.coverage) for each in report.kept] == [
        (1, 10, 1),
        (2, 8, 0.8),
        (3, 7, 0.7),
        (4, 5, 0.5),
        (5, 3, 0.3),
    ]
    assert [each.share for each in report.kept] == [
        wilson(7, 10),
        wilson(6, 8),
        wilson(6, 7),
        wilson(5, 5),
        wilson(3, 3),
    ]


def test_the_trend_by_hand() -> None:
    # Right at 1, 3, 4, 4.49, 5, 5, 5 against wrong at 1, 2, 2.5: 18 pairs rise, 2 fall, 1 is a tie.
    trend = by_certainty(CERTAINTY, RIGHT).trend
    assert trend is not None
    assert trend.value == 16 / 20
    assert trend.low <= trend.value <= trend.high


@settings(deadline=None)
@given(verdicts)
def test_the_trend_is_that_of_all_pairs_without_ties(rows: list[tuple[float, bool]]) -> None:
    certainty, right = zip(*rows, strict=True)
    report = by_certainty(certainty, right, resamples=30)
    if len(set(right)) == 1:
        assert report.trend is None
        return
    pairs = [
        np.sign(one - other) for one, yes in rows for other, no in rows if yes and not no and one != other
    ]
    if report.trend is not None:
        assert report.trend.value == pytest.approx(np.mean(pairs))
    # Somers' D of certainty by right has the same numerator.
    d = somersd(right, certainty).statistic
    unlike = sum(right) * (len(right) - sum(right))
    assert d * unlike == pytest.approx(sum(pairs))


@settings(deadline=None)
@given(verdicts, st.randoms())
def test_the_order_of_rows_plays_no_part(rows: list[tuple[float, bool]], random: object) -> None:
    one = by_certainty(*zip(*rows, strict=True), resamples=30)
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert by_certainty(*zip(*rows, strict=True), resamples=30) == one


@settings(deadline=None)
@given(verdicts)
def test_what_holds_of_right_holds_turned_round_of_wrong(rows: list[tuple[float, bool]]) -> None:
    certainty, right = zip(*rows, strict=True)
    one = by_certainty(certainty, right, resamples=30)
    other = by_certainty(certainty, [not each for each in right], resamples=30)
    for level, mirrored in zip(one.levels, other.levels, strict=True):
        if level.share and mirrored.share:
            assert level.share.value == pytest.approx(1 - mirrored.share.value)
    if one.trend and other.trend:
        assert one.trend.value == pytest.approx(-other.trend.value)


def test_a_certainty_that_means_nothing_has_no_trend_as_often_as_the_interval_says() -> None:
    rng = np.random.default_rng(2)
    without = 0
    for seed in range(200):
        trend = by_certainty(rng.integers(1, 6, 300), rng.random(300) < 0.7, resamples=200, seed=seed).trend
        assert trend is not None
        without += trend.low <= 0 <= trend.high
    assert without / 200 == pytest.approx(0.95, abs=0.04)


def test_a_certainty_that_means_something_rises() -> None:
    rng = np.random.default_rng(2)
    certainty = rng.integers(1, 6, 2000)
    trend = by_certainty(certainty, rng.random(2000) < certainty / 6).trend
    assert trend is not None
    assert trend.low > 0.5


def test_clusters_that_repeat_themselves_widen_the_interval() -> None:
    rng = np.random.default_rng(2)
    certainty, right = rng.integers(1, 6, 100), rng.random(100) < 0.7
    copies = np.repeat(certainty, 10), np.repeat(right, 10)
    alone, clustered = (
        by_certainty(*copies, clusters=clusters).trend for clusters in (None, np.repeat(np.arange(100), 10))
    )
    assert alone is not None and clustered is not None  # noqa: PT018
    assert clustered.value == alone.value
    assert clustered.high - clustered.low > 2 * (alone.high - alone.low)


def test_without_a_trend_it_says_why() -> None:
    report = by_certainty([1, 3, 5], [True, True, True])
    assert (report.trend, report.why) == (
        None,
        "All 3 verdicts are alike, so nothing can go with certainty.",
    )
    report = by_certainty([3, 3], [True, False])
    assert (report.trend, report.why) == (None, "Every certainty is 3, so nothing can go with it.")
    report = by_certainty([1, 5], [False, True])
    assert report.trend is None
    assert report.why is not None
    assert report.why.startswith("The statistic is undefined on ")
    assert by_certainty(CERTAINTY, RIGHT).why is None


def test_what_is_no_certainty_is_a_sentence() -> None:
    with pytest.raises(BadData, match=r"certainty at position 2 is 0\.7, outside the scale from 1 .* to 5"):
        by_certainty([1, 0.7], [True, False])
    with pytest.raises(BadData, match="certainty at position 1 is nan"):
        by_certainty([math.nan, 1], [True, False])
    with pytest.raises(BadData, match="agrees at position 2 is None; it is true or false"):
        by_certainty([1, 2], [True, None])  # type: ignore[list-item]
    with pytest.raises(BadData, match="not equally long: certainty has 2, agrees has 1"):
        by_certainty([1, 2], [True])
    with pytest.raises(BadData, match="certainty holds 0 numbers"):
        by_certainty([], [])
    with pytest.raises(BadData, match="The cluster of row 2 is missing"):
        by_certainty([1, 2], [True, False], clusters=["x", None])
