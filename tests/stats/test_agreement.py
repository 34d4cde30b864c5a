"""Agreement against published tables, statsmodels, and slow code written straight from the definitions."""

import csv
import json
import math
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats import inter_rater

from semiosis.core.errors import BadData, BadSetting
from semiosis.stats.agreement import (
    ICC,
    Alpha,
    Form,
    Kappa,
    Level,
    cohen_kappa,
    fleiss_kappa,
    icc,
    krippendorff_alpha,
    rating_counts,
)

FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")

# Shrout and Fleiss (1979), table 2.
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]

scores = st.integers(1, 5)
pairs = st.lists(st.tuples(scores, scores), min_size=2, max_size=40)


@pytest.fixture
def published(shared_data: Path) -> Callable[[str], dict[str, Any]]:
    cases = json.loads((shared_data / "stats_reference" / "stats_reference.json").read_text())
    return {case["id"]: case for case in cases}.__getitem__


def table_rows(shared_data: Path, name: str) -> list[list[str]]:
    with (shared_data / "stats_reference" / "csv" / name).open() as lines:
        return list(csv.reader(lines))


def two_raters(table: list[list[int]]) -> tuple[list[int], list[int]]:
    cells = [(a, b) for a, row in enumerate(table) for b, count in enumerate(row) for _ in range(count)]
    return [a for a, _ in cells], [b for _, b in cells]


