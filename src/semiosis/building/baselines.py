"""Judges that look at no work: what a score has to be held against."""

import random
from collections.abc import Iterable

from ..core.sign import Side
from .votes import ForcedChoice


def always_a(rows: Iterable[ForcedChoice]) -> dict[str, Side]:
    return {row.id: "a" for row in rows}


def always_b(rows: Iterable[ForcedChoice]) -> dict[str, Side]:
    return {row.id: "b" for row in rows}


def random_guess(rows: Iterable[ForcedChoice], *, seed: int = 0) -> dict[str, Side]:
    toss = random.Random(seed)
    return {row.id: toss.choice(("a", "b")) for row in rows}
