"""Whether a Bradley-Terry model has one finite fit, and if not, because of which items.

Without a side effect it has one exactly when every item can be reached from every other along "won or drew
against" (Ford 1957). With one, that is needed but not enough: the side must not follow from the items, and no
direction may order all outcomes, the side counted in (Albert and Anderson 1984).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

from .arrays import Codes, Numbers
from .cells import Cells
from .comparisons import Label

_SHOWN = 5
PRIOR = "give a prior, for example prior=0.1"


@dataclass(frozen=True)
class Obstacle:
    """Why there is no fit; `groups` number the items that it is about."""

    kind: Literal["apart", "unbeaten", "winless", "sides", "separated"]
    groups: tuple[Codes, ...]
    favoured: Literal["a", "b", "neither"] = "neither"

    def sentence(self, items: Sequence[Label]) -> str:
        names = [_named([items[at] for at in group]) for group in self.groups[:_SHOWN]]
        if self.kind == "apart":
            return (
                f"The comparisons fall into {len(self.groups)} groups that never met "
                f"({_listed(self, names)}); compare items of different groups, or {PRIOR}."
            )
        if self.kind in {"unbeaten", "winless"}:
            never = "lost to" if self.kind == "unbeaten" else "won against"
            return f"No finite scores fit: {names[0]} never {never} the rest; add comparisons, or {PRIOR}."
        if self.kind == "sides":
            return (
                "The side effect cannot be told apart from the scores, as each of these groups always "
                f"has side a against the next ({_listed(self, names)}); show some pairs the other way round, "
                f"or {PRIOR}."
            )
        what = [f"{names[0]} over {names[1]}"] if len(names) > 1 else []
        what += [f"side {self.favoured}"] if self.favoured != "neither" else []
        return (
            f"No finite scores and side effect fit: favouring {' as well as '.join(what)} ever more fits the "
            f"comparisons ever better; add comparisons, or {PRIOR}."
        )


def obstacle(cells: Cells) -> Obstacle | None:
    """What can be seen before fitting. With a side effect, `separated` may still find one after."""
    forward, backward = np.flatnonzero(cells.won > 0), np.flatnonzero(cells.lost > 0)
    winner = np.concatenate([cells.a[forward], cells.b[backward]])
    loser = np.concatenate([cells.b[forward], cells.a[backward]])
    beat = csr_array((np.ones(winner.size, np.int8), (winner, loser)), shape=(cells.items, cells.items))
    within = _groups(beat, "strong")
    if one_way := within.max() > 0:
        apart = _groups(beat, "weak")
        if apart.max() > 0:
            return Obstacle("apart", tuple(np.flatnonzero(apart == at) for at in range(apart.max() + 1)))
    if cells.side and (why := _fixed_sides(cells, beat)):
        return why
    return _one_way(within, winner, loser) if one_way else None


def separated(cells: Cells) -> Obstacle | None:
    """A direction that orders all outcomes, by the linear programme of Konis (2007).

    It asks for logits that are nowhere against an outcome and somewhere for one.
    """
    from scipy.optimize import linprog

    if not cells.lost.any() or not cells.won.any():
        return Obstacle("separated", (), "a" if cells.won.any() else "b")
    design = cells.design()
    one_sided = np.flatnonzero((cells.won == 0) | (cells.lost == 0))
    mixed = np.flatnonzero((cells.won > 0) & (cells.lost > 0))
    sign = np.where(cells.won > 0, 1.0, -1.0)[one_sided]
    towards: Any = cast(Any, design)[one_sided].multiply(sign[:, None]).tocsr()
    answer: Any = linprog(
        -(towards.T @ np.ones(sign.size)),
        A_ub=-towards,
        b_ub=np.zeros(sign.size),
        A_eq=cast(Any, design[mixed]),
        b_eq=np.zeros(mixed.size),
        bounds=(-1, 1),
        method="highs",
    )
    if answer.x is None or -answer.fun < 1e-6:
        return None
    direction: Numbers = np.asarray(answer.x, np.float64)
    scores, side = direction[: cells.items], float(direction[cells.items :].sum())
    top, bottom = np.flatnonzero(scores > scores.max() - 1e-6), np.flatnonzero(scores < scores.min() + 1e-6)
    groups = (top, bottom) if np.ptp(scores) > 1e-6 else ()
    return Obstacle("separated", groups, "a" if side > 1e-6 else "b" if side < -1e-6 else "neither")


def firm(cells: Cells) -> Codes:
    """Cells that alone leave no room for an obstacle as long as each is won at times and lost at times.

    They join all items and, if there is a side effect, tell it apart. Of all such cells those that are the
    least likely to be won only or lost only in a resample; empty where there are none.
    """
    strength = np.minimum(cells.won, cells.lost)
    some = np.flatnonzero(strength > 0)
    ends, pair = (cells.a[some], cells.b[some]), cells.a * cells.items + cells.b
    graph = csr_array((-strength[some], ends), shape=(cells.items, cells.items))
    tree: Any = minimum_spanning_tree(graph)
    a, b = (np.asarray(end, np.intp) for end in tree.nonzero())
    joining = np.searchsorted(pair, a * cells.items + b)
    if joining.size == cells.items - 1 and cells.side:
        height = _heights(tree, pair[joining])
        telling = some[height[cells.a[some]] - height[cells.b[some]] != 1]
        joining = np.append(joining, telling[strength[telling].argmax()]) if telling.size else joining
    return joining if joining.size == cells.parameters - 1 else np.zeros(0, np.intp)


def _groups(beat: csr_array[np.int8], connection: Literal["weak", "strong"]) -> NDArray[np.int32]:
    return connected_components(beat, connection=connection)[1]


def _one_way(group: NDArray[np.int32], winner: Codes, loser: Codes) -> Obstacle:
    """The smallest group that never lost to the others, or never won against them."""
    across = group[winner] != group[loser]
    sizes = np.bincount(group)
    unbeaten = np.setdiff1d(group, group[loser[across]])
    winless = np.setdiff1d(group, group[winner[across]])
    first, last = unbeaten[sizes[unbeaten].argmin()], winless[sizes[winless].argmin()]
    if sizes[last] < sizes[first]:
        return Obstacle("winless", (np.flatnonzero(group == last),))
    return Obstacle("unbeaten", (np.flatnonzero(group == first),))


def _fixed_sides(cells: Cells, beat: csr_array[np.int8]) -> Obstacle | None:
    """Whether `a` always stands one above `b`: then a side effect and a slope along the heights
    are the same thing. One pair seen both ways round rules it out."""
    pair = cells.a * cells.items + cells.b
    if np.isin(pair, cells.b * cells.items + cells.a).any():
        return None
    height = _heights(beat, pair)
    if (height[cells.a] - height[cells.b] != 1).any():
        return None
    return Obstacle("sides", tuple(np.flatnonzero(height == each) for each in np.unique(height)[::-1]))


def _heights(graph: Any, pair: Codes) -> Codes:
    """Along a tree of this connected graph, the `a` of each pair (as a * items + b) is one above."""
    order, before = breadth_first_order(graph, 0, directed=False)
    child, parent = order[1:].astype(np.intp), before[order[1:]].astype(np.intp)
    height = np.zeros(order.size, np.intp)
    above = np.where(np.isin(child * order.size + parent, pair), 1, -1)
    for at, under, by in zip(child, parent, above, strict=True):
        height[at] = height[under] + by
    return height


def _named(labels: Sequence[Label]) -> str:
    names = [repr(label) for label in labels[:_SHOWN]]
    more = len(labels) - len(names)
    if more:
        return f"{', '.join(names)} and {more} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _listed(why: Obstacle, names: list[str]) -> str:
    more = len(why.groups) - len(names)
    return "; ".join([*names, *([f"and {more} more"] if more else [])])
