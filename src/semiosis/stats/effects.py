"""How large a difference is, whatever its significance."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import chdtrc, chdtri, ndtr

from ..core.errors import BadData
from .arrays import Numbers, numbers
from .estimate import Estimate, normal_quantile
from .significance import checked_confidence


def cohens_d(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """The difference of means in pooled standard deviations (Cohen, 1988).

    The interval inverts the noncentral t distribution, exact for normal data (Steiger & Fouladi, 1997).

    `a`, `b`    the two samples
    confidence  of the interval
    """
    first, second = numbers(a, "a"), numbers(b, "b")
    largest = max(float(np.abs(first).max()), float(np.abs(second).max())) or 1.0
    first, second = first / largest, second / largest
    degrees = first.size + second.size - 2
    if degrees < 1:
        raise BadData("a and b hold one number each; a spread needs at least three numbers in all.")
    spread = math.sqrt((_squares(first) + _squares(second)) / degrees)
    if spread <= 4 * np.finfo(np.float64).eps:
        raise BadData(
            "Neither a nor b varies, so their difference has no standard deviation to be measured in."
        )
    value = float(first.mean() - second.mean()) / spread
    scale = math.sqrt(first.size * second.size / (first.size + second.size))
    beyond = (1 - checked_confidence(confidence)) / 2
    low = _noncentrality(value * scale, degrees, 1 - beyond) / scale
    high = _noncentrality(value * scale, degrees, beyond) / scale
    return Estimate(value=value, low=low, high=high)


def _squares(values: Numbers) -> float:
    return float(np.square(values - values.mean()).sum())


def _noncentrality(t: float, degrees: int, share: float) -> float:
    """The noncentrality at which a t with these degrees of freedom is below `t` with probability `share`."""
    if t < 0:
        return -_noncentrality(-t, degrees, 1 - share)
    # T is (Z + noncentrality) / S. Z below minus the noncentrality is enough for T to be below t; and either
    # Z or S has to be beyond half the share. So the root lies between these two, give or take rounding.
    low = -normal_quantile(share) - 0.01
    high = 0.01 - normal_quantile(share / 2) + t * math.sqrt(float(chdtri(degrees, share / 2)) / degrees)
    return float(
        brentq(lambda at: _noncentral_t(t, degrees, at) - share, low, high, xtol=1e-10 * max(1.0, t))
    )


def _noncentral_t(t: float, degrees: int, noncentrality: float) -> float:
    """P(Z + noncentrality <= t S) for t >= 0, with Z standard normal and S^2 chi-square over its degrees.

    One of the two is integrated numerically, the one along which the other's distribution function is
    the smoother. SciPy's series gives NaN at some arguments of plain size.
    """
    nodes, weights = _legendre()
    if t * t > 2 * degrees:
        start = max(-10.0, -noncentrality)
        z = start + (10 - start) * (nodes + 1) / 2
        density = weights * (10 - start) / 2 * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        beyond = chdtrc(degrees, degrees * np.square((z + noncentrality) / t))
        return float(ndtr(-noncentrality)) + float(density @ beyond)
    reach = 10 / math.sqrt(2 * degrees)
    start = max(0.0, 1 - reach)
    s = start + (1 + reach - start) * (nodes + 1) / 2
    density = weights * np.exp((degrees - 1) * np.log(s) - degrees * (s * s - 1) / 2)
    return float(density @ ndtr(t * s - noncentrality)) / float(density.sum())


@lru_cache(maxsize=1)
def _legendre() -> tuple[Numbers, Numbers]:
    return np.polynomial.legendre.leggauss(160)
