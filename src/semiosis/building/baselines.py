"""Judges that look at no work: what a score has to be held against."""

import random
from collections.abc import Iterable

from ..sources.votes import Verdict
from .votes import ForcedChoice


def always_left(rows: Iterable[ForcedChoice]) -> dict[str, Verdict]:
    return {row.id: "left" for row in rows}


def always_right(rows: Iterable[ForcedChoice]) -> dict[str, Verdict]:
    return {row.id: "right" for row in rows}


def random_guess(rows: Iterable[ForcedChoice], *, seed: int = 0) -> dict[str, Verdict]:
    toss = random.Random(seed)
    return {row.id: toss.choice(("left", "right")) for row in rows}
