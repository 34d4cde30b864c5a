"""How good each item is, from who beat whom: Elo, Bradley-Terry, and how sure of it one can be.

ratings = bradley_terry(["cat", "dog", "cow"], ["dog", "cow", "cat"], ["a", "a", "tie"])
ratings.scores                           # item to score, best first
ratings["cat"].low, ratings["cat"].high
"""

import math
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from ..core.errors import BadData, BadSetting, NoFit
from ..core.value import Value
from .arrays import Codes, Numbers, coded, is_missing, same_length
from .cells import Cells, counted
from .comparisons import Comparisons, Label, Labels, Winners, comparisons, weighed
from .estimate import Estimate
from .existence import PRIOR
from .fitting import Fit, fit
from .orders import in_order, in_orders
from .refitting import Refitting
from .resampling import resampled, units
from .spread import Spread, normal, percentiles, ranks

_MOST = 1e6


class Rating(Value):
    """An item's score and rank (1 is best; equal scores share one), each with the ends of its interval.

    `error` is the standard error, `comparisons` the weight of the comparisons that the item took part in.
    """

    item: str | int
    value: float
    low: float | None
    high: float | None
    error: float | None
    rank: int
    rank_low: int | None
    rank_high: int | None
    comparisons: float


class SideEffect(Estimate):
    """What being `a` adds to the logit of winning: above zero, it favours `a`."""

    error: float | None


class Ratings(Value):
    """Best first. `unfitted` counts the resamples that have no finite fit."""

    model: Literal["elo", "bradley-terry"]
    ratings: tuple[Rating, ...]
    side: SideEffect | None = None
    comparisons: int
    unfitted: int = 0

    def __getitem__(self, item: str | int) -> Rating:
        for rating in self.ratings:
            if rating.item == item:
                return rating
        raise KeyError(f"{item!r} was not rated.")

    @property
    def scores(self) -> dict[str | int, float]:
        return {rating.item: rating.value for rating in self.ratings}


def elo(
    a: Labels,
    b: Labels,
    winner: Winners,
    *,
    k: float = 32,
    start: float = 1500,
    shuffles: int = 0,
    seed: int = 0,
) -> Ratings:
    """Elo (1978), base 10 and scale 400, in the order given, on which it depends. A draw is half a win.

    With `shuffles`, the mean over that many random orders; low and high, of ranks too, are then the 2.5 and
    97.5 percentiles over these orders. They are the spread over orders and no sampling error: every order
    holds the same comparisons.

    a           one item of each comparison
    b           the other
    winner      "a", "b" or "tie" for each; -1, 1 or 0
    k           how far one comparison moves a rating
    start       the rating everybody begins with
    shuffles    how many random orders to average over; 0 keeps the one given
    seed        the same seed draws the same orders
    """
    _need(0 < k <= _MOST, f"k is {k}; Elo's step is a positive number up to a million, 32 for example.")
    _need(abs(start) <= _MOST, f"start is {start}; it is a number up to a million, 1500 for example.")
    _need(shuffles >= 0, f"shuffles is {shuffles}; it is 0 for the order given, or how many orders to draw.")
    _need(seed >= 0, f"seed is {seed}; it is a whole number from 0 on.")
    contests = _compared(a, b, winner)
    counts = np.bincount(np.concatenate([contests.a, contests.b])).astype(np.float64)
    if shuffles:
        orders = in_orders(contests, shuffles, k=k, start=start, seed=seed)
        values, spread = orders.mean(axis=1), percentiles(orders, len(contests.items), 0.95)
    else:
        values, spread = in_order(contests, k=k, start=start), None
    return Ratings(model="elo", ratings=_rated(contests, values, spread, counts), comparisons=contests.a.size)


