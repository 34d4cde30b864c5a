"""How alike runs rank the same pictures: against scipy, prompt by prompt, and where they part, by hand."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from semiosis.core.errors import BadSetting
from semiosis.core.item import Item
from semiosis.core.kinds.pair import Judgment, PairItem
from semiosis.core.kinds.rating import Measurement, RatingItem, Score
from semiosis.core.outcome import Failure, Outcome
from semiosis.core.sign import Pair, Prompt
from semiosis.core.vote import Vote
from semiosis.runs.picture_ranks import ComparedRanks, PictureRanks, RankCorrelation, compare_ranks
from semiosis.runs.store import Store
from stored import about, judged, origin, picture, question_item, settle

REFUSED = Failure(reason="refused", message="no")
Rows = Sequence[tuple[Item, Outcome]]


def ranks(folder: Path, **runs: Rows) -> list[PictureRanks]:
    for name, rows in runs.items():
        with Store.create(folder / f"{name}.sqlite", about(name)) as store:
            for position, (item, outcome) in enumerate(rows):
                settle(store, position, item, outcome)
    read: list[PictureRanks] = []
    for name in runs:
        with Store.look(folder / f"{name}.sqlite") as store:
            read.append(PictureRanks.of(store))
    return read


def compared(folder: Path, **runs: Rows) -> ComparedRanks:
    return compare_ranks(ranks(folder, **runs))


def scored(values: Mapping[tuple[int, int], float]) -> Rows:
    """A number for each picture under its prompt."""
    rows: list[tuple[Item, Outcome]] = []
    for (prompt, number), value in values.items():
        item = RatingItem(
            id=f"{prompt}/{number}", prompt=Prompt(text=f"Prompt {prompt}"), artifact=picture(number)
        )
        score = Score(prompt=item.prompt, artifact=item.artifact, value=value, provenance=origin())
        rows.append((item, score))
    return rows


def pair_of(prompt: int, a: int, b: int) -> PairItem:
    return PairItem(id=f"{prompt}/{a}/{b}", pair=Pair(f"Prompt {prompt}", picture(a), picture(b)))


def numbers(seed: int, prompts: int = 6, pictures: int = 5) -> dict[tuple[int, int], float]:
    toss = random.Random(seed)
    return {(p, 10 * p + n): float(toss.randrange(4)) for p in range(prompts) for n in range(pictures)}


def test_scorers_are_compared_as_scipy_does_it_prompt_by_prompt(tmp_path: Path) -> None:
    first, second = numbers(1), numbers(2)
    (correlation,) = compared(tmp_path, one=scored(first), two=scored(second)).correlations
    taus = [
        kendalltau(
            *([values[key] for key in values if key[0] == prompt] for values in (first, second))
        ).statistic
        for prompt in range(6)
    ]
    assert correlation.within_prompts is not None
    assert correlation.within_prompts.value == pytest.approx(np.mean(taus))
    assert correlation.overall is not None
    assert correlation.overall.value == pytest.approx(
        spearmanr([*first.values()], [*second.values()]).statistic
    )
    assert correlation.overall.low is not None
    assert correlation.overall.high is not None
    assert correlation.overall.low < correlation.overall.value < correlation.overall.high
    assert (correlation.prompts, correlation.pictures, correlation.pairs) == (6, 30, 60)
    assert correlation.untold == ()


def test_pictures_of_a_prompt_that_are_rated_alike_tell_no_more_than_one_of_them(tmp_path: Path) -> None:
    places = {0: 2, 1: 0, 2: 1, 3: 5, 4: 3, 5: 4}

    def overall(name: str, prompts: int, pictures: int) -> RankCorrelation:
        keys = [(p, 10 * p + n) for p in range(prompts) for n in range(pictures)]
        runs = {"one": {key: key[0] for key in keys}, "two": {key: places[key[0]] for key in keys}}
        rows = {run: scored(values) for run, values in runs.items()}
        return compared(tmp_path / name, **rows).correlations[0]

    one, five = overall("one", 6, 1), overall("five", 6, 5)
    assert (one.prompts, one.pictures, five.prompts, five.pictures) == (6, 6, 6, 30)
    assert one.overall is not None
    assert five.overall is not None
    assert (five.overall.low, five.overall.high) == pytest.approx((one.overall.low, one.overall.high))
    few = overall("few", 4, 5)
    assert few.overall is not None
    assert (few.overall.low, few.untold[-1]) == (None, "An interval overall takes 5 prompts.")


def test_a_judge_and_a_scorer_are_compared_on_the_pairs_that_were_judged(tmp_path: Path) -> None:
    values = {(0, 1): 1.0, (0, 2): 2.0, (0, 3): 3.0, (1, 4): 1.0, (1, 5): 1.0, (1, 6): 0.5}
    # Of prompt 0 the judge has two of three as the scorer has them; of prompt 1 one, and one the scorer ties.
    verdicts: Rows = [
        (item, judged(item, winner, winner))
        for item, winner in [
            (pair_of(0, 2, 1), "a"),
            (pair_of(0, 2, 3), "b"),
            (pair_of(0, 1, 3), "a"),
            (pair_of(1, 4, 5), "a"),
            (pair_of(1, 4, 6), "a"),
        ]
    ]
    both = compared(tmp_path, judge=verdicts, scorer=scored(values))
    (correlation,) = both.correlations
    assert correlation.within_prompts is not None
    assert correlation.within_prompts.value == pytest.approx(np.mean([1 / 3, 1 / np.sqrt(2)]))
    assert correlation.overall is None
    assert (correlation.prompts, correlation.telling, correlation.untold) == (2, 2, ())
    (parting,) = both.partings
    assert ({parting.picture, parting.other}, parting.item) == ({"1.png", "3.png"}, "0/1/3")
    # The scorer has 3.0 at the top of six and 1.0, of which there are three, at their mid-rank.
    towards_one = 1 if parting.picture == "1.png" else -1
    assert parting.leanings == pytest.approx(
        {"judge": 1.0 * towards_one, "scorer": (3 - 6) / 6 * towards_one}
    )


def test_the_side_on_which_a_picture_was_shown_makes_no_difference(tmp_path: Path) -> None:
    winners = {(0, 1, 2): "a", (0, 2, 3): "b", (1, 4, 5): "a"}
    one: Rows = [(pair_of(*key), judged(pair_of(*key), won, won)) for key, won in winners.items()]  # type: ignore[arg-type]
    turned: list[tuple[Item, Outcome]] = []
    for (prompt, a, b), won in winners.items():
        item, other = pair_of(prompt, b, a), "b" if won == "a" else "a"
        turned.append((item, judged(item, other, other)))
    both = compared(tmp_path, one=one, two=turned)
    assert both.correlations[0].within_prompts is not None
    assert both.correlations[0].within_prompts.value == 1
    assert both.partings == ()


def test_a_judgment_by_scores_counts_by_its_scores(tmp_path: Path) -> None:
    def by_scores(prompt: int, a: int, b: int, at_a: float, at_b: float) -> tuple[Item, Outcome]:
        item = pair_of(prompt, a, b)
        vote = Vote(winner="a" if at_a > at_b else "b")
        marks = {"score_a": Measurement(value=at_a), "score_b": Measurement(value=at_b)}
        return item, Judgment(pair=item.pair, votes=(vote,), provenance=origin(), **marks)

    (run, other) = ranks(
        tmp_path,
        pairs=[by_scores(0, 1, 2, 5.0, 3.0), by_scores(0, 1, 3, 5.0, 4.0)],
        single=scored({(0, 1): 1, (0, 2): 2, (0, 3): 3}),
    )
    assert sorted(values[0] for values in run.numbers.values()) == [3, 4, 5]
    (correlation,) = compare_ranks([run, other]).correlations
    assert (correlation.pictures, correlation.pairs) == (3, 3)
    assert correlation.within_prompts is not None
    assert correlation.within_prompts.value == pytest.approx(kendalltau([5, 3, 4], [1, 2, 3]).statistic)
    # One prompt: a value, and nothing is known of its interval.
    assert correlation.within_prompts.low is None
    assert correlation.untold == ("An interval overall takes 5 prompts.",)


def test_what_says_nothing_of_a_picture_is_counted_and_left_out(tmp_path: Path) -> None:
    values = numbers(3)
    question = question_item(1, "A", {})
    rows: Rows = [*scored(values)[:-1], (scored(values)[-1][0], REFUSED), (question, REFUSED)]
    both = compared(tmp_path, one=rows, two=scored(numbers(4)))
    assert [(run.pictures, run.failed, run.others) for run in both.runs] == [(29, 1, 1), (30, 0, 0)]
    assert both.correlations[0].pictures == 29


def test_each_two_of_three_and_the_widest_partings_of_any_two(tmp_path: Path) -> None:
    up = {(prompt, 10 * prompt + n): float(n) for prompt in range(5) for n in range(4)}
    down = {key: -value for key, value in up.items()}
    runs = ranks(tmp_path, up=scored(up), down=scored(down), again=scored(up))
    all_three = compare_ranks(runs, partings=3)
    assert [(each.first, each.second) for each in all_three.correlations] == [
        ("up", "down"),
        ("up", "again"),
        ("down", "again"),
    ]
    within = [each.within_prompts for each in all_three.correlations]
    assert [each and each.value for each in within] == [-1, 1, -1]
    assert len(all_three.partings) == 3
    for parting in all_three.partings:
        assert parting.leanings["up"] == parting.leanings["again"] == -parting.leanings["down"]
    widest = {
        frozenset((int(each.picture[:-4]) % 10, int(each.other[:-4]) % 10)) for each in all_three.partings
    }
    assert widest == {frozenset((0, 3))}


def test_where_scorers_part_is_told_by_the_places_among_all_of_their_pictures(tmp_path: Path) -> None:
    places = {"1.png": 1, "2.png": 2, "3.png": 3, "11.png": 4, "12.png": 5, "13.png": 6}
    numbers = {(int(name[:-4]) // 10, int(name[:-4])): place for name, place in places.items()}
    turned = {key: 10 - place if key[0] else place for key, place in numbers.items()}
    partings = compared(tmp_path, up=scored(numbers), down=scored(turned)).partings
    assert {partings[0].picture, partings[0].other} == {"11.png", "13.png"}
    assert [each.prompt for each in partings] == ["Prompt 1"] * 3
    for each in partings:
        up = (places[each.picture] - places[each.other]) / 6
        assert each.leanings == pytest.approx({"up": up, "down": -up})
        assert each.item == f"1/{each.picture[:-4]}, 1/{each.other[:-4]}"


def test_the_farthest_comes_first_by_the_numbers_that_are_shown(tmp_path: Path) -> None:
    """The scorer has many pictures between 4 and 5, of which the judge says nothing."""
    values = (
        {(0, n): float(n) for n in range(1, 5)} | {(0, 5): 9.0} | {(1, n): 5.0 + n / 99 for n in range(9, 60)}
    )
    rows = [(pair_of(0, 1, 2), "b"), (pair_of(0, 1, 3), "a"), (pair_of(0, 4, 5), "a")]
    verdicts: Rows = [(item, judged(item, winner, winner)) for item, winner in rows]
    partings = compared(tmp_path, judge=verdicts, scorer=scored(values)).partings
    apart = [abs(each.leanings["judge"] - each.leanings["scorer"]) for each in partings]
    assert [each.item for each in partings] == ["0/4/5", "0/1/3"]
    assert apart == sorted(apart, reverse=True)


def test_a_scorer_that_tells_nothing_apart_has_no_rank(tmp_path: Path) -> None:
    flat = dict.fromkeys(numbers(1), 0.5)
    (correlation,) = compared(tmp_path, one=scored(numbers(1)), flat=scored(flat)).correlations
    assert correlation.within_prompts is None
    assert correlation.overall is None
    assert correlation.untold == (
        "flat tells no two pictures of a prompt apart.",
        "flat gives every picture 0.5.",
    )


def test_prompts_in_which_one_tells_nothing_apart_are_not_counted(tmp_path: Path) -> None:
    values = numbers(1)
    few = {key: value if key[0] < 2 else 0.0 for key, value in values.items()}
    (correlation,) = compared(tmp_path, one=scored(values), few=scored(few)).correlations
    assert (correlation.prompts, correlation.telling) == (6, 2)
    assert correlation.within_prompts is not None
    # Alike in both prompts: nothing is known of an interval.
    assert (correlation.within_prompts.value, correlation.within_prompts.low) == (1, None)


def test_pictures_of_one_name_are_told_apart(tmp_path: Path) -> None:
    item = RatingItem(id="x", prompt=Prompt(text="P"), artifact=picture(1))
    other = RatingItem(
        id="y", prompt=Prompt(text="P"), artifact=picture(2).model_copy(update={"name": "1.png"})
    )

    def rows(*values: float) -> Rows:
        return [
            (each, Score(prompt=each.prompt, artifact=each.artifact, value=value, provenance=origin()))
            for each, value in zip((item, other), values, strict=True)
        ]

    (parting,) = compared(tmp_path, up=rows(1, 2), down=rows(2, 1)).partings
    assert {parting.picture, parting.other} == {
        f"1.png {artifact.sha256[:8]}" for artifact in (item.artifact, other.artifact)
    }
    assert set(parting.item.split(", ")) == {"x", "y"}


def test_a_run_of_failures_is_listed_and_stops_nothing(tmp_path: Path) -> None:
    failed: Rows = [(item, REFUSED) for item, _ in scored(numbers(1))]
    both = compared(tmp_path, one=scored(numbers(1)), broken=failed, two=scored(numbers(2)))
    assert [(run.name, run.failed) for run in both.runs] == [("one", 0), ("broken", 30), ("two", 0)]
    assert [(each.first, each.second) for each in both.correlations] == [("one", "two")]
    with pytest.raises(BadSetting, match=r"The run broken says nothing .*: its 30 items failed"):
        compared(tmp_path / "again", one=scored(numbers(1)), broken=failed)


def test_runs_that_share_nothing_or_say_nothing_are_refused(tmp_path: Path) -> None:
    question = question_item(1, "A", {})
    one, other, mute = ranks(
        tmp_path, one=scored({(0, 1): 1.0}), other=scored({(1, 1): 1.0}), mute=[(question, REFUSED)]
    )
    with pytest.raises(BadSetting, match="one, other have no pictures of one prompt in common"):
        compare_ranks([one, other])
    with pytest.raises(BadSetting, match="The run mute says nothing of pictures"):
        compare_ranks([one, mute])
    for too_few in ([one], [one, one]):
        with pytest.raises(BadSetting, match="two runs or more, each named once"):
            compare_ranks(too_few)
