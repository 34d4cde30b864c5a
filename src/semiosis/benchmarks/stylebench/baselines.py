"""Judges that look at no picture: what a score has to be held against."""

import random
from collections.abc import Iterable

from .annotations import Comparison
from .predictions import Verdict


def always_left(rows: Iterable[Comparison]) -> dict[str, Verdict]:
    return {row.id: "left" for row in rows}


def always_right(rows: Iterable[Comparison]) -> dict[str, Verdict]:
    return {row.id: "right" for row in rows}


def random_guess(rows: Iterable[Comparison], *, seed: int = 0) -> dict[str, Verdict]:
    toss = random.Random(seed)
    return {row.id: toss.choice(("left", "right")) for row in rows}
