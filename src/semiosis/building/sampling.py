"""Which two works people are asked to compare (Jiang & Chen 2025, IV).

    rivals = everywhere([("spring",), ("autumn",)], ["gpt", "gemini", "qwen"])
    globally(rivals, 5000, seed=1)              few comparisons of many groups
    per_instance(rivals, seed=1)                enough of each group to rank its works

The paper's published tasks keep the methods in one order, so that one is always on the left and another never
is; whoever liked the left better would have liked the first better. Here a coin decides each task's side.
They also repeat some tasks (4,911 of the 5,000 global ones differ), though the paper samples without
replacement.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from ..core.errors import BadSetting
from ..stats.tournament import degree_uniform_pairs
from .votes import ForcedChoice, Group

Rivals = Mapping[Group, Sequence[str]]
"""The methods whose work there is, by group."""

Prompts = Mapping[Group, str]
"""The words of each group, which people are shown."""


def everywhere(groups: Iterable[Group], methods: Iterable[str]) -> dict[Group, tuple[str, ...]]:
    """Every method has a work in every group."""
    names = tuple(sorted(set(methods)))
    if len(names) < 2:
        raise BadSetting(f"{len(names)} methods leave nothing to compare; name at least two.")
    return dict.fromkeys(groups, names)


def globally(
    rivals: Rivals, tasks: int, *, prompts: Prompts | None = None, seed: int = 0
) -> tuple[ForcedChoice, ...]:
    """Tasks drawn uniformly, none twice, from every two works of a group."""
    every = [(group, *pair) for group, methods in rivals.items() for pair in combinations(methods, 2)]
    if not 1 <= tasks <= len(every):
        raise BadSetting(f"{tasks:,} tasks cannot be drawn: there are {len(every):,} to draw from.")
    random = np.random.default_rng(seed)
    places: list[int] = random.choice(len(every), size=tasks, replace=False).tolist()
    turns: list[bool] = (random.random(tasks) < 0.5).tolist()
    pairs = (every[place] for place in places)
    return _tasks(
        ((group, b, a) if turn else (group, a, b) for (group, a, b), turn in zip(pairs, turns, strict=True)),
        prompts,
    )


def per_instance(
    rivals: Rivals, pairs: int | None = None, *, prompts: Prompts | None = None, seed: int = 0
) -> tuple[ForcedChoice, ...]:
    """For each group a connected set of pairs in which the methods meet about equally often.

    That is the paper's Algorithm 1, with k log k pairs for k methods unless `pairs` says otherwise: 20 of 10
    methods, as in the published tasks. A group has its own pairs, whatever others there are; one with a
    single work has none.
    """
    return _tasks(
        (
            (group, methods[a], methods[b])
            for group, methods in rivals.items()
            if len(methods) > 1
            for a, b in degree_uniform_pairs(len(methods), pairs, seed=_seed(seed, group))
        ),
        prompts,
    )


def forced_choices(
    rivals: Rivals, most: int, *, prompts: Prompts | None = None, seed: int = 0
) -> tuple[tuple[ForcedChoice, ...], tuple[ForcedChoice, ...]]:
    """Whole groups in a random order, as many as fit into `most` tasks; and `most` global tasks."""
    order = {group: rivals[group] for group in shuffled(rivals, seed)}
    every = per_instance(order, prompts=prompts, seed=seed)
    fitting = most
    while 0 < fitting < len(every) and every[fitting - 1].group == every[fitting].group:
        fitting -= 1
    pairs = sum(math.comb(len(methods), 2) for methods in rivals.values())
    overall = globally(rivals, min(most, pairs), prompts=prompts, seed=seed) if pairs else ()
    return every[:fitting], overall


def shuffled(groups: Iterable[Group], seed: int) -> list[Group]:
    every = list(groups)
    order: list[int] = np.random.default_rng(seed).permutation(len(every)).tolist()
    return [every[place] for place in order]


def _tasks(pairs: Iterable[tuple[Group, str, str]], prompts: Prompts | None) -> tuple[ForcedChoice, ...]:
    return tuple(
        ForcedChoice(
            id=str(number),
            group=group,
            prompt=(prompts or {}).get(group, ""),
            a=a,
            b=b,
            annotated=False,
        )
        for number, (group, a, b) in enumerate(pairs, 1)
    )


def _seed(seed: int, group: Group) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} {group}".encode()).digest()[:8])
