"""Resampling units by how often they are drawn is the same as writing them down that often."""

import numpy as np
import pytest

from semiosis.stats.agreement import Level, krippendorff_alpha
from semiosis.stats.krippendorff import interval, nominal, ordinal, resampled, unit_counts


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("values", [5, 500])
def test_a_unit_drawn_twice_counts_as_two_units(level: Level, values: int) -> None:
    """Few values take the dense table, many the sparse one."""
    random = np.random.default_rng(values)
    ratings = random.integers(values, size=(60, 4))
    labels, codes = np.unique(ratings, return_inverse=True)
    unit = np.repeat(np.arange(60), 4)
    if level == "interval":
        alphas = interval(ratings.ravel().astype(np.float64), unit)
    else:
        counts = unit_counts(unit, codes.ravel(), 60, labels.size)
        assert isinstance(counts, np.ndarray) == (values == 5)
        alphas = nominal(counts) if level == "nominal" else ordinal(counts)
    times = random.integers(3, size=(4, 60)).astype(np.float64)
    written = [np.repeat(ratings, row.astype(int), axis=0) for row in times]
    expected = [krippendorff_alpha(each, level=level, resamples=1).value for each in written]
    assert alphas(times) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_a_resample_of_one_value_is_undefined(level: Level) -> None:
    unit, value = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    counts = unit_counts(unit, value, 2, 2)
    measures = {
        "nominal": nominal(counts),
        "ordinal": ordinal(counts),
        "interval": interval(value + 0.1, unit),
    }
    alphas = measures[level](np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]]))
    assert np.isnan(alphas).tolist() == [True, False, False]


def test_blocks_of_resamples_are_of_one_stream() -> None:
    ratings = np.random.default_rng(0).normal(size=4000)
    alphas = interval(ratings, np.repeat(np.arange(2000), 2))
    whole = resampled(alphas, 2000, 2, 30, seed=5)
    assert whole.shape == (30,)
    assert resampled(alphas, 2000, 200_000, 30, seed=5) == pytest.approx(whole, abs=1e-12)
