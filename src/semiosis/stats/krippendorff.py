"""Krippendorff's alpha of many resamples at once, from what each unit adds.

alphas = nominal(counts)                        # units by values
alphas(np.ones((1, units)))                     # alpha itself
resampled(alphas, units, values, 1000, seed=0)  # and of 1000 draws of the units
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .arrays import Codes, Numbers, generator

Alphas = Callable[[Numbers], Numbers]
"""From how often each unit (column) is in each resample (row) to the alpha of each, NaN where undefined."""

# Numbers held at once while resampling.
_BLOCK = 2_000_000
# Up to so many different values a dense table is the faster one.
_DENSE = 64


def unit_counts(unit: Codes, value: Codes, units: int, values: int) -> NDArray[np.float64] | sparse.csr_array:
    """How often each unit was given each value."""
    if values <= _DENSE:
        counts = np.bincount(unit * values + value, minlength=units * values)
        return counts.reshape(units, values).astype(np.float64)
    return sparse.csr_array((np.ones(value.size), (unit, value)), shape=(units, values))


def nominal(counts: NDArray[np.float64] | sparse.csr_array) -> Alphas:
    size = np.asarray(counts.sum(1))
    apart = (size**2 - np.asarray((counts * counts).sum(1))) / (size - 1)

    def alphas(times: Numbers) -> Numbers:
        totals = np.asarray(times @ counts)
        n = times @ size
        return _alpha(times @ apart, n**2 - (totals**2).sum(1), n)

    return alphas


def ordinal(counts: NDArray[np.float64] | sparse.csr_array) -> Alphas:
    """The ordinal difference of two values is the squared distance of their mid-ranks among all ratings, so
    each resample has its own."""
    size = np.asarray(counts.sum(1))

    def alphas(times: Numbers) -> Numbers:
        totals = np.asarray(times @ counts)
        n = times @ size
        ranks = np.cumsum(totals, axis=1) - totals / 2 - n[:, None] / 2
        sums, squares = np.asarray(ranks @ counts.T), np.asarray(ranks**2 @ counts.T)
        apart = 2 * (size * squares - sums**2) / (size - 1)
        return _alpha((times * apart).sum(1), 2 * n * (totals * ranks**2).sum(1), n)

    return alphas


def interval(values: Numbers, unit: Codes) -> Alphas:
    size = np.bincount(unit).astype(np.float64)
    centred = values - values.mean()
    sums = np.bincount(unit, centred)
    inside = np.bincount(unit, (centred - (sums / size)[unit]) ** 2)
    apart = 2 * size * inside / (size - 1)
    squares = np.bincount(unit, centred**2)

    def alphas(times: Numbers) -> Numbers:
        n, around = times @ size, times @ squares
        spread = around - (times @ sums) ** 2 / n
        # A resample of one value leaves rounding noise here.
        return _alpha(times @ apart, np.where(spread > 1e-12 * around, 2 * n * spread, 0), n)

    return alphas


def resampled(alphas: Alphas, units: int, values: int, resamples: int, seed: int) -> Numbers:
    random = generator(seed)
    step = max(1, _BLOCK // max(units, values))
    draws: list[Numbers] = []
    for start in range(0, resamples, step):
        many = min(step, resamples - start)
        drawn = random.integers(units, size=(many, units)) + units * np.arange(many)[:, None]
        times = np.bincount(drawn.ravel(), minlength=many * units).reshape(many, units)
        draws.append(alphas(times.astype(np.float64)))
    return np.concatenate(draws)


def _alpha(observed: Numbers, expected: Numbers, n: Numbers) -> Numbers:
    """From the sums of differences within units (each over its ratings less one) and over all pairs."""
    defined = expected > 0
    return np.where(defined, 1 - (n - 1) * observed / np.where(defined, expected, 1), np.nan)
