"""How far two samples of one scale lie apart, whatever its steps mean: AUC and d'.

separation(signal=[4, 5, 5, 3], noise=[1, 2, 3, 1]).auc.value         # 0.97
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from ..core.value import Value
from .arrays import Numbers, numbers, same_length, unpacked
from .comparisons import Labels
from .estimate import Estimate
from .significance import percentile_ends
from .tallies import Tally, orders, resampled_counts, tallied


class Separation(Value):
    """How well the scale tells signal from noise.

    auc         the chance that a signal is above a noise, equals counting half: 0.5 tells nothing
    d_prime     the same as a distance in standard deviations: 0 tells nothing
    signal      how many signals there are
    noise       how many noises
    """

    auc: Estimate
    d_prime: Estimate
    signal: int
    noise: int


def separation(
    signal: ArrayLike,
    noise: ArrayLike,
    *,
    groups: tuple[Labels, Labels] | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Separation:
    """The area under the ROC curve, and d'.

    The area is Mann and Whitney's U (1947) over all pairs, ties half (Hanley and McNeil 1982); d' is
    sqrt(2) z(AUC), that of two normal distributions of equal variance (Simpson and Fitter 1973; Macmillan and
    Creelman 2005).

    z is infinite at 0 and 1: there the AUC is taken as 0.5 / n and 1 - 0.5 / n for d' (Macmillan and Kaplan
    1985), n being the number of pairs, as if one of them were a tie.

    Intervals are percentiles of resamples of each sample or, with `groups`, of whole groups of both. Where
    every signal is above every noise, so it is in every resample, and the interval is a point: few rows do
    not prove it.

    signal      ratings of what should be high, such as the certainty of verdicts that are right
    noise       ratings of what should be low
    groups      the group of each signal, and of each noise
    confidence  of the intervals
    resamples   how many are drawn
    seed        the same seed draws the same resamples
    """
    high, low = numbers(signal, "signal"), numbers(noise, "noise")
    answers = np.repeat([False, True], [low.size, high.size])
    clusters = None
    if groups is not None:
        of_signal, of_noise = groups
        same_length(signal=high, groups=of_signal)
        same_length(noise=low, groups=of_noise)
        clusters = [*unpacked(of_noise), *unpacked(of_signal)]
    tally = tallied(np.concatenate([low, high]), answers)
    draws = _draws(tally, clusters, resamples, seed)
    return Separation(
        auc=_estimate(_auc, tally.counts, draws, confidence),
        d_prime=_estimate(_d_prime, tally.counts, draws, confidence),
        signal=high.size,
        noise=low.size,
    )


def _draws(tally: Tally, clusters: Labels | None, many: int, seed: int) -> Numbers:
    """Of each resample, what `_auc` and `_d_prime` need: pairs in order, out of order, and alike."""
    batches = resampled_counts(tally, clusters=clusters, each_alone=True, many=many, seed=seed)
    return np.concatenate([np.stack(orders(counts), axis=-1) for counts in batches])


def _estimate(
    statistic: Callable[[Numbers], Numbers], counts: Numbers, draws: Numbers, confidence: float
) -> Estimate:
    value = float(statistic(np.stack(orders(counts), axis=-1)))
    low, high = percentile_ends(statistic(draws), confidence)
    return Estimate(value=value, low=low, high=high)


def _auc(pairs: Numbers) -> Numbers:
    """NaN for a resample without a signal or without a noise."""
    total: Numbers = pairs.sum(axis=-1)
    out = np.full(total.shape, np.nan)
    return np.divide(pairs[..., 0] + pairs[..., 2] / 2, total, where=total > 0, out=out)


def _d_prime(pairs: Numbers) -> Numbers:
    half = 0.5 / np.maximum(pairs.sum(axis=-1), 1)
    return np.sqrt(2) * ndtri(np.clip(_auc(pairs), half, 1 - half))
