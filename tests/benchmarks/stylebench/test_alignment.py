"""Rankings against published numbers and against scipy."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import combine_pvalues, spearmanr

from semiosis.benchmarks.stylebench.annotations import first_annotated, load
from semiosis.benchmarks.stylebench.script import as_authors, as_authors_per_instance
from semiosis.building.alignment import per_instance, per_method
from semiosis.building.baselines import always_a, always_b, random_guess
from semiosis.building.filters import filtered
from semiosis.building.rankings import PRIOR, people
from semiosis.building.votes import ForcedChoice
from semiosis.core.errors import BadData, BadSetting
from semiosis.sources.winners import Winner

FILES = ["global_annotation", "global_annotation_paper", "instance_annotation", "instance_annotation_paper"]

Study = Callable[..., list[ForcedChoice]]


def reference(folder: Path, name: str) -> dict[str, dict[str, object]]:
    return json.loads((folder / "reference_rankings.json").read_text())[name]


def as_people(rows: list[ForcedChoice], skill: float, seed: int = 0) -> dict[str, Winner | None]:
    """A judge that says what people said with this chance, and tosses a coin otherwise."""
    toss = random.Random(seed)
    return {row.id: row.winner if toss.random() < skill else toss.choice(("a", "b")) for row in rows}


@pytest.mark.parametrize("name", FILES)
def test_peoples_rankings_are_the_published_ones(fineartbench: Path, name: str) -> None:
    rows, wanted = load(fineartbench / f"{name}.json.gz"), reference(fineartbench, name)
    rankings = people(rows)
    assert rankings.elo.scores == pytest.approx(wanted["elo_file_order"], abs=0.006)
    assert rankings.bradley_terry.scores == pytest.approx(wanted["bt_theta"], abs=6e-5)
    assert [each.item for each in rankings.elo.ratings] == wanted["elo_rank"]
    assert [each.item for each in rankings.bradley_terry.ratings] == wanted["bt_rank"]
    cut = people(first_annotated(rows, 1000))
    assert cut.elo.scores == pytest.approx(wanted["first1000"]["elo"], abs=0.006)
    assert cut.bradley_terry.scores == pytest.approx(wanted["first1000"]["bt_theta"], abs=6e-5)


@pytest.mark.parametrize("name", FILES)
def test_the_prior_that_comparisons_use_leaves_peoples_order_alone(fineartbench: Path, name: str) -> None:
    rankings = people(load(fineartbench / f"{name}.json.gz"), prior=PRIOR)
    assert [each.item for each in rankings.bradley_terry.ratings] == reference(fineartbench, name)["bt_rank"]


@pytest.mark.parametrize("name", FILES)
def test_always_a_ranks_the_methods_much_as_people_do(fineartbench: Path, name: str) -> None:
    rows = load(fineartbench / f"{name}.json.gz")
    wanted = reference(fineartbench, name)["rho_always_left_vs_human"]
    for cut, suffix in ((rows, ""), (first_annotated(rows, 1000), "_first1000")):
        alignment = per_method(cut, always_a(cut))
        assert alignment.elo.value == pytest.approx(wanted[f"elo{suffix}"][0])
        assert alignment.bradley_terry.value == pytest.approx(wanted[f"bt{suffix}"][0])
        # theirs is by the t distribution, ours over all orders of ten methods
        assert alignment.elo.p == pytest.approx(wanted[f"elo{suffix}"][1], abs=0.008)
        assert alignment.elo.p_greater == pytest.approx(alignment.elo.p / 2)


def elo_ranks(rows: list[ForcedChoice], verdicts: list[Winner | None], methods: list[str]) -> list[int]:
    score = dict.fromkeys(methods, 1500.0)
    for row, winner in zip(rows, verdicts, strict=True):
        if winner in ("a", "b"):
            won, lost = (row.a, row.b) if winner == "a" else (row.b, row.a)
            gain = 32 / (1 + 10 ** ((score[won] - score[lost]) / 400))
            score[won] += gain
            score[lost] -= gain
    best = sorted(methods, key=lambda method: -score[method])
    return [best.index(method) for method in methods]


@pytest.mark.parametrize("name", FILES[:2])
@pytest.mark.parametrize("skill", [0.0, 0.2, 0.6])
def test_the_authors_variant_is_what_scipy_makes_of_their_splits(
    fineartbench: Path, name: str, skill: float
) -> None:
    rows = load(fineartbench / f"{name}.json.gz")
    verdicts = as_people(list(rows), skill)
    methods = sorted({row.a for row in rows} | {row.b for row in rows})
    first = [row for row in rows if row.annotated][:1000]
    places = list(range(1000))
    state = np.random.RandomState(8)
    state.shuffle(places)
    tests = []
    for split in range(5):
        part = [first[place] for place in places[split::5]]
        ours = elo_ranks(part, [row.winner for row in part], methods)
        theirs = elo_ranks(part, [verdicts[row.id] for row in part], methods)
        tests.append((spearmanr(ours, theirs), spearmanr(ours, theirs, alternative="greater")))
    alignment = as_authors(rows, verdicts)
    assert [each.value for each in alignment.elo_splits] == pytest.approx([two.statistic for two, _ in tests])
    assert alignment.elo.value == pytest.approx(np.mean([two.statistic for two, _ in tests]))
    assert alignment.elo.p == pytest.approx(combine_pvalues([two.pvalue for two, _ in tests])[1])
    assert alignment.elo.p_greater == pytest.approx(combine_pvalues([one.pvalue for _, one in tests])[1])
    assert (alignment.rows, alignment.elo.groups, alignment.elo.low) == (1000, 5, None)


def test_a_method_that_the_judge_never_decided_on_stands_at_1500_for_it(study: Study) -> None:
    rows = study()
    verdicts = {row.id: None if "m0" in (row.a, row.b) else row.winner for row in rows}
    methods = sorted({row.a for row in rows} | {row.b for row in rows})
    places = list(range(len(rows)))
    np.random.RandomState(8).shuffle(places)
    wanted = []
    for split in range(5):
        part = [rows[place] for place in places[split::5]]
        ours = elo_ranks(part, [row.winner for row in part], methods)
        theirs = elo_ranks(part, [verdicts[row.id] for row in part], methods)
        assert 1 < theirs[methods.index("m0")] < len(methods)
        wanted.append(spearmanr(ours, theirs).statistic)
    assert [each.value for each in as_authors(rows, verdicts).elo_splits] == pytest.approx(wanted)


def test_bradley_terry_in_the_authors_splits_is_where_their_optimiser_stopped(fineartbench: Path) -> None:
    """The rho of each split with scipy's SLSQP from zero, as their script calls it, computed once."""
    rows = load(fineartbench, "global", edition="paper")
    alignment = as_authors(rows, always_a(rows))
    wanted = [0.624, 0.624, 0.636, 0.588, 0.406]
    assert [round(each.value, 3) for each in alignment.bradley_terry_splits] == wanted
    assert (round(alignment.bradley_terry.value, 4), round(alignment.bradley_terry.p, 5)) == (0.5758, 0.00402)


