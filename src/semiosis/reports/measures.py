"""All that applies to a table of ratings, or to columns of numbers, with the reason for what does not.

found = agreement(ratings(open_table("ratings.csv")))
found.alpha.value, found.pairs[0].kappa, found.left_out["fleiss"]
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, TypeVar, cast, get_args

import numpy as np

from ..core.errors import BadData, BadSetting
from ..core.text import brief
from ..core.value import Value
from ..sources.table import RatingTable
from ..stats.agreement import (
    ICC,
    Alpha,
    Form,
    Kappa,
    Level,
    cohen_kappa,
    fleiss_kappa,
    icc,
    krippendorff_alpha,
    rating_counts,
)
from ..stats.correlation import (
    Concordance,
    Correlation,
    fisher_combine,
    kendall_tau_b,
    lin_ccc,
    pearson,
    spearman,
)
from ..stats.significance import Alternative, mean_between

Column = Sequence[float | None]
Coefficient = Literal["pearson", "spearman", "kendall", "lin"]
Measure = Callable[[Sequence[float], Sequence[float], Alternative], Correlation | Concordance]
T = TypeVar("T")

# Cohen's kappa counts equal ratings: of so many different ones hardly any are.
MOST_CATEGORIES = 50

MEASURES: dict[Coefficient, Measure] = {
    "pearson": lambda x, y, alternative: pearson(x, y, alternative=alternative),
    "spearman": lambda x, y, alternative: spearman(x, y, alternative=alternative),
    "kendall": lambda x, y, alternative: kendall_tau_b(x, y, alternative=alternative),
    "lin": lambda x, y, _: lin_ccc(x, y),
}

# What people call them.
NAMES = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "kendall": "Kendall's tau-b",
    "lin": "Lin's CCC",
    "alpha": "Krippendorff's alpha",
    "fleiss": "Fleiss' kappa",
    "icc": "ICC",
}


def named(what: str) -> str:
    """What people call a coefficient, or one within groups."""
    name, _, within = what.partition("_")
    return f"{NAMES[name]}, {within}" if within else NAMES[name]


class PairAgreement(Value):
    """Two raters on the units both rated. `why` says why there is no kappa."""

    a: str
    b: str
    n: int
    kappa: Kappa | None = None
    linear: Kappa | None = None
    quadratic: Kappa | None = None
    why: str | None = None


class Agreement(Value):
    """`missing` counts ratings that were not given; `left_out` says which of "alpha", "fleiss" and "icc" do
    not apply, and why."""

    level: Level
    units: int
    raters: tuple[str, ...]
    missing: int
    alpha: Alpha | None
    fleiss: Kappa | None
    icc: dict[str, ICC]
    pairs: tuple[PairAgreement, ...]
    left_out: dict[str, str]


class Within(Value):
    """A mean over groups with Student's interval, within [-1, 1]. `p` combines the groups' p for a positive
    relation (Fisher 1932); None where the coefficient has no p, or for the reason in `why`."""

    value: float
    low: float
    high: float
    groups: int
    undefined: int
    p: float | None
    why: str | None = None


class Correlated(Value):
    """Two columns, by each coefficient. `missing` rows lack a number in one of them; `left_out` says of a
    coefficient, or of one within groups ("spearman_within"), why it is not there."""

    x: str
    y: str
    n: int
    missing: int
    pooled: dict[Coefficient, Correlation | Concordance]
    within: dict[Coefficient, Within]
    left_out: dict[str, str]


class ColumnCorrelation(Value):
    """Spearman's rho of two columns, over the rows that have both."""

    x: str
    y: str
    spearman: Correlation | None
    why: str | None = None


def agreement(
    ratings: RatingTable, *, level: Level | None = None, resamples: int = 1000, seed: int = 0
) -> Agreement:
    """Without a level, numbers are taken as intervals and texts as names."""
    scale = level or ("interval" if ratings.numeric else "nominal")
    if scale != "nominal" and not ratings.numeric:
        rater, odd = ratings.first_text or (ratings.raters[0], "")
        raise BadSetting(
            f"Column {brief(rater)}: the rating {odd!r} is no number, so ratings have no order to be "
            f"{scale} in: write them as numbers, name the raters' columns with --columns, or leave the "
            "level nominal."
        )
    left_out: dict[str, str] = {}
    missing = sum(value is None for row in ratings.table for value in row)

    def tried(name: str, measure: Callable[[], T]) -> T | None:
        try:
            return measure()
        except BadData as error:
            left_out[name] = str(error)
            return None

    alpha = tried(
        "alpha",
        lambda: krippendorff_alpha(ratings.table, level=scale, resamples=resamples, seed=seed),
    )
    fleiss = None
    if scale != "nominal":
        left_out["fleiss"] = "It is for nominal ratings."
    elif missing:
        left_out["fleiss"] = f"It needs every rating, and {missing:,} are missing."
    else:
        fleiss = tried("fleiss", lambda: fleiss_kappa(rating_counts(ratings.table)))
    icc_forms: dict[str, ICC] = {}
    if scale != "interval":
        left_out["icc"] = "It is for ratings on an interval scale."
    elif missing:
        left_out["icc"] = f"It needs every rating, and {missing:,} are missing."
    else:
        icc_forms, refused = _icc_forms(ratings)
        left_out |= {"icc": refused} if refused else {}
    return Agreement(
        level=scale,
        units=len(ratings.table),
        raters=tuple(ratings.raters),
        missing=missing,
        alpha=alpha,
        fleiss=fleiss,
        icc=icc_forms,
        pairs=_pairs(ratings, scale),
        left_out=left_out,
    )


