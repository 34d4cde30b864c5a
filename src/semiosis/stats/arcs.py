"""How far from an order a set of comparisons is: the fewest rows that any order contradicts.

ranking = feedback_arc_set(["cat", "dog", "cow", "cat"], ["dog", "cow", "cat", "cow"])
ranking.order, ranking.arcs, ranking.share  # ("cat", "dog", "cow"), (2,), 0.25
"""

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..core.errors import BadData, BadSetting
from ..core.value import Value
from .arrays import Codes, same_length
from .comparisons import Label, Labels, comparisons

LARGEST = 24
"""The most items of one component that the exact method takes: 16.8 million subsets, 130 MB, seconds."""

Counts = NDArray[np.int32]
Method = Literal["exact", "one-pass"]


class FeedbackArcSet(Value):
    """An order, best first, and the rows (numbered from 0) whose winner stands below their loser in it."""

    order: tuple[Label, ...]
    arcs: tuple[int, ...]
    share: float
    exact: bool


def feedback_arc_set(winners: Labels, losers: Labels, *, method: Method = "exact") -> FeedbackArcSet:
    """The rows that contradict an order of the items, out of all rows.

    exact: an order that the fewest rows contradict (Kemeny 1959; the minimum feedback arc set of Younger
    1963), a repeated row counting each time. Rows that cancel out leave nothing to order; what is left falls
    into strongly connected components, and each is solved over its subsets (Held & Karp 1962; Lawler 1964).
    Of several such orders the one nearest to the one-pass order is given.

    one-pass: the items by wins less losses, equals in the order in which they first appear (a row's winner
    before its loser). This is what the filter of ArtCoT (Jiang & Chen 2025) ran, on a graph that holds an arc
    once: a repeated row counts once in the wins, the losses and the share, though `arcs` lists each of them.
    It overstates how cyclic the rows are: even rows without a cycle may contradict it.

    winners     who won each row
    losers      who lost it
    method      "exact" or "one-pass"
    """
    if method not in ("exact", "one-pass"):
        raise BadSetting(
            f"There is no method {method!r} for feedback arcs; there are 'exact' and 'one-pass'."
        )
    rows = same_length(winners=winners, losers=losers)
    contests = comparisons(winners, losers, np.full(rows, -1))
    wins = Counter(zip(contests.a.tolist(), contests.b.tolist(), strict=True))
    ranked = _by_degree(wins)
    if method == "exact":
        ranked = _fewest_against(wins, ranked)
    place = np.empty(len(ranked), dtype=np.intp)
    place[ranked] = np.arange(len(ranked))
    against = place[contests.a] > place[contests.b]
    if method == "exact":
        share = float(against.mean())
    else:
        share = sum(bool(place[winner] > place[loser]) for winner, loser in wins) / len(wins)
    return FeedbackArcSet(
        order=tuple(contests.items[at] for at in ranked),
        arcs=tuple(np.flatnonzero(against).tolist()),
        share=share,
        exact=method == "exact",
    )


def _by_degree(arcs: Counter[tuple[int, int]]) -> list[int]:
    degree: dict[int, int] = {}
    for winner, loser in arcs:
        degree[winner] = degree.get(winner, 0) + 1
        degree[loser] = degree.get(loser, 0) - 1
    return sorted(degree, key=lambda item: -degree[item])


def _fewest_against(wins: Counter[tuple[int, int]], ranked: Sequence[int]) -> list[int]:
    """Items are numbered by their place in `ranked` meanwhile; lower numbers go first where that is free."""
    place = {item: at for at, item in enumerate(ranked)}
    net = {
        (place[winner], place[loser]): count - wins[loser, winner]
        for (winner, loser), count in wins.items()
        if count > wins[loser, winner]
    }
    order: list[int] = []
    for members in _components(len(ranked), list(net)):
        if len(members) == 1:
            order.append(ranked[members[0]])
            continue
        if len(members) > LARGEST:
            raise BadData(
                f"{len(members)} items beat one another in cycles, and the exact method takes at most "
                f'{LARGEST}; method="one-pass" takes any number.'
            )
        number = {item: at for at, item in enumerate(members)}
        weight = np.zeros((len(members), len(members)), dtype=np.int32)
        for (winner, loser), count in net.items():
            if winner in number and loser in number:
                weight[number[winner], number[loser]] = count
        order += [ranked[members[at]] for at in _order(weight)]
    return order


