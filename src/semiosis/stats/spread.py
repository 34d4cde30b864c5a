"""Intervals and ranks of many values at once, and the rules that every interval here follows."""

import math
from dataclasses import dataclass

import numpy as np

from .arrays import Codes, Numbers
from .estimate import normal_quantile

_EQUAL = 7  # decimals: two fits of the same scores differ by less


@dataclass(frozen=True)
class Spread:
    """By value, the ends of its interval. What is not known is None."""

    low: Numbers
    high: Numbers
    error: Numbers | None = None
    rank_low: Codes | None = None
    rank_high: Codes | None = None


def reach(confidence: float) -> float:
    """How many standard errors a normal interval goes to either side."""
    return -normal_quantile((1 - confidence) / 2)


def normal(values: Numbers, error: Numbers, confidence: float) -> Spread:
    half = reach(confidence) * error
    return Spread(values - half, values + half, error)


def lowest(draws: Numbers, share: float) -> Numbers:
    """The quantile at `share` along the last axis, linear between order statistics (the seventh of Hyndman
    and Fan 1996, as numpy's). A draw that is NaN lies below all others; -infinity says that they reach it."""
    draws = np.sort(np.where(np.isnan(draws), -np.inf, draws), axis=-1)
    place = share * (draws.shape[-1] - 1)
    below, above = draws[..., math.floor(place)], draws[..., math.ceil(place)]
    step = np.where(np.isfinite(below), above, 0) - np.where(np.isfinite(below), below, 0)
    return below + (place - math.floor(place)) * step


def percentiles(columns: Numbers, items: int, confidence: float, *, missing: int = 0) -> Spread | None:
    """Of rows of values, a column a draw; only the first `items` rows are ranked. Ranks are whole, so their
    ends are rounded outward.

    A missing column lies beyond both ends, whichever end is looked for. None where an end is beyond.
    """
    share = (1 - confidence) / 2
    cut = math.floor(share * (columns.shape[1] + missing - 1)) - missing
    if cut < 0:
        return None
    draws = np.pad(columns, ((0, 0), (0, missing)), constant_values=np.nan)
    rank = np.sort(ranks(columns[:items]), axis=1)
    return Spread(lowest(draws, share), -lowest(-draws, share), None, rank[:, cut], rank[:, -1 - cut])


def ranks(values: Numbers) -> Codes:
    """In each column, 1 for the greatest; equals share the best rank among them."""
    rounded = -np.round(values, _EQUAL)
    order = np.argsort(rounded, axis=0, kind="stable")
    descending = np.take_along_axis(rounded, order, axis=0)
    place = np.broadcast_to(np.arange(1, len(values) + 1)[:, None], values.shape)
    first = np.concatenate([np.ones((1, values.shape[1]), bool), descending[1:] != descending[:-1]])
    places = np.empty(values.shape, np.intp)
    np.put_along_axis(places, order, np.maximum.accumulate(np.where(first, place, 0)), axis=0)
    return places
