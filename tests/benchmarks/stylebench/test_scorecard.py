"""One call gives every score with what has to stand beside it."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from semiosis.benchmarks.stylebench.annotations import first_annotated, load
from semiosis.benchmarks.stylebench.scorecard import Scorecard, Scorecards, Undefined, score
from semiosis.benchmarks.stylebench.script import AsAuthors, AsAuthorsPerInstance
from semiosis.building.alignment import PerInstance, PerMethod, per_instance
from semiosis.building.baselines import always_a, always_b, random_guess
from semiosis.building.rankings import Rankings
from semiosis.building.sides import sides
from semiosis.building.votes import ForcedChoice
from semiosis.core.errors import BadData, BadSetting
from semiosis.stats.estimate import Estimate

Study = Callable[..., list[ForcedChoice]]


def value(estimate: object) -> float:
    assert isinstance(estimate, Estimate)
    return estimate.value


def test_the_published_rows_with_their_confound(fineartbench: Path) -> None:
    rows = load(fineartbench, "global", edition="paper")
    cards = score(rows, {"b": always_b(rows), "guess": random_guess(rows)})
    a = cards.always_a
    assert value(a.agreement) == pytest.approx(0.6807, abs=1e-4)
    assert value(a.share_a) == 1.0
    assert isinstance(a.per_method, PerMethod)
    assert a.per_method.bradley_terry.value == pytest.approx(0.5758, abs=1e-4)
    assert isinstance(a.per_instance, Undefined)
    assert a.per_instance.reason.startswith("The rules leave no group to rank methods on")
    b, guess = cards.judges
    assert cards.random_guess.model_copy(update={"name": "guess"}) == guess
    assert value(b.agreement) == pytest.approx(1 - value(a.agreement))
    assert value(b.concordance) == pytest.approx(-value(a.concordance))
    assert isinstance(guess.agreement, Estimate)
    assert guess.agreement.low < 0.5 < guess.agreement.high
    assert isinstance(cards.people, Rankings)
    assert cards.people.bradley_terry["DiffArtist"].value == pytest.approx(1.7302, abs=6e-5)
    assert cards.confound == (
        "Sides are confounded with methods: 45 of 45 pairs of methods were shown one way round only; people chose "
        "side a in 68.1% (65.7 to 70.4), and with the methods' merits allowed for, side a adds 0.08 "
        "(-0.20 to 0.35, p = 0.58) to a Bradley-Terry score: a preference for a side is not established. "
        'A judge that always says "a" agrees with people in 68.1% of the rows, and in rank by 0.47 (Elo) and '
        "0.58 (Bradley-Terry)."
    )
    assert Scorecards.model_validate_json(cards.model_dump_json()) == cards


def test_always_a_reaches_624_on_the_rows_the_authors_script_looks_at(fineartbench: Path) -> None:
    rows = first_annotated(load(fineartbench, "global", edition="paper"))
    a = score(rows, {}).always_a
    assert isinstance(a.per_method, PerMethod)
    assert round(a.per_method.elo.value, 3) == round(a.per_method.bradley_terry.value, 3) == 0.624
    assert a.counts.rows == 1000


def test_a_side_effect_is_not_established_in_any_published_file(fineartbench: Path) -> None:
    effects = {}
    for kind in ("global", "instance"):
        for edition in ("extended", "paper"):
            effect = sides(load(fineartbench, kind, edition=edition)).effect
            assert effect is not None
            assert effect.p > 0.05
            effects[kind, edition] = (round(effect.value, 2), round(effect.error, 2))
    assert effects == {
        ("global", "extended"): (0.20, 0.12),
        ("global", "paper"): (0.08, 0.14),
        ("instance", "extended"): (0.00, 0.17),
        ("instance", "paper"): (0.00, 0.19),
    }


def test_a_planted_lean_is_found_where_sides_are_balanced(study: Study) -> None:
    leaning, upright = sides(study(side=0.8)), sides(study(side=0.0))
    assert leaning.effect is not None
    assert leaning.effect.low < 0.8 < leaning.effect.high
    assert leaning.effect.p < 1e-6
    assert leaning.one_way == 0
    assert leaning.sentence.startswith(
        "Each of the 28 pairs of methods was shown both ways round; people chose"
    )
    assert leaning.sentence.endswith("a preference for a side is established.")
    assert upright.effect is not None
    assert upright.effect.p > 0.05


def test_a_side_effect_that_cannot_be_told_says_why() -> None:
    rows = [
        ForcedChoice(id=str(n), group=("1", "1"), prompt="", a="a", b="b", winner=side)
        for n, side in enumerate(("a", "b", "a"))
    ]
    report = sides(rows)
    assert report.effect is None
    assert report.sentence.startswith("Sides are confounded with methods: 1 of 1 pairs of methods")
    assert "a side effect cannot be estimated: the side effect cannot be told apart" in report.sentence
    with pytest.raises(BadData, match="People decided no row"):
        sides([])


def test_per_instance_scores_come_with_what_was_dropped(fineartbench: Path) -> None:
    rows = load(fineartbench, "instance", edition="paper")
    cards = score(first_annotated(rows), {})
    assert isinstance(cards.always_a.per_instance, PerInstance)
    assert [(step.rule, step.removed) for step in cards.steps] == [
        ("undecided", 248),
        ("small groups", 84),
        ("feedback arcs", 56),
    ]
    assert score(rows, {}).steps[0].rule == "not annotated"


def test_only_the_first_rows_are_scored_where_that_is_asked(fineartbench: Path) -> None:
    rows = load(fineartbench, "instance", edition="paper")
    whole, some = score(rows, {}).always_a, score(rows, {}, first=1000).always_a
    assert (whole.counts.rows, some.counts.rows) == (877, 752)
    for card in (whole, some):
        assert isinstance(card.as_authors, AsAuthors)
        assert isinstance(card.as_authors_per_instance, AsAuthorsPerInstance)
        assert (card.as_authors.rows, card.as_authors_per_instance.elo.groups) == (1000, 35)
    few = score(rows, {}, first=400)
    assert few.first == 400
    assert isinstance(few.always_a.as_authors, AsAuthors)
    assert few.always_a.as_authors.rows == 400
    assert few.steps[0].rule == "undecided"


def test_failures_are_counted_and_never_scored(instances: list[ForcedChoice]) -> None:
    correct = {row.id: row.winner for row in instances}
    failing = {id: None if int(id) % 4 == 0 else verdict for id, verdict in correct.items()}
    wrong = {id: {"a": "b", "b": "a"}[verdict or "a"] for id, verdict in correct.items()}
    half = {id: failing[id] and (verdict if int(id) % 2 else "tie") for id, verdict in wrong.items()}
    all_right, some_failed, against = score(
        instances, {"correct": correct, "failing": failing, "half": half}
    ).judges
    assert (all_right.counts.failed, some_failed.counts.failed, some_failed.counts.rows) == (0, 200, 800)
    assert value(some_failed.agreement) == value(all_right.agreement) == 1.0
    assert value(some_failed.concordance) == 1.0
    assert isinstance(some_failed.per_instance, PerInstance)
    assert some_failed.per_instance.elo.value == 1.0
    assert some_failed.per_instance.counts.failed == 200
    assert isinstance(some_failed.as_authors, AsAuthors)
    assert (some_failed.as_authors.rows, some_failed.as_authors.decided) == (800, 600)
    assert (against.counts.decided, against.counts.undecided, against.counts.failed) == (400, 200, 200)
    assert value(against.agreement) == 0.0
    assert value(against.concordance) == pytest.approx(-2 / 3, abs=0.05)


def test_a_judge_without_an_answer_has_reasons_in_place_of_scores(instances: list[ForcedChoice]) -> None:
    (card,) = score(instances, {"silent": {}}).judges
    assert (card.counts.absent, card.counts.failed) == (800, 0)
    scores = [card.agreement, card.share_a, card.concordance, card.per_method, card.as_authors]
    assert all(isinstance(each, Undefined) for each in [*scores, card.per_instance])
    (card,) = score(instances, {"undecided": {row.id: "tie" for row in instances}}).judges
    assert isinstance(card, Scorecard)
    assert value(card.concordance) == 0.0
    assert isinstance(card.per_method, Undefined)
    assert card.per_method.reason == "All 800 comparisons are ties, so nothing tells the items apart."


@pytest.mark.parametrize("name", ["always a", "random guess"])
def test_no_judge_takes_the_name_of_a_row_that_is_always_there(
    instances: list[ForcedChoice], name: str
) -> None:
    with pytest.raises(BadSetting, match=f"A judge cannot be called '{name}'"):
        score(instances, {name: always_a(instances)})


def test_nobody_improves_by_refusing_what_is_hard(study: Callable[..., list[ForcedChoice]]) -> None:
    rows = study()
    toss = random.Random(4)
    other = {"a": "b", "b": "a"}
    plain = {row.id: row.winner if toss.random() < 0.65 else other[row.winner or "a"] for row in rows}
    picky = {
        row.id: None if plain[row.id] != row.winner and toss.random() < 0.6 else plain[row.id] for row in rows
    }
    cards = score(rows, {"plain": plain, "picky": picky}, base="plain")  # type: ignore[dict-item]
    one, two = cards.judges
    assert value(two.agreement) > value(one.agreement) + 0.1
    assert value(two.agreement_at_worst) == pytest.approx(value(one.agreement))
    assert cards.compared is not None
    assert cards.compared.rows == two.counts.decided
    for way in ("elo", "bradley_terry", "averaged"):
        changes = {each.name: each.change for each in cards.compared.per_method[way]}
        assert changes["picky"] == changes["plain"] == 0


def test_instances_that_rank_the_same_methods_are_no_independent_tests(instances: list[ForcedChoice]) -> None:
    """A judge with a fixed order of the methods, drawn blindly, is rarely called significant."""
    counts = [0, 0]
    methods = sorted({row.a for row in instances} | {row.b for row in instances})
    for seed in range(40):
        order = random.Random(seed).sample(methods, len(methods))
        verdicts = {row.id: "a" if order.index(row.a) < order.index(row.b) else "b" for row in instances}
        scored = per_instance(instances, verdicts, rules=())  # type: ignore[arg-type]
        counts[0] += (scored.elo.p_methods or 1) < 0.05
        counts[1] += scored.elo.p_greater < 0.05
    assert counts[0] <= 5
    assert counts[1] > counts[0]