def _icc_forms(ratings: RatingTable) -> tuple[dict[str, ICC], str]:
    """Those that are defined, and why the others are not."""
    forms: dict[str, ICC] = {}
    refused: dict[str, list[str]] = {}
    for form in get_args(Form):
        name = f"ICC({form})"
        try:
            forms[form] = icc(ratings.table, form=form)
        except BadData as error:
            refused.setdefault(str(error).removeprefix(f"{name} "), []).append(name)
    reasons = (f"{', '.join(names)} {why}" if forms else why for why, names in refused.items())
    return forms, " ".join(reasons)


def _pairs(ratings: RatingTable, level: Level) -> tuple[PairAgreement, ...]:
    columns = dict(zip(ratings.raters, zip(*ratings.table, strict=True), strict=True))
    categories = {value for row in ratings.table for value in row if value is not None}
    # All that occur anywhere, so that a step is the same between any two raters.
    ordered = sorted(cast("set[float]", categories)) if ratings.numeric else None
    many = len(categories) > MOST_CATEGORIES
    pairs: list[PairAgreement] = []
    for a, b in combinations(ratings.raters, 2):
        both = [
            (x, y) for x, y in zip(columns[a], columns[b], strict=True) if x is not None and y is not None
        ]
        one, two = [x for x, _ in both], [y for _, y in both]
        if many:
            why = f"{len(categories):,} different ratings are no categories."
            pairs.append(PairAgreement(a=a, b=b, n=len(both), why=why))
            continue
        try:
            kappa = cohen_kappa(one, two)
            weighted: dict[str, Any] = {}
            if level != "nominal":
                weighted["linear"] = cohen_kappa(one, two, weights="linear", categories=ordered)
                weighted["quadratic"] = cohen_kappa(one, two, weights="quadratic", categories=ordered)
        except BadData as error:
            pairs.append(PairAgreement(a=a, b=b, n=len(both), why=_renamed(error, a=a, b=b)))
        else:
            pairs.append(PairAgreement(a=a, b=b, n=len(both), kappa=kappa, **weighted))
    return tuple(pairs)


def correlated(
    columns: Mapping[str, Column], x: str, y: str, *, groups: Sequence[str] | None = None
) -> Correlated:
    """Every coefficient that is defined, over all rows and, with groups, inside each of them."""
    rows = [
        (one, two, at)
        for at, (one, two) in enumerate(zip(columns[x], columns[y], strict=True))
        if one is not None and two is not None
    ]
    pooled: dict[Coefficient, Correlation | Concordance] = {}
    within: dict[Coefficient, Within] = {}
    left_out: dict[str, str] = {}
    first, second = [row[0] for row in rows], [row[1] for row in rows]
    for name, measure in MEASURES.items():
        try:
            pooled[name] = measure(first, second, "two-sided")
        except BadData as error:
            left_out[name] = _renamed(error, x=x, y=y)
    if groups is not None:
        parts: dict[str, tuple[list[float], list[float]]] = {}
        for one, two, at in rows:
            part = parts.setdefault(groups[at], ([], []))
            part[0].append(one)
            part[1].append(two)
        for name, measure in MEASURES.items():
            mean = _within(measure, parts.values())
            if mean is None:
                left_out[f"{name}_within"] = "It is defined in no group."
            else:
                within[name] = mean
    return Correlated(
        x=x,
        y=y,
        n=len(rows),
        missing=len(columns[x]) - len(rows),
        pooled=pooled,
        within=within,
        left_out=left_out,
    )


def matrix(columns: Mapping[str, Column]) -> tuple[ColumnCorrelation, ...]:
    """Spearman's rho of every two columns."""
    correlations: list[ColumnCorrelation] = []
    for x, y in combinations(columns, 2):
        both = [
            (a, b) for a, b in zip(columns[x], columns[y], strict=True) if a is not None and b is not None
        ]
        try:
            rho = spearman([a for a, _ in both], [b for _, b in both])
            correlations.append(ColumnCorrelation(x=x, y=y, spearman=rho))
        except BadData as error:
            correlations.append(ColumnCorrelation(x=x, y=y, spearman=None, why=_renamed(error, x=x, y=y)))
    return tuple(correlations)


def _within(measure: Measure, parts: Iterable[tuple[list[float], list[float]]]) -> Within | None:
    values: list[float] = []
    ps: list[float] = []
    undefined = 0
    for one, two in parts:
        try:
            coefficient = measure(one, two, "greater")
        except BadData:
            undefined += 1
            continue
        values.append(coefficient.value)
        if isinstance(coefficient, Correlation):
            ps.append(coefficient.p)
    if not values:
        return None
    mean = mean_between(np.array(values), -1, 1)
    noughts = ps.count(0)
    return Within(
        value=mean.value,
        low=mean.low,
        high=mean.high,
        groups=len(values),
        undefined=undefined,
        p=fisher_combine(ps).p if ps and not noughts else None,
        # Its test rounds to 0, and the least p it can give is not known.
        why=f"p is 0 in {noughts:,} of {len(ps):,} groups, which Fisher's method cannot combine."
        if noughts
        else None,
    )


def _renamed(error: BadData, **names: str) -> str:
    """Of a sentence about "x", one about the column of that place."""
    first, _, rest = str(error).partition(" ")
    return f"{names.get(first, first)} {rest}"