def columns(rows: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    a, b = [a for a, _ in rows], [b for _, b in rows]
    assume(len(set(a)) > 1 and len(set(b)) > 1)
    return a, b


class TestCohen:
    @pytest.mark.parametrize(
        ("weights", "name"),
        [
            (None, "kappa"),
            ("weights_disagreement", "weighted"),
            ("weights_asymmetric", "weighted_asymmetric"),
        ],
    )
    def test_table_of_cohen_1968(
        self, published: Callable[[str], dict[str, Any]], weights: str | None, name: str
    ) -> None:
        case = published("cohen_1968")
        table = [[round(share * case["n_obs"]) for share in row] for row in case["data"]]
        matrix = weights and case[weights]
        kappa = cohen_kappa(*two_raters(table), weights=matrix)
        oracle = inter_rater.cohens_kappa(
            np.array(table), weights=None if matrix is None else np.array(matrix) / 6
        )
        assert round(kappa.value, 3) == case["published"][name]
        assert kappa.value == pytest.approx(case["recomputed"][name], abs=1e-9)
        assert (kappa.n, kappa.error) == (200, pytest.approx(oracle.std_kappa, abs=1e-12))
        assert (kappa.low, kappa.high) == pytest.approx((oracle.kappa_low, oracle.kappa_upp), abs=1e-12)

    @settings(deadline=None)
    @given(pairs, st.sampled_from([None, "linear", "quadratic"]))
    def test_as_statsmodels_over_all_five_categories(self, rows: list[tuple[int, int]], weights: Any) -> None:
        a, b = columns(rows)
        table = np.zeros((5, 5))
        np.add.at(table, (np.array(a) - 1, np.array(b) - 1), 1)
        kappa = cohen_kappa(a, b, weights=weights, categories=range(1, 6))
        with np.errstate(all="ignore"):
            oracle = inter_rater.cohens_kappa(table, wt=weights)
        assert kappa.value == pytest.approx(oracle.kappa, abs=1e-12)
        assert kappa.error**2 == pytest.approx(oracle.var_kappa, abs=1e-12)
        assert kappa.value == pytest.approx(
            (kappa.observed - kappa.expected) / (1 - kappa.expected), abs=1e-9
        )
        assert kappa.low <= kappa.value <= kappa.high <= 1

    @settings(deadline=None)
    @given(pairs, st.sampled_from([None, "linear", "quadratic"]), st.randoms())
    def test_neither_order_of_rows_nor_of_raters_matters(
        self, rows: list[tuple[int, int]], weights: Any, random: Any
    ) -> None:
        a, b = columns(rows)
        random.shuffle(rows)
        swapped = cohen_kappa([b for _, b in rows], [a for a, _ in rows], weights=weights)
        kappa = cohen_kappa(a, b, weights=weights)
        assert (swapped.value, swapped.error) == pytest.approx((kappa.value, kappa.error), abs=1e-12)

    @settings(deadline=None)
    @given(pairs, st.permutations("abcde"))
    def test_plain_kappa_knows_no_names(self, rows: list[tuple[int, int]], names: list[str]) -> None:
        a, b = columns(rows)
        renamed = cohen_kappa([names[each - 1] for each in a], np.array([names[each - 1] for each in b]))
        assert renamed.value == pytest.approx(cohen_kappa(a, b).value, abs=1e-12)

    def test_weights_are_scale_free(self) -> None:
        a, b = two_raters([[8, 3, 1], [2, 9, 2], [1, 0, 6]])
        linear = np.abs(np.subtract.outer(range(3), range(3)))
        assert cohen_kappa(a, b, weights=7 * linear) == cohen_kappa(a, b, weights="linear")

    def test_a_category_that_never_occurs_is_a_step_when_it_is_named(self) -> None:
        a, b = [1, 1, 2, 5, 5, 2], [1, 2, 2, 5, 2, 5]
        apart = cohen_kappa(a, b, weights="linear", categories=[1, 2, 3, 4, 5])
        close = cohen_kappa(a, b, weights="linear")
        ranked = {1: 1, 2: 2, 5: 3}
        assert close == cohen_kappa(
            [ranked[each] for each in a], [ranked[each] for each in b], weights="linear"
        )
        assert apart.value < close.value

    def test_words_have_the_order_that_is_given(self) -> None:
        order = ["poor", "fair", "good"]
        a, b = two_raters([[5, 2, 0], [1, 6, 1], [0, 1, 5]])
        named = cohen_kappa(
            [order[each] for each in a], [order[each] for each in b], weights="linear", categories=order
        )
        assert named == cohen_kappa(a, b, weights="linear")

    def test_perfect_agreement_is_the_point_one(self) -> None:
        kappa = cohen_kappa("aabbc", "aabbc")
        assert kappa == Kappa(value=1, low=1, high=1, error=0, n=5, observed=1, expected=kappa.expected)
        assert kappa.expected == pytest.approx(9 / 25)

    @pytest.mark.parametrize(
        ("a", "b", "says"),
        [
            ([1], [1], "at least two rated units, not 1"),
            ([1, 2], [1, 2, 2], "a has 2, b has 3"),
            ([1, None, 2], [1, 2, 2], "a at position 2 is missing"),
            ([1, 2, 2], [1, 2, math.nan], "b at position 3 is missing"),
            ([1, 2, 2], [3, 3, 3], "b is 3 in every row"),
            ([1, 1, 1], [1, 1, 1], "a is 1 in every row"),
            ([[1], [2]], [[1], [2]], "no text and no number"),
        ],
    )
    def test_bad_ratings_are_refused(self, a: list[Any], b: list[Any], says: str) -> None:
        with pytest.raises(BadData, match=says):
            cohen_kappa(a, b)

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"weights": "cubic"}, "no 'cubic' weights"),
            ({"weights": [[0, 1], [1, 0]]}, "2 by 2 and there are 3 categories"),
            ({"weights": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "of disagreement"),
            ({"weights": [[0, -1, 0], [0, 0, 0], [0, 0, 0]]}, "of disagreement"),
            ({"weights": np.zeros((3, 3))}, "of disagreement"),
            ({"categories": [1, 2, 2, 3]}, "twice"),
            ({"confidence": 95}, "confidence is 95"),
        ],
    )
    def test_bad_settings_are_refused(self, options: dict[str, Any], says: str) -> None:
        with pytest.raises(BadSetting, match=says):
            cohen_kappa([1, 2, 3, 1], [1, 2, 3, 2], **options)

    def test_words_without_an_order_are_refused_weights(self) -> None:
        with pytest.raises(BadData, match="Weights need an order, which 'good' has not"):
            cohen_kappa(["good", "poor"], ["poor", "good"], weights="linear")

    def test_a_rating_outside_the_categories_is_refused(self) -> None:
        with pytest.raises(BadData, match="A rating is 7, which is not among the 5"):
            cohen_kappa([1, 7], [1, 2], categories=[1, 2, 3, 4, 5])

    def test_weights_that_merge_all_that_occurs_are_refused(self) -> None:
        with pytest.raises(BadData, match="not defined"):
            cohen_kappa([0, 1], [1, 0], weights=[[0, 0, 1], [0, 0, 1], [1, 1, 0]], categories=[0, 1, 2])


