"""Three rules, each counted; the paper's numbers come out, and which rule they are."""

import json
from pathlib import Path

import pytest

from semiosis.benchmarks.stylebench.annotations import Comparison, Side, first_annotated, load
from semiosis.benchmarks.stylebench.filters import (
    AS_PUBLISHED,
    NOT_ANNOTATED,
    FeedbackArcs,
    SmallGroups,
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
    found = filtered(rows)
    undecided, small, arcs = found.steps
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
    assert len(found.kept) == wanted["rows_kept"]
    kept = dict.fromkeys((int(row.content), int(row.style)) for row in found.kept)
    assert [list(group) for group in kept] == wanted["kept_keys"]


def test_the_papers_two_percentages_are_three_rules(fineartbench: Path) -> None:
    rows = first_annotated(load(fineartbench, "instance", edition="paper"), 1000)
    undecided, small, arcs = filtered(rows).steps
    assert f"{undecided.share:.1%}" == "24.8%"
    assert (small.removed, arcs.removed, small.of) == (84, 56, 752)
    assert f"{(small.removed + arcs.removed) / small.of:.1%}" == "18.6%"


@pytest.mark.parametrize(("name", "before"), CASES)
def test_counted_exactly_no_group_is_cyclic(fineartbench: Path, name: str, before: int | None) -> None:
    rows = first_annotated(load(fineartbench / f"{name}.json.gz"), before)
    steps = filtered(rows, [Undecided(), FeedbackArcs(method="exact")]).steps
    assert steps[-1].removed == 0


def row(number: int, left: str, right: str, winner: Side | None, **more: object) -> Comparison:
    made = Comparison(
        id=str(number), content="1", style="2", prompt="", left=left, right=right, winner=winner
    )
    return made.model_copy(update=more)


def test_a_vote_share_from_4_to_6_in_10_is_undecided() -> None:
    shares = (0.39, 0.4, 0.5, 0.6, 0.61, None)
    rows = [row(at, "a", "b", "left", left_share=share) for at, share in enumerate(shares)]
    found = filtered([*rows, row(9, "a", "b", None)], [Undecided()])
    assert [each.left_share for each in found.kept] == [0.39, 0.61, None]
    assert [(step.removed, step.of) for step in found.steps] == [(4, 7)]


def test_a_cycle_is_dropped_by_either_method_and_an_order_by_none() -> None:
    cycle = [row(1, "a", "b", "left"), row(2, "b", "c", "left"), row(3, "c", "a", "left")]
    order = [row(1, "a", "b", "left"), row(2, "b", "c", "left"), row(3, "c", "a", "right")]
    for method in ("one-pass", "exact"):
        assert filtered(cycle, [FeedbackArcs(method=method)]).kept == ()
        assert filtered(order, [FeedbackArcs(method=method)]).kept == tuple(order)


def test_each_rule_stands_alone_and_rows_nobody_was_asked_about_are_counted() -> None:
    rows = [row(1, "a", "b", "left"), row(2, "a", "c", None), row(3, "a", "d", None, annotated=False)]
    found = filtered(rows, [SmallGroups(2)])
    assert [(step.rule, step.removed, step.of) for step in found.steps] == [
        (NOT_ANNOTATED, 1, 3),
        ("small groups", 2, 2),
    ]
    assert filtered(rows, [SmallGroups(1)]).kept == tuple(rows[:2])
    assert filtered([], AS_PUBLISHED).kept == ()
