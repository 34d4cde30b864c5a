"""Resamples of comparisons: how often each is drawn, and what that makes of the counts."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

from .arrays import Codes, Numbers, generator
from .cells import Counted

_BYTES = 32_000_000


@dataclass(frozen=True)
class Units:
    """What is drawn: a cluster, or one of so many comparisons that are alike (same cell, outcome, weight).

    `won` and `lost` are cells by units: what drawing a unit once adds to a cell.
    """

    many: Codes
    won: csr_array[np.float64]
    lost: csr_array[np.float64]


def units(counts: Counted, clusters: Codes | None) -> Units:
    unit = kind = np.arange(counts.many.size)
    many = counts.many
    if clusters is not None:
        unit, kind, many = clusters, counts.kinds(), np.ones(clusters.max() + 1, np.intp)
    cell, weight, shape = counts.cell[kind], counts.weight[kind], (counts.cells.a.size, many.size)
    won, lost = (_matrix(got[kind] * weight, cell, unit, shape) for got in (counts.score, 1 - counts.score))
    return Units(many, won, lost)


def resampled(drawn: Units, *, resamples: int, seed: int) -> Iterator[tuple[Numbers, Numbers]]:
    """What was won and lost by cell, a column a resample; a batch at a time, to bound the memory."""
    random = generator(seed)
    # A refit holds about six more arrays of the size of a batch's counts.
    batch = max(1, min(resamples, _BYTES // (8 * (8 * drawn.won.shape[0] + 2 * drawn.many.size))))
    for first in range(0, resamples, batch):
        counts = draws(random, drawn.many, min(batch, resamples - first))
        yield cast(Any, drawn.won @ counts), cast(Any, drawn.lost @ counts)


def draws(random: np.random.Generator, many: Codes, columns: int) -> Numbers:
    """How often each unit is drawn, in as many draws as there are of all units; a column a resample.

    Where there are many of a unit, drawing one by one is slow: independent Poisson counts that fall a little
    short in sum are drawn first, and one by one only what is missing. Poisson counts given their sum are
    multinomial, so that the result is as if all had been drawn one by one.
    """
    total = int(many.sum())
    member = np.repeat(np.arange(many.size), many)
    counts = np.zeros((many.size, columns))
    short = np.full(columns, total)
    if total > 4 * many.size:
        rest = np.arange(columns)
        while rest.size:
            counts[:, rest] = _poisson(random, many, 1 - 4 / np.sqrt(total + 16), rest.size)
            short[rest] = total - counts[:, rest].sum(axis=0)
            rest = rest[short[rest] < 0]
    for column, missing in enumerate(short.tolist()):
        counts[:, column] += np.bincount(member[random.integers(0, total, missing)], minlength=many.size)
    return counts


def _poisson(random: np.random.Generator, many: Codes, share: float, columns: int) -> Numbers:
    """Counts with the mean `many` times `share`.

    Units of which there are equally many have the same distribution: how often each count comes up among them
    is drawn in one go, and who gets which by shuffling.
    """
    counts = np.empty((many.size, columns))
    for each in np.unique(many).tolist():
        those = np.flatnonzero(many == each)
        mean, reach = each * share, 30 + 12 * math.sqrt(each)
        count = np.arange(max(0, int(mean - reach)), int(mean + reach))
        chance = np.exp(count * np.log(mean) - mean - gammaln(count + 1))
        times = np.repeat(count, random.multinomial(columns * those.size, chance / chance.sum()))
        random.shuffle(times)
        counts[those] = times.reshape(those.size, columns)
    return counts


def _matrix(amounts: Numbers, cell: Codes, unit: Codes, shape: tuple[int, int]) -> csr_array[np.float64]:
    some = amounts > 0
    return csr_array((amounts[some], (cell[some], unit[some])), shape=shape)