class TestFleiss:
    def test_published_value_error_and_interval(
        self, shared_data: Path, published: Callable[[str], dict[str, Any]]
    ) -> None:
        rows = table_rows(shared_data, "distrib.6raters.csv")[1:]
        kappa = fleiss_kappa([[int(count) for count in row[1:]] for row in rows])
        assert kappa.value == pytest.approx(
            published("gwet_distrib6raters")["published"]["fleiss_kappa"], abs=5e-8
        )
        # Gwet, irrCAC overview (2019), fleiss.kappa.dist: pa, pe, stderr and conf.int.
        assert (kappa.observed, kappa.expected) == pytest.approx((0.5511111, 0.2340741), abs=5e-8)
        assert kappa.error == pytest.approx(0.08119291, abs=5e-9)
        assert (round(kappa.low, 3), round(kappa.high, 3)) == (0.240, 0.588)

    def test_worked_example(self, published: Callable[[str], dict[str, Any]]) -> None:
        case = published("wikipedia_fleiss")
        assert fleiss_kappa(case["data"]).value == pytest.approx(case["recomputed_statsmodels"], abs=1e-9)

    @settings(deadline=None)
    @given(st.integers(2, 6), st.integers(2, 15), st.data())
    def test_as_statsmodels(self, raters: int, units: int, data: st.DataObject) -> None:
        row = st.lists(st.sampled_from("xyz"), min_size=raters, max_size=raters)
        ratings = data.draw(st.lists(row, min_size=units, max_size=units))
        assume(len({label for unit in ratings for label in unit}) > 1)
        counts = rating_counts(ratings, categories="xyz")
        kappa = fleiss_kappa(counts)
        assert kappa.value == pytest.approx(inter_rater.fleiss_kappa(counts), abs=1e-12)
        assert kappa.low <= kappa.value <= kappa.high <= 1
        assert kappa.n == units

    def test_interval_covers_the_truth(self) -> None:
        """Each rater sees the unit's class with probability 0.7 and else guesses, so that kappa is 0.49."""
        random = np.random.default_rng(4)
        shares, runs, units, hits = [0.5, 0.3, 0.2], 400, 40, 0
        for _ in range(runs):
            truth = random.choice(3, (units, 1), p=shares)
            guess = random.choice(3, (units, 4), p=shares)
            ratings = np.where(random.random((units, 4)) < 0.7, truth, guess)
            kappa = fleiss_kappa(rating_counts(ratings))
            hits += kappa.low <= 0.49 <= kappa.high
        assert 0.91 < hits / runs < 0.98

    def test_counts_of_raw_ratings(self) -> None:
        ratings = [["b", "a", None], ["b", "b", "b"], [math.nan, None, "c"]]
        assert rating_counts(ratings).tolist() == [[1, 1, 0], [0, 3, 0], [0, 0, 1]]
        assert rating_counts(ratings, categories="cbad").tolist() == [
            [0, 1, 1, 0],
            [0, 3, 0, 0],
            [1, 0, 0, 0],
        ]

    @pytest.mark.parametrize(
        ("counts", "says"),
        [
            ([[2, 1]], "not 1 and 3"),
            ([[1, 0], [0, 1]], "not 2 and 1"),
            ([[2, 1], [2, 2]], "Unit 2 has 4 ratings and unit 1 has 3"),
            ([[3, 0], [3, 0]], "one category"),
            ([[3, -1], [1, 1]], "no count"),
            ([[1.5, 1.5], [1, 2]], "no count"),
            ([[3, math.nan], [1, 1]], "count in row 1, column 2 is missing"),
            ([[3, math.inf], [1, 1]], "column 2 is inf"),
            ([[3, 1], [1]], "Row 2 of the table has 1 cells"),
            ([["many", 1], [1, 2]], "not a number"),
            ([3, 1], "not a table"),
            ([], "not a table"),
        ],
    )
    def test_bad_counts_are_refused(self, counts: Any, says: str) -> None:
        with pytest.raises(BadData, match=says):
            fleiss_kappa(counts)

    @pytest.mark.parametrize(
        ("ratings", "says"),
        [([[None], [None]], "no ratings"), ([], "empty"), ([1, 2], "not a table"), ([[1, 2], [1]], "Row 2")],
    )
    def test_bad_ratings_are_not_counted(self, ratings: Any, says: str) -> None:
        with pytest.raises(BadData, match=says):
            rating_counts(ratings)