def test_two_sided_p_values_cannot_tell_always_b_from_always_a(fineartbench: Path) -> None:
    rows = load(fineartbench, "global", edition="paper")
    a, b = as_authors(rows, always_a(rows)).elo, as_authors(rows, always_b(rows)).elo
    assert a.value == pytest.approx(-b.value)
    assert a.p == pytest.approx(b.p)
    assert a.p < 0.02
    assert a.p_greater < 0.002
    assert b.p_greater > 0.999


def test_a_perfect_split_has_a_p_of_zero_as_in_scipy(fineartbench: Path) -> None:
    rows = load(fineartbench, "global", edition="paper")
    alignment = as_authors(rows, {row.id: row.winner for row in rows})
    assert (alignment.elo.value, alignment.elo.p, alignment.elo.p_greater) == (1.0, 0.0, 0.0)


def test_per_instance_on_the_papers_rows(fineartbench: Path) -> None:
    rows = first_annotated(load(fineartbench, "instance", edition="paper"))
    a, b = per_instance(rows, always_a(rows)), per_instance(rows, always_b(rows))
    assert (a.elo.groups, a.elo.undefined, a.counts.rows) == (35, 0, 612)
    assert a.elo.value == pytest.approx(0.3673, abs=1e-4)
    assert a.bradley_terry.value == pytest.approx(0.3248, abs=1e-4)
    assert a.elo.low is not None
    assert 0.2 < a.elo.low < a.elo.value
    assert a.elo.p == pytest.approx(b.elo.p)
    assert (a.elo.p_greater < 1e-6, b.elo.p_greater > 0.999) == (True, True)
    assert [step.rule for step in a.steps] == ["undecided", "small groups", "feedback arcs"]
    one = a.instances[0]
    assert (one.group, one.methods) == (("239", "87"), 10)
    chance = per_instance(rows, random_guess(rows))
    assert chance.elo.low is not None
    assert chance.elo.high is not None
    assert chance.elo.low < 0 < chance.elo.high
    assert chance.elo.p_greater > 0.05


