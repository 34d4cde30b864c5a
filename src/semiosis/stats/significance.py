"""Could it be chance? Bootstrap intervals, permutation and signed-rank tests, and the size of a difference.

bootstrap(np.mean, scores, clusters=prompts)                 resamples whole prompts
permutation_test(agreed, disagreed, alternative="greater").p
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtrit

from ..core.errors import BadData, BadSetting
from ..core.value import Value
from .arrays import (
    Codes,
    Numbers,
    coded,
    generator,
    is_missing,
    numbers,
    paired,
    same_length,
    unpacked,
)
from .comparisons import Labels
from .estimate import Estimate
from .spread import lowest

Alternative = Literal["two-sided", "greater", "less"]
Statistic = Callable[..., float]

_EXACT_SIGNED_RANKS = 50
_BLOCK = 1_000_000


class Permutation(Value):
    """The statistic, its p, and how many splits of the data were looked at: all of them when `exact`."""

    value: float
    p: float
    exact: bool
    resamples: int


class Tested(Value):
    """A statistic, its p, and the number of rows that took part."""

    value: float
    p: float
    n: int


def bootstrap(
    statistic: Statistic,
    *arrays: ArrayLike,
    clusters: Labels | None = None,
    one_sided: bool = False,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """The percentile interval of Efron (1981), over rows of the arrays or over whole clusters of rows.

    `one_sided` gives [low, infinity) at that confidence. A resample on which the statistic is undefined
    (it raises BadData, or is not finite) counts as lower than every other for the low end and as higher
    for the high end, so that it can only widen the interval.

    statistic   a function of the arrays that gives a number
    arrays      columns of equal length, resampled together
    clusters    the cluster of each row; whole clusters are drawn where it is given
    one_sided   whether the interval has a low end only
    resamples   how many are drawn
    confidence  of the interval
    seed        the same seed draws the same resamples
    """
    value, draws = resampled_values(statistic, arrays, clusters, resamples, seed)
    low, high = percentile_ends(draws, confidence, one_sided=one_sided)
    return Estimate(value=value, low=low, high=high)


def resampled_values(
    statistic: Statistic, arrays: Sequence[ArrayLike], clusters: Labels | None, resamples: int, seed: int
) -> tuple[float, Numbers]:
    """The statistic of the whole data, and of each resample; NaN where it is undefined."""
    at_least_one(resamples)
    columns = [_column(array, at) for at, array in enumerate(arrays, 1)]
    if not columns:
        raise BadData("A bootstrap takes at least one array.")
    rows = same_length(**{f"array {at}": column for at, column in enumerate(columns, 1)})
    draw = _row_draws(rows, clusters, generator(seed))
    value = float(statistic(*columns))
    if not math.isfinite(value):
        raise BadData(f"The statistic is {value} on the whole data, so it cannot be bootstrapped.")
    draws = np.empty(resamples)
    for at in range(resamples):
        chosen = draw()
        draws[at] = _defined(statistic, *(column[chosen] for column in columns))
    return value, draws


def mean_of(values: Numbers, confidence: float = 0.95) -> Estimate:
    """The mean of two or more with the interval of Student (1908)."""
    value = float(values.mean())
    reach = float(stdtrit(values.size - 1, (1 + checked_confidence(confidence)) / 2))
    half = reach * float(values.std(ddof=1)) / math.sqrt(values.size)
    return Estimate(value=value, low=value - half, high=value + half)


def mean_between(values: Numbers, least: float, most: float, confidence: float = 0.95) -> Estimate:
    """The mean of numbers between `least` and `most`; of a single one, the interval is all of that."""
    if values.size < 2:
        checked_confidence(confidence)
        return Estimate(value=float(values.mean()), low=least, high=most)
    mean = mean_of(values, confidence)
    return Estimate(value=mean.value, low=max(least, mean.low), high=min(most, mean.high))


def percentile_ends(draws: Numbers, confidence: float, *, one_sided: bool = False) -> tuple[float, float]:
    """The ends of a percentile interval; a draw that is NaN counts against both."""
    beyond = 1 - checked_confidence(confidence)
    share = beyond if one_sided else beyond / 2
    low = float(lowest(draws, share))
    high = math.inf if one_sided else -float(lowest(-draws, share))
    if low == -math.inf or (high == math.inf and not one_sided):
        lost = int(np.isnan(draws).sum())
        raise BadData(
            f"The statistic is undefined on {lost:,} of {draws.size:,} resamples, too many for an interval "
            f"at confidence {confidence:g}; it takes more rows, or a lower confidence."
        )
    return low, high


def permutation_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    statistic: Callable[[Numbers, Numbers], float] | None = None,
    alternative: Alternative = "greater",
    resamples: int = 10_000,
    seed: int = 0,
) -> Permutation:
    """Do two samples come from one population? By default on the difference of means, a minus b.

    Every split of the pooled data is looked at when there are at most `resamples`; otherwise that many at
    random, with p = (count + 1) / (resamples + 1), which is never 0 (Phipson & Smyth, 2010). A split on
    which the statistic is undefined counts as extreme. "two-sided" doubles the smaller tail.

    `a`, `b`    the two samples
    statistic   a function of both that gives a number
    alternative "greater", "less" or "two-sided"
    resamples   splits that are looked at, at most
    seed        the same seed draws the same splits
    """
    first, second = numbers(a, "a"), numbers(b, "b")
    at_least_one(resamples)
    pooled = np.concatenate([first, second])
    splits = math.comb(pooled.size, first.size)
    exact = splits <= resamples
    random = generator(seed)
    rng = None if exact else random
    count = splits if exact else resamples
    if statistic is None:
        value = float(first.mean() - second.mean())
        actual, null = _mean_splits(pooled, first.size, count, rng)
        blur = 4 * np.finfo(np.float64).eps * float(np.abs(pooled).max()) * min(first.size, second.size)
    else:
        value = actual = float(statistic(first, second))
        blur = 0.0
        if not math.isfinite(value):
            raise BadData(f"The statistic is {value} on the whole data, so it cannot be tested.")
        null = np.fromiter(
            (_defined(statistic, *parts) for parts in _splits(pooled, first.size, count, rng)), float, count
        )
    # Sums that are equal on paper differ in their last bits; such splits are as extreme.
    close = max(blur, 1e-12 * max(abs(actual), float(np.nanmax(np.abs(null), initial=0))))
    extra = 0 if exact else 1
    less = (np.count_nonzero(~(null > actual + close)) + extra) / (count + extra)
    greater = (np.count_nonzero(~(null < actual - close)) + extra) / (count + extra)
    return Permutation(value=value, p=p_value(less, greater, alternative), exact=exact, resamples=count)


def wilcoxon(x: ArrayLike, y: ArrayLike | None = None, *, alternative: Alternative = "two-sided") -> Tested:
    """The signed-rank test of Wilcoxon (1945) of x, or of x - y, against a median of 0.

    The value is the rank sum of the positive differences, and "greater" says that they outweigh the
    others. Zeros are dropped, ties share their mid-rank. p is exact up to 50 differences, ties or not, and
    normal with the correction for ties above. Differences that are equal but for rounding (0.3 - 0.2 and
    0.2 - 0.1) are ties.

    `x`, `y`    the two measurements of each row, or their differences in `x` alone
    alternative "two-sided", "greater" or "less"
    """
    if y is None:
        difference = numbers(x, "x")
        blur = np.zeros_like(difference)
    else:
        first, second = paired(least=1, x=x, y=y)
        difference = first - second
        blur = 2 * np.finfo(np.float64).eps * np.maximum(np.abs(first), np.abs(second))
    nonzero = np.abs(difference) > blur
    difference, blur = difference[nonzero], blur[nonzero]
    if not difference.size:
        raise BadData("Every difference is 0, so there are no signs to test.")
    ranks = _blurred_midranks_doubled(np.abs(difference), blur)
    positive = int(ranks[difference > 0].sum())
    if difference.size <= _EXACT_SIGNED_RANKS:
        shares = _signed_rank_shares(ranks)
        less, greater = float(shares[: positive + 1].sum()), float(shares[positive:].sum())
    else:
        score = float((2 * positive - ranks.sum()) / math.sqrt(np.square(ranks, dtype=np.float64).sum()))
        less, greater = float(ndtr(score)), float(ndtr(-score))
    return Tested(value=positive / 2, p=p_value(less, greater, alternative), n=difference.size)


def p_value(less: float, greater: float, alternative: Alternative) -> float:
    """From the two tails; "two-sided" doubles the smaller one, which holds for skewed nulls too."""
    match alternative:
        case "less":
            p = less
        case "greater":
            p = greater
        case "two-sided":
            p = 2 * min(less, greater)
        case _:  # pyright: ignore[reportUnnecessaryComparison]
            raise BadSetting(f'alternative is {alternative!r}; it is "two-sided", "greater" or "less".')
    return min(1.0, p)


def grouped(labels: Labels, name: str) -> tuple[Codes, int]:
    """The number of each row's group, and how many groups there are."""
    plain = unpacked(labels)
    for at, label in enumerate(plain, 1):
        if is_missing(label):
            raise BadData(f"The {name} of row {at} is missing.")
    names, codes = coded(plain)
    return codes, len(names)


