"""Comparisons as codes: which two items, and which of them won.

found = comparisons(["cat", "dog"], ["dog", "cow"], ["left", "tie"])
found.items, found.left, found.right, found.winner      # winner: -1 left, 0 tie, 1 right
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadData
from .arrays import Codes, coded, same_length

Label = Hashable
Labels = Sequence[Label] | NDArray[Any]
Winner = Literal["left", "right", "tie", -1, 0, 1]
Winners = Sequence[Winner] | Sequence[str] | Sequence[int] | NDArray[Any]

_SIGN = {"left": -1, "tie": 0, "right": 1, -1: -1, 0: 0, 1: 1}


@dataclass(frozen=True)
class Comparisons:
    """Row by row; `left` and `right` number the items."""

    items: list[Label]
    left: Codes
    right: Codes
    winner: NDArray[np.int8]

    @property
    def left_score(self) -> NDArray[np.float64]:
        """1 where the left won, 0.5 for a draw, 0 where the right won."""
        return (1 - self.winner) / 2


def comparisons(left: Labels, right: Labels, winner: Winners) -> Comparisons:
    rows = same_length(left=left, right=right, winner=winner)
    if not rows:
        raise BadData("There are no comparisons.")
    both = [*_plain(left), *_plain(right)]
    if any(label is None or (isinstance(label, float) and math.isnan(label)) for label in set(both)):
        raise BadData("An item of a comparison is missing.")
    items, codes = coded(both)
    signs = winners(winner)
    same = np.flatnonzero(codes[:rows] == codes[rows:])
    if same.size:
        raise BadData(f"Comparison {same[0] + 1} is of {items[codes[same[0]]]!r} with itself.")
    return Comparisons(items, codes[:rows], codes[rows:], signs)


def winners(winner: Winners) -> NDArray[np.int8]:
    """-1 for left, 0 for a tie, 1 for right."""
    plain = _plain(winner)
    try:
        return np.fromiter(map(_SIGN.__getitem__, plain), np.int8, len(plain))
    except (KeyError, TypeError):
        at, odd = next((at, each) for at, each in enumerate(plain, 1) if each not in _SIGN)
        raise BadData(
            f"The winner of comparison {at} is {odd!r}; it is 'left', 'right' or 'tie', or -1, 1 or 0."
        ) from None


def _plain(values: Sequence[Any] | NDArray[Any]) -> Sequence[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else values
