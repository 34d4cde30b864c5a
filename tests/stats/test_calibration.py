"""Calibration against simulated judges of known truth, scipy, and every other curve there is."""

import json
import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import optimize, special, stats

from semiosis.core.errors import BadData, BadSetting, NoFit
from semiosis.stats.arrays import Numbers
from semiosis.stats.calibration import (
    CalibrationError,
    Isotonic,
    Sigmoid,
    Validated,
    calibration_error,
    cross_validated,
    fit_isotonic,
    fit_sigmoid,
    held_out,
    mean_absolute_error,
)

half_points = st.integers(2, 10).map(lambda twice: twice / 2)
rated = st.lists(
    st.tuples(st.one_of(st.floats(-20, 20).map(lambda raw: round(raw, 3)), st.just(1e4)), half_points),
    min_size=3,
    max_size=30,
)


def judge(rows: int, seed: int = 0, *, a: float = 1.3, b: float = -5.0) -> tuple[Numbers, Numbers]:
    """Raw scores from 1 to 5, mostly too high, and people who rate by a known curve, in half points."""
    random = np.random.default_rng(seed)
    raw = random.normal(3.4, 0.8, rows).clip(1, 5)
    truth = 1 + 4 * special.expit(a * raw + b)
    return raw, (np.round(2 * (truth + random.normal(0, 0.4, rows))) / 2).clip(1, 5)


def columns(rows: list[tuple[float, float]]) -> tuple[Numbers, Numbers]:
    raw, human = np.array(rows).T
    assume(np.ptp(raw) > 0 and np.ptp(human) > 0)
    return raw, human


def squares(curve: Any, raw: Numbers, human: Numbers) -> float:
    return float(((curve(raw) - human) ** 2).sum())


