"""One rule for percentiles, whoever asks."""

import math

import numpy as np
import pytest
from scipy.special import ndtri

from semiosis.core.errors import BadData
from semiosis.stats.significance import percentile_ends
from semiosis.stats.spread import normal, percentiles, reach

DRAWS = np.random.default_rng(4).normal(size=200)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("missing", [0, 3])
def test_one_set_of_draws_has_one_interval(confidence: float, missing: int) -> None:
    spread = percentiles(DRAWS[None, :], 1, confidence, missing=missing)
    assert spread is not None
    ends = percentile_ends(np.append(DRAWS, [math.nan] * missing), confidence)
    assert (spread.low[0], spread.high[0]) == ends
    if not missing:
        share = (1 - confidence) / 2
        assert ends == pytest.approx(tuple(np.quantile(DRAWS, [share, 1 - share])), abs=1e-12)


def test_ranks_are_whole_and_go_outward() -> None:
    random = np.random.default_rng(5)
    columns = random.normal(size=(4, 30)) + np.arange(4)[:, None]
    spread = percentiles(columns, 4, 0.95)
    assert spread is not None
    assert spread.rank_low is not None
    assert spread.rank_high is not None
    order = np.sort(4 - np.argsort(np.argsort(columns, axis=0), axis=0), axis=1)
    # 2.5% of 29 steps is 0.725 of the first: rounded away from the middle, the least and the most.
    assert spread.rank_low.tolist() == order[:, 0].tolist()
    assert spread.rank_high.tolist() == order[:, -1].tolist()


def test_too_many_missing_draws_leave_no_interval() -> None:
    assert percentiles(DRAWS[None, :], 1, 0.95, missing=6) is None
    with pytest.raises(BadData, match="undefined on 6 of 206 resamples"):
        percentile_ends(np.append(DRAWS, [math.nan] * 6), 0.95)


def test_a_normal_interval_reaches_to_the_normal_quantile() -> None:
    spread = normal(np.array([1.0]), np.array([2.0]), 0.9)
    assert reach(0.9) == pytest.approx(float(ndtri(0.95)), abs=1e-15)
    assert (spread.low[0], spread.high[0]) == pytest.approx((1 - 2 * reach(0.9), 1 + 2 * reach(0.9)))
