"""Elo's ratings, updated comparison by comparison: in one order, or in many at once."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .arrays import Codes, Numbers, generator
from .comparisons import Comparisons

SCALE = 400
_LOGIT = math.log(10) / SCALE
_MOST = 300.0  # 10 ** 309 is no float any more
_ENTRIES = 40_000_000
_BLOCK = 1_000_000


def in_order(contests: Comparisons, *, k: float, start: float) -> Numbers:
    rating = [float(start)] * len(contests.items)
    columns = (contests.a.tolist(), contests.b.tolist(), contests.score_a.tolist())
    rows: Iterator[tuple[int, int, float]] = zip(*columns, strict=True)
    for a, b, score in rows:
        expected = 1 / (1 + 10.0 ** min((rating[b] - rating[a]) / SCALE, _MOST))
        change = k * (score - expected)
        rating[a] += change
        rating[b] -= change
    return np.array(rating)


def in_orders(contests: Comparisons, orders: int, *, k: float, start: float, seed: int) -> Numbers:
    """A column for each of so many random orders."""
    random = generator(seed)
    rows = contests.a.size
    at_once = max(1, min(orders, _ENTRIES // rows))
    columns: list[Numbers] = []
    for first in range(0, orders, at_once):
        order = np.empty((rows, min(at_once, orders - first)), np.int32)
        for column in range(order.shape[1]):
            order[:, column] = random.permutation(rows)
        columns.append(start + _together(contests, order, k * _LOGIT) / _LOGIT)
    return np.concatenate(columns, axis=1)


def _together(contests: Comparisons, order: NDArray[np.int32], k: float) -> Numbers:
    """On the logit scale and from zero, which saves two steps of nine for each comparison."""
    items, many = len(contests.items), order.shape[1]
    rating = np.zeros(items * many)
    offset = np.arange(many, dtype=np.intp) * items
    gain = k * contests.score_a
    expected = np.empty(many)
    steps_at_once = max(1, _BLOCK // many)
    with np.errstate(all="ignore"):
        for first in range(0, order.shape[0], steps_at_once):
            block = order[first : first + steps_at_once]
            both = np.concatenate([contests.a[block] + offset, contests.b[block] + offset], axis=1)
            steps: Iterator[tuple[Codes, Numbers]] = zip(both, gain[block], strict=True)
            for pair, gained in steps:
                held = rating[pair]
                np.subtract(held[many:], held[:many], out=expected)
                np.exp(expected, out=expected)
                np.add(expected, 1, out=expected)
                np.divide(k, expected, out=expected)
                np.subtract(gained, expected, out=expected)
                held[:many] += expected
                held[many:] -= expected
                rating[pair] = held
    return rating.reshape(many, items).T
