"""Tasks for a study: none twice, sides by chance, the same for the same seed."""

from collections import Counter
from pathlib import Path

import pytest

from semiosis.benchmarks.stylebench import catalogue
from semiosis.benchmarks.stylebench.annotations import Comparison, load
from semiosis.benchmarks.stylebench.sampling import everywhere, globally, per_instance, write
from semiosis.core.errors import BadSetting

METHODS = ["AdaIN", "ArtFlow", "ControlNet", "DDIM", "DiffArtist", "StyleID"]
GROUPS = [(str(content), str(style)) for content in range(30) for style in range(3)]
PAINTED = everywhere(GROUPS, METHODS)


def what(row: Comparison) -> tuple[str, str, frozenset[str]]:
    return (*row.group, frozenset((row.left, row.right)))


def test_no_global_task_comes_twice_and_all_can_be_drawn() -> None:
    every = globally(PAINTED, 90 * 15, seed=1)
    assert len({what(row) for row in every}) == 90 * 15
    assert len({what(row) for row in globally(PAINTED, 500)}) == 500


def test_global_tasks_are_uniform_over_pairs_and_sides() -> None:
    rows = globally(PAINTED, 600, seed=4)
    pairs = Counter(frozenset((row.left, row.right)) for row in rows)
    assert len(pairs) == 15
    assert all(20 < count < 65 for count in pairs.values())
    lefts = Counter(row.left for row in rows)
    met = Counter(method for row in rows for method in (row.left, row.right))
    assert all(0.38 < lefts[method] / met[method] < 0.62 for method in METHODS)


def test_each_instance_is_connected_and_its_methods_meet_equally_often() -> None:
    rows = per_instance(PAINTED, 9, seed=2)
    assert len(rows) == 90 * 9
    spreads: list[int] = []
    for group in GROUPS:
        pairs = [(row.left, row.right) for row in rows if row.group == group]
        degrees = Counter(method for pair in pairs for method in pair)
        assert len({frozenset(pair) for pair in pairs}) == 9
        assert set(degrees) == set(METHODS)
        spreads.append(max(degrees.values()) - min(degrees.values()))
        reached = {METHODS[0]}
        for _ in METHODS:
            reached |= {m for pair in pairs if reached & set(pair) for m in pair}
        assert reached == set(METHODS)
    # The random tree may be a star, which no later pair mends.
    assert sum(spreads) / len(spreads) < 1.3
    lefts = Counter(row.left for row in rows)
    assert all(0.38 < lefts[method] / (90 * 3) < 0.62 for method in METHODS)


def test_instances_differ_and_seeds_decide() -> None:
    rows = per_instance(PAINTED, 9, seed=2)
    plans = {frozenset(what(row)[2] for row in rows if row.group == group) for group in GROUPS}
    assert len(plans) > 60
    assert per_instance(PAINTED, 9, seed=2) == rows
    assert per_instance(PAINTED, 9, seed=3) != rows
    assert globally(PAINTED, 50, seed=1) == globally(everywhere(GROUPS, METHODS[::-1]), 50, seed=1)
    assert globally(PAINTED, 50, seed=1) != globally(PAINTED, 50, seed=2)


def test_ten_methods_take_twenty_pairs_as_in_the_published_tasks() -> None:
    assert len(per_instance(everywhere(GROUPS[:1], [f"m{n}" for n in range(10)]))) == 20


def test_tasks_are_written_in_the_authors_format(fineartbench: Path, tmp_path: Path) -> None:
    listed = catalogue.load(fineartbench)
    prompts = {id: style.prompt for id, style in listed.styles.items()}
    tasks = globally(everywhere(listed.groups, METHODS), 20, prompts=prompts, seed=9)
    write(tasks, tmp_path / "tasks.json")
    assert load(tmp_path / "tasks.json") == tasks
    row = tasks[0].as_row()
    assert list(row) == [
        "id",
        "content_index",
        "style_index",
        "style_prompt",
        "method_left",
        "method_right",
        "winner",
    ]
    assert (row["id"], row["winner"]) == (1, "")
    assert row["style_prompt"] == prompts[tasks[0].style]
    assert isinstance(row["content_index"], int)


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(BadSetting, match=r"1,351 tasks cannot be drawn: there are 1,350 to draw from"):
        globally(PAINTED, 1351)
    with pytest.raises(BadSetting, match=r"1 methods leave nothing to compare"):
        everywhere(GROUPS, ["AdaIN", "AdaIN"])
