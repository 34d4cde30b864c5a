"""Which pairs to compare: a plan made beforehand, or the next pair given what is known, and how sure that is.

plan = degree_uniform_pairs(10)                       # 20 pairs, each item in about 4 of them
belief = posterior(a, b, winner, items=items)
if min(each.probability for each in order_probabilities(belief)) < 0.95:
    pair = next_best_pair(a, b, winner, items=items)
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtr

from ..core.errors import BadData, BadSetting, NoFit
from ..core.value import Value
from .arrays import Codes, Numbers, generator, same_length
from .cells import counted
from .comparisons import Comparisons, Label, Labels, Winners, comparisons, weighed
from .fitting import Fit, fit

Matrix = NDArray[np.float64]

_TRIES = 50
_FLATTEST = 1e-6


class NextPair(Value):
    """Two items to compare next, and how much that is expected to teach: twice the gain in nats."""

    a: Label
    b: Label
    gain: float


class Neighbours(Value):
    """Two items that follow one another in the order, and how probable it is that the first is above."""

    above: Label
    below: Label
    probability: float


@dataclass(frozen=True, eq=False)
class Posterior:
    """Where the items stand, as a normal distribution; `mean` is the mode and sums to zero."""

    items: tuple[Label, ...]
    mean: Numbers
    covariance: Matrix


def degree_uniform_pairs(
    n_items: int, n_pairs: int | None = None, seed: int = 0
) -> tuple[tuple[int, int], ...]:
    """Pairs of 0 ... n_items - 1 that connect all items and use each about equally often.

    Algorithm 1 of ArtCoT (Jiang & Chen 2025): a random spanning tree (Kruskal 1956, random weights), then one
    pair at a time whose more used item was used least, of these one whose other item was used least, of these
    any. The tree comes first and a longer plan with the same seed only adds pairs, so that whoever stops
    early still has connected items.

    The paper asks for O(k log k) pairs and released 20 for k = 10. The default is k times the natural
    logarithm rounded, which gives those 20 and lets every item have the same degree, or all pairs if fewer.

    Which of a pair comes first is random. In the paper's data it was not (one method always stood left,
    another always right), and nothing then tells a method from a side.

    n_items     how many items there are
    n_pairs     how many pairs to give
    seed        the same seed draws the same pairs
    """
    for name, number in (("n_items", n_items), ("n_pairs", n_pairs)):
        if number is not None and not isinstance(number, int | np.integer):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BadSetting(f"{name} is {number!r}; it is a whole number.")
    if n_items < 2:
        raise BadSetting(f"Pairs need at least 2 items, not {n_items}.")
    most = n_items * (n_items - 1) // 2
    if n_pairs is None:
        n_pairs = min(max(n_items * round(math.log(n_items)), n_items - 1), most)
    if not n_items - 1 <= n_pairs <= most:
        raise BadSetting(
            f"{n_items} items take {n_items - 1:,} to {most:,} pairs to be connected without a repeat, "
            f"not {n_pairs:,}."
        )
    rng = generator(seed)
    used = _Used(n_items)
    plan: list[tuple[int, int]] = []
    tree = _spanning_tree(n_items, rng)
    while len(plan) < n_pairs:
        pair = next(tree, None) or used.least(rng)
        used.add(*pair)
        plan.append(pair if rng.random() < 0.5 else (pair[1], pair[0]))
    return tuple(plan)


def _spanning_tree(items: int, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Kruskal's tree under random weights, without the weights.

    They amount to looking at the pairs in a random order; drawing with replacement gives the same tree, since
    a pair that comes again joins nothing.
    """
    parent = list(range(items))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    missing = items - 1
    while missing:
        one, other = rng.integers(items, size=2).tolist()
        if (a := root(one)) != (b := root(other)):
            parent[a] = b
            missing -= 1
            yield one, other