def alpha_by_definition(units: list[list[float | None]], level: Level) -> float:
    """Observed over expected disagreement of all ordered pairs of ratings (Krippendorff 2004, 11.3)."""
    pairable = [[each for each in unit if each is not None] for unit in units]
    pairable = [unit for unit in pairable if len(unit) > 1]
    ratings = [each for unit in pairable for each in unit]
    values = sorted(set(ratings))

    def differ(one: float, other: float) -> Fraction:
        if level == "nominal":
            return Fraction(one != other)
        if level == "interval":
            return Fraction(one - other) ** 2
        low, high = sorted((one, other))
        between = sum(ratings.count(value) for value in values if low <= value <= high)
        return (between - Fraction(ratings.count(one) + ratings.count(other), 2)) ** 2

    observed = sum(
        sum(differ(*pair) for pair in permutations(unit, 2)) / Fraction(len(unit) - 1) for unit in pairable
    )
    expected = sum(differ(*pair) for pair in permutations(ratings, 2)) / Fraction(len(ratings) - 1)
    return float(1 - observed / expected)


maybe = st.one_of(st.none(), st.integers(0, 4))
tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(st.lists(maybe, min_size=raters, max_size=raters), min_size=2, max_size=8)
)


def some_alpha(units: Any, level: Level = "nominal") -> Alpha:
    try:
        return krippendorff_alpha(units, level=level, resamples=20, confidence=0.5)
    except BadData:
        assume(False)
        raise


