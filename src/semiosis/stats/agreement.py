"""How far raters agree: Cohen's and Fleiss' kappa, Krippendorff's alpha, intraclass correlation.

cohen_kappa(judge, person, weights="quadratic", categories=[1, 2, 3, 4, 5])
krippendorff_alpha([[1, 1, None], [2, 3, 2], [4, 4, 5]], level="ordinal")

A table of ratings has one row a unit and one column a rater; None or NaN is a rating that was not given.
"""

from collections.abc import Hashable, Sequence
from itertools import chain, compress
from math import sqrt
from numbers import Real
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ..core.errors import BadData, BadSetting
from .arrays import Codes, Numbers, coded, floats, is_missing, numbers, same_length
from .comparisons import Labels
from .estimate import Estimate
from .krippendorff import interval, nominal, ordinal, resampled, unit_counts
from .significance import checked_confidence, percentile_ends
from .spread import reach

Table = Sequence[Sequence[Any]] | NDArray[Any]
Weights = Literal["linear", "quadratic"] | Sequence[Sequence[float]] | NDArray[Any]
Level = Literal["nominal", "ordinal", "interval"]
Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
E = TypeVar("E", bound=Estimate)


class Kappa(Estimate):
    """Of `n` rows or units. `observed` and `expected` are shares of agreement, weighted if weights were."""

    error: float
    n: int
    observed: float
    expected: float


class Alpha(Estimate):
    """`pairable` units were used, `dropped` ones had fewer than two ratings. `undefined` resamples held one
    value only; they count against both ends of the interval."""

    level: Level
    pairable: int
    dropped: int
    ratings: int
    undefined: int


class ICC(Estimate):
    """`f` and `p` test that the units do not differ; `f` is infinite where the raters leave no error."""

    form: Form
    f: float
    p: float
    n: int
    raters: int