class _Used:
    """How often each item was used, and with which others; items of equal use share a list."""

    def __init__(self, items: int) -> None:
        self.degree = [0] * items
        self.by_degree: list[list[int]] = [list(range(items)), *([] for _ in range(items - 1))]
        self.place = list(range(items))
        self.free = ~np.eye(items, dtype=np.bool_)
        self.lowest = 0

    def add(self, one: int, other: int) -> None:
        self.free[one, other] = self.free[other, one] = False
        for item in (one, other):
            peers = self.by_degree[self.degree[item]]
            last = peers.pop()
            if last != item:
                peers[self.place[item]] = last
                self.place[last] = self.place[item]
            self.degree[item] += 1
            self.place[item] = len(self.by_degree[self.degree[item]])
            self.by_degree[self.degree[item]].append(item)
        while not self.by_degree[self.lowest]:
            self.lowest += 1

    def least(self, rng: np.random.Generator) -> tuple[int, int]:
        """The next pair of the plan; there is one, as a plan is no longer than all pairs."""
        levels = range(self.lowest, len(self.by_degree))
        pairs = (
            self._any(self.by_degree[high], self.by_degree[low], rng)
            for high in levels
            for low in range(self.lowest, high + 1)
        )
        return next(pair for pair in pairs if pair)

    def _any(self, ones: list[int], others: list[int], rng: np.random.Generator) -> tuple[int, int] | None:
        """A free pair across two lists, all equally likely: by trying while they abound, else from a list."""
        if not ones or not others:
            return None
        for _ in range(_TRIES):
            one, other = ones[rng.integers(len(ones))], others[rng.integers(len(others))]
            if self.free[one, other]:
                return one, other
        rows, columns = np.nonzero(self.free[np.ix_(ones, others)])
        if not rows.size:
            return None
        pick = int(rng.integers(rows.size))
        return ones[int(rows[pick])], others[int(columns[pick])]


def posterior(
    a: Labels,
    b: Labels,
    winner: Winners,
    *,
    items: Labels,
    prior: float = 1.0,
    weights: ArrayLike | None = None,
) -> Posterior:
    """Bradley-Terry strengths of `items` given comparisons, which may be none, by Laplace's approximation.

    Each strength is normal around 0 beforehand with precision `prior`; a tie is half a win for each. A
    comparison counts by its weight: a judge that is three quarters sure gives 0.75 of a win and 0.25 of a
    defeat, in two rows.
    """
    if not _FLATTEST <= prior < math.inf:
        raise BadSetting(
            f"The prior precision of a strength is {prior}; it is a number of at least {_FLATTEST}."
        )
    contests = _contests(a, b, winner, items)
    solution = fit(counted(contests, weighed(weights, contests), side=False).cells, prior)
    if not isinstance(solution, Fit):
        raise NoFit(f"The strengths did not settle; a prior above {prior:g} helps.")
    # Where all strengths stand together, only the prior speaks.
    mean, covariance = solution.point, solution.covariance + 1 / (prior * len(contests.items))
    mean.flags.writeable = covariance.flags.writeable = False
    return Posterior(tuple(contests.items), mean, covariance)


def _contests(a: Labels, b: Labels, winner: Winners, items: Labels) -> Comparisons:
    """The comparisons, numbered by `items` as they were given; there may be none."""
    labels: list[Label] = items.tolist() if isinstance(items, np.ndarray) else list(items)
    number = {item: at for at, item in enumerate(labels)}
    if len(number) < len(labels):
        twice = next(item for at, item in enumerate(labels) if number[item] != at)
        raise BadData(f"Item {twice!r} is listed twice.")
    if len(labels) < 2:
        raise BadData(f"A comparison needs at least 2 items, not {len(labels)}.")
    if not same_length(a=a, b=b, winner=winner):
        none = np.empty(0, dtype=np.intp)
        return Comparisons(labels, none, none, np.empty(0, dtype=np.int8))
    contests = comparisons(a, b, winner)
    strange = next((item for item in contests.items if item not in number), None)
    if strange is not None:
        raise BadData(f"Item {strange!r} was compared but is not among the {len(labels):,} items.")
    places = np.array([number[item] for item in contests.items], dtype=np.intp)
    return Comparisons(labels, places[contests.a], places[contests.b], contests.winner)


def order_probabilities(posterior: Posterior) -> tuple[Neighbours, ...]:
    """For each two neighbours in the order, best first, how probable it is that the first is above."""
    order = np.argsort(-posterior.mean, kind="stable")
    above, below = order[:-1], order[1:]
    spread = np.sqrt(_variance(posterior.covariance)[above, below])
    chances = ndtr((posterior.mean[above] - posterior.mean[below]) / spread)
    return tuple(
        Neighbours(above=posterior.items[one], below=posterior.items[other], probability=float(chance))
        for one, other, chance in zip(above, below, chances, strict=True)
    )