def _components(items: int, arcs: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Strongly connected components, each after all that beat it; lowest numbers first otherwise."""
    tails, heads = np.array(arcs, dtype=np.intp).reshape(-1, 2).T
    graph = coo_array((np.ones(len(arcs)), (tails, heads)), shape=(items, items)).tocsr()
    count, labels = connected_components(graph, connection="strong")
    component: list[int] = labels.tolist()
    members: list[list[int]] = [[] for _ in range(count)]
    for item, of in enumerate(component):
        members[of].append(item)
    below: list[set[int]] = [set() for _ in range(count)]
    for tail, head in arcs:
        if component[tail] != component[head]:
            below[component[tail]].add(component[head])
    waits = Counter(head for heads in below for head in heads)
    ready = [(members[of][0], of) for of in range(count) if not waits[of]]
    heapq.heapify(ready)
    while ready:
        _, of = heapq.heappop(ready)
        yield members[of]
        for head in below[of]:
            waits[head] -= 1
            if not waits[head]:
                heapq.heappush(ready, (members[head][0], head))


@dataclass(frozen=True)
class _Half:
    """The subsets of half of the items, smallest first.

    `before[v, s]` counts the wins of item v, of either half, over subset s. For each size, `moves` holds for
    each item which subsets of that size have it (counted within the size) and where they stand without it.
    """

    place: Codes
    before: Counts
    sizes: list[slice]
    moves: list[list[tuple[int, Codes, Codes]]]


def _half(weight: Counts, members: range) -> _Half:
    size = np.bitwise_count(np.arange(1 << len(members)))
    subsets = np.argsort(size, kind="stable")
    place = np.argsort(subsets)
    has = (subsets[:, None] >> np.arange(len(members)) & 1).astype(np.int32)
    ends = np.searchsorted(size[subsets], np.arange(len(members) + 2)).tolist()
    sizes = [slice(start, end) for start, end in pairwise(ends)]
    moves: list[list[tuple[int, Codes, Codes]]] = []
    for layer in sizes:
        those = subsets[layer]
        with_it = [(bit, np.flatnonzero(has[layer, bit])) for bit in range(len(members))]
        moves.append([(members[bit], at, place[those[at] ^ 1 << bit]) for bit, at in with_it if at.size])
    return _Half(place, weight[:, members] @ has.T, sizes, moves)


def _order(weight: Counts) -> list[int]:
    """The order that costs least, where `weight[i, j]` is the cost of placing i after j.

    `cost[s, t]` is the least for placing the items of subsets s and t of the two halves before all others.
    With the subsets sorted by size, those of one size in either half are a block that needs only blocks above
    and to the left of it, and each step is a sum of whole rows: of `cost`, or of the same turned on its side.
    """
    items = len(weight)
    top, side = _half(weight, range(items // 2)), _half(weight, range(items // 2, items))
    cost = np.full((top.before.shape[1], side.before.shape[1]), np.iinfo(np.int32).max, dtype=np.int32)
    cost[0, 0] = 0
    turned = cost.T.copy()
    for rows, up in zip(top.sizes, top.moves, strict=True):
        for columns, moves in zip(side.sizes, side.moves, strict=True):
            block = cost[rows, columns]
            for item, at, without in up:
                last = (
                    cost[without, columns] + top.before[item, without][:, None] + side.before[item, columns]
                )
                block[at] = np.minimum(block[at], last)
            flank = turned[columns, rows]
            np.copyto(flank, block.T)
            for item, at, without in moves:
                last = turned[without, rows] + side.before[item, without][:, None] + top.before[item, rows]
                flank[at] = np.minimum(flank[at], last)
            np.copyto(block, flank.T)
    return _traced(cost, top, side)


def _traced(cost: Counts, top: _Half, side: _Half) -> list[int]:
    """The order behind the least cost, read from the last place; of equals the highest is last."""
    items, cut = len(top.before), len(top.before) // 2

    def at(subset: int) -> tuple[int, int]:
        return int(top.place[subset & (1 << cut) - 1]), int(side.place[subset >> cut])

    order: list[int] = []
    subset = (1 << items) - 1
    while subset:
        for item in reversed(range(items)):
            rest = subset ^ 1 << item
            if rest > subset:
                continue
            row, column = at(rest)
            if cost[row, column] + top.before[item, row] + side.before[item, column] == cost[at(subset)]:
                order.append(item)
                subset = rest
                break
    return order[::-1]