class TestKrippendorff:
    @pytest.mark.parametrize(
        ("level", "value"), [("nominal", 904 / 1216), ("ordinal", 0.8153875038), ("interval", 0.8491071429)]
    )
    def test_published_values_with_gaps(self, shared_data: Path, level: Level, value: float) -> None:
        rows = table_rows(shared_data, "evalica_codings.csv")
        observers = [[float(cell) if cell else None for cell in row] for row in rows]
        units = [list(unit) for unit in zip(*observers, strict=True)]
        alpha = krippendorff_alpha(units, level=level)
        assert alpha.value == pytest.approx(value, abs=1e-10)
        assert (alpha.pairable, alpha.dropped, alpha.ratings) == (11, 1, 40)
        assert alpha.low < alpha.value < alpha.high <= 1
        gaps = np.array([[math.nan if cell is None else cell for cell in unit] for unit in units])
        assert krippendorff_alpha(gaps, level=level) == alpha

    def test_published_value_of_six_raters(
        self, shared_data: Path, published: Callable[[str], dict[str, Any]]
    ) -> None:
        head, *rows = table_rows(shared_data, "distrib.6raters.csv")
        ratings = [
            [name for name, count in zip(head[1:], row[1:], strict=True) for _ in range(int(count))]
            for row in rows
        ]
        alpha = krippendorff_alpha(ratings)
        assert alpha.value == pytest.approx(
            published("gwet_distrib6raters")["published"]["kripp_alpha_nominal"], abs=5e-8
        )
        # Gwet's linearised interval of the same table, irrCAC overview (2019).
        assert (alpha.low, alpha.high) == pytest.approx((0.244, 0.597), abs=0.05)

    @settings(deadline=None)
    @given(tables, st.sampled_from(LEVELS))
    def test_as_the_definition_says(self, units: list[list[float | None]], level: Level) -> None:
        alpha = some_alpha(units, level)
        assert alpha.value == pytest.approx(alpha_by_definition(units, level), abs=1e-12)
        assert alpha.low <= alpha.high <= 1 + 1e-12

    @settings(deadline=None)
    @given(tables, st.sampled_from(LEVELS), st.randoms())
    def test_raters_need_no_names(self, units: list[list[int | None]], level: Level, random: Any) -> None:
        value = some_alpha(units, level).value
        for unit in units:
            random.shuffle(unit)
        assert some_alpha(units, level).value == pytest.approx(value, abs=1e-12)

    @settings(deadline=None)
    @given(tables, st.permutations("abcde"))
    def test_nominal_alpha_knows_no_names(self, units: list[list[int | None]], names: list[str]) -> None:
        renamed = [[None if each is None else names[each] for each in unit] for unit in units]
        assert some_alpha(renamed).value == pytest.approx(some_alpha(units).value, abs=1e-12)

    @settings(deadline=None)
    @given(tables)
    def test_ordinal_alpha_knows_the_order_only(self, units: list[list[int | None]]) -> None:
        stretched = [[None if each is None else 10.0**each for each in unit] for unit in units]
        assert some_alpha(stretched, "ordinal") == some_alpha(units, "ordinal")

    @settings(deadline=None)
    @given(tables, st.floats(0.01, 100), st.floats(-100, 100))
    def test_interval_alpha_knows_no_unit(
        self, units: list[list[int | None]], scale: float, shift: float
    ) -> None:
        moved = [[None if each is None else scale * each + shift for each in unit] for unit in units]
        one, other = some_alpha(moved, "interval"), some_alpha(units, "interval")
        assert (one.value, one.low) == pytest.approx((other.value, other.low), abs=1e-7)

    def test_interval_covers_the_truth(self) -> None:
        """Units and errors of equal variance: interval alpha is 0.5."""
        random = np.random.default_rng(6)
        runs, hits = 200, 0
        for _ in range(runs):
            ratings = random.normal(size=(60, 1)) + random.normal(size=(60, 4))
            alpha = krippendorff_alpha(ratings, level="interval", resamples=200)
            hits += alpha.low <= 0.5 <= alpha.high
        assert 0.87 < hits / runs < 0.99

    def test_the_seed_decides_the_interval(self) -> None:
        one, same, other = (krippendorff_alpha(JUDGES, level="interval", seed=seed) for seed in (1, 1, 2))
        assert one == same
        assert one.value == other.value
        assert (one.low, one.high) != (other.low, other.high)

    def test_resamples_of_one_value_are_counted_and_widen(self) -> None:
        units = [[1, 1]] * 5 + [[1, 2], [2, 2], [2, 2]]
        alpha = krippendorff_alpha(units, confidence=0.8, seed=3)
        assert 0 < alpha.undefined < 200
        with pytest.raises(BadData, match="takes more rows"):
            krippendorff_alpha([[1, 1]] * 9 + [[1, 2]])

    @pytest.mark.parametrize(
        ("ratings", "level", "says"),
        [
            ([[1, 2, 1]], "nominal", "two units with two ratings or more, and there is 1"),
            ([[1], [2]], "nominal", "there is none"),
            ([[1, None], [None, 2]], "ordinal", "there is none"),
            ([[3, 3], [3, None], [3, 3]], "interval", "All ratings are 3"),
            ([[1, 2], [1]], "nominal", "Row 2 of the table has 1 cells"),
            ([["a", "b"], ["a", "c"]], "ordinal", "not a number"),
            ([[1, math.inf], [1, 2]], "interval", "inf"),
            ([[[1], [2]], [[1], [2]]], "nominal", "no text and no number"),
            ([1, 2, 3], "nominal", "not a table"),
            ([], "nominal", "empty"),
        ],
    )
    def test_bad_ratings_are_refused(self, ratings: Any, level: Level, says: str) -> None:
        with pytest.raises(BadData, match=says):
            krippendorff_alpha(ratings, level=level)

    @pytest.mark.parametrize("options", [{"level": "ratio"}, {"resamples": 0}, {"confidence": 1.0}])
    def test_bad_settings_are_refused(self, options: Any) -> None:
        with pytest.raises(BadSetting):
            krippendorff_alpha(JUDGES, **options)