def _variance(covariance: Matrix) -> Matrix:
    """Of the difference of any two strengths."""
    own = np.diag(covariance)
    return own[:, None] + own - 2 * covariance


def next_best_pair(
    a: Labels,
    b: Labels,
    winner: Winners,
    *,
    items: Labels,
    prior: float = 1.0,
    weights: ArrayLike | None = None,
    exclude: Collection[tuple[Label, Label]] = (),
) -> NextPair:
    """The comparison that would teach most, given those made so far; see `next_pairs`.

    a           one item of each comparison
    b           the other
    winner      "a", "b" or "tie" for each; -1, 1 or 0
    items       all there are, compared or not
    prior       precision of a normal prior on the scores
    weights     how much each comparison counts
    exclude     pairs not to propose, either way round
    """
    return next_pairs(a, b, winner, items=items, count=1, prior=prior, weights=weights, exclude=exclude)[0]


def next_pairs(  # noqa: PLR0913 (keywords, as `next_best_pair` has them)
    a: Labels,
    b: Labels,
    winner: Winners,
    *,
    items: Labels,
    count: int,
    prior: float = 1.0,
    weights: ArrayLike | None = None,
    exclude: Collection[tuple[Label, Label]] = (),
) -> tuple[NextPair, ...]:
    """`count` different comparisons to make before looking again, the most telling first.

    A comparison of i with j, where i wins with chance p, multiplies the determinant of the posterior's
    precision by 1 + p (1 - p) Var(i - j). The pair where the logarithm of that is largest is taken
    (D-optimality, as Glickman & Jensen 2005 schedule paired comparisons), and the covariance updated by it
    before the next.
    Equals go to the items compared least so far, then to those listed first. The item that was `a` less
    often than `b` is `a`. Pairs in `exclude`, either way round, are not proposed. Comparisons count by
    their `weights`.
    """
    contests = _contests(a, b, winner, items)
    believed = posterior(a, b, winner, items=items, prior=prior, weights=weights)
    free = _free(contests.items, exclude)
    available, most = int(np.count_nonzero(free)), math.comb(len(contests.items), 2)
    if not 1 <= count <= available:
        raise BadSetting(
            f"The number of next pairs is {count:,}; {available:,} of the {most:,} pairs are not excluded."
        )
    chance = expit(believed.mean[:, None] - believed.mean)
    teaches = chance * chance.T
    covariance = believed.covariance.copy()
    weight = weighed(weights, contests)
    as_a, as_b = (_tally(side, weight, len(contests.items)) for side in (contests.a, contests.b))
    pairs: list[NextPair] = []
    for _ in range(count):
        gain = np.where(free, np.log1p(teaches * _variance(covariance)), -math.inf)
        ones, others = np.nonzero(gain >= gain.max() * (1 - 1e-9))
        totals = as_a + as_b
        pick = np.argmin(totals[ones] + totals[others])
        one, other = int(ones[pick]), int(others[pick])
        free[one, other] = False
        first, second = (one, other) if (as_a - as_b)[one] <= (as_a - as_b)[other] else (other, one)
        as_a[first] += 1
        as_b[second] += 1
        best = float(gain[one, other])
        pairs.append(NextPair(a=contests.items[first], b=contests.items[second], gain=best))
        apart = covariance[one] - covariance[other]
        covariance -= np.outer(apart, apart) * (teaches[one, other] * math.exp(-best))
    return tuple(pairs)


def _free(items: list[Label], exclude: Collection[tuple[Label, Label]]) -> NDArray[np.bool_]:
    """Which pairs may be proposed, each once: row before column."""
    number = {item: at for at, item in enumerate(items)}
    free = np.triu(np.ones((len(items), len(items)), dtype=np.bool_), 1)
    for pair in exclude:
        for item in pair:
            if item not in number:
                raise BadData(f"Item {item!r} of an excluded pair is not among the {len(items):,} items.")
        one, other = sorted(number[item] for item in pair)
        free[one, other] = False
    return free


def _tally(codes: Codes, weight: Numbers | None, items: int) -> Numbers:
    # Parts of one comparison add up to one but for the last digits, which must not tell items apart.
    return np.bincount(codes, weight, minlength=items).astype(np.float64).round(9)
