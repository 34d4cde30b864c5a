"""Rankings against a planted truth."""

import random
from collections.abc import Callable

import pytest

from semiosis.building.alignment import judged, per_instance, per_method
from semiosis.building.baselines import always_a
from semiosis.building.filters import SmallGroups, Undecided
from semiosis.building.rankings import people
from semiosis.building.votes import ForcedChoice, decided
from semiosis.sources.winners import Winner

Study = Callable[..., list[ForcedChoice]]


def as_people(rows: list[ForcedChoice], skill: float, seed: int = 0) -> dict[str, Winner | None]:
    """A judge that says what people said with this chance, and tosses a coin otherwise."""
    toss = random.Random(seed)
    return {row.id: row.winner if toss.random() < skill else toss.choice(("a", "b")) for row in rows}


def test_who_says_what_people_say_ranks_as_they_do(instances: list[ForcedChoice], study: Study) -> None:
    same = {row.id: row.winner for row in instances}
    alignment = per_instance(instances, same)
    assert (alignment.elo.value, alignment.bradley_terry.value) == (1.0, 1.0)
    rows = study()
    same = {row.id: row.winner for row in rows}
    assert per_method(rows, same).elo.value == per_method(rows, same).bradley_terry.value == 1.0


def test_the_more_skill_a_judge_has_the_higher_it_scores(instances: list[ForcedChoice]) -> None:
    skilled = [per_instance(instances, as_people(instances, skill)) for skill in (0.0, 0.5, 0.9)]
    for rhos in ([each.elo.value for each in skilled], [each.bradley_terry.value for each in skilled]):
        assert abs(rhos[0]) < 0.15
        assert rhos[0] < rhos[1] < rhos[2] < 1


def test_where_sides_are_balanced_always_a_knows_nothing(study: Study) -> None:
    rows = study()
    alignment = per_method(rows, always_a(rows))
    assert abs(alignment.bradley_terry.value) < 0.6
    assert alignment.bradley_terry.p > 0.05


def test_planted_strengths_are_found(study: Study) -> None:
    rankings = people(study(scale=0.5))
    assert [each.item for each in rankings.bradley_terry.ratings] == [f"m{n}" for n in range(8)]
    assert rankings.bradley_terry["m0"].value - rankings.bradley_terry["m7"].value == pytest.approx(
        3.5, abs=0.6
    )


def test_failures_are_counted_and_left_out_on_both_sides(study: Study) -> None:
    rows = study()
    verdicts = as_people(rows, 0.6)
    lost = {row.id for row in rows if row.a == "m3"}
    failing = {id: None if id in lost else verdict for id, verdict in verdicts.items()}
    absent = {id: verdict for id, verdict in verdicts.items() if id not in lost}
    counts = judged(rows, failing).counts
    assert (counts.rows, counts.failed, counts.absent, counts.decided) == (900, len(lost), 0, 900 - len(lost))
    assert judged(rows, absent).counts.absent == len(lost)
    without = [row for row in rows if row.id not in lost]
    assert per_method(rows, failing) == per_method(rows, absent) == per_method(without, verdicts)


def test_a_draw_is_half_a_win_for_the_judge(study: Study) -> None:
    rows = study()
    drawn = {row.id: row.winner if int(row.id) % 2 else "tie" for row in rows}
    alignment = judged(rows, drawn)
    assert (alignment.counts.decided, alignment.counts.undecided, alignment.counts.failed) == (450, 450, 0)
    assert per_method(rows, drawn).bradley_terry.value > 0.9


def test_a_group_in_which_the_judge_has_no_order_is_undefined(instances: list[ForcedChoice]) -> None:
    silent = instances[0].group
    verdicts = {row.id: "tie" if row.group == silent else row.winner for row in instances}
    alignment = per_instance(instances, verdicts)
    assert (alignment.elo.groups, alignment.elo.undefined, alignment.elo.value) == (39, 1, 1.0)
    assert alignment.instances[0].elo is None


def test_methods_with_one_record_tie_and_do_not_differ_by_rounding() -> None:
    rows = [
        ForcedChoice(id=str(at), group=("1", "1"), prompt="", a=a, b=b, winner="a")
        for at, (a, b) in enumerate([("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")])
    ]
    ((one,), other) = (
        per_instance(rows, {row.id: row.winner for row in order}, [Undecided()]).instances
        for order in (rows, rows[::-1])
    )
    assert one.bradley_terry is not None
    # b and c cannot be told apart, and rho is still 1
    assert (one.bradley_terry.value, one.bradley_terry.n) == (1.0, 4)
    assert one == other[0]


def test_other_rules_keep_other_groups(instances: list[ForcedChoice]) -> None:
    verdicts = as_people(instances, 0.5)
    assert len(per_instance(instances, verdicts, [SmallGroups(20)]).instances) == 40
    assert decided(instances) == tuple(instances)
