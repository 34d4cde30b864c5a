"""Bootstrap, permutation, signed ranks and effect sizes against SciPy and against every case written out."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from semiosis.core.errors import BadData, BadSetting
from semiosis.stats.effects import _noncentral_t, cohens_d
from semiosis.stats.significance import (
    bootstrap,
    percentile_ends,
    permutation_test,
    wilcoxon,
)

ALTERNATIVES = ("two-sided", "greater", "less")
numbers = st.lists(st.integers(-9, 9).map(float), min_size=1, max_size=6)


def test_the_percentile_interval_is_near_scipys() -> None:
    x = np.random.default_rng(1).exponential(size=60)
    interval = bootstrap(np.mean, x, resamples=4000, seed=2)
    theirs = scipy.stats.bootstrap(
        (x,), np.mean, method="percentile", n_resamples=4000, rng=np.random.default_rng(3)
    ).confidence_interval
    assert interval.value == pytest.approx(x.mean())
    assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_paired_arrays_are_resampled_together() -> None:
    x = np.random.default_rng(1).normal(size=50)
    interval = bootstrap(lambda a, b: float(np.corrcoef(a, b)[0, 1]), x, 3 - 2 * x, resamples=50)
    assert (interval.value, interval.low, interval.high) == pytest.approx((-1, -1, -1))


def test_the_ends_are_numpys_quantiles_when_every_resample_is_defined() -> None:
    draws = np.random.default_rng(7).normal(size=333)
    assert percentile_ends(draws, 0.9) == pytest.approx(tuple(np.quantile(draws, [0.05, 0.95])))
    assert percentile_ends(draws, 0.9, one_sided=True) == (pytest.approx(np.quantile(draws, 0.1)), math.inf)


def test_one_sided_has_the_whole_miss_on_the_low_end() -> None:
    x = np.random.default_rng(5).normal(size=40)
    one, both = bootstrap(np.mean, x, one_sided=True), bootstrap(np.mean, x, confidence=0.9)
    assert (one.low, one.high) == (pytest.approx(both.low), math.inf)


def test_clusters_are_drawn_whole() -> None:
    clusters = ["a"] * 3 + ["b"] * 5 + ["c"] * 2
    draws: set[tuple[int, ...]] = set()

    def sizes(values: np.ndarray) -> float:
        draws.add(tuple(np.bincount(values, minlength=10)))
        return float(values.size)

    bootstrap(sizes, np.arange(10), clusters=clusters, resamples=200)
    for counts in draws:
        assert len(set(counts[:3])) == len(set(counts[3:8])) == len(set(counts[8:])) == 1
        assert counts[0] + counts[3] + counts[8] == 3
    assert len(draws) == 10


def test_clusters_of_equal_rows_widen_the_interval() -> None:
    few = np.random.default_rng(2).normal(size=30)
    many, cluster = np.repeat(few, 20), np.repeat(np.arange(30), 20)
    by_row, by_cluster = bootstrap(np.mean, many), bootstrap(np.mean, many, clusters=cluster)
    alone = bootstrap(np.mean, few)
    assert by_cluster.high - by_cluster.low > 3 * (by_row.high - by_row.low)
    assert (by_cluster.low, by_cluster.high) == pytest.approx((alone.low, alone.high))


@pytest.mark.parametrize("seed", [0, 8])
def test_the_same_seed_gives_the_same_interval(seed: int) -> None:
    x = np.random.default_rng(3).normal(size=25)
    assert bootstrap(np.median, x, seed=seed) == bootstrap(np.median, x, seed=seed)
    assert bootstrap(np.mean, x, seed=seed) != bootstrap(np.mean, x, seed=seed + 1)


def test_undefined_resamples_only_widen_the_interval() -> None:
    draws = np.arange(1000.0)
    clean = percentile_ends(draws, 0.95)
    draws[500:510] = math.nan
    low, high = percentile_ends(draws, 0.95)
    assert low < clean[0] < clean[1] < high
    assert (low, high) == pytest.approx((14.975, 984.025))


def test_too_many_undefined_resamples_are_refused() -> None:
    draws = np.arange(1000.0)
    draws[:30] = math.nan
    with pytest.raises(BadData, match="undefined on 30 of 1,000 resamples, too many"):
        percentile_ends(draws, 0.95)
    assert percentile_ends(draws, 0.9)[1] == pytest.approx(979.05)


def test_a_statistic_may_be_undefined_on_a_few_resamples() -> None:
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])

    def spread(values: np.ndarray) -> float:
        if np.ptp(values) == 0:
            raise BadData("constant")
        return float(values.std())

    assert bootstrap(spread, x).value == pytest.approx(x.std())
    with pytest.raises(BadData, match="undefined on"):
        bootstrap(spread, [0.0, 1.0])
    with pytest.raises(BadData, match="undefined on"):
        bootstrap(lambda values: math.nan if np.ptp(values) == 0 else 1.0, [0.0, 1.0])


def test_an_interval_for_a_mean_covers_it() -> None:
    rng = np.random.default_rng(11)
    covered = 0
    for seed in range(300):
        interval = bootstrap(np.mean, rng.normal(size=50), resamples=200, seed=seed)
        covered += interval.low <= 0 <= interval.high
    assert 0.90 <= covered / 300 <= 0.98


@pytest.mark.parametrize(
    ("arrays", "options", "sentence"),
    [
        ((), {}, "at least one array"),
        (([],), {}, "over 0 rows"),
        (([1.0],), {}, "over 1 rows knows nothing of their spread"),
        ((3.0,), {}, "Array 1 is a single value"),
        (([1, 2], [[1], [1, 2]]), {}, "Array 2 has rows of unequal length"),
        (([1, 2], [1, 2, 3]), {}, "array 1 has 2, array 2 has 3"),
        (([1, 2],), {"clusters": ["a"]}, "clusters has 1, rows has 2"),
        (([1, 2],), {"clusters": ["a", "a"]}, "over 1 cluster knows nothing"),
        (([1, 2],), {"clusters": ["a", None]}, "cluster of row 2 is missing"),
        (([1, math.nan],), {}, "The statistic is nan on the whole data"),
        (([1, math.inf],), {}, "The statistic is inf on the whole data"),
    ],
)
def test_what_cannot_be_bootstrapped_is_refused_in_a_sentence(
    arrays: tuple[Any, ...], options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadData, match=sentence):
        bootstrap(lambda *columns: float(np.sum(columns[0])), *arrays, **options)


def test_bad_settings_are_refused_in_a_sentence() -> None:
    with pytest.raises(BadSetting, match="confidence is 1;"):
        bootstrap(np.mean, [1, 2], confidence=1)
    with pytest.raises(BadSetting, match="resamples is 0"):
        bootstrap(np.mean, [1, 2], resamples=0)
    with pytest.raises(BadSetting, match="resamples is -1"):
        permutation_test([1], [2], resamples=-1)
    with pytest.raises(BadSetting, match="alternative is 'up'"):
        permutation_test([1], [2], alternative="up")  # pyright: ignore[reportArgumentType]
    with pytest.raises(BadSetting, match="alternative is 'up'"):
        wilcoxon([1, 2], alternative="up")  # pyright: ignore[reportArgumentType]
    with pytest.raises(BadSetting, match="confidence is nan"):
        cohens_d([1, 2], [3, 5], confidence=math.nan)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([3, 5, 4, 7], [1, 2, 4, 2, 3]),
        ([1, 2, 3], [3, 2, 1]),
        ([5, 0], [1, 2, 3, 4]),
        ([1, 2], [3, 4]),
    ],
)
def test_all_splits_are_scipys_exact_permutation_test(
    a: list[float], b: list[float], alternative: Any
) -> None:
    test = permutation_test(a, b, alternative=alternative)
    theirs = scipy.stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        n_resamples=np.inf,
        vectorized=True,
        alternative=alternative,
    )
    assert test.value == pytest.approx(theirs.statistic, abs=1e-12)
    assert test.p == pytest.approx(theirs.pvalue)
    assert test.exact
    assert test.resamples == math.comb(len(a) + len(b), len(a))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_a_statistic_of_ones_own_gives_the_same_p(alternative: Any) -> None:
    a, b = [3.0, 5.5, 4.0, 7.1], [1.0, 2.0, 4.0, 2.2, 3.0]
    own = permutation_test(a, b, statistic=lambda x, y: float(x.mean() - y.mean()), alternative=alternative)
    assert own == permutation_test(a, b, alternative=alternative)


def test_a_sample_of_splits_comes_near_all_of_them() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(0.6, size=9), rng.normal(size=8)
    exact = permutation_test(a, b, resamples=30_000)
    sampled = permutation_test(a, b, resamples=10_000)
    median = permutation_test(
        a, b, statistic=lambda x, y: float(np.sum(x) - np.sum(y)), resamples=2_000, alternative="greater"
    )
    assert (exact.exact, exact.resamples) == (True, 24_310)
    assert (sampled.exact, sampled.resamples) == (False, 10_000)
    assert sampled.p == pytest.approx(exact.p, abs=0.01)
    assert median.p == pytest.approx(exact.p, abs=0.025)


def test_sampled_p_is_never_zero() -> None:
    test = permutation_test(np.arange(100, 200), np.arange(40), resamples=500)
    assert test.p == pytest.approx(1 / 501)


def test_sampling_in_blocks_leaves_no_split_out() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 700))
    test = permutation_test(a, b, resamples=1501)
    assert (test.exact, test.resamples) == (False, 1501)
    theirs = scipy.stats.ttest_ind(a, b, alternative="greater").pvalue
    assert test.p == pytest.approx(theirs, abs=0.04)


def test_rounding_does_not_break_ties_between_splits() -> None:
    # 0.1 + 0.2 and 0.3 + 0.0 are one sum on paper, so 6 of the 10 splits reach it.
    test = permutation_test([0.1, 0.2], [0.3, 0.0, 0.4])
    sums = [0.3, 0.4, 0.1, 0.5, 0.5, 0.2, 0.6, 0.3, 0.7, 0.4]
    assert test.p == pytest.approx(sum(each >= 0.3 for each in sums) / 10)
    assert permutation_test([0.1] * 3, [0.1] * 4).p == 1
    tenths, wholes = (
        permutation_test([0.1, 0.2, 0.3], [0.3, 0.2, 0.1]),
        permutation_test([1, 2, 3], [3, 2, 1]),
    )
    assert tenths.p == wholes.p > 0.5


def test_one_number_against_four_has_five_splits() -> None:
    assert [permutation_test([5], [1, 2, 3, 4], alternative=each).p for each in ALTERNATIVES] == [0.4, 0.2, 1]


@settings(deadline=None)
@given(numbers, numbers)
def test_samples_may_change_places_with_the_sign(a: list[float], b: list[float]) -> None:
    one, other = permutation_test(a, b, alternative="greater"), permutation_test(b, a, alternative="less")
    assert (one.value, one.p) == (pytest.approx(-other.value), pytest.approx(other.p))
    assert permutation_test([-x for x in a], [-x for x in b], alternative="less").p == pytest.approx(one.p)
    assert permutation_test(a[::-1], b[::-1]).p == pytest.approx(one.p)


def test_undefined_splits_count_as_extreme() -> None:
    def ratio(a: np.ndarray, b: np.ndarray) -> float:
        if b.sum() == 0:
            raise BadData("nothing to divide by")
        return float(a.sum() / b.sum())

    # Sums of b over the six splits of 0, 0, 1, 2: 3, 2, 2, 1, 1, 0 with ratios 0, 1/2, 1/2, 2, 2, undefined.
    assert permutation_test([0, 2], [0, 1], statistic=ratio).p == pytest.approx(3 / 6)
    with pytest.raises(BadData, match="nothing to divide by"):
        permutation_test([1, 2], [0, 0], statistic=ratio)
    with pytest.raises(BadData, match="The statistic is nan on the whole data"):
        permutation_test([1, 2], [0, 0], statistic=lambda a, b: math.nan)


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ([], [1], "a holds 0 numbers"),
        ([1], [math.nan], "b at position 1 is nan"),
        ([1], ["x"], "not a number"),
    ],
)
def test_bad_samples_are_refused_in_a_sentence(a: Any, b: Any, sentence: str) -> None:
    for test in (permutation_test, cohens_d):
        with pytest.raises(BadData, match=sentence):
            test(a, b)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("rows", [1, 2, 9, 25, 50])
def test_signed_ranks_without_ties_are_scipys_exact(rows: int, alternative: Any) -> None:
    x, y = np.random.default_rng(rows).normal(size=(2, rows))
    test = wilcoxon(x, y, alternative=alternative)
    theirs = scipy.stats.wilcoxon(x, y, alternative=alternative, method="exact")
    assert test.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert test.value == scipy.stats.wilcoxon(x, y, alternative="greater").statistic
    assert test.n == rows


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_signed_ranks_with_ties_and_zeros_are_the_count_over_every_sign(alternative: Any) -> None:
    x = [1.0, 1, -2, 3, 0, 3, -3, 5, 0, 2]
    nonzero = np.array([each for each in x if each])
    ranks = scipy.stats.rankdata(np.abs(nonzero))
    null = np.array([ranks[np.array(signs)].sum() for signs in product([False, True], repeat=nonzero.size)])
    statistic = ranks[nonzero > 0].sum()
    less, greater = np.mean(null <= statistic), np.mean(null >= statistic)
    wanted = {"less": less, "greater": greater, "two-sided": min(1, 2 * min(less, greater))}
    test = wilcoxon(x, alternative=alternative)
    assert (test.value, test.n) == (statistic, 8)
    assert test.p == pytest.approx(wanted[alternative])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_signed_ranks_with_ties_are_scipys_by_permutation(alternative: Any) -> None:
    x = [1.0, 1, -2, 3, 3, -3, 5, 2, 2, -1]
    theirs = scipy.stats.wilcoxon(
        x, alternative=alternative, method=scipy.stats.PermutationMethod(n_resamples=2000)
    )
    assert wilcoxon(x, alternative=alternative).p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_many_signed_ranks_are_scipys_normal(alternative: Any) -> None:
    x = np.random.default_rng(6).normal(0.2, size=80)
    for values in (x, np.round(x * 2)):
        nonzero = values[values != 0]
        assert nonzero.size > 50
        theirs = scipy.stats.wilcoxon(nonzero, alternative=alternative, method="asymptotic", correction=False)
        assert wilcoxon(values, alternative=alternative).p == pytest.approx(theirs.pvalue, rel=1e-9)


def test_differences_that_are_equal_on_paper_are_ties() -> None:
    x, y = [0.3, 0.2, 0.7, 0.3], [0.2, 0.1, 0.9, 0.1 + 0.2]
    assert wilcoxon(x, y) == wilcoxon([1, 1, -2])


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=20).filter(any), st.randoms(use_true_random=False))
def test_signed_ranks_mirror_and_do_not_depend_on_order_or_scale(x: list[int], random: Any) -> None:
    one = wilcoxon(x, alternative="greater")
    mixed = random.sample(x, len(x))
    assert wilcoxon([3.5 * each for each in mixed], alternative="greater") == one
    other = wilcoxon([-each for each in x], alternative="less")
    assert (other.p, other.n) == (pytest.approx(one.p), one.n)
    assert one.value + other.value == one.n * (one.n + 1) / 2


@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        ([], None, "x holds 0 numbers"),
        ([0, 0], None, "Every difference is 0"),
        ([0.1 + 0.2], [0.3], "Every difference is 0"),
        ([1, 2], [1], "x has 2, y has 1"),
        ([1, math.nan], None, "x at position 2 is nan"),
    ],
)
def test_no_signs_are_refused_in_a_sentence(x: Any, y: Any, sentence: str) -> None:
    with pytest.raises(BadData, match=sentence):
        wilcoxon(x, y)


def test_cohens_d_by_hand() -> None:
    # Means 4 and 2; squares about them 8 and 2, over 2 + 2 degrees of freedom.
    effect = cohens_d([2, 4, 6], [1, 2, 3])
    assert effect.value == pytest.approx(2 / math.sqrt((8 + 2) / 4))


@pytest.mark.parametrize(
    ("sizes", "shift"), [((5, 5), 0), ((3, 1), 1), ((40, 9), 0.5), ((300, 200), 3), ((4, 4), 60)]
)
def test_the_interval_of_d_inverts_the_noncentral_t(sizes: tuple[int, int], shift: float) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(shift, size=sizes[0]), rng.normal(size=sizes[1])
    effect = cohens_d(a, b, confidence=0.9)
    t = scipy.stats.ttest_ind(a, b).statistic
    scale = math.sqrt(sizes[0] * sizes[1] / sum(sizes))
    assert effect.value * scale == pytest.approx(t)
    for end, share in ((effect.low, 0.95), (effect.high, 0.05)):
        assert scipy.stats.nct.cdf(t, sum(sizes) - 2, end * scale) == pytest.approx(share, abs=1e-7)


def test_the_interval_of_d_excludes_zero_exactly_when_t_is_significant() -> None:
    rng = np.random.default_rng(8)
    for _ in range(60):
        a, b = rng.normal(0.7, size=12), rng.normal(size=10)
        effect, p = cohens_d(a, b), scipy.stats.ttest_ind(a, b).pvalue
        assert (effect.low > 0 or effect.high < 0) == (p < 0.05)


@pytest.mark.parametrize("degrees", [1, 7, 200, 998])
def test_the_noncentral_t_is_scipys_where_scipy_has_one(degrees: int) -> None:
    for t in (0, 0.3, 2, 5, 40, 600):
        for at in (-3, -0.5, 0, 1.7, 6, 40, 550):
            theirs = scipy.stats.nct.cdf(t, degrees, at)
            if not math.isnan(theirs):
                assert _noncentral_t(t, degrees, at) == pytest.approx(theirs, abs=1e-10)


def test_the_interval_of_d_is_there_where_scipys_noncentral_t_is_not() -> None:
    spread = np.linspace(-1, 1, 501)
    unit = math.sqrt(2 * np.square(spread).sum() / 1000)
    ends = [cohens_d(spread + d * unit, spread) for d in (40.0, 60.0, 80.0, 1e4, 1e9)]
    assert [each.value for each in ends] == pytest.approx([40, 60, 80, 1e4, 1e9])
    # So far out only the spread is uncertain: d over it follows a chi distribution.
    low, high = np.sqrt(scipy.stats.chi2.ppf([0.025, 0.975], 1000) / 1000)
    for each in ends:
        assert (each.low / each.value, each.high / each.value) == pytest.approx((low, high), abs=2e-4)


@settings(deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=8), st.lists(st.floats(-5, 5), min_size=2, max_size=8))
def test_d_changes_sign_with_the_samples_and_not_with_the_unit(a: list[float], b: list[float]) -> None:
    x, y = np.array(a), np.array(b)
    if max(x.std(), y.std()) < 1e-3:
        return
    one, other, scaled = cohens_d(x, y), cohens_d(y, x), cohens_d(1e90 * x, 1e90 * y)
    wanted = (one.value, one.low, one.high)
    assert (-other.value, -other.high, -other.low) == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    assert (scaled.value, scaled.low, scaled.high) == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    assert one.low < one.value < one.high


def test_the_interval_of_d_covers_it() -> None:
    rng = np.random.default_rng(12)
    covered = 0
    for _ in range(300):
        effect = cohens_d(rng.normal(0.5, size=15), rng.normal(size=25))
        covered += effect.low <= 0.5 <= effect.high
    assert 0.92 <= covered / 300 <= 0.98


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ([1], [2], "one number each"),
        ([1, 1], [2, 2], "Neither a nor b varies"),
        ([0.3], [0.1 + 0.2, 0.3], "Neither"),
    ],
)
def test_samples_without_spread_have_no_d(a: list[float], b: list[float], sentence: str) -> None:
    with pytest.raises(BadData, match=sentence):
        cohens_d(a, b)
