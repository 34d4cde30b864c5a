"""Does a verdict's certainty, from 1 (a coin flip) to 5 (beyond doubt), tell how often it is right?

    report = by_certainty(certainty, agrees)
    [(each.level, each.count, each.share) for each in report.levels]
    report.trend.value                         # 1: the surer one is always the right one

The scale is ordinal: no level stands for a share of right verdicts, so none is compared with one.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import BadData
from ..core.value import Value
from .arrays import Codes, Numbers, numbers, same_length, yes_or_no
from .comparisons import Labels
from .estimate import Estimate, wilson
from .significance import checked_confidence, grouped, percentile_ends
from .spread import reach
from .tallies import Tally, orders, resampled_counts, tallied

LEVELS = (1, 2, 3, 4, 5)


class CertaintyLevel(Value):
    """Verdicts of one certainty: how many, and the share of yes among them; None where there are none."""

    level: int
    count: int
    share: Estimate | None


class Kept(Value):
    """Verdicts of a level or above: how many, what share of all, and the share of yes; None of none."""

    least: int
    count: int
    coverage: float
    share: Estimate | None


class ByCertainty(Value):
    """What goes with certainty.

    levels      each from 1 to 5
    kept        what is left, and the share of yes in it, if only that level and above are kept
    trend       Goodman and Kruskal's gamma: 1 where yes always has the higher certainty, -1 where no has
    why         why there is no trend
    count       how many verdicts there are
    """

    levels: tuple[CertaintyLevel, ...]
    kept: tuple[Kept, ...]
    trend: Estimate | None
    why: str | None
    count: int


def by_certainty(
    certainty: ArrayLike,
    agrees: Sequence[bool] | NDArray[Any],
    *,
    clusters: Labels | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> ByCertainty:
    """The share of right verdicts at each certainty, and whether it rises.

    A certainty between two levels, as a mean of votes is, belongs to the nearest, a half to the upper one.
    Shares have the interval of Wilson (1927), which takes verdicts as independent. `kept` is the curve of
    risk and coverage of El-Yaniv and Wiener (2010), as accuracy. The trend is gamma (Goodman and Kruskal
    1954) over every two verdicts of which one is right and one surer, by certainty itself and not its level;
    its interval has the percentiles of resamples of verdicts, or of whole clusters (Efron 1981).

    certainty   of each verdict, 1 to 5
    agrees      whether it is right; or anything else that is true or false, as whether it flipped
    clusters    the cluster of each, such as its prompt
    confidence  of the intervals
    resamples   of the trend
    seed        the same seed draws the same resamples
    """
    scale = _certainties(certainty)
    same_length(certainty=scale, agrees=agrees)
    answers = yes_or_no(agrees, "agrees")
    if clusters is not None:
        same_length(certainty=scale, clusters=clusters)
        grouped(clusters, "cluster")
    z = reach(checked_confidence(confidence))
    level = levels_of(scale)
    count = np.bincount(level, minlength=LEVELS[-1] + 1)
    yes = np.bincount(level, answers, minlength=LEVELS[-1] + 1).astype(np.intp)
    left, left_yes = (np.cumsum(each[::-1])[::-1] for each in (count, yes))
    tally = tallied(scale, answers)
    why = _untold(tally)
    trend = None
    if not why:
        try:
            trend = _trend(tally, clusters, confidence, resamples, seed)
        except BadData as error:
            why = str(error)
    return ByCertainty(
        levels=tuple(
            CertaintyLevel(level=at, count=int(count[at]), share=_share(yes[at], count[at], z))
            for at in LEVELS
        ),
        kept=tuple(
            Kept(
                least=at,
                count=int(left[at]),
                coverage=float(left[at] / scale.size),
                share=_share(left_yes[at], left[at], z),
            )
            for at in LEVELS
        ),
        trend=trend,
        why=why,
        count=scale.size,
    )


def levels_of(certainty: Numbers) -> Codes:
    """The nearest level of each, halves upward."""
    return np.floor(certainty + 0.5).astype(np.intp)


def _certainties(values: ArrayLike) -> Numbers:
    scale = numbers(values, "certainty")
    wrong = np.flatnonzero((scale < LEVELS[0]) | (scale > LEVELS[-1]))
    if wrong.size:
        raise BadData(
            f"certainty at position {wrong[0] + 1} is {scale[wrong[0]]:g}, outside the scale from "
            f"{LEVELS[0]} (a coin flip) to {LEVELS[-1]} (beyond doubt); bring it to that scale."
        )
    return scale


def _untold(tally: Tally) -> str | None:
    no, yes = tally.counts.sum(axis=1)
    if not (no and yes):
        return f"All {int(no + yes):,} verdicts are alike, so nothing can go with certainty."
    if tally.values.size == 1:
        return f"Every certainty is {tally.values[0]:g}, so nothing can go with it."
    return None


def _trend(tally: Tally, clusters: Labels | None, confidence: float, many: int, seed: int) -> Estimate:
    batches = resampled_counts(tally, clusters=clusters, many=many, seed=seed)
    draws = np.concatenate([_gamma(counts) for counts in batches])
    low, high = percentile_ends(draws, confidence)
    return Estimate(value=float(_gamma(tally.counts)), low=low, high=high)


def _gamma(counts: Numbers) -> Numbers:
    """NaN where no two verdicts can be told apart."""
    higher, lower, _ = orders(counts)
    told = higher + lower
    return np.divide(higher - lower, told, where=told > 0, out=np.full(told.shape, np.nan))


def _share(yes: np.intp, count: np.intp, z: float) -> Estimate | None:
    return wilson(int(yes), int(count), z=z) if count else None