class TestICC:
    @pytest.mark.parametrize(
        # Lower and upper bounds as psych::ICC prints them for this table.
        ("form", "low", "high"),
        [
            ("1,1", -0.133, 0.72),
            ("2,1", 0.019, 0.76),
            ("3,1", 0.342, 0.95),
            ("1,k", -0.884, 0.91),
            ("2,k", 0.071, 0.93),
            ("3,k", 0.676, 0.99),
        ],
    )
    def test_shrout_and_fleiss_1979(
        self, published: Callable[[str], dict[str, Any]], form: Form, low: float, high: float
    ) -> None:
        case = published("shrout_fleiss_1979")
        name = f"ICC({form.replace('k', '4')})"
        estimate = icc(case["data"], form=form)
        assert round(estimate.value, 2) == case["published"][name]
        assert estimate.value == pytest.approx(case["recomputed_pingouin"][name], abs=1e-9)
        assert (round(estimate.low, 3), round(estimate.high, 2)) == (low, high)
        assert (estimate.n, estimate.raters, estimate.form) == (6, 4, form)
        f, p = (1.795, 0.16477) if form[0] == "1" else (11.027, 0.000135)
        assert (round(estimate.f, 3), estimate.p) == (f, pytest.approx(p, rel=5e-3))

    def test_one_way_test_is_that_of_scipy(self) -> None:
        table = np.random.default_rng(0).normal(size=(12, 5))
        oracle = stats.f_oneway(*table)
        estimate = icc(table, form="1,k")
        assert (estimate.f, estimate.p) == pytest.approx((oracle.statistic, oracle.pvalue), rel=1e-9)

    def test_consistency_of_the_mean_is_cronbachs_alpha(self) -> None:
        table = np.random.default_rng(1).normal(size=(20, 1)) + np.random.default_rng(2).normal(size=(20, 6))
        items = table.var(axis=0, ddof=1).sum()
        assert icc(table, form="3,k").value == pytest.approx(
            6 / 5 * (1 - items / table.sum(axis=1).var(ddof=1)), abs=1e-12
        )

    @pytest.mark.parametrize("case", ["1", "2", "3"])
    def test_the_mean_of_all_follows_spearman_and_brown(self, case: str) -> None:
        single, mean = icc(JUDGES, form=f"{case},1"), icc(JUDGES, form=f"{case},k")  # type: ignore[arg-type]
        for one, other in ((single.value, mean.value), (single.low, mean.low), (single.high, mean.high)):
            assert other == pytest.approx(4 * one / (1 + 3 * one), abs=1e-12)

    @settings(deadline=None)
    @given(
        st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=12),
        st.floats(0.1, 10),
        st.floats(-50, 50),
        st.sampled_from(FORMS),
    )
    def test_no_unit_matters_and_the_interval_holds_the_value(
        self, table: list[list[int]], scale: float, shift: float, form: Form
    ) -> None:
        try:
            estimate = icc(table, form=form)
        except BadData:
            assume(False)
            raise
        moved = icc(scale * np.array(table) + shift, form=form)
        assert estimate.low <= estimate.value <= estimate.high <= 1
        assert (moved.value, moved.high) == pytest.approx((estimate.value, estimate.high), rel=1e-6, abs=1e-9)

    def test_a_lenient_rater_matters_to_agreement_only(self) -> None:
        lenient = np.add(JUDGES, [0, 5, 0, 0])
        assert icc(lenient, form="3,1").value == pytest.approx(icc(JUDGES, form="3,1").value, abs=1e-12)
        assert icc(lenient, form="2,1").value != pytest.approx(icc(JUDGES, form="2,1").value, abs=1e-3)

    @pytest.mark.parametrize(("form", "units"), [("1,1", 1.0), ("2,1", 1.0), ("3,1", 1.0), ("2,1", 0.02)])
    def test_interval_covers_the_truth(self, form: Form, units: float) -> None:
        random = np.random.default_rng(8)
        runs, hits = 400, 0
        for _ in range(runs):
            table = random.normal(scale=math.sqrt(units), size=(30, 1)) + random.normal(size=(30, 4))
            table += 0 if form[0] == "1" else random.normal(size=4)
            truth = units / (units + 1 + (form[0] == "2"))
            estimate = icc(table, form=form)
            hits += estimate.low <= truth <= estimate.high
        assert 0.92 < hits / runs < 0.99

    def test_a_negative_estimate_of_many_units_has_a_narrow_interval(self) -> None:
        """As an automated indicator against a judge's score: other scale, and slightly opposed."""
        random = np.random.default_rng(9)
        shared = random.normal(size=4405)
        table = np.column_stack((0.4 * shared, 3 - 0.4 * shared)) + random.normal(scale=0.5, size=(4405, 2))
        estimate = icc(table)
        assert estimate.low < estimate.value < 0
        assert estimate.high - estimate.low < 0.1

    def test_perfect_agreement(self) -> None:
        table = [[each] * 3 for each in (0.1, 0.7, 0.3)]
        for form in FORMS:
            expected = ICC(value=1, low=1, high=1, form=form, f=math.inf, p=0, n=3, raters=3)
            assert icc(table, form=form) == expected
            assert ICC.model_validate_json(expected.model_dump_json()) == expected

    @pytest.mark.parametrize(
        ("table", "form", "says"),
        [
            ([[1, 2, 3]], "2,1", "not 1 and 3"),
            ([[1], [2]], "2,1", "not 2 and 1"),
            ([[1, 2], [3, math.nan]], "2,1", "rating in row 2, column 2 is missing"),
            ([[1, None], [3, 4]], "1,1", "rating in row 1, column 2 is missing"),
            ([[1, 2], [3]], "2,1", "Row 2 of the table has 1 cells and row 1 has 2"),
            ([[4, 4], [4, 4]], "3,1", "all units the same"),
            ([[0.1, 5.3, 2], [0.1, 5.3, 2], [0.1, 5.3, 2]], "2,1", "all units the same"),
            ([[1, 2], [2, 1]], "2,1", "not defined"),
            ([[1, 2], [2, 1]], "2,k", "not defined"),
            ([[1, 2], [2, 1]], "3,k", "not defined"),
            ([["x", 2], [2, 1]], "2,1", "not a number"),
            ([1, 2, 3], "2,1", "not a table"),
        ],
    )
    def test_bad_tables_are_refused(self, table: Any, form: Form, says: str) -> None:
        with pytest.raises(BadData, match=says):
            icc(table, form=form)

    @pytest.mark.parametrize("options", [{"form": "A,1"}, {"confidence": 0}])
    def test_bad_settings_are_refused(self, options: Any) -> None:
        with pytest.raises(BadSetting):
            icc(JUDGES, **options)


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_wider_confidence_is_a_wider_interval(seed: int) -> None:
    table = np.random.default_rng(seed).integers(1, 5, (10, 3))
    assume(np.unique(table).size > 2)
    for measure in (
        lambda level: icc(table, form="1,1", confidence=level),
        lambda level: fleiss_kappa(rating_counts(table), confidence=level),
        lambda level: krippendorff_alpha(table, level="ordinal", resamples=100, confidence=level),
    ):
        narrow, wide = measure(0.8), measure(0.95)
        assert wide.low <= narrow.low <= narrow.high <= wide.high


