"""Which two results people are asked to compare (Jiang & Chen 2025, IV).

    painted = everywhere(catalogue.groups, ["AdaIN", "StyTr2", "DDIM"])
    globally(painted, 5000, seed=1)              few comparisons of many contents and styles
    per_instance(painted, seed=1)                enough of each to rank its results

The published tasks keep the methods in one order, so that DiffArtist is always on the left and DDIM never is;
whoever liked the left better would have liked DiffArtist better. Here a coin decides the side of each task.
They also repeat some tasks (4,911 of the 5,000 global ones differ), though the paper samples without
replacement.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from ...core.errors import BadSetting
from ...stats.tournament import degree_uniform_pairs
from . import catalogue, layout
from .annotations import Comparison, Group
from .layout import Kind

Painted = Mapping[Group, Sequence[str]]
"""The methods whose picture there is, by content and style."""

Pairs = Iterable[tuple[Group, str, str]]


def everywhere(groups: Iterable[Group], methods: Iterable[str]) -> dict[Group, tuple[str, ...]]:
    """Every method painted every content and style."""
    names = tuple(sorted(set(methods)))
    if len(names) < 2:
        raise BadSetting(f"{len(names)} methods leave nothing to compare; name at least two.")
    return dict.fromkeys(groups, names)


def globally(
    painted: Painted, tasks: int, *, prompts: Mapping[str, str] | None = None, seed: int = 0
) -> tuple[Comparison, ...]:
    """Tasks drawn uniformly, none twice, from every two pictures of a content and style.

    `prompts` has the words of each style, which the annotators are shown.
    """
    every = [(group, *pair) for group, methods in painted.items() for pair in combinations(methods, 2)]
    if not 1 <= tasks <= len(every):
        raise BadSetting(f"{tasks:,} tasks cannot be drawn: there are {len(every):,} to draw from.")
    random = np.random.default_rng(seed)
    drawn: list[int] = random.choice(len(every), size=tasks, replace=False).tolist()
    turned: list[bool] = (random.random(tasks) < 0.5).tolist()
    chosen = (every[at] for at in drawn)
    return _tasks(
        (
            (group, b, a) if turn else (group, a, b)
            for (group, a, b), turn in zip(chosen, turned, strict=True)
        ),
        prompts,
    )


def per_instance(
    painted: Painted, pairs: int | None = None, *, prompts: Mapping[str, str] | None = None, seed: int = 0
) -> tuple[Comparison, ...]:
    """For each content and style a connected set of pairs in which the methods meet about equally often.

    That is the paper's Algorithm 1, with k log k pairs for k methods unless `pairs` says otherwise: 20 of 10
    methods, as in the published tasks. A content and style has its own pairs, whatever others there are; one
    with a single picture has none.
    """
    return _tasks(
        (
            (group, methods[left], methods[right])
            for group, methods in painted.items()
            if len(methods) > 1
            for left, right in degree_uniform_pairs(len(methods), pairs, seed=_seed(seed, group))
        ),
        prompts,
    )


def draw(
    folder: Path,
    kind: Kind,
    tasks: int,
    *,
    pairs: int | None = None,
    methods: Sequence[str] | None = None,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """From a folder laid out as FineArtBench is: `tasks` global ones, or those of `tasks` instances.

    The methods are those given, else those that have a folder of pictures.
    """
    known = catalogue.load(folder)
    if not known.groups:
        raise BadSetting(f"{folder} does not say which content was painted in which style.")
    painted = everywhere(known.groups, methods or layout.methods(folder))
    prompts = {id: style.prompt for id, style in known.styles.items()}
    if kind == "global":
        return globally(painted, tasks, prompts=prompts, seed=seed)
    if tasks > len(painted):
        raise BadSetting(f"There are {len(painted):,} contents with a style, not {tasks:,}.")
    some = {group: painted[group] for group in shuffled(painted, seed)[:tasks]}
    return per_instance(some, pairs, prompts=prompts, seed=seed)


def shuffled(groups: Iterable[Group], seed: int) -> list[Group]:
    given = list(groups)
    order: list[int] = np.random.default_rng(seed).permutation(len(given)).tolist()
    return [given[at] for at in order]


def write(tasks: Iterable[Comparison], path: Path) -> None:
    """In the authors' format, for a study or a judge to fill in `winner`."""
    rows = [task.as_row() for task in tasks]
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False), "utf-8")


def _tasks(chosen: Pairs, prompts: Mapping[str, str] | None) -> tuple[Comparison, ...]:
    return tuple(
        Comparison(
            id=str(number),
            content=content,
            style=style,
            prompt=(prompts or {}).get(style, ""),
            left=left,
            right=right,
            annotated=False,
        )
        for number, ((content, style), left, right) in enumerate(chosen, 1)
    )


def _seed(seed: int, group: Group) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} {group}".encode()).digest()[:8])
