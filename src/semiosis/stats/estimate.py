"""A number with its interval, and the interval of a share."""

import math
from statistics import NormalDist

from ..core.errors import InputError
from ..core.table import Share
from ..core.value import Value


def normal_quantile(share: float) -> float:
    """What a standard normal variable is below with probability `share`."""
    return NormalDist().inv_cdf(share)


Z_95 = normal_quantile(0.975)


class Estimate(Value):
    """A number with its interval, 95% unless the function was told otherwise.

    value       the estimate
    low         the lower end of the interval
    high        the upper end; an end of a one-sided interval is infinite
    """

    value: float
    low: float
    high: float


def wilson(successes: int, trials: int, *, z: float = Z_95) -> Estimate:
    """The score interval of Wilson (1927); sound for few trials and near 0 or 1.

    successes   how many
    trials      of how many
    z           the normal quantile of the interval, 1.96 for 95%
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise InputError(
            f"A share needs 0 <= successes <= trials and at least one trial, not {successes} of {trials}."
        )
    share = successes / trials
    scale = 1 + z * z / trials
    middle = (share + z * z / (2 * trials)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return Estimate(
        value=share, low=min(share, max(0.0, middle - half)), high=max(share, min(1.0, middle + half))
    )


def wilson_share(count: int, of: int) -> Share:
    """So many of so many, with Wilson's interval (95%); of none there is no share."""
    if of == 0:
        return Share(count, of)
    interval = wilson(count, of)
    return Share(count, of, interval.value, interval.low, interval.high)
