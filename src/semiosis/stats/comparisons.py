"""Comparisons as codes: which two items, and which of them won.

contests = comparisons(["cat", "dog"], ["dog", "cow"], ["a", "tie"])
contests.items, contests.a, contests.b, contests.winner      # winner: -1 for a, 0 for a tie, 1 for b
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import BadData
from .arrays import Codes, Numbers, is_missing, numbers, ordered, same_length, unpacked

Label = Hashable
Labels = Sequence[Label] | NDArray[Any]
Winners = Sequence[Literal["a", "b", "tie", -1, 0, 1]] | Sequence[str] | Sequence[int] | NDArray[Any]

# One more than the sign, so that a million of them are made as bytes.
_SIGN = {"a": 0, "tie": 1, "b": 2, -1: 0, 0: 1, 1: 2}


@dataclass(frozen=True)
class Comparisons:
    """Row by row; `a` and `b` number the items."""

    items: list[Label]
    a: Codes
    b: Codes
    winner: NDArray[np.int8]

    @property
    def score_a(self) -> NDArray[np.float64]:
        """1 where `a` won, 0.5 for a draw, 0 where `b` won."""
        return (1 - self.winner) / 2


def comparisons(a: Labels, b: Labels, winner: Winners) -> Comparisons:
    rows = same_length(a=a, b=b, winner=winner)
    if not rows:
        raise BadData("There are no comparisons.")
    # Each label is looked at once, and numbered as it comes up: a million lookups are most of a fit's time.
    number: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        one, other = (np.fromiter(map(number.__getitem__, unpacked(side)), np.intp, rows) for side in (a, b))
    except TypeError as error:
        raise BadData(f"An item of a comparison is no text and no number: {error}.") from None
    if any(is_missing(label) for label in number):
        raise BadData("An item of a comparison is missing.")
    items = ordered(set(number))
    place = np.empty(len(items), np.intp)
    place[[number[label] for label in items]] = np.arange(len(items))
    signs = winners(winner)
    same = np.flatnonzero(one == other)
    if same.size:
        raise BadData(f"Comparison {same[0] + 1} is of {items[place[one[same[0]]]]!r} with itself.")
    return Comparisons(items, place[one], place[other], signs)


def weighed(weights: ArrayLike | None, contests: Comparisons) -> Numbers | None:
    """How much each comparison counts, checked; None where all count alike."""
    if weights is None:
        return None
    heavy = numbers(weights, "weights", least=0)
    same_length(a=contests.a, weights=heavy)
    wrong = np.flatnonzero(heavy <= 0)
    if wrong.size:
        raise BadData(f"weights at position {wrong[0] + 1} is {heavy[wrong[0]]:g}; a weight is above zero.")
    return heavy


def winners(winner: Winners) -> NDArray[np.int8]:
    """-1 for a, 0 for a tie, 1 for b."""
    plain = unpacked(winner)
    try:
        # True is 1 and False is 0 to Python, and neither says which side won.
        if not isinstance(next(iter(plain), ""), str) and bool in set(map(type, plain)):
            raise TypeError
        return np.frombuffer(bytes(map(_SIGN.__getitem__, plain)), np.int8) - np.int8(1)
    except (KeyError, TypeError):
        at, odd = next((at, each) for at, each in enumerate(plain, 1) if not _is_winner(each))
        raise BadData(
            f"The winner of comparison {at} is {odd!r}; it is 'a', 'b' or 'tie', "
            "or -1 for a, 1 for b and 0 for a tie."
        ) from None


def _is_winner(each: Any) -> bool:
    try:
        return not isinstance(each, bool) and each in _SIGN
    except TypeError:
        return False