def test_the_authors_instances_rank_every_method_by_all_rows_of_the_judge(fineartbench: Path) -> None:
    rows = load(fineartbench, "instance", edition="paper")
    verdicts = as_people(list(rows), 0.5)
    methods = sorted({row.a for row in rows} | {row.b for row in rows})
    first = first_annotated(rows)
    kept = dict.fromkeys(row.group for row in filtered(first).kept)
    tests = []
    for group in kept:
        asked = [row for row in first if row.group == group]
        ours = elo_ranks(asked, [row.winner for row in asked], methods)
        theirs = elo_ranks(asked, [verdicts[row.id] for row in asked], methods)
        tests.append(spearmanr(ours, theirs))
    alignment = as_authors_per_instance(rows, verdicts)
    assert [each.group for each in alignment.instances] == list(kept)
    rhos = [each.elo.value for each in alignment.instances if each.elo]
    assert rhos == pytest.approx([each.statistic for each in tests])
    assert alignment.elo.value == pytest.approx(np.mean(rhos))
    assert alignment.elo.p == pytest.approx(combine_pvalues([each.pvalue for each in tests])[1])
    assert {each.methods for each in alignment.instances} == {10}
    assert (alignment.rows, alignment.elo.groups, alignment.elo.undefined) == (700, 35, 0)


def test_bradley_terry_in_the_authors_instances_is_near_where_their_optimiser_stopped(
    fineartbench: Path,
) -> None:
    """The mean rho with scipy's SLSQP from zero, as their script calls it, computed once: 0.3257."""
    rows = load(fineartbench, "instance", edition="paper")
    alignment = as_authors_per_instance(rows, always_a(rows))
    assert alignment.bradley_terry.value == pytest.approx(0.3257, abs=0.01)
    assert round(alignment.elo.value, 4) == 0.3337


def test_the_authors_instances_are_of_the_first_rows_alone(fineartbench: Path) -> None:
    rows = load(fineartbench, "instance", edition="paper")
    alignment = as_authors_per_instance(rows, always_a(rows), before=200)
    assert len(alignment.instances) < 10
    assert {row.group for row in first_annotated(rows, 200)} >= {each.group for each in alignment.instances}
    with pytest.raises(BadData, match="The published filters leave no instance"):
        as_authors_per_instance(rows, always_a(rows), before=10)


def test_an_instance_that_the_judge_decided_none_of_has_no_rho(instances: list[ForcedChoice]) -> None:
    silent = instances[0].group
    verdicts = {row.id: None if row.group == silent else row.winner for row in instances}
    alignment = as_authors_per_instance(instances, verdicts)
    one = next(each for each in alignment.instances if each.group == silent)
    assert (one.elo, one.bradley_terry) == (None, None)
    assert (alignment.elo.value, alignment.elo.undefined) == (1.0, 1)
    assert (alignment.rows, alignment.decided) == (800, 780)


def test_a_judge_that_says_nothing_has_no_score(study: Study, instances: list[ForcedChoice]) -> None:
    rows = study()
    for nothing in ({row.id: None for row in rows}, {}):
        with pytest.raises(BadData, match="answered no row that people decided"):
            per_method(rows, nothing)
        with pytest.raises(BadData, match="of 180 rows, the judge decided none"):
            as_authors(rows, nothing)
        with pytest.raises(BadData, match="answered no row that people decided"):
            per_instance(instances, nothing)
    with pytest.raises(BadData, match="All 900 comparisons are ties"):
        per_method(rows, {row.id: "tie" for row in rows})
    with pytest.raises(BadData, match="In none of 40 groups has the judge a ranking"):
        per_instance(instances, {row.id: "tie" for row in instances})


def test_global_rows_have_no_groups_to_rank_within(fineartbench: Path) -> None:
    rows = load(fineartbench, "global")
    with pytest.raises(BadData, match=r"The rules leave no group .* small groups 2,116 of 2,116"):
        per_instance(rows, always_a(rows))


def test_rows_that_cannot_be_split_are_refused(study: Study) -> None:
    rows = study()
    with pytest.raises(BadSetting, match="0 splits"):
        as_authors(rows, always_a(rows), splits=0)
    with pytest.raises(BadData, match="of 0 rows, people decided none"):
        as_authors(rows[:3], always_a(rows))
