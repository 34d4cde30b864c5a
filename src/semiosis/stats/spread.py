"""Intervals and ranks of many values at once."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from .arrays import Codes, Numbers

_EQUAL = 7  # decimals: two fits of the same scores differ by less


@dataclass(frozen=True)
class Spread:
    """By value, the ends of its interval. What is not known is None."""

    low: Numbers
    high: Numbers
    error: Numbers | None = None
    rank_low: Codes | None = None
    rank_high: Codes | None = None


def normal(values: Numbers, error: Numbers, confidence: float) -> Spread:
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
    return Spread(values - reach, values + reach, error)


def percentiles(columns: Numbers, items: int, confidence: float, *, missing: int = 0) -> Spread | None:
    """Of rows of values, a column a draw; only the first `items` rows are ranked.

    A missing column lies beyond both ends, whichever end is looked for. None where an end is beyond.
    """
    total = columns.shape[1] + missing
    cut = math.floor((1 - confidence) / 2 * (total - 1)) - missing
    if cut < 0:
        return None
    inside = np.sort(columns, axis=1)
    rank = np.sort(ranks(columns[:items]), axis=1)
    last = columns.shape[1] - 1 - cut
    return Spread(inside[:, cut], inside[:, last], None, rank[:, cut], rank[:, last])


def ranks(values: Numbers) -> Codes:
    """In each column, 1 for the greatest; equals share the best rank among them."""
    rounded = -np.round(values, _EQUAL)
    order = np.argsort(rounded, axis=0, kind="stable")
    descending = np.take_along_axis(rounded, order, axis=0)
    place = np.broadcast_to(np.arange(1, len(values) + 1)[:, None], values.shape)
    first = np.concatenate([np.ones((1, values.shape[1]), bool), descending[1:] != descending[:-1]])
    found = np.empty(values.shape, np.intp)
    np.put_along_axis(found, order, np.maximum.accumulate(np.where(first, place, 0)), axis=0)
    return found