class TestSigmoid:
    def test_exact_ratings_give_back_their_curve(self) -> None:
        raw = np.linspace(1, 5, 12)
        truth = Sigmoid(a=1.3, b=-4.0, low=1, high=5)
        curve = fit_sigmoid(raw, truth(raw))
        assert (curve.a, curve.b) == pytest.approx((1.3, -4.0), abs=1e-7)

    def test_noisy_ratings_come_close_to_their_curve(self) -> None:
        curve = fit_sigmoid(*judge(20_000))
        assert (curve.a, curve.b) == pytest.approx((1.3, -5.0), abs=0.1)
        assert curve(np.array([2.0, 3.0, 4.0])) == pytest.approx(
            1 + 4 * special.expit([-2.4, -1.1, 0.2]), abs=0.02
        )

    def test_as_curve_fit_of_scipy(self) -> None:
        raw, human = judge(200, seed=3)
        (a, b), _ = optimize.curve_fit(
            lambda x, a, b: 1 + 4 * special.expit(a * x + b), raw, human, (1, -3), ftol=1e-14, xtol=1e-14
        )
        curve = fit_sigmoid(raw, human)
        assert (curve.a, curve.b) == pytest.approx((a, b), rel=1e-6)

    @settings(deadline=None)
    @given(rated, st.floats(0, 50), st.floats(-25, 25))
    def test_no_other_curve_and_no_step_is_better(
        self, rows: list[tuple[float, float]], a: float, middle: float
    ) -> None:
        raw, human = columns(rows)
        other = squares(Sigmoid(a=a, b=-a * middle, low=1, high=5), raw, human)
        steps = [
            squares(partial(np.interp, xp=[at - 1e-9, at, at + 1e-9], fp=[1, held, 5]), raw, human)
            for at in set(raw)
            for held in [human[raw == at].mean()]
        ]
        try:
            best = squares(fit_sigmoid(raw, human), raw, human)
        except NoFit:
            best = min(steps)
        assert best <= min(other, *steps) + 1e-6

    def test_a_narrow_valley_among_outliers_is_found(self) -> None:
        """The slope is all within a thousandth of the spread of the raw scores."""
        raw = np.concatenate((np.linspace(0, 1, 40), [-2000, 3000]))
        human = np.concatenate((1 + 4 * special.expit(8 * np.linspace(0, 1, 40) - 4), [1, 5]))
        curve = fit_sigmoid(raw, human)
        assert (curve.a, curve.b) == pytest.approx((8, -4), rel=1e-6)

    def test_the_deepest_of_two_valleys_is_found(self) -> None:
        """A gentle slope past all three scores, or a steeper one that has run out before the last."""
        raw = np.array([0.0, 1.0, 50.0] * 4)
        human = np.array([1.5, 2.5, 5.0, 2.0, 3.0, 4.5, 1.5, 2.5, 5.0, 2.0, 2.5, 5.0])
        grid = [
            squares(Sigmoid(a=a, b=b, low=1, high=5), raw, human)
            for a in np.geomspace(0.001, 10, 60)
            for b in np.linspace(-6, 6, 121)
        ]
        assert squares(fit_sigmoid(raw, human), raw, human) <= min(grid)

    def test_a_fit_that_did_not_converge_is_no_fit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        descend = optimize.least_squares
        monkeypatch.setattr(optimize, "least_squares", partial(descend, max_nfev=1))
        with pytest.raises(NoFit, match="did not converge"):
            fit_sigmoid(*judge(100))

    def test_a_slight_rise_in_skewed_scores_is_found(self) -> None:
        random = np.random.default_rng(1)
        raw = np.exp(random.normal(0, 3, 40))
        human = (4 + 0.2 * (raw - raw.mean()) / raw.std() + random.normal(0, 0.02, 40)).clip(1, 5)
        curve = fit_sigmoid(raw, human)
        assert 0 < curve.a * raw.std() < 1
        assert squares(curve, raw, human) < 0.5 * ((human - human.mean()) ** 2).sum()

    @settings(deadline=None)
    @given(rated, st.floats(0.05, 20), st.floats(-30, 30))
    def test_relabelling_the_raw_scale_changes_nothing(
        self, rows: list[tuple[float, float]], scale: float, shift: float
    ) -> None:
        raw, human = columns(rows)
        try:
            here, there = fit_sigmoid(raw, human), fit_sigmoid(scale * raw + shift, human)
        except NoFit:
            assume(False)
            raise
        assert squares(there, scale * raw + shift, human) == pytest.approx(
            squares(here, raw, human), abs=1e-6
        )

    def test_one_to_five_or_nought_to_five(self) -> None:
        """VULCA, appendix A.2: the relabelling alone leaves calibrated scores as they were."""
        raw, human = judge(450, seed=11)
        relabelled = (raw - 1) * 5 / 4
        here, there = fit_sigmoid(raw, human), fit_sigmoid(relabelled, human)
        assert there(relabelled) == pytest.approx(here(raw), abs=1e-7)
        before, after = (
            cross_validated(fit_sigmoid, each, human).error_after.value for each in (raw, relabelled)
        )
        assert after == pytest.approx(before, abs=1e-7)

    @settings(deadline=None)
    @given(rated, st.lists(st.floats(-1e6, 1e6), min_size=2))
    def test_it_never_falls_and_stays_on_the_scale(
        self, rows: list[tuple[float, float]], scores: list[float]
    ) -> None:
        raw, human = columns(rows)
        try:
            predictions = fit_sigmoid(raw, human)(np.sort(scores))
        except NoFit:
            assume(False)
            raise
        assert np.all(np.diff(predictions) >= 0)
        assert np.all((predictions >= 1) & (predictions <= 5))

    def test_a_score_against_people_is_of_no_use(self) -> None:
        raw = np.linspace(0, 1, 30)
        human = 4 - 2 * raw
        curve = fit_sigmoid(raw, human)
        assert curve.a == 0
        assert curve([-5, 0.5, 7]) == pytest.approx([human.mean()] * 3)

    @pytest.mark.parametrize(
        ("raw", "human"),
        [
            ([1, 2, 3, 4], [1, 1, 5, 5]),
            ([1, 2, 3], [1, 3, 5]),
            ([1, 2, 3, 3, 4], [1, 1, 2, 4, 5]),
            ([1, 1, 2, 2], [1, 1, 2, 4]),
            ([0, 1, 2, 3, 1e6], [1, 1, 5, 5, 5]),
        ],
    )
    def test_a_step_has_no_slope(self, raw: list[float], human: list[float]) -> None:
        with pytest.raises(NoFit, match="a step from 1 to 5 where raw is"):
            fit_sigmoid(raw, human)
        assert fit_sigmoid(raw, human, low=0, high=6).a > 0

    def test_json_round_trip_is_exact(self) -> None:
        curve = fit_sigmoid(*judge(100))
        assert Sigmoid.model_validate_json(curve.model_dump_json()) == curve
        assert set(json.loads(curve.model_dump_json())) == {"a", "b", "low", "high"}

    @given(st.floats(0, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
    def test_any_curve_survives_json(self, a: float, b: float) -> None:
        curve = Sigmoid(a=a, b=b, low=1, high=5)
        assert Sigmoid.model_validate_json(curve.model_dump_json()) == curve

    @pytest.mark.parametrize("wrong", [{"a": -1}, {"a": math.nan}, {"b": math.inf}, {"low": 5}])
    def test_no_falling_or_endless_curve_is_read(self, wrong: dict[str, float]) -> None:
        with pytest.raises(ValidationError):
            Sigmoid.model_validate({"a": 1, "b": 0, "low": 1, "high": 5} | wrong)


class TestIsotonic:
    @settings(deadline=None)
    @given(rated)
    def test_as_scipy_at_the_scores_it_saw(self, rows: list[tuple[float, float]]) -> None:
        raw, human = columns(rows)
        at = np.unique(raw)
        means = np.array([human[raw == each].mean() for each in at])
        counts = np.array([(raw == each).sum() for each in at])
        expected = optimize.isotonic_regression(means, weights=counts).x
        assert fit_isotonic(raw, human)(at) == pytest.approx(expected, abs=1e-12)

    @settings(deadline=None)
    @given(rated, st.lists(st.floats(-1e6, 1e6), min_size=2))
    def test_it_never_falls_nor_leaves_the_ratings(
        self, rows: list[tuple[float, float]], scores: list[float]
    ) -> None:
        raw, human = columns(rows)
        predictions = fit_isotonic(raw, human)(np.sort(scores))
        assert np.all(np.diff(predictions) >= -1e-12)
        assert predictions.min() >= human.min() - 1e-12
        assert predictions.max() <= human.max() + 1e-12

    @settings(deadline=None)
    @given(rated, st.floats(0.05, 20), st.floats(-30, 30))
    def test_relabelling_the_raw_scale_changes_nothing(
        self, rows: list[tuple[float, float]], scale: float, shift: float
    ) -> None:
        raw, human = columns(rows)
        here, there = fit_isotonic(raw, human), fit_isotonic(scale * raw + shift, human)
        assert there(scale * raw + shift) == pytest.approx(here(raw), abs=1e-9)

    def test_violators_are_pooled_and_ties_averaged(self) -> None:
        curve = fit_isotonic([1, 2, 2, 3, 4, 5], [1, 4, 2, 2, 5, 5])
        assert curve == Isotonic(x=(1, 2, 3, 4, 5), y=(1, 8 / 3, 8 / 3, 5, 5))
        assert curve([0, 1.5, 2.5, 3.5, 9]) == pytest.approx([1, 11 / 6, 8 / 3, 23 / 6, 5])

    def test_knots_inside_a_level_are_left_out(self) -> None:
        assert fit_isotonic([1, 2, 3, 4], [3, 2, 2, 1]) == Isotonic(x=(1, 4), y=(2, 2))

    def test_json_round_trip_is_exact(self) -> None:
        curve = fit_isotonic(*judge(300))
        assert Isotonic.model_validate_json(curve.model_dump_json()) == curve

    @pytest.mark.parametrize(
        "wrong",
        [{"x": (1,), "y": ()}, {"x": (2, 1), "y": (1, 2)}, {"x": (1, 2), "y": (2, 1)}, {"x": (), "y": ()}],
    )
    def test_no_falling_knots_are_read(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            Isotonic.model_validate(wrong)


@pytest.mark.parametrize("fit", [fit_sigmoid, fit_isotonic])
@pytest.mark.parametrize(
    ("raw", "human", "says"),
    [
        ([1], [1], "raw holds 1 numbers; at least 2"),
        ([1, 2, 3], [1, 2], "raw has 3, human has 2"),
        ([1, math.nan], [1, 2], "raw at position 2 is nan"),
        ([1, 2], [1, math.inf], "human at position 2 is inf"),
        ([2, 2, 2], [1, 2, 3], "raw is constant"),
        ([1, 2, 3], [4, 4, 4], "human is constant"),
        (["good", "bad"], [1, 2], "not a number"),
    ],
)
def test_bad_columns_are_refused(fit: Any, raw: list[Any], human: list[Any], says: str) -> None:
    with pytest.raises(BadData, match=says):
        fit(raw, human)


def test_ratings_off_the_scale_are_refused() -> None:
    with pytest.raises(BadData, match="human at position 3 is 6, outside the scale from 1 to 5"):
        fit_sigmoid([1, 2, 3], [1, 2, 6])
    with pytest.raises(BadSetting, match="not from 5 to 1"):
        fit_sigmoid([1, 2, 3], [1, 2, 3], low=5, high=1)
    with pytest.raises(BadData, match="rescale"):
        fit_sigmoid([0, 1e-250, 2e-250], [1, 2, 3])


class TestErrors:
    def test_mean_absolute_error_with_students_interval(self) -> None:
        predicted, human = judge(30)
        apart = np.abs(predicted - human)
        expected = stats.ttest_1samp(apart, 0).confidence_interval(0.9)
        error = mean_absolute_error(predicted, human, confidence=0.9)
        assert (error.value, error.low, error.high) == pytest.approx((apart.mean(), *expected), abs=1e-12)

    def test_interval_of_a_small_error_stops_at_nought(self) -> None:
        error = mean_absolute_error([1, 2, 3], [1, 2, 4])
        assert (error.low, error.value) == (0, pytest.approx(1 / 3))

    def test_gaps_of_equal_bins(self) -> None:
        error = calibration_error([1, 2, 3, 4], [2, 2, 2, 2], bins=2)
        assert float(error) == error.value == pytest.approx(2 / 4 * 0.5 + 2 / 4 * 1.5)
        assert [(each.count, each.low, each.high, each.predicted, each.human) for each in error.bins] == [
            (2, 1, 2, 1.5, 2),
            (2, 3, 4, 3.5, 2),
        ]

    def test_one_bin_is_the_difference_of_means(self) -> None:
        predicted, human = judge(50)
        assert calibration_error(predicted, human, bins=1).value == pytest.approx(
            abs(predicted.mean() - human.mean())
        )

    def test_as_many_bins_as_rows_is_the_mean_absolute_error(self) -> None:
        predicted = np.arange(20.0)
        human = np.random.default_rng(1).normal(10, 5, 20)
        assert calibration_error(predicted, human, bins=20).value == pytest.approx(
            mean_absolute_error(predicted, human).value
        )

    @settings(deadline=None)
    @given(rated, st.integers(1, 12), st.randoms())
    def test_the_order_of_tied_rows_changes_nothing(
        self, rows: list[tuple[float, float]], bins: int, random: Any
    ) -> None:
        assume(bins <= len(rows))
        error = calibration_error(*np.round(np.array(rows)).T, bins=bins)
        random.shuffle(rows)
        again = calibration_error(*np.round(np.array(rows)).T, bins=bins)
        assert again.value == pytest.approx(error.value, abs=1e-9)
        assert [each.count for each in again.bins] == [each.count for each in error.bins]
        assert sum(each.count for each in error.bins) == len(rows)
        assert error.value <= mean_absolute_error(*np.round(np.array(rows)).T).value + 1e-9

    def test_bins_of_distinct_rows_are_of_equal_count(self) -> None:
        error = calibration_error(np.random.default_rng(2).normal(size=95), np.zeros(95), bins=10)
        assert {each.count for each in error.bins} == {9, 10}

    def test_it_is_small_for_a_true_curve_and_large_for_a_skewed_one(self) -> None:
        raw, human = judge(4000)
        truth = Sigmoid(a=1.3, b=-5.0, low=1, high=5)(raw)
        assert calibration_error(truth, human).value < 0.03
        assert calibration_error(truth + 0.5, human).value == pytest.approx(0.5, abs=0.03)

    @pytest.mark.parametrize("bins", [0, 4])
    def test_bins_that_cannot_be_are_refused(self, bins: int) -> None:
        with pytest.raises(BadSetting, match=f"{bins} bins cannot be made of 3 rows"):
            calibration_error([1, 2, 3], [1, 2, 3], bins=bins)

    @pytest.mark.parametrize("measure", [mean_absolute_error, calibration_error])
    @pytest.mark.parametrize(
        ("predicted", "human"), [([], []), ([1, 2], [1]), ([1, math.nan], [1, 2]), ([1, None], [1, 2])]
    )
    def test_bad_columns_are_refused(self, measure: Any, predicted: list[Any], human: list[Any]) -> None:
        with pytest.raises(BadData):
            measure(predicted, human)


class TestValidated:
    @pytest.mark.parametrize("fit", [fit_sigmoid, fit_isotonic])
    def test_a_skewed_judge_is_set_right(self, fit: Any) -> None:
        raw, human = judge(450)
        for validation in (held_out(fit, raw, human), cross_validated(fit, raw, human)):
            assert validation.error_after.high < validation.error_before.low
            assert validation.gain.low > 0
            assert validation.gain.value == pytest.approx(
                validation.error_before.value - validation.error_after.value
            )
            assert validation.calibration_after.value < validation.calibration_before.value / 2

    def test_a_judge_that_needs_none_gains_nothing(self) -> None:
        raw = np.random.default_rng(5).uniform(1.5, 4.5, 600)
        human = (raw + np.random.default_rng(6).normal(0, 0.3, 600)).clip(1, 5)
        validation = cross_validated(fit_isotonic, raw, human)
        assert validation.gain.low < 0.01
        assert validation.error_after.value == pytest.approx(validation.error_before.value, abs=0.02)

    def test_rows_held_out_take_no_part_in_the_fit(self) -> None:
        raw, human = judge(90)
        fits: list[set[float]] = []

        def fit(train: Numbers, people: Numbers) -> Any:
            assert train.size == people.size == 60
            fits.append(set(train))
            return lambda test: np.where(np.isin(test, train), np.nan, 3.0)

        raw += np.arange(90) * 1e-9
        validation = held_out(fit, raw, human)
        assert (validation.train, validation.test, validation.folds, len(fits)) == (60, 30, 1, 1)
        rest = np.array([each not in fits[0] for each in raw])
        assert validation.error_before.value == pytest.approx(np.abs(raw - human)[rest].mean())
        assert validation.error_after.value == pytest.approx(np.abs(3 - human)[rest].mean())

    def test_every_row_is_tested_once(self) -> None:
        raw, human = judge(52)
        tested: list[float] = []

        def fit(train: Numbers, people: Numbers) -> Any:
            def curve(test: Numbers) -> Numbers:
                assert train.size + test.size == people.size + test.size == 52
                tested.extend(test)
                return test

            return curve

        validation = cross_validated(fit, raw, human, folds=5)
        assert sorted(tested) == sorted(raw)
        assert (validation.train, validation.test, validation.folds) == (41, 52, 5)
        assert validation.error_after == validation.error_before == mean_absolute_error(raw, human)
        assert validation.gain.value == validation.gain.low == validation.gain.high == 0
        assert validation.calibration_after == calibration_error(raw, human)

    def test_the_seed_decides_the_split(self) -> None:
        raw, human = judge(120)
        for validate in (held_out, cross_validated):
            one, same, other = (validate(fit_sigmoid, raw, human, seed=seed) for seed in (1, 1, 2))
            assert one == same != other

    def test_json_round_trip_is_exact(self) -> None:
        validation = held_out(partial(fit_sigmoid, low=0, high=6), *judge(120))
        assert Validated.model_validate_json(validation.model_dump_json()) == validation
        assert isinstance(validation.calibration_after, CalibrationError)

    @pytest.mark.parametrize("share", [0, 1, -0.5, 0.01, 0.99, math.nan])
    def test_a_share_that_leaves_nothing_is_refused(self, share: float) -> None:
        with pytest.raises(BadSetting, match="too few on one side"):
            held_out(fit_sigmoid, *judge(20), share=share)

    @pytest.mark.parametrize("folds", [0, 1, 21])
    def test_folds_that_cannot_be_are_refused(self, folds: int) -> None:
        with pytest.raises(BadSetting, match=f"20 rows cannot be tested in {folds} folds"):
            cross_validated(fit_sigmoid, *judge(20), folds=folds)

    def test_fewer_rows_than_bins_say_so(self) -> None:
        with pytest.raises(BadSetting, match="10 bins cannot be made of 4 rows"):
            held_out(fit_isotonic, *judge(12))
        assert held_out(fit_isotonic, *judge(12), bins=2).test == 4
