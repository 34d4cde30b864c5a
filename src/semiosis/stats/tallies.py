"""Two samples of one ordinal scale, counted by value, and resamples of the counts.

    tally = tallied(certainty, agrees)
    tally.counts                               # no and yes, by value
    for counts in resampled_counts(tally, clusters=None, many=1000, seed=0): ...

What only compares values needs no more than their counts: a resample of a million rows is a few draws.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..core.errors import BadData
from .arrays import Codes, Numbers, generator, same_length
from .comparisons import Labels
from .significance import at_least_one, grouped

_BYTES = 32_000_000


@dataclass(frozen=True)
class Tally:
    """How often each of `values`, which rise, came with no and with yes: a row each of `counts`.

    `cell` is where each row was counted, in the flattened counts.
    """

    values: Numbers
    counts: Numbers
    cell: Codes


def tallied(scale: Numbers, answers: NDArray[np.bool_]) -> Tally:
    values, place = np.unique(scale, return_inverse=True)
    cell = answers * values.size + place
    counts = np.bincount(cell, minlength=2 * values.size).reshape(2, values.size)
    return Tally(values, counts.astype(np.float64), cell)


def resampled_counts(
    tally: Tally, *, clusters: Labels | None, each_alone: bool = False, many: int, seed: int
) -> Iterator[Numbers]:
    """The counts of each resample: resamples by two by values, a batch at a time to bound the memory.

    Rows are drawn from all of them, or `each_alone` from those with no and those with yes; where there are
    clusters, whole ones.
    """
    at_least_one(many)
    random, cells = generator(seed), tally.counts.size
    if clusters is None:
        parts = tally.counts if each_alone else tally.counts.reshape(1, -1)
        for part in parts:
            if part.sum() < 2:
                raise BadData(
                    f"A bootstrap over {int(part.sum())} rows knows nothing of their spread; "
                    "it takes at least 2."
                )
        for size in _batches(many, cells):
            drawn = [random.multinomial(int(part.sum()), part / part.sum(), size) for part in parts]
            yield np.concatenate(drawn, axis=1).reshape(size, *tally.counts.shape).astype(np.float64)
        return
    same_length(clusters=clusters, rows=tally.cell)
    codes, count = grouped(clusters, "cluster")
    if count < 2:
        raise BadData(f"A bootstrap over {count} cluster knows nothing of their spread; it takes at least 2.")
    held = csr_array((np.ones(codes.size), (codes, tally.cell)), shape=(count, cells))
    for size in _batches(many, cells + count):
        drawn = random.multinomial(count, np.full(count, 1 / count), size)
        yield np.asarray(cast(Any, drawn @ held)).reshape(size, *tally.counts.shape)


def _batches(many: int, columns: int) -> Iterator[int]:
    batch = max(1, _BYTES // (16 * columns))
    for first in range(0, many, batch):
        yield min(batch, many - first)


def orders(counts: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Over every pair of a yes with a no: how many have the yes higher, the yes lower, and both alike."""
    no, yes = counts[..., 0, :], counts[..., 1, :]
    below = np.cumsum(no, axis=-1) - no
    above = no.sum(axis=-1, keepdims=True) - below - no
    return (yes * below).sum(axis=-1), (yes * above).sum(axis=-1), (yes * no).sum(axis=-1)
