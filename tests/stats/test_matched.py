"""McNemar's test against statsmodels and by enumeration; the paired bootstrap by hand and by simulation."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as theirs

from semiosis.core.errors import BadData, BadSetting
from semiosis.stats.correlation import rank_correlation, spearman
from semiosis.stats.matched import expanded, mcnemar, paired_bootstrap

answers = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


def columns(both: int, first: int, second: int, neither: int) -> tuple[list[bool], list[bool]]:
    """So many rows that both have right, the first alone, the second alone, and neither."""
    rows = [(True, True)] * both + [(True, False)] * first + [(False, True)] * second
    rows += [(False, False)] * neither
    return [one for one, _ in rows], [other for _, other in rows]


@pytest.mark.parametrize("split", [(0, 0), (1, 0), (0, 6), (4, 4), (5, 6), (14, 6), (3, 40), (900, 820)])
def test_the_exact_p_is_statsmodels(split: tuple[int, int]) -> None:
    first, second = split
    test = mcnemar(*columns(31, first, second, 7))
    assert (test.first_only, test.second_only, test.n) == (first, second, 38 + first + second)
    table = [[31, first], [second, 7]]
    assert test.exact_p == pytest.approx(theirs(table, exact=True).pvalue, rel=1e-9)


def test_the_mid_p_counts_what_was_seen_by_half() -> None:
    # 1, 3 of 4 for either side: 2 * (1 + 4 / 2) / 16.
    assert mcnemar(*columns(0, 3, 1, 0)).p == pytest.approx(6 / 16)
    assert mcnemar(*columns(0, 3, 1, 0)).exact_p == pytest.approx(10 / 16)
    for first, second in product(range(7), repeat=2):
        apart = first + second
        chances = [math.comb(apart, k) / 2**apart for k in range(apart + 1)]
        below = sum(chances[: min(first, second)])
        expected = 2 * (below + chances[min(first, second)] / 2)
        assert mcnemar(*columns(1, first, second, 1)).p == pytest.approx(min(1, expected)), (first, second)


def test_a_tiny_p_keeps_its_digits() -> None:
    test = mcnemar(*columns(0, 1419, 879, 0))
    assert test.exact_p == pytest.approx(theirs([[0, 1419], [879, 0]], exact=True).pvalue, rel=1e-9)
    assert 0.5 * test.exact_p < test.p < 0.9 * test.exact_p


@given(answers)
def test_neither_side_nor_rows_that_are_alike_matter(rows: list[tuple[bool, bool]]) -> None:
    first, second = ([row[at] for row in rows] for at in (0, 1))
    test, turned = mcnemar(first, second), mcnemar(second, first)
    assert (test.p, test.exact_p) == (turned.p, turned.exact_p)
    more = mcnemar([*first, True, False], [*second, True, False])
    assert (more.p, more.exact_p) == (test.p, test.exact_p)
    assert 0 < test.p <= test.exact_p <= 1


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_between_equals_the_mid_p_is_below_5_percent_5_times_in_100(share: float) -> None:
    rng = np.random.default_rng(4)
    accused = exact = 0
    for _ in range(4000):
        first, second = rng.random((2, 200)) < share
        test = mcnemar(first, second)
        accused += test.p < 0.05
        exact += test.exact_p < 0.05
    assert 0.04 < accused / 4000 < 0.06
    assert exact < accused


def test_rows_that_are_no_answers_are_refused() -> None:
    with pytest.raises(BadData, match="first at position 2 is 2; it is true or false"):
        mcnemar([1, 2], [True, False])  # type: ignore[list-item]
    with pytest.raises(BadData, match="first has 1, second has 2"):
        mcnemar([True], [True, False])
    with pytest.raises(BadData, match="no rows"):
        mcnemar([], [])


def test_a_difference_of_means_by_hand() -> None:
    first, second = np.array([1.0, 1, 0, 1, 1, 0]), np.array([0.0, 1, 0, 0, 1, 1])
    apart = paired_bootstrap(np.mean, first, second)
    assert (apart.first, apart.second) == (pytest.approx(4 / 6), pytest.approx(3 / 6))
    assert apart.value == pytest.approx(1 / 6)
    assert (apart.n, apart.clusters) == (6, 6)
    assert apart.low < 0 < apart.high
    # Of 6 rows, 3 are for neither: it takes many resamples to tell 2 from 1.
    assert 0.3 < apart.p <= 1


def test_what_goes_with_both_is_drawn_with_them() -> None:
    rng = np.random.default_rng(6)
    label = rng.normal(size=80)
    near, far = label + rng.normal(scale=0.5, size=80), label + rng.normal(scale=4, size=80)
    apart = paired_bootstrap(rank_correlation, near, far, label, resamples=300)
    assert apart.first == pytest.approx(spearman(near, label).value)
    assert apart.second == pytest.approx(spearman(far, label).value)
    assert apart.low > 0.2
    same = paired_bootstrap(rank_correlation, near, np.exp(near), label, resamples=300)
    assert (same.low, same.high, same.p) == (pytest.approx(0), pytest.approx(0), 1.0)


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.booleans()), min_size=8, max_size=30),
    st.integers(0, 9),
)
def test_the_other_way_round_is_the_other_sign(rows: list[tuple[int, bool, bool]], seed: int) -> None:
    prompts, first, second = ([row[at] for row in rows] for at in range(3))
    if len(set(prompts)) < 5:
        return
    settings: dict[str, Any] = {"clusters": prompts, "resamples": 200, "seed": seed}
    one, other = (
        paired_bootstrap(np.mean, first, second, **settings),
        paired_bootstrap(np.mean, second, first, **settings),
    )
    assert (one.value, one.low, one.high, one.p) == (-other.value, -other.high, -other.low, other.p)
    assert one.low <= one.value <= one.high


def test_p_is_below_5_percent_where_the_interval_leaves_out_nothing() -> None:
    rng = np.random.default_rng(8)
    met: set[tuple[bool, bool]] = set()
    for seed in range(40):
        prompts = np.repeat(np.arange(12), 4)
        first, second = rng.random((2, 48)) + np.array([[0.15], [0.0]])
        apart = paired_bootstrap(np.mean, first, second, clusters=prompts, resamples=999, seed=seed)
        if abs(apart.p - 0.05) > 0.005:
            met.add((apart.p < 0.05, not apart.low <= 0 <= apart.high))
    assert met == {(True, True), (False, False)}


def by_prompt(rng: np.random.Generator, prompts: int) -> tuple[Any, Any, Any]:
    """Equals, whose rows of a prompt go together: the prompt of each row, and who has it right."""
    cluster = np.repeat(np.arange(prompts), rng.integers(1, 10, prompts))
    skill = np.clip(rng.normal(0.65, 0.2, (2, prompts)), 0, 1)
    return cluster, *(rng.random((2, cluster.size)) < skill[:, cluster])


@pytest.mark.parametrize(("prompts", "resamples"), [(8, 400), (30, 200)])
def test_between_equals_5_of_100_intervals_leave_out_0(prompts: int, resamples: int) -> None:
    rng = np.random.default_rng(1)
    missed = 0
    for seed in range(500):
        cluster, first, second = by_prompt(rng, prompts)
        apart = paired_bootstrap(np.mean, first, second, clusters=cluster, resamples=resamples, seed=seed)
        missed += not apart.low <= 0 <= apart.high
    assert 0.03 < missed / 500 < 0.08


def test_rows_taken_as_independent_find_more_than_there_is() -> None:
    rng = np.random.default_rng(2)
    cases = [by_prompt(rng, 30)[1:] for _ in range(200)]
    found = sum(paired_bootstrap(np.mean, *case, resamples=200).p < 0.05 for case in cases)
    assert found / 200 > 0.1


def test_an_interval_covers_a_difference_that_is_there() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for seed in range(300):
        cluster = np.repeat(np.arange(15), 6)
        lead = np.clip(rng.normal(0.1, 0.1, 15), -0.4, 0.4)[cluster]
        first, second = rng.random((2, 90)) < np.stack([0.6 + lead, np.full(90, 0.6)])
        apart = paired_bootstrap(np.mean, first, second, clusters=cluster, resamples=200, seed=seed)
        covered += apart.low <= 0.1 <= apart.high
    assert 0.92 < covered / 300 < 0.98


def test_the_ends_are_those_of_students_t_on_a_mean_of_normal_numbers() -> None:
    half = np.abs(np.random.default_rng(1).normal(size=6))
    difference = 0.3 + np.concatenate([half, -half])
    apart = paired_bootstrap(np.mean, difference, np.zeros(12), resamples=40_000)
    low, high = scipy.stats.t.interval(0.95, 11, difference.mean(), scipy.stats.sem(difference))
    assert (apart.low, apart.high) == (pytest.approx(low, abs=0.04), pytest.approx(high, abs=0.04))
    assert apart.p == pytest.approx(scipy.stats.ttest_1samp(difference, 0).pvalue, abs=0.02)
    assert expanded(0.95, 10**9) == pytest.approx(0.95)
    assert expanded(0.95, 10) == pytest.approx(
        1 - 2 * scipy.stats.norm.cdf(-scipy.stats.t.ppf(0.975, 9) * math.sqrt(10 / 9))
    )


def test_what_cannot_be_told_is_refused_in_a_sentence() -> None:
    with pytest.raises(BadData, match="over 4 clusters knows too little of their spread; it takes 5"):
        paired_bootstrap(np.mean, [1] * 8, [0] * 8, clusters=[1, 1, 2, 2, 3, 3, 4, 4])
    with pytest.raises(BadData, match="over 3 clusters"):
        paired_bootstrap(np.mean, [1, 0, 1], [0, 1, 0])
    with pytest.raises(BadData, match="first has 1, second has 2"):
        paired_bootstrap(np.mean, [1], [0, 1])
    with pytest.raises(BadData, match="constant"):
        paired_bootstrap(rank_correlation, range(9), [1] * 9, range(9))
    with pytest.raises(BadSetting, match="confidence is 1"):
        paired_bootstrap(np.mean, range(9), range(9), confidence=1)
