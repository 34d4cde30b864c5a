"""Do choices between two fall to one of them? Draws count, and few choices are enough for the p.

balance(first=21, second=4, draws=2).share        0.81 (0.64 to 0.91), half of the draws to each
balance(21, 4, 2).p                               0.0009
"""

import math
from functools import cache, lru_cache

from scipy.special import bdtr

from ..core.errors import BadData
from ..core.value import Value
from .estimate import Estimate, normal_quantile
from .significance import checked_confidence

_HALVINGS = 50
# Beyond so many choices a p can be nearly anything.
_MOST_LISTED = 200


class Balance(Value):
    """How choices fall.

    share       of the choices that fall to the first, a draw being half a choice for each
    p           of as many or more falling to one of the two, were both alike
    levels      the ps that so many choices can have, where these are few
    first       choices for the first
    second      choices for the second
    draws       choices for neither
    """

    share: Estimate
    p: float
    levels: tuple[float, ...]
    first: int
    second: int
    draws: int


def balance(first: int, second: int, draws: int = 0, *, confidence: float = 0.95) -> Balance:
    """The share of the first with its score interval (Tango 1998), and the exact p of the sign test.

    The test is of the choices that are no draws; over pairs of answers it is McNemar's, in its exact form.
    Without draws the interval is Wilson's.

    first       choices for the first
    second      choices for the second
    draws       choices for neither
    confidence  of the interval
    """
    choices = first + second + draws
    if min(first, second, draws) < 0 or not choices:
        raise BadData(
            f"Choices are counted from 0 and there is one at least, not {first}, {second} and {draws} draws."
        )
    fewer, decided = min(first, second), first + second
    return Balance(
        share=_interval(first, second, choices, checked_confidence(confidence)),
        p=_p(fewer, decided),
        levels=_levels(decided) if decided <= _MOST_LISTED else (),
        first=first,
        second=second,
        draws=draws,
    )


@lru_cache(4096)
def _interval(first: int, second: int, choices: int, confidence: float) -> Estimate:
    z = normal_quantile((1 + confidence) / 2)
    low, high = _low(first, second, choices, z), -_low(second, first, choices, z)
    value = (first - second) / choices
    return Estimate(value=_share(value), low=_share(min(low, value)), high=_share(max(high, value)))


def _p(fewer: int, decided: int) -> float:
    """Of as few falling to one of two, whichever: both tails."""
    return min(1.0, 2 * float(bdtr(fewer, decided, 0.5))) if decided else 1.0


@cache
def _levels(decided: int) -> tuple[float, ...]:
    return tuple(_p(fewer, decided) for fewer in range(decided // 2 + 1))


def _low(first: int, second: int, choices: int, z: float) -> float:
    """The lower end for the difference of both shares: where the score statistic is z."""
    low, high = -1.0, (first - second) / choices
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _excess(first, second, choices, middle) > z * math.sqrt(_variance(first, second, choices, middle)):
            low = middle
        else:
            high = middle
    return low


def _excess(first: int, second: int, choices: int, difference: float) -> float:
    return first - second - choices * difference


def _variance(first: int, second: int, choices: int, difference: float) -> float:
    """Of the excess, were the true difference this one, by the second's likeliest share (Tango's q21)."""
    linear = (2 * choices - first + second) * difference - first - second
    constant = -second * difference * (1 - difference)
    root = math.sqrt(max(0.0, linear * linear - 8 * choices * constant))
    likeliest = (root - linear) / (4 * choices)
    return max(0.0, choices * (2 * likeliest + difference * (1 - difference)))


def _share(difference: float) -> float:
    return min(1.0, max(0.0, (1 + difference) / 2))
