"""How two columns go together: Pearson, Spearman, Kendall, Lin, and Fisher's combination of tests.

spearman(human_elo, judge_elo)        Correlation(value=0.88, low=..., high=..., p=..., n=16)
"""

import math
from functools import lru_cache
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, stdtr

from ..core.errors import BadData, BadSetting
from ..core.value import Value
from .arrays import Numbers, numbers, paired, varied
from .estimate import Estimate
from .significance import Alternative, checked_confidence, p_value
from .spread import reach

Ranks = NDArray[np.int64]

_EXACT_ORDERS = 10


class Correlation(Estimate):
    """The interval is two-sided whatever the alternative of p."""

    p: float
    n: int


class Concordance(Estimate):
    """Lin's coefficient is `precision` (Pearson's r) times `accuracy` (how near the line is to x = y)."""

    precision: float
    accuracy: float
    n: int


class Combined(Value):
    """Fisher's chi-square, its p and its degrees of freedom."""

    value: float
    p: float
    degrees: int


def pearson(
    x: ArrayLike, y: ArrayLike, *, alternative: Alternative = "two-sided", confidence: float = 0.95
) -> Correlation:
    """Pearson's r with the interval of Fisher (1921), which is all of [-1, 1] for fewer than four rows.

    `x`, `y`    the two columns, row by row
    alternative of p: "two-sided", "greater" or "less"
    confidence  of the interval
    """
    first, second = _columns(x, y)
    value = _product_moment(first, second)
    variance = _inverse(first.size - 3)
    return _correlation(
        value, first.size, (value, variance), _t_tails(value, first.size), alternative, confidence
    )


def spearman(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact", "t"] = "auto",
    confidence: float = 0.95,
) -> Correlation:
    """Spearman's rho; ties share their mid-rank.

    p is exact up to ten rows (over every order of one column, ties kept) and by the t distribution above.
    The interval is Fisher's with the variance of Bonett & Wright (2000). For the interval alone, rho is
    taken to be half a step short of a perfect order at most: five rows in order do not prove a rho of 1.

    `x`, `y`    the two columns, row by row
    alternative of p: "two-sided", "greater" or "less"
    method      of p: "auto", "exact" or "t"
    confidence  of the interval
    """
    first, second = (_doubled_midranks(column) for column in _columns(x, y))
    rows = first.size
    value = _product_moment(first.astype(np.float64), second.astype(np.float64))
    match method:
        case "auto":
            exact = rows <= _EXACT_ORDERS
        case "exact" if rows > _EXACT_ORDERS:
            raise BadSetting(
                f'method="exact" takes at most {_EXACT_ORDERS} rows and there are {rows:,}; use "t".'
            )
        case "exact" | "t":
            exact = method == "exact"
        case _:  # pyright: ignore[reportUnnecessaryComparison]
            raise BadSetting(f'method is {method!r}; it is "auto", "exact" or "t".')
    tails = _exact_tails("products", first, second) if exact else _t_tails(value, rows)
    short = _short_of_perfect(value, 6 / (rows * (rows * rows - 1)))
    variance = _inverse(rows - 3)
    shape = (short, variance and variance * (1 + short * short / 2))
    return _correlation(value, rows, shape, tails, alternative, confidence)


def rank_correlation(x: ArrayLike, y: ArrayLike) -> float:
    """The value of `spearman`, without the p and the interval that a resample has no use for.

    `x`, `y`    the two columns, row by row
    """
    first, second = (_doubled_midranks(column) for column in _columns(x, y))
    return _product_moment(first.astype(np.float64), second.astype(np.float64))


