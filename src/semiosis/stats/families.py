"""Many tests at once: what each one's p is worth among the others.

holm([0.001, 0.02, 0.4])                                (0.003, 0.04, 0.4)
holm([0.004, 0.02], levels=[(), (0.02, 0.2, 1.0)])      (0.004, 0.02): the second has no p so small
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.errors import BadData

if TYPE_CHECKING:
    Levels = Sequence[float]

# A p and the level that it is may differ in their last bits.
_BLUR = 1 + 1e-9


def holm(ps: Sequence[float], *, levels: "Sequence[Levels] | None" = None) -> tuple[float, ...]:
    """The adjusted p of each, by Holm's step-down (1979).

    Where every p is sound and nothing is there to be found, one of them is below 0.05 in at most 5% of cases,
    however the tests depend on each other. A test of few choices can have few ps: Holm's rule, which takes it
    that each could have any, then stays far below those 5%. With its `levels` a test counts only with what it
    can reach (Westfall and Wolfinger 1997), and the bound holds as before.

    ps          one of each test, in any order
    levels      of each test the ps that it can have, ascending; none where it can have any
    """
    odd = next((p for p in ps if not 0 <= p <= 1), None)
    if odd is not None:
        raise BadData(f"A p lies between 0 and 1, and {odd} does not.")
    if levels is not None and len(levels) != len(ps):
        raise BadData(f"There are {len(ps)} tests, and levels of {len(levels)}.")
    adjusted, largest = [0.0] * len(ps), 0.0
    order = sorted(range(len(ps)), key=lambda at: ps[at])
    for rank, at in enumerate(order):
        chance = sum(_reached(ps[at], levels[other] if levels else ()) for other in order[rank:])
        largest = max(largest, min(1.0, chance))
        adjusted[at] = largest
    return tuple(adjusted)


def _reached(p: float, levels: "Levels") -> float:
    """How often a test is at `p` or below, where nothing is there: at the largest of its levels that is."""
    if not levels:
        return p
    below = bisect_right(levels, p * _BLUR)
    return levels[below - 1] if below else 0.0