def test_an_icc_at_its_pole_is_refused_and_not_a_quotient_of_rounding() -> None:
    with pytest.raises(BadData, match="is not defined here"):
        icc([[1, 1], [1, 2], [2, 1]], form="2,k")
    for cells in product((1, 2, 3), repeat=6):
        table = np.reshape(cells, (3, 2))
        for form in ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k"):
            with suppress(BadData):
                assert abs(icc(table, form).value) < 1e6


small_tables = st.tuples(st.integers(2, 4), st.integers(2, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(1, 5), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@settings(deadline=None, max_examples=300)
@given(small_tables, st.sampled_from([0.5, 0.95, 0.999]))
def test_intervals_of_few_rows_stay_within_what_the_coefficient_can_be(
    table: list[list[int]], confidence: float
) -> None:
    a, b = [row[0] for row in table], [row[1] for row in table]
    raters = len(table[0])
    measures: list[tuple[float, Callable[[], Kappa | Alpha | ICC]]] = [
        (-1, lambda: cohen_kappa(a, b, confidence=confidence)),
        (-1, lambda: cohen_kappa(a, b, weights="linear", confidence=confidence)),
        (-1, lambda: cohen_kappa(a, b, weights="quadratic", confidence=confidence)),
        (-1 / (raters - 1), lambda: fleiss_kappa(rating_counts(table), confidence=confidence)),
        *((-1, lambda level=level: krippendorff_alpha(table, level=level, resamples=50)) for level in LEVELS),
        *((-1, lambda form=form: icc(table, form=form, confidence=confidence)) for form in FORMS),
    ]
    for least, measure in measures:
        with suppress(BadData):
            estimate = measure()
            assert least - 1e-12 <= estimate.low <= estimate.high <= 1
            # Percentiles of resampled alphas need not enclose alpha itself.
            assert isinstance(estimate, Alpha) or estimate.low <= estimate.value <= estimate.high


def test_an_icc_below_minus_one_is_refused_with_the_reason() -> None:
    with pytest.raises(BadData, match=r"ICC\(1,k\) comes out as -9 .* no correlation is below -1"):
        icc([[1, 2, 3], [2, 1, 3], [3, 3, 1]], form="1,k")