def kendall_tau_b(
    x: ArrayLike, y: ArrayLike, *, alternative: Alternative = "two-sided", confidence: float = 0.95
) -> Correlation:
    """Kendall's tau-b (Kendall, 1945), corrected for ties in either column.

    p is exact up to ten rows, and without ties up to 33 or when at most one pair is out of order; else
    normal. The interval is approximate: Fisher's with the variance 0.437 / (n - 4) of Fieller, Hartley &
    Pearson (1957), all of [-1, 1] for fewer than five rows, and half a step short of a perfect order as
    in `spearman`.

    `x`, `y`    the two columns, row by row
    alternative of p: "two-sided", "greater" or "less"
    confidence  of the interval
    """
    from scipy.stats import kendalltau  # scipy.stats takes half a second to import

    first, second = _columns(x, y)
    rows = first.size
    test = kendalltau(first, second, alternative="greater")
    value = _bounded(float(test.statistic))
    if rows <= _EXACT_ORDERS:
        tails = _exact_tails("pairs", _doubled_midranks(first), _doubled_midranks(second))
    else:
        tails = float(kendalltau(first, second, alternative="less").pvalue), float(test.pvalue)
    short = _short_of_perfect(value, 2 / (rows * (rows - 1)))
    variance = _inverse(rows - 4)
    return _correlation(value, rows, (short, variance and 0.437 * variance), tails, alternative, confidence)


def lin_ccc(x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95) -> Concordance:
    """Lin's concordance correlation coefficient (1989), with variances over n as there.

    The interval goes through Fisher's z with Lin's variance as corrected in 2000 (Biometrics 56:324).

    `x`, `y`    the two columns, row by row
    confidence  of the interval
    """
    first, second = _columns(x, y)
    rows = first.size
    precision = _product_moment(first, second)
    # A common factor does not change the coefficient; without it nothing overflows.
    scale = max(float(np.abs(first).max()), float(np.abs(second).max()))
    first, second = first / scale, second / scale
    shift = float(first.mean() - second.mean()) ** 2
    total = float(first.var() + second.var()) + shift
    accuracy = min(1.0, 2 * float(first.std() * second.std()) / total)
    value = _bounded(precision * accuracy)
    # Lin divides by powers of r; with the accuracy in place of ccc / r the formula holds at r = 0 too.
    apart = 2 * shift / total
    spread = (
        (1 - precision**2) * accuracy**2 * (1 - value**2)
        + 2 * value**2 * (1 - value) * apart
        - value**2 * apart**2 / 2
    )
    per_row = _inverse(rows - 2)
    perfect = abs(value) == 1
    variance = per_row and (0.0 if perfect else per_row * max(0.0, spread) / (1 - value**2) ** 2)
    low, high = _fisher_ends(value, variance, confidence)
    return Concordance(value=value, low=low, high=high, precision=precision, accuracy=accuracy, n=rows)


def fisher_combine(ps: ArrayLike) -> Combined:
    """Fisher's combination (1932) of independent tests: -2 sum(ln p) is chi-square with 2k degrees.

    A p of 0 is refused: it would decide alone, and a test that can return it has rounded.

    `ps` are the p of each test, above 0.
    """
    chances = numbers(ps, "ps")
    wrong = np.flatnonzero((chances <= 0) | (chances > 1))
    if wrong.size:
        raise BadData(
            f"ps at position {wrong[0] + 1} is {chances[wrong[0]]:g}; a p-value to combine is above 0 and at "
            "most 1, so give the smallest that its test can return in place of a 0."
        )
    value = 2 * abs(float(np.log(chances).sum()))
    degrees = 2 * chances.size
    return Combined(value=value, p=float(chdtrc(degrees, value)), degrees=degrees)


def _columns(x: ArrayLike, y: ArrayLike) -> tuple[Numbers, Numbers]:
    first, second = paired(x=x, y=y)
    return varied(first, "x"), varied(second, "y")


def _correlation(
    value: float,
    rows: int,
    shape: tuple[float, float | None],
    tails: tuple[float, float],
    alternative: Alternative,
    confidence: float,
) -> Correlation:
    low, high = _fisher_ends(*shape, confidence)
    p = p_value(*tails, alternative)
    return Correlation(value=value, low=min(low, value), high=max(high, value), p=p, n=rows)


def _product_moment(x: Numbers, y: Numbers) -> float:
    return _bounded(float(_unit(x) @ _unit(y)))


def _unit(values: Numbers) -> Numbers:
    centred = values / np.abs(values).max()
    centred = centred - centred.mean()
    centred = centred / np.abs(centred).max()
    return centred / np.linalg.norm(centred)