def checked_confidence(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise BadSetting(f"confidence is {confidence}; it lies between 0 and 1, such as 0.95.")
    return confidence


def at_least_one(resamples: int) -> None:
    if resamples < 1:
        raise BadSetting(f"resamples is {resamples}; at least 1 is needed.")


def _defined(statistic: Statistic, *arrays: NDArray[Any]) -> float:
    try:
        value = float(statistic(*arrays))
    except BadData:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _column(array: ArrayLike, at: int) -> NDArray[Any]:
    try:
        column = np.asarray(array)
    except ValueError:
        raise BadData(f"Array {at} has rows of unequal length.") from None
    if column.ndim == 0:
        raise BadData(f"Array {at} is a single value; it takes one entry a row.")
    return column


def _row_draws(rows: int, clusters: Labels | None, rng: np.random.Generator) -> Callable[[], Codes]:
    """What draws the row numbers of one resample."""
    if clusters is None:
        if rows < 2:
            raise BadData(f"A bootstrap over {rows} rows knows nothing of their spread; it takes at least 2.")
        return lambda: rng.integers(rows, size=rows)
    same_length(clusters=clusters, rows=range(rows))
    codes, count = grouped(clusters, "cluster")
    if count < 2:
        raise BadData(f"A bootstrap over {count} cluster knows nothing of their spread; it takes at least 2.")
    by_cluster = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes

    def draw() -> Codes:
        drawn = rng.integers(count, size=count)
        length = sizes[drawn]
        before = np.cumsum(length) - length
        return by_cluster[np.repeat(starts[drawn] - before, length) + np.arange(length.sum())]

    return draw


def _mean_splits(
    pooled: Numbers, size: int, count: int, rng: np.random.Generator | None
) -> tuple[float, Numbers]:
    """A number that grows with the difference of means: seen, and for each split.

    It is the sum of the smaller side about the common mean, signed so that it grows with a.
    """
    centred = pooled - pooled.mean()
    small = min(size, pooled.size - size)
    sign = 1.0 if small == size else -1.0
    actual = sign * float((centred[:small] if small == size else centred[size:]).sum())
    if rng is None:
        chosen = np.fromiter(
            chain.from_iterable(combinations(range(pooled.size), small)), np.intp, count * small
        )
        return actual, sign * centred[chosen.reshape(count, small)].sum(axis=1)
    block = max(1, _BLOCK // pooled.size)
    sums = [
        rng.permuted(np.tile(centred, (min(block, count - done), 1)), axis=1)[:, :small].sum(axis=1)
        for done in range(0, count, block)
    ]
    return actual, sign * np.concatenate(sums)


def _splits(
    pooled: Numbers, size: int, count: int, rng: np.random.Generator | None
) -> Iterator[tuple[Numbers, Numbers]]:
    if rng is None:
        for chosen in combinations(range(pooled.size), size):
            inside = np.zeros(pooled.size, dtype=np.bool_)
            inside[list(chosen)] = True
            yield pooled[inside], pooled[~inside]
        return
    for _ in range(count):
        mixed = rng.permutation(pooled)
        yield mixed[:size], mixed[size:]


def _blurred_midranks_doubled(values: Numbers, blur: Numbers) -> NDArray[np.int64]:
    """Twice the mid-ranks, which are whole; neighbours closer than what rounding blurs are ties."""
    order = np.argsort(values, kind="stable")
    apart = np.diff(values[order]) > blur[order][1:] + blur[order][:-1]
    run = np.concatenate([[0], np.cumsum(apart)])
    size = np.bincount(run)
    doubled = np.empty(values.size, dtype=np.int64)
    doubled[order] = (2 * np.cumsum(size) - size + 1)[run]
    return doubled


def _signed_rank_shares(ranks: NDArray[np.int64]) -> Numbers:
    """How probable each sum of positive ranks is when every sign is a fair coin."""
    shares = np.zeros(int(ranks.sum()) + 1)
    shares[0] = 1.0
    for rank in ranks.tolist():
        shares[rank:] += shares[:-rank]
        shares /= 2
    return shares
