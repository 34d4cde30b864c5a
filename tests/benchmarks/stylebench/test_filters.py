"""Three rules, each counted; the paper's numbers come out, and which rule they are."""

import json
from pathlib import Path

import pytest

from semiosis.benchmarks.stylebench.annotations import first_annotated, load
from semiosis.building.filters import (
    CyclicGroups,
    Undecided,
    filtered,
)

CASES = [
    ("instance_annotation_paper", 1000),
    ("instance_annotation_paper", None),
    ("instance_annotation", 1000),
    ("instance_annotation", None),
]


@pytest.mark.parametrize(("name", "before"), CASES)
def test_what_was_computed_independently_comes_out(fineartbench: Path, name: str, before: int | None) -> None:
    wanted = json.loads((fineartbench / "reference_filtering.json").read_text())[f"{name}|before={before}"]
    rows = first_annotated(load(fineartbench / f"{name}.json.gz"), before)
    result = filtered(rows)
    undecided, small, arcs = result.steps
    assert [undecided.rule, small.rule, arcs.rule] == ["undecided", "small groups", "feedback arcs"]
    assert (undecided.of, undecided.of_groups) == (wanted["rows"], wanted["groups"])
    assert undecided.removed == wanted["skipped"]
    assert round(undecided.share, 4) == wanted["skipped_frac"]
    assert (small.groups_removed, small.removed) == (
        wanted["groups_lt15"],
        wanted["decided_rows_removed_lt15"],
    )
    assert (arcs.groups_removed, arcs.removed) == (
        wanted["groups_fas_greedy_gt_0_15"],
        wanted["decided_rows_removed_fas"],
    )
    assert round((small.removed + arcs.removed) / small.of, 4) == wanted["removed_of_decided"]
    assert len(result.kept) == wanted["rows_kept"]
    groups = dict.fromkeys(tuple(map(int, row.group)) for row in result.kept)
    assert [list(group) for group in groups] == wanted["kept_keys"]


def test_the_papers_two_percentages_are_three_rules(fineartbench: Path) -> None:
    rows = first_annotated(load(fineartbench, "instance", edition="paper"), 1000)
    undecided, small, arcs = filtered(rows).steps
    assert f"{undecided.share:.1%}" == "24.8%"
    assert (small.removed, arcs.removed, small.of) == (84, 56, 752)
    assert f"{(small.removed + arcs.removed) / small.of:.1%}" == "18.6%"


@pytest.mark.parametrize(("name", "before"), CASES)
def test_counted_exactly_no_group_is_cyclic(fineartbench: Path, name: str, before: int | None) -> None:
    rows = first_annotated(load(fineartbench / f"{name}.json.gz"), before)
    steps = filtered(rows, [Undecided(), CyclicGroups(method="exact")]).steps
    assert steps[-1].removed == 0
