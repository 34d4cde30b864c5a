"""How sure a verdict is, as the judge itself says: 1 (a coin flip) to 5 (beyond doubt)."""

import math
from typing import Literal

Certainty = Literal[1, 2, 3, 4, 5]
CERTAINTIES: tuple[Certainty, ...] = (1, 2, 3, 4, 5)
CERTAINTY_WORDS = ("a coin flip", "a slight lean", "likelier than not", "clear", "beyond doubt")
# A certainty below this, as the mean of votes may be, is shown and counted as a coin flip.
COIN_FLIP_BELOW = 2


def nearest(certainty: float) -> int:
    """The level that a mean of votes belongs to; a half goes up."""
    return math.floor(certainty + 0.5)


def is_coin_flip(certainty: float | None) -> bool:
    return certainty is not None and certainty < COIN_FLIP_BELOW


def lean(certainty: float | None) -> float:
    """How far a vote goes beyond a draw: 0 for a coin flip, 0.5 beyond doubt and where nobody says.

    (certainty - 1) / 8.
    """
    return 0.5 if certainty is None else (certainty - 1) / 8
