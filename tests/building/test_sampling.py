"""Tasks for a study: none twice, sides by chance, the same for the same seed."""

from collections import Counter

import pytest

from semiosis.building.sampling import everywhere, forced_choices, globally, per_instance
from semiosis.building.votes import ForcedChoice, Group
from semiosis.core.errors import BadSetting

METHODS = ["AdaIN", "ArtFlow", "ControlNet", "DDIM", "DiffArtist", "StyleID"]

GROUPS = [(str(one), str(other)) for one in range(30) for other in range(3)]

RIVALS = everywhere(GROUPS, METHODS)


def what(row: ForcedChoice) -> tuple[Group, frozenset[str]]:
    return row.group, frozenset((row.a, row.b))


def test_no_global_task_comes_twice_and_all_can_be_drawn() -> None:
    every = globally(RIVALS, 90 * 15, seed=1)
    assert len({what(row) for row in every}) == 90 * 15
    assert len({what(row) for row in globally(RIVALS, 500)}) == 500


def test_global_tasks_are_uniform_over_pairs_and_sides() -> None:
    rows = globally(RIVALS, 600, seed=4)
    pairs = Counter(frozenset((row.a, row.b)) for row in rows)
    assert len(pairs) == 15
    assert all(20 < count < 65 for count in pairs.values())
    as_a = Counter(row.a for row in rows)
    counts = Counter(method for row in rows for method in (row.a, row.b))
    assert all(0.38 < as_a[method] / counts[method] < 0.62 for method in METHODS)


def test_each_instance_is_connected_and_its_methods_meet_equally_often() -> None:
    rows = per_instance(RIVALS, 9, seed=2)
    assert len(rows) == 90 * 9
    spreads: list[int] = []
    for group in GROUPS:
        pairs = [(row.a, row.b) for row in rows if row.group == group]
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
    as_a = Counter(row.a for row in rows)
    assert all(0.38 < as_a[method] / (90 * 3) < 0.62 for method in METHODS)


def test_instances_differ_and_seeds_decide() -> None:
    rows = per_instance(RIVALS, 9, seed=2)
    plans = {frozenset(what(row)[1] for row in rows if row.group == group) for group in GROUPS}
    assert len(plans) > 60
    assert per_instance(RIVALS, 9, seed=2) == rows
    assert per_instance(RIVALS, 9, seed=3) != rows
    assert globally(RIVALS, 50, seed=1) == globally(everywhere(GROUPS, METHODS[::-1]), 50, seed=1)
    assert globally(RIVALS, 50, seed=1) != globally(RIVALS, 50, seed=2)


def test_ten_methods_take_twenty_pairs_as_in_the_published_tasks() -> None:
    assert len(per_instance(everywhere(GROUPS[:1], [f"m{n}" for n in range(10)]))) == 20


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(BadSetting, match=r"1,351 tasks cannot be drawn: there are 1,350 to draw from"):
        globally(RIVALS, 1351)
    with pytest.raises(BadSetting, match=r"1 methods leave nothing to compare"):
        everywhere(GROUPS, ["AdaIN", "AdaIN"])


UNEVEN = {
    (str(one), str(other)): tuple("ABCDEFGHIJ")[: 10 if one < 30 else 1]
    for one in range(1, 31)
    for other in (1, 2, 3)
}


def test_instances_are_whole_within_the_most_tasks_and_a_method_alone_meets_nobody() -> None:
    every, overall = forced_choices(UNEVEN, 10_000, prompts={("7", "1"): "oil"}, seed=3)
    assert len(every) == 29 * 3 * 20
    assert len({task.group for task in every}) == 29 * 3
    assert len(overall) == 29 * 3 * 45
    assert {task.group for task in every if task.prompt == "oil"} == {("7", "1")}
    some, overall = forced_choices(UNEVEN, 50, seed=3)
    assert [len(some), len(overall)] == [40, 50]
    assert some == tuple(task for task in forced_choices(UNEVEN, 59, seed=3)[0])
    assert len(forced_choices(UNEVEN, 60, seed=3)[0]) == 60
    assert forced_choices(UNEVEN, 50, seed=4)[0] != some
    assert forced_choices({("1", "1"): ("A",)}, 50, seed=3) == ((), ())