def cohen_kappa(
    a: Labels,
    b: Labels,
    weights: Weights | None = None,
    *,
    categories: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> Kappa:
    """Agreement of two raters beyond chance (Cohen 1960), or weighted by how far they are apart (Cohen 1968).

    Weights count steps along the ordered categories, not differences of their values: "linear" is |i - j|,
    "quadratic" its square; a matrix gives the disagreement of row (a) with column (b), 0 on the diagonal.
    Categories are those that occur, in the order of numbers; name them in `categories` when they are not
    numbers, or when one of them never occurs and its step would be lost.

    The interval is normal, with the large-sample standard error of Fleiss, Cohen and Everitt (1969), and cut
    at 1 and -1, the least that kappa can be but with a matrix of weights. That error is 0 for perfect
    agreement, however few the rows: the interval is then the point 1.

    `a`, `b`    what each of the two raters said, row by row
    weights     None, "linear", "quadratic" or a matrix
    categories  all there are, in order
    confidence  of the interval
    """
    errors = reach(checked_confidence(confidence))
    n = same_length(a=a, b=b)
    if n < 2:
        raise BadData(f"Kappa needs at least two rated units, not {n}.")
    sides = {"a": _given(a, "a"), "b": _given(b, "b")}
    labels, codes = _numbered([*sides["a"], *sides["b"]], categories, by_order=weights is not None)
    for name, side in zip(sides, codes.reshape(2, n), strict=True):
        if np.ptp(side) == 0:
            raise BadData(
                f"{name} is {labels[side[0]]!r} in every row, so kappa says nothing: "
                "agreement and chance agreement are the same."
            )
    size = len(labels)
    apart = _apart(weights, size)
    shares = np.bincount(codes[:n] * size + codes[n:], minlength=size * size).reshape(size, size) / n
    rows, columns = shares.sum(1), shares.sum(0)
    observed, expected = float((apart * shares).sum()), float(rows @ apart @ columns)
    if expected == 0:
        raise BadData("The weights of all categories that occur are 0, so weighted kappa is not defined.")
    ratio = observed / expected
    spread = apart - ratio * ((apart @ columns)[:, None] + rows @ apart)
    error = sqrt(float((shares * (spread + observed) ** 2).sum()) / n) / expected
    kappa = Kappa(
        value=1 - ratio,
        low=1 - ratio - errors * error,
        high=1 - ratio + errors * error,
        error=error,
        n=n,
        observed=1 - observed,
        expected=1 - expected,
    )
    return _within(kappa, -1.0 if weights is None or isinstance(weights, str) else -np.inf)


def rating_counts(ratings: Table, categories: Sequence[Hashable] | None = None) -> NDArray[np.intp]:
    """How many raters put each unit (row) in each category (column, in natural or the given order).

    ratings     units by raters; None or NaN where there is none
    categories  all there are, in order; those that occur, if left out
    """
    flat, units, raters = _grid(ratings)
    present = [not is_missing(value) for value in flat]
    values = list(compress(flat, present))
    if not values:
        raise BadData("The table holds no ratings: all of them are missing.")
    labels, codes = _numbered(values, categories)
    rows = np.repeat(np.arange(units), raters)[present]
    return np.bincount(rows * len(labels) + codes, minlength=units * len(labels)).reshape(units, len(labels))


def fleiss_kappa(counts: Table, *, confidence: float = 0.95) -> Kappa:
    """Agreement of several raters beyond chance (Fleiss 1971), from a table of units by categories.

    The units are the sample: the standard error is the linearised one of Gwet (2021), which is the
    infinitesimal jackknife over units, with Student's t for units - 1, cut at 1 and at -1 / (raters - 1), the
    least that it can be. The better-known error of Fleiss, Nee and Landis (1979) holds only where the true
    kappa is 0. Unanimous units give the point 1.

    counts      how many raters put each unit (row) in each category (column), as `rating_counts` gives
    confidence  of the interval
    """
    upper = (1 + checked_confidence(confidence)) / 2
    table = _complete(counts, "count")
    if np.any(table < 0) or np.any(table != np.floor(table)):
        raise BadData(
            "The table of counts holds a number that is no count; rating_counts builds such a table."
        )
    units, totals = len(table), table.sum(1)
    odd = np.flatnonzero(totals != totals[0])
    if odd.size:
        raise BadData(
            f"Unit {odd[0] + 1} has {totals[odd[0]]:g} ratings and unit 1 has {totals[0]:g}: "
            "Fleiss' kappa needs as many for each, krippendorff_alpha does not."
        )
    raters = float(totals[0])
    if units < 2 or raters < 2:
        raise BadData(f"Fleiss' kappa needs two units and two raters, not {units} and {raters:g}.")
    shares = table.mean(0) / raters
    apart = (raters**2 - (table**2).sum(1)) / (raters * (raters - 1))
    observed, expected = float(apart.mean()), float(1 - shares @ shares)
    if np.count_nonzero(shares) == 1:
        raise BadData("All ratings are in one category, so Fleiss' kappa is not defined.")
    ratio = observed / expected
    pull = (apart - observed) + 2 * ratio * (table @ shares / raters - shares @ shares)
    error = sqrt(float(pull @ pull) / (units * (units - 1))) / expected
    half = float(special.stdtrit(units - 1, upper)) * error
    kappa = Kappa(
        value=1 - ratio,
        low=1 - ratio - half,
        high=1 - ratio + half,
        error=error,
        n=units,
        observed=1 - observed,
        expected=1 - expected,
    )
    return _within(kappa, -1 / (raters - 1))


def krippendorff_alpha(
    ratings: Table,
    level: Level = "nominal",
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Alpha:
    """Agreement beyond chance of any number of raters, with gaps (Krippendorff 2004, chapter 11; Hayes and
    Krippendorff 2007). Ratings are labels for level "nominal", numbers for "ordinal" and "interval".

    The interval is the percentile bootstrap over units, expected disagreement included (Zapf, Castell,
    Morawietz and Karch 2016, who find the bootstrap of single pairs far too narrow).

    ratings     units by raters; None or NaN where there is none
    level       "nominal", "ordinal" or "interval"
    confidence  of the interval
    resamples   how many are drawn
    seed        the same seed draws the same resamples
    """
    if level not in get_args(Level):
        raise BadSetting(
            f"Krippendorff's alpha has no level {level!r}; it is one of {', '.join(get_args(Level))}."
        )
    if resamples < 1:
        raise BadSetting(f"The bootstrap needs at least one resample, not {resamples}.")
    flat, units, raters = _grid(ratings)
    present = np.array([not is_missing(value) for value in flat])
    rows = np.repeat(np.arange(units), raters)[present]
    enough = np.bincount(rows, minlength=units) >= 2
    pairable = int(enough.sum())
    if pairable < 2:
        raise BadData(
            f"Alpha needs at least two units with two ratings or more, and there is {pairable or 'none'}."
        )
    used = enough[rows]
    values = list(compress(compress(flat, present), used))
    unit = (np.cumsum(enough) - 1)[rows[used]]
    labels, codes = _numbered(values, None) if level == "nominal" else _levels(values)
    if len(labels) == 1:
        raise BadData(f"All ratings are {labels[0]!r}, so alpha is not defined.")
    if level == "interval":
        alphas = interval(np.asarray(labels, np.float64)[codes], unit)
    else:
        counts = unit_counts(unit, codes, pairable, len(labels))
        alphas = nominal(counts) if level == "nominal" else ordinal(counts)
    drawn = resampled(alphas, pairable, len(labels), resamples, seed)
    low, high = percentile_ends(drawn, confidence)
    return Alpha(
        value=float(alphas(np.ones((1, pairable)))[0]),
        low=low,
        high=high,
        level=level,
        pairable=pairable,
        dropped=units - pairable,
        ratings=codes.size,
        undefined=int(np.isnan(drawn).sum()),
    )


def icc(ratings: Table, form: Form = "2,1", *, confidence: float = 0.95) -> ICC:
    """Intraclass correlation of a complete table, in a form of Shrout and Fleiss (1979): each unit has other
    raters (1), the raters are a sample (2, absolute agreement) or the only ones (3, consistency); for one
    rating or for the mean of all k.

    Intervals are those from F of Shrout and Fleiss, for form 2 with Satterthwaite's degrees of freedom as in
    McGraw and Wong (1996). Those are taken at 0 where the estimate is negative: a share of variance is not,
    and the approximation breaks down, with degrees of freedom near 0, on coefficients of both signs.

    An ICC is the correlation of two such ratings or means of the same units. Its formulas know no lower
    bound, so intervals are cut at -1, and an estimate below that is refused.

    ratings     units by raters, without gaps
    form        "1,1", "2,1", "3,1" for one rating; "1,k", "2,k", "3,k" for the mean of all
    confidence  of the interval
    """
    upper = (1 + checked_confidence(confidence)) / 2
    if form not in get_args(Form):
        raise BadSetting(f"There is no ICC of form {form!r}; it is one of {'  '.join(get_args(Form))}.")
    table = _complete(ratings, "rating")
    n, k = len(table), int(table.shape[1])
    if n < 2 or k < 2:
        raise BadData(f"An ICC needs two units and two raters, not {n} and {k}.")
    between, across, residual = _mean_squares(table)
    if between == 0 and residual == 0:
        raise BadData("Every rater gave all units the same rating, so no ICC is defined.")
    error, freedom, bias = residual, (n - 1) * (k - 1), 0.0
    if form[0] == "1":
        error, freedom = (across + (n - 1) * residual) / n, n * (k - 1)
    elif form[0] == "2":
        bias = across - residual

    def share(scale: float, *, single: bool = form[2] == "1") -> float:
        """The estimate with the error mean squares `scale` times as large; past its pole, no bound."""
        rest = (k - 1) * error + k * bias / n if single else bias / n
        total = between + scale * rest
        # At the pole, rounding leaves a little of either sign.
        return (between - scale * error) / total if total > 1e-12 * (between + scale * abs(rest)) else -np.inf

    value = share(1.0)
    if value == -np.inf:
        raise BadData(
            f"ICC({form}) is not defined here: the units differ too little (mean square {between:.3g}) "
            f"for the disagreement of the raters (mean square {error:.3g})."
        )
    if value < -1:
        raise BadData(
            f"ICC({form}) comes out as {value:.3g} of {n:,} units, and no correlation is below -1: the units "
            f"differ too little (mean square {between:.3g}) for the disagreement of the raters (mean square "
            f"{error:.3g})."
        )
    satterthwaite = float(freedom)
    if form[0] == "2":
        rho = max(0.0, share(1.0, single=True))
        one, other = k * rho * across, (n * (1 + (k - 1) * rho) - k * rho) * residual
        if one + other > 0:
            satterthwaite = (one + other) ** 2 / (one**2 / (k - 1) + other**2 / freedom)
    coefficient = ICC(
        value=value,
        low=share(float(special.fdtri(n - 1, satterthwaite, upper))),
        high=share(1 / float(special.fdtri(satterthwaite, n - 1, upper))),
        form=form,
        f=between / error if error else np.inf,
        p=float(special.fdtrc(n - 1, freedom, between / error)) if error else 0.0,
        n=n,
        raters=k,
    )
    return _within(coefficient, -1.0)


def _mean_squares(table: Numbers) -> tuple[float, float, float]:
    """Of units, of raters, and of what is left; rounding noise is 0."""
    n, k = table.shape
    centred = table - table.mean()
    rows, columns = centred.mean(1), centred.mean(0)
    rest = centred - rows[:, None] - columns
    floor = (8 * np.finfo(np.float64).eps * float(np.abs(table).max())) ** 2
    squares = (
        k * float(rows @ rows) / (n - 1),
        n * float(columns @ columns) / (k - 1),
        float((rest**2).sum()) / ((n - 1) * (k - 1)),
    )
    between, across, residual = (square if square > floor else 0.0 for square in squares)
    return between, across, residual


def _within(estimate: E, least: float) -> E:
    """The interval cut to what the coefficient can be: from `least` to 1."""
    ends = {
        "low": min(estimate.value, max(least, estimate.low)),
        "high": max(estimate.value, min(1.0, estimate.high)),
    }
    return estimate.model_copy(update=ends)


def _apart(weights: Weights | None, size: int) -> Numbers:
    """Disagreement of each two categories, the largest 1."""
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    if weights is None:
        return np.minimum(steps, 1)
    if isinstance(weights, str):
        if weights not in ("linear", "quadratic"):
            raise BadSetting(f"There are no {weights!r} weights; they are 'linear', 'quadratic' or a matrix.")
        apart = steps if weights == "linear" else steps**2
        return apart / apart.max()
    apart = _complete(weights, "weight")
    if apart.shape != (size, size):
        raise BadSetting(
            f"The matrix of weights is {apart.shape[0]} by {apart.shape[1]} and there are {size} categories; "
            "name all of them in `categories`."
        )
    if np.any(apart < 0) or np.any(np.diag(apart)) or not np.any(apart):
        raise BadSetting(
            "Weights are of disagreement: 0 on the diagonal, positive or 0 elsewhere, and not all of them 0."
        )
    return apart / apart.max()


def _levels(values: list[Any]) -> tuple[list[Hashable], Codes]:
    labels, codes = np.unique(numbers(values, "ratings"), return_inverse=True)
    return labels.tolist(), codes


def _numbered(
    values: list[Any], categories: Sequence[Hashable] | None, *, by_order: bool = False
) -> tuple[list[Hashable], Codes]:
    """The categories in order, and the number of each value's."""
    if categories is None:
        if by_order and not all(isinstance(value, Real) for value in values):
            odd = next(value for value in values if not isinstance(value, Real))
            raise BadData(f"Weights need an order, which {odd!r} has not: name the order in `categories`.")
        try:
            return coded(values)
        except TypeError:
            raise BadData("A rating is not a label: it cannot be told apart from others by value.") from None
    number = {label: at for at, label in enumerate(categories)}
    if len(number) < len(categories):
        raise BadSetting("`categories` names one of them twice.")
    try:
        return list(number), np.fromiter(map(number.__getitem__, values), np.intp, len(values))
    except (KeyError, TypeError):
        odd = next(value for value in values if value not in list(number))
        raise BadData(f"A rating is {odd!r}, which is not among the {len(number)} categories.") from None


def _given(values: Labels, name: str) -> Sequence[Any]:
    plain: Sequence[Any] = values.tolist() if isinstance(values, np.ndarray) else values
    for at, value in enumerate(plain, 1):
        if is_missing(value):
            raise BadData(f"{name} at position {at} is missing; leave such rows out.")
    return plain


def _grid(ratings: Any) -> tuple[list[Any], int, int]:
    """All cells row by row, and how many rows and columns they fill."""
    plain = np.asarray(ratings).tolist() if hasattr(ratings, "__array__") else ratings
    try:
        rows = [list(row) for row in plain]
    except TypeError:
        raise BadData("The ratings are not a table of one row a unit and one column a rater.") from None
    odd = next((at for at, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if odd is not None:
        raise BadData(f"Row {odd + 1} of the table has {len(rows[odd])} cells and row 1 has {len(rows[0])}.")
    flat = list(chain.from_iterable(rows))
    if not flat:
        raise BadData("The table of ratings is empty.")
    return flat, len(rows), len(rows[0])


def _complete(table: Table, cell: str) -> Numbers:
    """A table of numbers, none of them missing."""
    try:
        values = floats(table, "The table")
    except BadData:
        _grid(table)
        raise
    if values.ndim != 2 or not values.size:
        raise BadData(
            f"The {cell}s are not a table of rows and columns, but {values.ndim}-dimensional or empty."
        )
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        row, column = wrong[0]
        what = "missing" if np.isnan(values[row, column]) else f"{values[row, column]}"
        raise BadData(
            f"The {cell} in row {row + 1}, column {column + 1} is {what}, and the table must be complete."
        )
    return values
