"""A study with a known truth: people who see m0 as the best, m1 next."""

import math
import random

from semiosis.building.sampling import everywhere, globally, per_instance
from semiosis.building.votes import ForcedChoice

METHODS = [f"m{number}" for number in range(8)]
GROUPS = [(str(one), str(other)) for one in range(1, 21) for other in (1, 2)]


def voted(tasks: tuple[ForcedChoice, ...], *, scale: float, side: float, seed: int) -> list[ForcedChoice]:
    """With a lean to a by `side`."""
    toss = random.Random(seed)
    rows: list[ForcedChoice] = []
    for task in tasks:
        ahead = scale * (METHODS.index(task.b) - METHODS.index(task.a)) + side
        won = toss.random() < 1 / (1 + math.exp(-ahead))
        rows.append(task.model_copy(update={"annotated": True, "winner": "a" if won else "b"}))
    return rows


def a_study(*, scale: float = 0.5, side: float = 0.0, seed: int = 1) -> list[ForcedChoice]:
    return voted(globally(everywhere(GROUPS, METHODS), 900, seed=seed), scale=scale, side=side, seed=seed)


def some_instances() -> list[ForcedChoice]:
    """20 comparisons of each of 40 groups."""
    return voted(per_instance(everywhere(GROUPS, METHODS), 20, seed=3), scale=1.5, side=0.0, seed=3)
