"""Three rules, each counted."""

from semiosis.building.filters import (
    AS_PUBLISHED,
    NOT_ANNOTATED,
    CyclicGroups,
    SmallGroups,
    Undecided,
    filtered,
)
from semiosis.building.votes import ForcedChoice
from semiosis.core.sign import Side


def row(number: int, a: str, b: str, winner: Side | None, **more: object) -> ForcedChoice:
    choice = ForcedChoice(id=str(number), group=("1", "2"), prompt="", a=a, b=b, winner=winner)
    return choice.model_copy(update=more)


def test_a_vote_share_from_4_to_6_in_10_is_undecided() -> None:
    shares = (0.39, 0.4, 0.5, 0.6, 0.61, None)
    rows = [row(at, "a", "b", "a", share_a=share) for at, share in enumerate(shares)]
    result = filtered([*rows, row(9, "a", "b", None)], [Undecided()])
    assert [each.share_a for each in result.kept] == [0.39, 0.61, None]
    assert [(step.removed, step.of) for step in result.steps] == [(4, 7)]


def test_a_cycle_is_dropped_by_either_method_and_an_order_by_none() -> None:
    cycle = [row(1, "a", "b", "a"), row(2, "b", "c", "a"), row(3, "c", "a", "a")]
    order = [row(1, "a", "b", "a"), row(2, "b", "c", "a"), row(3, "c", "a", "b")]
    for method in ("one-pass", "exact"):
        assert filtered(cycle, [CyclicGroups(method=method)]).kept == ()
        assert filtered(order, [CyclicGroups(method=method)]).kept == tuple(order)


def test_each_rule_stands_alone_and_rows_nobody_was_asked_about_are_counted() -> None:
    rows = [row(1, "a", "b", "a"), row(2, "a", "c", None), row(3, "a", "d", None, annotated=False)]
    result = filtered(rows, [SmallGroups(2)])
    assert [(step.rule, step.removed, step.of) for step in result.steps] == [
        (NOT_ANNOTATED, 1, 3),
        ("small groups", 2, 2),
    ]
    assert filtered(rows, [SmallGroups(1)]).kept == tuple(rows[:2])
    assert filtered([], AS_PUBLISHED).kept == ()