def bradley_terry(
    a: Labels,
    b: Labels,
    winner: Winners,
    *,
    side_effect: bool = False,
    prior: float = 0.0,
    weights: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Ratings:
    """Bradley and Terry (1952) by maximum likelihood: scores on the logit scale that sum to zero.

    A draw counts as half a win for each. `side_effect` adds what being `a` does to the logit (Davidson
    and Beaver 1977). `prior` is the precision of a normal prior with mean 0 on every score and on the side
    effect, under which everything is determined. `weights` says how much each comparison counts. Errors come
    from the inverse of the information of scores that sum to zero, which takes the comparisons as independent
    and a draw as if it were half of each; `bootstrap_ratings` does not. Work grows with the cube of the
    number of items.

    a           one item of each comparison
    b           the other
    winner      "a", "b" or "tie" for each; -1, 1 or 0
    side_effect whether being `a` may help
    prior       precision of the prior; 0 is none
    weights     how much each comparison counts
    confidence  of the interval
    """
    _need_model(prior, confidence)
    contests = _compared(a, b, winner)
    counts = counted(contests, weighed(weights, contests), side=side_effect)
    whole = _whole(counts.cells, prior, contests)
    spread = normal(whole.point, np.sqrt(whole.covariance.diagonal()), confidence)
    return _modelled(contests, counts.cells, whole, spread)


def bootstrap_ratings(  # noqa: PLR0913 (keywords, each with a default)
    a: Labels,
    b: Labels,
    winner: Winners,
    *,
    side_effect: bool = False,
    prior: float = 0.0,
    weights: ArrayLike | None = None,
    clusters: Labels | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Ratings:
    """`bradley_terry` with percentile intervals (Efron 1979) of scores, side effect and ranks.

    Comparisons are drawn with replacement, or with `clusters` (the prompt of each comparison, say) whole
    clusters, so that comparisons within one need not be independent. The value is that of the fit to all
    comparisons, the error the standard deviation over resamples. A resample without a finite fit counts as
    beyond either end; where there is one, the errors are None.

    a           one item of each comparison
    b           the other
    winner      "a", "b" or "tie" for each; -1, 1 or 0
    side_effect whether being `a` may help
    prior       precision of a normal prior on the scores; 0 is none
    weights     how much each comparison counts
    clusters    the cluster of each comparison
    resamples   how many are drawn
    confidence  of the interval
    seed        the same seed draws the same resamples
    """
    _need_model(prior, confidence)
    _need(resamples >= 2, f"resamples is {resamples}; at least 2 are needed, 1000 for example.")
    _need(seed >= 0, f"seed is {seed}; it is a whole number from 0 on.")
    contests = _compared(a, b, winner)
    counts = counted(contests, weighed(weights, contests), side=side_effect)
    whole = _whole(counts.cells, prior, contests)
    drawn = units(counts, _clusters(clusters, contests))
    refitting = Refitting.of(counts.cells, whole, prior)
    batches = resampled(drawn, resamples=resamples, seed=seed)
    even = bool(counts.weight.max() <= 100 * counts.weight.min())
    fits = [each for won, lost in batches for each in refitting.fits(won, lost, together=even)]
    columns = np.reshape(fits, (-1, counts.cells.parameters)).T
    unfitted = resamples - len(fits)
    spread = percentiles(columns, counts.cells.items, confidence, missing=unfitted)
    if spread is None:
        raise NoFit(
            f"{unfitted:,} of {resamples:,} resamples have no finite fit, too many for an interval; {PRIOR}."
        )
    error = None if unfitted else columns.std(axis=1, ddof=1)
    return _modelled(contests, counts.cells, whole, replace(spread, error=error), unfitted)


def _whole(cells: Cells, prior: float, contests: Comparisons) -> Fit:
    whole = fit(cells, prior)
    if whole is None:
        way_out = f"prior is {prior:g}, give a larger one" if prior else PRIOR
        raise NoFit(f"The fit to {contests.a.size:,} comparisons did not converge; {way_out}.")
    if not isinstance(whole, Fit):
        raise NoFit(whole.sentence(contests.items))
    return whole


def _modelled(contests: Comparisons, cells: Cells, whole: Fit, spread: Spread, unfitted: int = 0) -> Ratings:
    side = None
    if cells.side:
        at = cells.items
        side = SideEffect(
            value=whole.point[at],
            low=spread.low[at],
            high=spread.high[at],
            error=None if spread.error is None else spread.error[at],
        )
    return Ratings(
        model="bradley-terry",
        ratings=_rated(contests, whole.point[: cells.items], spread, cells.weights()),
        side=side,
        comparisons=contests.a.size,
        unfitted=unfitted,
    )


def _rated(
    contests: Comparisons, values: Numbers, spread: Spread | None, counts: Numbers
) -> tuple[Rating, ...]:
    rank = ranks(values[:, None])[:, 0]

    def of(column: Numbers | Codes | None, at: int) -> Any:
        return None if column is None else column[at].item()

    return tuple(
        Rating(
            item=cast(str | int, contests.items[at]),
            value=of(values, at),
            low=of(spread and spread.low, at),
            high=of(spread and spread.high, at),
            error=of(spread and spread.error, at),
            rank=of(rank, at),
            rank_low=of(spread and spread.rank_low, at),
            rank_high=of(spread and spread.rank_high, at),
            comparisons=of(counts, at),
        )
        for at in cast(list[int], np.argsort(rank, kind="stable").tolist())
    )


def _compared(a: Labels, b: Labels, winner: Winners) -> Comparisons:
    contests = comparisons(a, b, winner)
    if not contests.winner.any():
        raise BadData(f"All {contests.winner.size:,} comparisons are ties, so nothing tells the items apart.")
    return replace(contests, items=[_plain(label) for label in contests.items])


def _plain(label: Label) -> str | int:
    plain: Any = cast(Any, label).item() if isinstance(label, np.generic) else label
    if isinstance(plain, str | int) and not isinstance(plain, bool):
        return plain
    raise BadData(f"The item {label!r} is no label: items are named by strings or whole numbers.")


def _clusters(clusters: Labels | None, contests: Comparisons) -> Codes | None:
    if clusters is None:
        return None
    same_length(a=contests.a, clusters=clusters)
    labels, codes = coded(clusters)
    if any(is_missing(label) for label in labels):
        raise BadData("The cluster of a comparison is missing.")
    if len(labels) < 2:
        raise BadData(f"All comparisons are in the cluster {labels[0]!r}; at least two clusters are needed.")
    return codes


def _need_model(prior: float, confidence: float) -> None:
    _need(
        math.isfinite(prior) and prior >= 0,
        f"prior is {prior}; it is a precision: 0 for none, 0.1 for example.",
    )
    _need(0 < confidence < 1, f"confidence is {confidence}; it lies between 0 and 1, 0.95 for example.")


def _need(condition: bool, otherwise: str) -> None:
    if not condition:
        raise BadSetting(otherwise)
