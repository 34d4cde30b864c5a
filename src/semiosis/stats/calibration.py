"""From a judge's raw score to the scale people rate on, and whether that helped.

curve = fit_sigmoid(judge, people)           # or fit_isotonic
curve([2.5, 3.0])
cross_validated(fit_sigmoid, judge, people).error_after
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field, FiniteFloat, model_validator
from scipy import optimize, special

from ..core.errors import BadData, BadSetting, NoFit
from ..core.value import Value
from .arrays import Codes, Numbers, generator, numbers, paired, varied
from .estimate import Estimate
from .significance import mean_of

# A share of the largest possible squared error, below which two fits are as good as each other.
_SAME = 1e-12


class Sigmoid(Value):
    """low + (high - low) * logistic(a * raw + b), which never falls. With a = 0 it is flat: no use was found
    for the raw score."""

    a: float = Field(ge=0, allow_inf_nan=False)
    b: FiniteFloat
    low: FiniteFloat
    high: FiniteFloat

    @model_validator(mode="after")
    def _low_below_high(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"low ({self.low}) is not below high ({self.high})")
        return self

    def __call__(self, raw: ArrayLike) -> Numbers:
        return self.low + (self.high - self.low) * _logistic(self.a, self.b, numbers(raw, "raw"))


class Isotonic(Value):
    """Straight lines through the knots, level outside them."""

    x: tuple[FiniteFloat, ...] = Field(min_length=1)
    y: tuple[FiniteFloat, ...]

    @model_validator(mode="after")
    def _rising(self) -> Self:
        if len(self.x) != len(self.y):
            raise ValueError(f"there are {len(self.x)} knots x and {len(self.y)} knots y")
        if np.any(np.diff(self.x) <= 0) or np.any(np.diff(self.y) < 0):
            raise ValueError("the knots do not rise")
        return self

    def __call__(self, raw: ArrayLike) -> Numbers:
        return np.interp(numbers(raw, "raw"), self.x, self.y)


Curve = Callable[[Numbers], Numbers]
Fit = Callable[[Numbers, Numbers], Curve]


class Bin(Value):
    """Rows of similar prediction: how many, between which, and both means."""

    count: int
    low: float
    high: float
    predicted: float
    human: float


class CalibrationError(Value):
    """The mean gap of the bins, and the bins, as a reliability plot shows them."""

    value: float
    bins: tuple[Bin, ...]

    def __float__(self) -> float:
        return self.value


class Validated(Value):
    """Errors on rows that the curve was not fitted to: `test` of them, from fits to at least `train` others.

    The errors are mean absolute ones; `gain` is how much of it the calibration took away, row by row, so that
    its interval is that of a paired difference. Before calibration the raw score is compared as it is, which
    means something only where it is on the scale of the human one.
    """

    error_before: Estimate
    error_after: Estimate
    gain: Estimate
    calibration_before: CalibrationError
    calibration_after: CalibrationError
    train: int
    test: int
    folds: int


def fit_sigmoid(raw: ArrayLike, human: ArrayLike, *, low: float = 1, high: float = 5) -> Sigmoid:
    """Least squares with a >= 0: the sigmoid calibration of VULCA (eq. 6; Niculescu-Mizil and Caruana 2005).

    The bounds are the ends of the human scale, for the paper's text does not give its own. Where no rising
    curve is better than none, a is 0 and every score becomes the mean human rating. Where a step from low to
    high is better than every curve, no finite slope is the best one: that raises NoFit.

    raw         the judge's score of each row
    human       people's rating of it
    low         the low end of the human scale
    high        its high end
    """
    x, y = paired(raw=raw, human=human)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise BadSetting(f"The human scale goes from low to high, not from {low} to {high}.")
    outside = np.flatnonzero((y < low) | (y > high))
    if outside.size:
        raise BadData(
            f"human at position {outside[0] + 1} is {y[outside[0]]:g}, outside the scale from {low:g} to "
            f"{high:g}; set low and high to the ends of the scale."
        )
    share = (varied(y, "human") - low) / (high - low)
    with np.errstate(over="ignore"):
        middle, spread = float(np.median(varied(x, "raw"))), float(x.std())
    if not 0 < spread < math.inf:
        raise BadData("The raw scores are too close together or too far apart for arithmetic; rescale them.")
    score = (x - middle) / spread
    steep, at = _best_step(score, share)
    curve = _best_curve(score, share, near=float(score[at]))
    flat = float(((share - share.mean()) ** 2).sum())
    same = _SAME * share.size
    if min(curve.loss, flat) > steep - same:
        raise NoFit(
            f"The human ratings are best fitted by a step from {low:g} to {high:g} where raw is {x[at]:g}, "
            "which has no finite slope; use fit_isotonic, or a wider low and high."
        )
    if curve.loss > flat - same:
        return Sigmoid(a=0, b=float(special.logit(float(share.mean()))), low=low, high=high)
    if not curve.converged:
        raise NoFit("The sigmoid did not converge on these ratings; use fit_isotonic.")
    a = curve.slope / spread
    return Sigmoid(a=a, b=curve.shift - a * middle, low=low, high=high)


def fit_isotonic(raw: ArrayLike, human: ArrayLike) -> Isotonic:
    """The rising function of least squares, by pooling adjacent violators (Barlow, Bartholomew, Bremner and
    Brunk 1972). Rows of equal raw score count as one, at their mean; between knots it is linear.

    raw         the judge's score of each row
    human       people's rating of it
    """
    x, y = paired(raw=raw, human=human)
    varied(y, "human")
    at, row, count = np.unique(varied(x, "raw"), return_inverse=True, return_counts=True)
    level = optimize.isotonic_regression(np.bincount(row, y) / count, weights=count).x
    jump = np.diff(level) > 0
    knots = np.concatenate(([True], jump)) | np.concatenate((jump, [True]))
    return Isotonic(x=tuple(at[knots].tolist()), y=tuple(level[knots].tolist()))


def mean_absolute_error(predicted: ArrayLike, human: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """The mean of |predicted - human|, with Student's t interval of a mean, cut at 0.

    predicted   the rating that was predicted for each row
    human       people's rating of it
    confidence  of the interval
    """
    first, second = paired(predicted=predicted, human=human)
    error = mean_of(np.abs(first - second), confidence)
    return error.model_copy(update={"low": max(0.0, error.low)})


def calibration_error(predicted: ArrayLike, human: ArrayLike, *, bins: int = 10) -> CalibrationError:
    """The expected calibration error (Naeini, Cooper and Hauskrecht 2015) for ratings: the mean over bins of
    |mean predicted - mean human|, weighted by their rows.

    Bins are of equal count (Nguyen and O'Connor 2015) as far as ties allow: equal predictions stay together,
    whatever the order of the rows, so there may be fewer bins than asked for.

    predicted   the rating that was predicted for each row
    human       people's rating of it
    bins        how many, at most
    """
    first, second = paired(predicted=predicted, human=human, least=1)
    n = first.size
    if not 1 <= bins <= n:
        raise BadSetting(f"{bins} bins cannot be made of {n} rows; ask for 1 to {n}.")
    _, row, count = np.unique(first, return_inverse=True, return_counts=True)
    middle_rank = np.cumsum(count) - count / 2
    place = np.floor(middle_rank * bins / n).astype(np.intp)[row]
    slots = tuple(_bin(first[place == at], second[place == at]) for at in np.unique(place))
    return CalibrationError(
        value=sum(each.count * abs(each.predicted - each.human) for each in slots) / n, bins=slots
    )


def held_out(
    fit: Fit, raw: ArrayLike, human: ArrayLike, *, share: float = 1 / 3, bins: int = 10, seed: int = 0
) -> Validated:
    """Fit to a random part of the rows, test on the `share` kept back.

    fit         `fit_sigmoid`, `fit_isotonic`, or another function of raw and human that gives a curve
    raw         the judge's score of each row
    human       people's rating of it
    share       of the rows, kept back
    bins        of the calibration error
    seed        the same seed keeps the same rows back
    """
    x, y = paired(raw=raw, human=human)
    test = round(x.size * share) if 0 < share < 1 else 0
    if test < 2 or x.size - test < 2:
        raise BadSetting(
            f"A share of {share:g} of {x.size} rows leaves too few on one side; each needs at least two."
        )
    order = generator(seed).permutation(x.size)
    return _validated(fit, x, y, [order[:test]], bins)


def cross_validated(
    fit: Fit, raw: ArrayLike, human: ArrayLike, *, folds: int = 5, bins: int = 10, seed: int = 0
) -> Validated:
    """Fit to all folds but one and test on that one, each in turn, so that every row is tested once. The fits
    share rows, which the intervals know nothing of (Bengio and Grandvalet 2004).

    fit         `fit_sigmoid`, `fit_isotonic`, or another function of raw and human that gives a curve
    raw         the judge's score of each row
    human       people's rating of it
    folds       how many parts the rows are cut into
    bins        of the calibration error
    seed        the same seed cuts the same parts
    """
    x, y = paired(raw=raw, human=human)
    if not 2 <= folds <= x.size:
        raise BadSetting(f"{x.size} rows cannot be tested in {folds} folds; ask for 2 to {x.size}.")
    order = generator(seed).permutation(x.size)
    return _validated(fit, x, y, np.array_split(order, folds), bins)


def _validated(fit: Fit, raw: Numbers, human: Numbers, parts: list[Codes], bins: int) -> Validated:
    calibrated = np.full(raw.size, np.nan)
    for test in parts:
        train = np.setdiff1d(np.arange(raw.size), test)
        calibrated[test] = fit(raw[train], human[train])(raw[test])
    tested = np.sort(np.concatenate(parts))
    before, after, truth = raw[tested], calibrated[tested], human[tested]
    return Validated(
        error_before=mean_absolute_error(before, truth),
        error_after=mean_absolute_error(after, truth),
        gain=mean_of(np.abs(before - truth) - np.abs(after - truth), 0.95),
        calibration_before=calibration_error(before, truth, bins=bins),
        calibration_after=calibration_error(after, truth, bins=bins),
        train=raw.size - max(part.size for part in parts),
        test=tested.size,
        folds=len(parts),
    )


@dataclass(frozen=True)
class _Curve:
    """logistic(slope * score + shift), and its sum of squares."""

    slope: float
    shift: float
    loss: float
    converged: bool


def _best_curve(score: Numbers, share: Numbers, *, near: float) -> _Curve:
    """The best curve that rises; if none does, one that is infinitely bad.

    The sum of squares has several valleys, so descents start from the flat curve, which they leave if a rise
    is any good, and from curves through two points of the isotonic fit, the best from each point on: deciles
    of the score, whatever outliers do to its spread, and around the best step, where a narrow valley lies.
    """

    def residuals(at: Numbers) -> Numbers:
        return _logistic(at[0], at[1], score) - share

    def gradients(at: Numbers) -> Numbers:
        level = _logistic(at[0], at[1], score)
        steepness = level * (1 - level)
        return np.column_stack((steepness * score, steepness))

    def loss(start: tuple[float, float]) -> float:
        return float((residuals(np.array(start)) ** 2).sum())

    rising = fit_isotonic(score, share)
    scores = np.unique(score)
    step = int(np.searchsorted(scores, near))
    deciles = np.quantile(scores, np.linspace(0, 1, 11), method="nearest")
    marks = np.unique(np.concatenate((deciles, scores[max(0, step - 2) : step + 3])))
    levels = special.logit(rising(marks).clip(0.01, 0.99))
    starts = [(0.0, float(special.logit(float(share.mean()))))]
    for at in range(marks.size - 1):
        slopes = (levels[at + 1 :] - levels[at]) / (marks[at + 1 :] - marks[at])
        starts.append(min(((slope, levels[at] - slope * marks[at]) for slope in slopes.tolist()), key=loss))
    ends = [
        optimize.least_squares(residuals, start, gradients, method="lm", ftol=1e-15, xtol=1e-12, gtol=1e-15)
        for start in starts
    ]
    curves = [_Curve(float(end.x[0]), float(end.x[1]), 2 * float(end.cost), end.status > 0) for end in ends]
    curves = [curve for curve in curves if curve.slope > 0] or [_Curve(0, 0, math.inf, converged=True)]
    enough = min(curve.loss for curve in curves) + _SAME * share.size
    return min((curve for curve in curves if curve.loss <= enough), key=lambda curve: not curve.converged)


def _logistic(slope: float, shift: float, score: Numbers) -> Numbers:
    return special.expit(slope * score + shift)


def _best_step(score: Numbers, share: Numbers) -> tuple[float, int]:
    """The least sum of squares that ever steeper curves come near, and a row where they rise: 0 before its
    score, 1 after it, and anything at it."""
    _, first, row, count = np.unique(score, return_index=True, return_inverse=True, return_counts=True)
    sums = np.bincount(row, share)
    as_low, as_high = np.bincount(row, share**2), np.bincount(row, (1 - share) ** 2)
    inside = np.maximum(0, as_low - sums**2 / count)
    before = np.cumsum(as_low) - as_low
    after = as_high.sum() - np.cumsum(as_high)
    losses = before + inside + after
    best = int(np.argmin(losses))
    return float(losses[best]), int(first[best])


def _bin(predicted: Numbers, human: Numbers) -> Bin:
    return Bin(
        count=predicted.size,
        low=float(predicted.min()),
        high=float(predicted.max()),
        predicted=float(predicted.mean()),
        human=float(human.mean()),
    )
