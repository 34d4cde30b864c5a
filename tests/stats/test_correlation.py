"""Correlations against SciPy, against every order written out, and against published values."""

import csv
import math
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from semiosis.core.errors import BadData, BadSetting
from semiosis.stats.correlation import fisher_combine, kendall_tau_b, lin_ccc, pearson, spearman

ALTERNATIVES = ("two-sided", "greater", "less")
ALL = (pearson, spearman, kendall_tau_b, lin_ccc)


def columns(rows: int, seed: int, *, levels: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    y = x / 2 + rng.normal(size=rows)
    return (x, y) if levels is None else (np.round(x * levels / 4), np.round(y * levels / 4))


small_integers = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=3, max_size=7)


@st.composite
def two_columns(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.array(draw(small_integers), dtype=float).T
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    return x, y


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("rows", [3, 4, 10, 200])
def test_pearson_is_scipys(rows: int, alternative: Any) -> None:
    x, y = columns(rows, seed=rows)
    estimate, theirs = (
        pearson(x, y, alternative=alternative),
        scipy.stats.pearsonr(x, y, alternative=alternative),
    )
    assert estimate.value == pytest.approx(theirs.statistic, abs=1e-12)
    assert estimate.p == pytest.approx(theirs.pvalue, rel=1e-8)
    assert estimate.n == rows


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_pearsons_interval_is_scipys(confidence: float) -> None:
    x, y = columns(40, seed=1)
    estimate = pearson(x, y, confidence=confidence)
    theirs = scipy.stats.pearsonr(x, y).confidence_interval(confidence)
    assert (estimate.low, estimate.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("rows", "levels"), [(3, None), (9, None), (9, 4), (60, None), (60, 4)])
def test_spearman_by_t_is_scipys(rows: int, levels: int | None, alternative: Any) -> None:
    x, y = columns(rows, seed=3, levels=levels)
    estimate = spearman(x, y, alternative=alternative, method="t")
    theirs = scipy.stats.spearmanr(x, y, alternative=alternative)
    assert estimate.value == pytest.approx(theirs.statistic, abs=1e-12)
    assert estimate.p == pytest.approx(theirs.pvalue, rel=1e-8)


def test_spearman_is_exact_up_to_ten_rows_and_by_t_above() -> None:
    ten, eleven = columns(10, seed=5), columns(11, seed=5)
    assert spearman(*ten).p == spearman(*ten, method="exact").p != spearman(*ten, method="t").p
    assert spearman(*eleven).p == spearman(*eleven, method="t").p
    with pytest.raises(BadSetting, match="at most 10 rows and there are 11"):
        spearman(*eleven, method="exact")


def test_exact_spearman_of_a_table() -> None:
    # Five rows with one neighbouring swap: rho 0.9, reached or passed by 5 of the 120 orders.
    estimate = spearman([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], alternative="greater")
    assert (estimate.value, estimate.p) == (pytest.approx(0.9), pytest.approx(5 / 120))
    assert spearman([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]).p == pytest.approx(2 / 120)


def over_every_order(measure: Callable[..., float], x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    value = measure(x, y)
    null = np.array([measure(x, np.array(order)) for order in permutations(y)])
    greater, less = float(np.mean(null >= value - 1e-9)), float(np.mean(null <= value + 1e-9))
    return {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}


TIED = [
    ([1, 1, 2, 2, 3, 3], [1, 2, 2, 3, 3, 3]),
    ([1, 1, 1, 1, 1, 2], [3, 1, 2, 5, 4, 6]),
    ([1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5]),
    ([1, 1, 1, 2, 2], [2, 2, 1, 1, 2]),
    ([1, 2], [5, 3]),
]


@pytest.mark.parametrize(("x", "y"), TIED)
def test_exact_spearman_is_the_count_over_every_order(x: list[int], y: list[int]) -> None:
    wanted = over_every_order(
        lambda a, b: float(np.corrcoef(scipy.stats.rankdata(a), scipy.stats.rankdata(b))[0, 1]),
        np.array(x),
        np.array(y),
    )
    assert {each: spearman(x, y, alternative=each).p for each in ALTERNATIVES} == pytest.approx(wanted)


@pytest.mark.parametrize(("x", "y"), TIED)
def test_exact_kendall_is_the_count_over_every_order(x: list[int], y: list[int]) -> None:
    wanted = over_every_order(lambda a, b: scipy.stats.kendalltau(a, b).statistic, np.array(x), np.array(y))
    assert {each: kendall_tau_b(x, y, alternative=each).p for each in ALTERNATIVES} == pytest.approx(wanted)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_exact_spearman_with_ties_is_scipys_permutation_test(alternative: Any) -> None:
    x, y = columns(7, seed=11, levels=4)

    def rho(order: np.ndarray, axis: int) -> np.ndarray:
        return np.sum(scipy.stats.rankdata(order, axis=axis) * scipy.stats.rankdata(y), axis=axis)

    theirs = scipy.stats.permutation_test(
        (x,), rho, permutation_type="pairings", n_resamples=np.inf, vectorized=True, alternative=alternative
    )
    assert spearman(x, y, alternative=alternative).p == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("rows", "levels"), [(2, None), (6, None), (10, None), (33, None), (40, None), (40, 4)]
)
def test_kendall_is_scipys(rows: int, levels: int | None, alternative: Any) -> None:
    x, y = columns(rows, seed=6, levels=levels)
    estimate = kendall_tau_b(x, y, alternative=alternative)
    theirs = scipy.stats.kendalltau(x, y, alternative=alternative)
    assert estimate.value == pytest.approx(theirs.statistic, abs=1e-12)
    assert estimate.p == pytest.approx(theirs.pvalue, rel=1e-8)


def test_rank_intervals_by_hand() -> None:
    x, y = columns(30, seed=8)
    rho, tau = spearman(x, y), kendall_tau_b(x, y)
    half = 1.959964 * math.sqrt((1 + rho.value**2 / 2) / 27)
    assert rho.low == pytest.approx(math.tanh(math.atanh(rho.value) - half), abs=1e-6)
    assert rho.high == pytest.approx(math.tanh(math.atanh(rho.value) + half), abs=1e-6)
    half = 1.959964 * math.sqrt(0.437 / 26)
    assert tau.low == pytest.approx(math.tanh(math.atanh(tau.value) - half), abs=1e-6)
    assert tau.high == pytest.approx(math.tanh(math.atanh(tau.value) + half), abs=1e-6)


@pytest.mark.parametrize("measure", [pearson, spearman, kendall_tau_b])
def test_intervals_cover_what_they_say(measure: Any) -> None:
    rng = np.random.default_rng(4)
    r = 0.6
    true = {
        pearson: r,
        spearman: 6 / math.pi * math.asin(r / 2),
        kendall_tau_b: 2 / math.pi * math.asin(r),
    }[measure]
    covered = 0
    for _ in range(400):
        x = rng.normal(size=30)
        estimate = measure(x, r * x + math.sqrt(1 - r * r) * rng.normal(size=30))
        covered += estimate.low <= true <= estimate.high
    assert 0.92 <= covered / 400 <= 0.98


@pytest.mark.parametrize("measure", [pearson, spearman])
def test_too_few_rows_for_an_interval_leave_all_of_it(measure: Any) -> None:
    estimate = measure([1, 2, 3], [1, 3, 2])
    assert (estimate.value, estimate.low, estimate.high) == (pytest.approx(0.5), -1, 1)


def test_four_rows_are_too_few_for_kendalls_interval() -> None:
    estimate = kendall_tau_b([1, 2, 3, 4], [1, 2, 4, 3])
    assert (estimate.value, estimate.low, estimate.high) == (pytest.approx(2 / 3), -1, 1)


def test_two_rows_always_correlate_and_prove_nothing() -> None:
    for measure in (pearson, spearman, kendall_tau_b):
        for alternative, p in (("two-sided", 1.0), ("greater", 0.5), ("less", 1.0)):
            estimate = measure([1, 2], [3, 9], alternative=alternative)
            assert (estimate.value, estimate.low, estimate.high, estimate.p) == (1, -1, 1, p)


def test_a_perfect_line_has_an_interval_of_one_point_and_a_perfect_order_has_not() -> None:
    x = [1.0, 2, 4, 8, 16, 32]
    line = pearson(x, [3 - each for each in x])
    assert (line.value, line.low, line.high, line.p) == (-1, -1, -1, 0)
    for measure in (spearman, kendall_tau_b):
        up, down = measure(x, x), measure(x, x[::-1])
        assert (up.value, up.high, up.p) == (1, 1, pytest.approx(2 / 720))
        assert 0 < up.low < 0.9
        assert (down.value, down.low, down.high) == (-1, -1, pytest.approx(-up.low))
    assert spearman(range(200), range(200)).low > 0.9999


def test_a_tie_near_a_perfect_order_does_not_raise_the_low_end() -> None:
    x = list(range(12))
    tied = spearman(x, [0, 0, *x[2:]])
    assert tied.value < 1
    assert tied.low <= spearman(x, x).low
    assert tied.high >= tied.value


@settings(deadline=None)
@given(two_columns(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(data: tuple[np.ndarray, np.ndarray], random: Any) -> None:
    x, y = data
    order = list(range(x.size))
    random.shuffle(order)
    for measure in ALL:
        one, other = measure(x, y), measure(x[order], y[order])
        assert one.model_dump() == pytest.approx(other.model_dump(), abs=1e-9)


@settings(deadline=None)
@given(two_columns())
def test_columns_may_change_places(data: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = data
    for measure in ALL:
        assert measure(x, y).model_dump() == pytest.approx(measure(y, x).model_dump(), abs=1e-9)


@settings(deadline=None)
@given(two_columns())
def test_rising_functions_leave_ranks_alone(data: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = data
    for measure in (spearman, kendall_tau_b):
        assert measure(np.exp(x), y**3 - 7) == measure(x, y)


@settings(deadline=None)
@given(two_columns())
def test_a_sign_flips_the_value_and_the_ends(data: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = data
    for measure in (pearson, spearman, kendall_tau_b):
        one, other = measure(x, y, alternative="greater"), measure(x, -y, alternative="less")
        assert (one.value, one.low, one.high, one.p) == pytest.approx(
            (-other.value, -other.high, -other.low, other.p), abs=1e-9
        )
        assert -1 <= one.low <= one.value <= one.high <= 1
        assert 0 <= one.p <= 1


@settings(deadline=None)
@given(two_columns(), st.sampled_from([1e-90, 3.0, 1e90]), st.sampled_from([-2.0, 0.0, 1e3]))
def test_pearson_and_lin_do_not_depend_on_the_unit(
    data: tuple[np.ndarray, np.ndarray], scale: float, shift: float
) -> None:
    x, y = data
    assert pearson(scale * x, y + shift).value == pytest.approx(pearson(x, y).value, abs=1e-9)
    moved = lin_ccc(scale * (x + shift), scale * (y + shift))
    assert moved.model_dump() == pytest.approx(lin_ccc(x, y).model_dump(), abs=1e-7)
    assert -1 <= moved.low <= moved.value <= moved.high <= 1


def test_lins_coefficient_of_published_data(shared_data: Path) -> None:
    with (shared_data / "stats_reference" / "csv" / "SimplyAgree_reps.csv").open() as file:
        rows = [(float(row["x"]), float(row["y"])) for row in csv.DictReader(file) if row["y"] != "NA"]
    estimate = lin_ccc(*zip(*rows, strict=True))
    assert estimate.n == 18
    assert estimate.value == pytest.approx(0.4790782662, abs=1e-10)
    # The interval that SimplyAgree's article on agreement tests prints for these data.
    assert (estimate.low, estimate.high) == (pytest.approx(0.1276, abs=5e-5), pytest.approx(0.7237, abs=5e-5))


def test_lins_coefficient_is_precision_times_accuracy() -> None:
    x, y = columns(25, seed=2)
    estimate = lin_ccc(x, 2 * y + 1)
    assert estimate.precision == pytest.approx(pearson(x, y).value)
    assert estimate.value == pytest.approx(estimate.precision * estimate.accuracy)
    wanted = (
        2
        * np.cov(x, 2 * y + 1, bias=True)[0, 1]
        / (x.var() + 4 * y.var() + (x.mean() - 2 * y.mean() - 1) ** 2)
    )
    assert estimate.value == pytest.approx(wanted)


def test_lins_interval_is_his_formula_written_with_r_below_the_line() -> None:
    x, y = columns(25, seed=2)
    estimate = lin_ccc(x, y + 0.5)
    c, r, u2 = estimate.value, estimate.precision, (x.mean() - y.mean() - 0.5) ** 2 / (x.std() * y.std())
    variance = (
        (1 - r**2) * c**2 / ((1 - c**2) * r**2)
        + 2 * c**3 * (1 - c) * u2 / (r * (1 - c**2) ** 2)
        - c**4 * u2**2 / (2 * r**2 * (1 - c**2) ** 2)
    ) / 23
    assert estimate.low == pytest.approx(math.tanh(math.atanh(c) - 1.959963984540054 * math.sqrt(variance)))


def test_lins_interval_at_the_edges() -> None:
    same, none = lin_ccc([1, 2, 4], [1, 2, 4]), lin_ccc([1, 2, 3, 4], [1, -1, -1, 1])
    assert (same.value, same.low, same.high) == (1, 1, 1)
    assert (none.value, none.precision) == (pytest.approx(0), pytest.approx(0))
    assert -1 < none.low < 0 < none.high < 1
    assert (lin_ccc([1, 2], [1, 3]).low, lin_ccc([1, 2], [1, 3]).high) == (-1, 1)
    for tiny in (1e-100, 1e-200):
        unlike = lin_ccc([1, 2, 4], [tiny, 2 * tiny, 5 * tiny])
        assert (unlike.value, unlike.low, unlike.high) == pytest.approx((0, 0, 0), abs=1e-99)
        assert unlike.precision > 0.9


def test_lins_interval_covers_what_it_says() -> None:
    rng = np.random.default_rng(9)
    covered = 0
    for _ in range(400):
        x = rng.normal(size=40)
        estimate = lin_ccc(x, 0.3 + 0.7 * x + math.sqrt(1 - 0.49) * rng.normal(size=40))
        covered += estimate.low <= 2 * 0.7 / (2 + 0.09) <= estimate.high
    assert 0.92 <= covered / 400 <= 0.98


def test_fishers_combination_is_scipys() -> None:
    ps = [0.01, 0.2, 0.3, 1.0]
    estimate, theirs = fisher_combine(ps), scipy.stats.combine_pvalues(ps)
    assert (estimate.value, estimate.p) == (pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue))
    assert estimate.degrees == 8
    assert fisher_combine([0.03]).p == pytest.approx(0.03)
    assert (fisher_combine([1, 1]).value, fisher_combine([1, 1]).p) == (0, 1)


@pytest.mark.parametrize("p", [0, -0.1, 1.5])
def test_what_is_no_p_value_is_not_combined(p: float) -> None:
    with pytest.raises(BadData, match=f"ps at position 2 is {p:g}; a p-value to combine is above 0"):
        fisher_combine([0.5, p])


@pytest.mark.parametrize("measure", ALL)
@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        ([], [], "x holds 0 numbers; at least 2 are needed"),
        ([1], [2], "x holds 1 numbers; at least 2 are needed"),
        ([1, 2, 3], [1, 2], "not equally long: x has 3, y has 2"),
        ([1, 2, math.nan], [1, 2, 3], "x at position 3 is nan"),
        ([1, 2, 3], [1, math.inf, 3], "y at position 2 is inf"),
        ([1, 2, 3], [4, 4, 4], "y is constant"),
        ([5, 5], [1, 2], "x is constant"),
        (["a", "b"], [1, 2], "x holds something that is not a number"),
    ],
)
def test_bad_columns_are_refused_in_a_sentence(measure: Any, x: Any, y: Any, sentence: str) -> None:
    with pytest.raises(BadData, match=sentence):
        measure(x, y)


def test_bad_settings_are_refused_in_a_sentence() -> None:
    for measure in (pearson, spearman, kendall_tau_b):
        with pytest.raises(BadSetting, match="alternative is 'up'"):
            measure([1, 2, 3], [1, 3, 2], alternative="up")
    for measure in ALL:
        with pytest.raises(BadSetting, match="confidence is 95"):
            measure([1, 2, 3], [1, 3, 2], confidence=95)
    with pytest.raises(BadSetting, match="method is 'guess'"):
        spearman([1, 2, 3], [1, 3, 2], method="guess")  # pyright: ignore[reportArgumentType]
    with pytest.raises(BadData, match="ps holds 0 numbers"):
        fisher_combine([])
