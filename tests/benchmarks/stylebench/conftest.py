"""FineArtBench as published, and a study with a known truth."""

import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from semiosis.benchmarks.stylebench.annotations import Comparison
from semiosis.benchmarks.stylebench.sampling import everywhere, globally, per_instance

METHODS = [f"m{number}" for number in range(8)]
GROUPS = [(str(content), str(style)) for content in range(1, 21) for style in (1, 2)]


@pytest.fixture
def fineartbench(shared_data: Path) -> Path:
    return shared_data / "fineartbench"


def voted(tasks: tuple[Comparison, ...], *, scale: float, side: float, seed: int) -> list[Comparison]:
    """People who see m0 as the best, m1 next, and lean to the left by `side`."""
    toss = random.Random(seed)
    rows: list[Comparison] = []
    for task in tasks:
        ahead = scale * (METHODS.index(task.right) - METHODS.index(task.left)) + side
        won = toss.random() < 1 / (1 + math.exp(-ahead))
        rows.append(task.model_copy(update={"annotated": True, "winner": "left" if won else "right"}))
    return rows


@pytest.fixture
def study() -> Callable[..., list[Comparison]]:
    def make(*, scale: float = 0.5, side: float = 0.0, seed: int = 1) -> list[Comparison]:
        return voted(globally(everywhere(GROUPS, METHODS), 900, seed=seed), scale=scale, side=side, seed=seed)

    return make


@pytest.fixture
def instances() -> list[Comparison]:
    """20 comparisons of each of 40 contents and styles."""
    return voted(per_instance(everywhere(GROUPS, METHODS), 20, seed=3), scale=1.5, side=0.0, seed=3)