def _bounded(value: float) -> float:
    """Rounding takes a perfect correlation a few bits to either side of 1."""
    return math.copysign(1.0, value) if abs(value) > 1 - 1e-15 else value


def _inverse(count: int) -> float | None:
    return 1 / count if count > 0 else None


def _short_of_perfect(value: float, half_step: float) -> float:
    return math.copysign(min(abs(value), 1 - half_step), value)


def _fisher_ends(value: float, variance: float | None, confidence: float) -> tuple[float, float]:
    """Through Fisher's z. Without a variance nothing is known; at 1 the interval's limit is 1 itself."""
    errors = reach(checked_confidence(confidence))
    if variance is None:
        return -1.0, 1.0
    if abs(value) >= 1:
        return value, value
    z, half = math.atanh(value), errors * math.sqrt(variance)
    return min(value, math.tanh(z - half)), max(value, math.tanh(z + half))


def _t_tails(value: float, rows: int) -> tuple[float, float]:
    """Less and greater. Two rows always correlate perfectly, upwards as often as downwards."""
    if rows == 2:
        return (1.0, 0.5) if value > 0 else (0.5, 1.0)
    if abs(value) == 1:
        return (1.0, 0.0) if value > 0 else (0.0, 1.0)
    t = value * math.sqrt((rows - 2) / ((1 + value) * (1 - value)))
    return float(stdtr(rows - 2, t)), float(stdtr(rows - 2, -t))


def midranks(values: Numbers) -> Numbers:
    """From 1 on; equal values share the mean of theirs."""
    return _doubled_midranks(values) / 2


def _doubled_midranks(values: Numbers) -> Ranks:
    """Twice the mid-ranks, which are whole, so that sums of them compare exactly."""
    _, place, size = np.unique(values, return_inverse=True, return_counts=True)
    return (2 * np.cumsum(size) - size + 1)[place]


def _exact_tails(of: Literal["products", "pairs"], x: Ranks, y: Ranks) -> tuple[float, float]:
    """Less and greater over every order of y against x, each as likely as the others."""
    if of == "products":
        score = int(x @ y)
    else:
        above = np.sign(x[:, None] - x[None, :])
        score = int(np.sum((1 + np.sign(y[:, None] - y[None, :]))[above > 0]))
    counts = _null_counts(of, tuple(sorted(x.tolist())), tuple(sorted(y.tolist())))
    total = float(counts.sum())
    return float(counts[: score + 1].sum()) / total, float(counts[score:].sum()) / total


@lru_cache(maxsize=256)
def _null_counts(of: Literal["products", "pairs"], x: tuple[int, ...], y: tuple[int, ...]) -> Ranks:
    """In how many orders of y the statistic takes each value 0, 1, 2, ...; x and y are sorted.

    The statistic is the sum of products of ranks, or over pairs with x apart: 2 in order, 1 tied in y, 0
    out of order. A dynamic programme: each run of ties in x takes a subset of what is left of y, and
    what it adds depends only on which of y were taken before, not on their order.
    """
    span = sum(a * b for a, b in zip(x, y, strict=True)) if of == "products" else len(x) * (len(x) - 1)
    level: dict[int, Ranks] = {0: np.zeros(span + 1, dtype=np.int64)}
    level[0][0] = 1
    for rank in sorted(set(x)):
        after: dict[int, Ranks] = {}
        for subset, counts in level.items():
            free = [at for at in range(len(y)) if not subset >> at & 1]
            gain = [rank * y[at] if of == "products" else _in_order(y, subset, at) for at in range(len(y))]
            for chosen in combinations(free, x.count(rank)):
                added = sum(gain[at] for at in chosen)
                target = after.setdefault(subset | sum(1 << at for at in chosen), np.zeros_like(counts))
                target[added:] += counts[: span + 1 - added]
        level = after
    (counts,) = level.values()
    counts.flags.writeable = False
    return counts


def _in_order(y: tuple[int, ...], subset: int, at: int) -> int:
    """What y at this place adds against the subset taken for smaller x."""
    return sum((y[at] > y[other]) + (y[at] >= y[other]) for other in range(len(y)) if subset >> other & 1)
