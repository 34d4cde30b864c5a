"""Concordance within prompts by hand, against Kendall's tau, and whichever picture is `a`."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from semiosis.core.errors import BadData, BadSetting
from semiosis.stats.within import concordance_within, kendall_within, tau_within

winner = st.sampled_from([-1, 0, 1])
row = st.tuples(st.integers(0, 4), winner, winner)
FLIP = {-1: 1, 0: 0, 1: -1, "a": "b", "b": "a", "tie": "tie"}


def test_concordance_by_hand() -> None:
    groups = ["p", "p", "p", "p", "q", "q", "r"]
    human = ["a", "a", "b", "tie", "b", "a", "tie"]
    judged = ["a", "b", "tie", "a", "b", "a", "a"]
    # p: agreed, opposite, undecided over three decided pairs; q: two of two; r: nothing decided.
    concordance = concordance_within(groups, judged, human)
    assert concordance.value == pytest.approx((0 / 3 + 2 / 2) / 2)
    assert (concordance.groups, concordance.undefined) == (2, 1)
    assert (concordance.low, concordance.high) == (-1, 1)


def test_codes_and_words_are_the_same() -> None:
    words = concordance_within([1, 1, 2], ["a", "tie", "b"], ["a", "b", "a"])
    assert words == concordance_within(np.array([1, 1, 2]), np.array([-1, 0, 1]), [-1, 1, -1])


def test_over_all_pairs_without_ties_it_is_kendalls_tau() -> None:
    rng = np.random.default_rng(3)
    groups: list[int] = []
    judged: list[int] = []
    human: list[int] = []
    taus: list[float] = []
    for group in range(20):
        ours, theirs = rng.permutation(6), rng.permutation(6)
        taus.append(scipy.stats.kendalltau(ours, theirs).statistic)
        for i, j in combinations(range(6), 2):
            groups.append(group)
            judged.append(1 if ours[j] > ours[i] else -1)
            human.append(1 if theirs[j] > theirs[i] else -1)
    assert concordance_within(groups, judged, human).value == pytest.approx(np.mean(taus))


def test_every_prompt_weighs_the_same() -> None:
    groups = ["many"] * 99 + ["one"]
    assert concordance_within(groups, [1] * 99 + [-1], [1] * 100).value == 0


@settings(deadline=None)
@given(st.lists(row, min_size=1, max_size=20), st.data())
def test_it_does_not_matter_which_picture_is_a(rows: list[tuple[int, Any, Any]], data: Any) -> None:
    groups, judged, human = (list(column) for column in zip(*rows, strict=True))
    if not any(human):
        return
    swapped = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    other_judged = [FLIP[each] if swap else each for each, swap in zip(judged, swapped, strict=True)]
    other_human = [FLIP[each] if swap else each for each, swap in zip(human, swapped, strict=True)]
    concordance = concordance_within(groups, judged, human)
    assert concordance_within(groups, other_judged, other_human) == concordance
    against = concordance_within(groups, [FLIP[each] for each in judged], human)
    assert against.value == pytest.approx(-concordance.value)
    assert -1 <= concordance.low <= concordance.high <= 1
    assert concordance_within(groups, human, human).value == 1


@settings(deadline=None)
@given(st.lists(row, min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: list[tuple[int, Any, Any]], random: Any) -> None:
    if not any(each[2] for each in rows):
        return
    concordance = concordance_within(*zip(*rows, strict=True))
    random.shuffle(rows)
    assert concordance_within(*zip(*rows, strict=True)) == concordance


comparison = st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 5), winner, winner)


def by_loop(rows: list[tuple[int, int, int, int, int]]) -> list[float]:
    taus: list[float] = []
    for group in sorted({each[0] for each in rows}):
        wins: dict[int, list[float]] = {}
        for _, a, b, *verdicts in (each for each in rows if each[0] == group):
            for at, verdict in enumerate(verdicts):
                wins.setdefault(a, [0, 0])[at] += (1 - verdict) / 2
                wins.setdefault(b, [0, 0])[at] += (1 + verdict) / 2
        judged, human = np.array(list(wins.values())).T
        if np.ptp(judged) and np.ptp(human):
            taus.append(scipy.stats.kendalltau(judged, human).statistic)
    return taus


@settings(deadline=None)
@given(st.lists(comparison, min_size=1, max_size=30), st.data())
def test_tau_of_wins_is_scipys_in_each_group_and_has_no_side(rows: list[Any], data: Any) -> None:
    rows = [(group, a, (a + step) % 6, *verdicts) for group, a, step, *verdicts in rows]
    taus = by_loop(rows)
    if not taus:
        with pytest.raises(BadData, match="count all items alike"):
            kendall_within(*zip(*rows, strict=True))
        return
    tau = kendall_within(*zip(*rows, strict=True))
    assert tau.value == pytest.approx(np.mean(taus), abs=1e-12)
    assert (tau.groups, tau.undefined) == (len(taus), len({each[0] for each in rows}) - len(taus))
    swaps = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    swapped = [
        (group, b, a, FLIP[judged], FLIP[human]) if swap else (group, a, b, judged, human)
        for (group, a, b, judged, human), swap in zip(rows, swaps, strict=True)
    ]
    assert kendall_within(*zip(*swapped, strict=True)) == tau


def test_large_groups_are_taken_in_blocks() -> None:
    rng = np.random.default_rng(1)
    a = np.tile(np.arange(0, 300, 2), 30)
    group = np.repeat(np.arange(30), 150)
    judged, human = rng.integers(-1, 2, size=(2, a.size))
    rows = list(zip(group, a, a + 1, judged, human, strict=True))
    assert kendall_within(group, a, a + 1, judged, human).value == pytest.approx(np.mean(by_loop(rows)))


def test_of_one_group_nothing_is_known() -> None:
    concordance = concordance_within(["p", "p"], [1, 1], [1, -1])
    assert (concordance.value, concordance.low, concordance.high) == (0, -1, 1)


def test_the_interval_is_students_over_prompts() -> None:
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(200), 3)
    human = rng.choice([-1, 1], size=600)
    judged = np.where(rng.random(600) < 0.8, human, -human)
    concordance = concordance_within(groups, judged, human)
    values = (judged * human).reshape(200, 3).mean(axis=1)
    half = scipy.stats.t.ppf(0.975, 199) * scipy.stats.sem(values)
    assert (concordance.low, concordance.high) == pytest.approx(
        (concordance.value - half, concordance.value + half)
    )
    wider = concordance_within(groups, judged, human, confidence=0.99)
    assert wider.low < concordance.low < concordance.high < wider.high


def test_bad_items_and_settings_are_refused_in_a_sentence() -> None:
    with pytest.raises(BadData, match="There are no comparisons"):
        kendall_within([], [], [], [], [])
    with pytest.raises(BadData, match="'x' with itself"):
        kendall_within(["p"], ["x"], ["x"], ["a"], ["a"])
    with pytest.raises(BadData, match="a has 2, b has 1"):
        kendall_within(["p", "p"], ["x", "y"], ["y"], ["a", "a"], ["a", "a"])
    with pytest.raises(BadSetting, match="confidence is 0"):
        concordance_within(["p"], [1], [1], confidence=0)


def test_an_interval_of_few_prompts_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(400):
        groups = np.repeat(np.arange(5), 12)
        human = rng.choice([-1, 1], size=60)
        skill = np.repeat(rng.uniform(0.4, 0.9, 5), 12)
        concordance = concordance_within(groups, np.where(rng.random(60) < skill, human, -human), human)
        covered += concordance.low <= 0.3 <= concordance.high
    assert 0.92 < covered / 400 < 0.98


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8))
def test_tau_over_all_pairs_is_scipys(values: list[tuple[int, int]]) -> None:
    x, y = np.array(values, dtype=float).T
    one, other = np.triu_indices(len(values), 1)
    expected = scipy.stats.kendalltau(x, y).statistic
    pairs = ["p"] * one.size, x[one] - x[other], y[one] - y[other]
    if np.isnan(expected):
        with pytest.raises(BadData, match="tells no two items apart"):
            tau_within(*pairs)
    else:
        assert tau_within(*pairs).value == pytest.approx(expected)


def test_tau_is_a_mean_over_groups_that_have_an_order() -> None:
    tau = tau_within([1, 1, 2, 2, 3], [1, 2, -1, 1, 1], [3, 4, -1, -1, 0])
    assert (tau.value, tau.groups, tau.undefined) == (0.5, 2, 1)
