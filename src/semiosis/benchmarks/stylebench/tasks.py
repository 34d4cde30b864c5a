"""Forced choices drawn from a folder laid out as FineArtBench is, for a study of one's own."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ...building.sampling import everywhere, globally, per_instance, shuffled
from ...building.votes import ForcedChoice, Group
from ...core.errors import BadSetting
from . import catalogue, layout
from .annotations import as_row
from .layout import Kind


def draw(
    folder: Path,
    kind: Kind,
    tasks: int,
    *,
    pairs: int | None = None,
    methods: Sequence[str] | None = None,
    seed: int = 0,
) -> tuple[ForcedChoice, ...]:
    """`tasks` global ones, or those of `tasks` instances. The methods are those given, else those that have a
    folder of pictures."""
    listed = catalogue.load(folder)
    if not listed.groups:
        raise BadSetting(f"{folder} does not say which content was painted in which style.")
    names = methods or layout.methods(folder)
    if not names:
        raise BadSetting(f"{folder} holds no folder of pictures for any method: name each with --method.")
    rivals = everywhere(listed.groups, names)
    prompts = prompts_by_group(rivals, {id: style.prompt for id, style in listed.styles.items()})
    if kind == "global":
        return globally(rivals, tasks, prompts=prompts, seed=seed)
    if tasks > len(rivals):
        raise BadSetting(f"There are {len(rivals):,} contents with a style, not {tasks:,}.")
    some = {group: rivals[group] for group in shuffled(rivals, seed)[:tasks]}
    return per_instance(some, pairs, prompts=prompts, seed=seed)


def prompts_by_group(groups: Iterable[Group], styles: Mapping[str, str]) -> dict[Group, str]:
    """People are shown the words of the style."""
    return {group: styles.get(group[1], "") for group in groups}


def write(tasks: Iterable[ForcedChoice], path: Path) -> None:
    """In the authors' format, for a study or a judge to fill in `winner`."""
    path.write_text(json.dumps([as_row(task) for task in tasks], indent=1, ensure_ascii=False), "utf-8")
