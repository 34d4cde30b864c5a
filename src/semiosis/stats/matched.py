"""Two judges on the same items: is one of them better?

mcnemar(right_by_one, right_by_other).p
paired_bootstrap(np.mean, right_by_one, right_by_other, clusters=prompts)      resamples whole prompts
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, ndtr, ndtri, stdtr, stdtrit

from ..core.errors import BadData
from ..core.value import Value
from .arrays import Numbers, same_length, yes_or_no
from .comparisons import Labels
from .estimate import Estimate
from .significance import (
    Statistic,
    checked_confidence,
    grouped,
    percentile_ends,
    resampled_values,
)

# Fewer have too few different resamples for the ends of an interval at 95%.
LEAST_CLUSTERS = 5

Answers = Sequence[bool] | NDArray[Any]


class McNemar(Value):
    """How many of `n` rows only one of the two has right, and how probable such a split is between equals.

    p is the mid-p. `exact_p` is that of the exact test, which errs on the side of no difference.
    """

    first_only: int
    second_only: int
    p: float
    exact_p: float
    n: int


class PairedDifference(Estimate):
    """The statistic of `first` less that of `second`, on `n` rows in so many clusters."""

    first: float
    second: float
    p: float
    n: int
    clusters: int


def mcnemar(first: Answers, second: Answers) -> McNemar:
    """McNemar's test (1947) that two are right equally often, on the rows where only one of them is right.

    Between equals each of these is for either as a fair coin falls. Both p are twice the smaller tail. The
    mid-p (Lancaster, 1961) counts what was seen by half: it keeps the level, and finds more than the exact
    test does (Fagerland, Lydersen & Laake, 2013). Rows are taken as independent.

    first   whether the one is right, row by row
    second  whether the other is
    """
    one, other = yes_or_no(first, "first"), yes_or_no(second, "second")
    rows = same_length(first=one, second=other)
    if not rows:
        raise BadData("There are no rows to compare.")
    first_only, second_only = int((one & ~other).sum()), int((other & ~one).sum())
    apart, fewer = first_only + second_only, min(first_only, second_only)
    tail = float(bdtr(fewer, apart, 0.5))
    below = float(bdtr(fewer - 1, apart, 0.5)) if fewer else 0.0
    return McNemar(
        first_only=first_only,
        second_only=second_only,
        p=min(1.0, tail + below),
        exact_p=min(1.0, 2 * tail),
        n=rows,
    )


def paired_bootstrap(
    statistic: Statistic,
    first: ArrayLike,
    second: ArrayLike,
    *others: ArrayLike,
    clusters: Labels | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> PairedDifference:
    """How far apart a statistic of two columns is, by resampling the rows of both together.

    The percentile interval (Efron, 1981), its ends moved outward as Hesterberg (2015) does: for n clusters,
    Student's t takes the place of the normal, times the root of n / (n - 1). Otherwise an interval at 95%
    over ten clusters would miss one time in eleven. p is two-sided, and below 0.05 where the interval at 95%
    leaves out 0. It takes at least 5 clusters.

    statistic   a function of `first` and the others, and of `second` and the others, that gives a number
    first       the one column
    second      the other
    others      columns that go with both, such as labels
    clusters    the cluster of each row; whole clusters are drawn, or single rows where it is left out
    resamples   how many are drawn
    confidence  of the interval
    seed        the same seed draws the same resamples
    """

    def difference(one: NDArray[Any], other: NDArray[Any], *rest: NDArray[Any]) -> float:
        return float(statistic(one, *rest)) - float(statistic(other, *rest))

    rows = same_length(first=np.asarray(first), second=np.asarray(second))
    many = rows if clusters is None else grouped(clusters, "cluster")[1]
    if many < LEAST_CLUSTERS:
        raise BadData(
            f"A paired bootstrap over {many} clusters knows too little of their spread; it takes "
            f"{LEAST_CLUSTERS}."
        )
    value, draws = resampled_values(difference, (first, second, *others), clusters, resamples, seed)
    low, high = percentile_ends(draws, expanded(confidence, many))
    return PairedDifference(
        value=value,
        low=low,
        high=high,
        first=float(statistic(np.asarray(first), *map(np.asarray, others))),
        second=float(statistic(np.asarray(second), *map(np.asarray, others))),
        p=expanded_p(draws, many),
        n=rows,
        clusters=many,
    )


def expanded(confidence: float, units: int) -> float:
    """The confidence whose percentiles give an interval at `confidence` over so many units."""
    t = float(stdtrit(units - 1, (1 + checked_confidence(confidence)) / 2))
    return 1 - 2 * float(ndtr(-t * _widening(units)))


def expanded_p(draws: Numbers, units: int) -> float:
    """The two-sided p of 0: one less the confidence at which the expanded interval reaches it.

    A draw that is undefined counts as being beyond 0 on either side, and p is never 0.
    """
    beyond = min(np.count_nonzero(~(draws > 0)), np.count_nonzero(~(draws < 0)))
    z = float(ndtri((beyond + 1) / (draws.size + 1)))
    return min(1.0, 2 * float(stdtr(units - 1, z / _widening(units)))) if z < 0 else 1.0


def _widening(units: int) -> float:
    return math.sqrt(units / (units - 1))
