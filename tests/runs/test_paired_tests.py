"""What can be tested of two runs on the same items: every count by hand, every number by the statistics themselves."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from semiosis.core.item import Item
from semiosis.core.kinds.pair import PairItem
from semiosis.core.kinds.rating import RatingItem, Score
from semiosis.core.outcome import Failure, Outcome
from semiosis.core.sign import Pair, Prompt, Side
from semiosis.runs.comparison import compare
from semiosis.runs.paired_tests import DifferenceTest, LeftOut, PairedTests
from semiosis.runs.store import Store
from semiosis.stats import mcnemar, paired_bootstrap, spearman
from semiosis.stats.correlation import rank_correlation
from stored import about, first_run, judged, origin, picture, second_run, settle

REFUSED = Failure(reason="refused", message="no")


def compared(folder: Path, *runs: Sequence[tuple[Item, Outcome]]) -> PairedTests:
    """Of two runs: items and what became of them."""
    for name, rows in zip(("first", "second"), runs, strict=True):
        with Store.create(folder / f"{name}.sqlite", about(name)) as store:
            for position, (item, outcome) in enumerate(rows):
                settle(store, position, item, outcome)
    with Store.look(folder / "first.sqlite") as one, Store.look(folder / "second.sqlite") as other:
        return compare(one, other).tests


def pair_of(number: int, prompt: int, winner: str | None) -> PairItem:
    pair = Pair(prompt=f"Prompt {prompt}", a=picture(2 * number), b=picture(2 * number + 1))
    return PairItem(id=str(number), pair=pair, labels={} if winner is None else {"winner": winner})


def verdicts(items: Sequence[PairItem], words: Sequence[str]) -> list[tuple[Item, Outcome]]:
    """right or wrong by the label, in both orders alike; undecided; failed."""

    def outcome(item: PairItem, word: str) -> Outcome:
        right: Side = "b" if item.label == "b" else "a"
        wrong: Side = "a" if right == "b" else "b"
        sides: dict[str, tuple[Side, Side]] = {"right": (right, right), "wrong": (wrong, wrong)}
        return REFUSED if word == "failed" else judged(item, *sides.get(word, ("a", "b")))

    return [(item, outcome(item, word)) for item, word in zip(items, words, strict=True)]


def test_each_item_is_used_or_left_out_for_one_reason(tmp_path: Path) -> None:
    labels = ["a", "b", "a", "b", "a", "b", "a", "tie", None, "tie"]
    first = [
        "right",
        "right",
        "wrong",
        "right",
        "undecided",
        "failed",
        "failed",
        "right",
        "failed",
        "undecided",
    ]
    second = [
        "right",
        "wrong",
        "right",
        "undecided",
        "undecided",
        "right",
        "failed",
        "right",
        "right",
        "wrong",
    ]
    items = [pair_of(number, number % 5, label) for number, label in enumerate(labels)]
    tests = compared(tmp_path, verdicts(items, first), verdicts(items, second))
    assert tests.mcnemar is not None
    assert (tests.mcnemar.items, tests.mcnemar.first_alone, tests.mcnemar.second_alone) == (3, 1, 1)
    assert tests.mcnemar.left_out == LeftOut(failed=3, tied=2, undecided=2)
    (agreement,) = tests.differences
    assert (agreement.measure, agreement.items, agreement.prompts) == ("agreement", 5, 5)
    assert agreement.left_out == LeftOut(failed=3, tied=2)
    # Undecided verdicts agree with nobody: 3 of 5 against 2 of 5.
    assert (agreement.first, agreement.second) == (pytest.approx(3 / 5), pytest.approx(2 / 5))
    assert agreement.difference is not None
    assert agreement.difference.value == pytest.approx(1 / 5)


def test_the_numbers_are_those_of_the_statistics(tmp_path: Path) -> None:
    chance = random.Random(1)
    items = [pair_of(number, number // 5, "ab"[number % 2]) for number in range(60)]
    first, second = (["right" if chance.random() < skill else "wrong" for _ in items] for skill in (0.9, 0.5))
    tests = compared(tmp_path, verdicts(items, first), verdicts(items, second))
    one, other = ([word == "right" for word in words] for words in (first, second))
    by_hand = mcnemar(one, other)
    assert tests.mcnemar is not None
    assert (tests.mcnemar.p, tests.mcnemar.exact_p) == (by_hand.p, by_hand.exact_p)
    apart = paired_bootstrap(np.mean, one, other, clusters=[item.pair.prompt.text for item in items])
    (agreement,) = tests.differences
    assert agreement.difference is not None
    assert (agreement.difference.low, agreement.difference.high, agreement.p) == pytest.approx(
        (apart.low, apart.high, apart.p), abs=0.02
    )
    assert (agreement.items, agreement.prompts) == (60, 12)
    assert agreement.p is not None
    assert agreement.p < 0.01


def test_items_of_a_prompt_that_fare_alike_tell_no_more_than_one_of_them(tmp_path: Path) -> None:
    fates = [("right", "wrong")] * 6 + [("wrong", "right")] * 2 + [("right", "right")] * 2

    def agreement(name: str, times: int) -> DifferenceTest:
        items = [pair_of(number, number // times, "a") for number in range(times * len(fates))]
        runs = ([words for words in each for _ in range(times)] for each in zip(*fates, strict=True))
        (test,) = compared(tmp_path / name, *(verdicts(items, words) for words in runs)).differences
        return test

    one, six = agreement("one", 1), agreement("six", 6)
    assert (one.items, one.prompts, six.items, six.prompts) == (10, 10, 60, 10)
    assert one.difference is not None
    assert six.difference is not None
    assert (six.difference.low, six.difference.high) == pytest.approx(
        (one.difference.low, one.difference.high)
    )
    assert six.p == one.p


def test_one_text_with_other_reference_images_is_another_prompt(tmp_path: Path) -> None:
    prompts = [Prompt(text="Nothing lasts.", references=(picture(100 + number),)) for number in range(5)]
    pairs = [Pair(prompt, picture(2 * at), picture(2 * at + 1)) for at, prompt in enumerate(prompts)]
    items = [PairItem(id=str(at), pair=pair, labels={"winner": "a"}) for at, pair in enumerate(pairs)]
    (agreement,) = compared(
        tmp_path, verdicts(items, ["right"] * 5), verdicts(items, ["wrong"] * 5)
    ).differences
    assert (agreement.prompts, agreement.untold) == (5, "")


def ratings(
    numbers: Sequence[float | None], labels: Sequence[float | str | None]
) -> list[tuple[Item, Outcome]]:
    rows: list[tuple[Item, Outcome]] = []
    for at, (value, label) in enumerate(zip(numbers, labels, strict=True)):
        item = RatingItem(
            id=str(at),
            prompt=Prompt(text=f"Prompt {at // 4}"),
            artifact=picture(at),
            labels={"rating": label},
        )
        score = (
            value
            if value is None
            else Score(prompt=item.prompt, artifact=item.artifact, value=value, provenance=origin())
        )
        rows.append((item, score or REFUSED))
    return rows


def test_ratings_are_tested_by_their_rank_correlation_with_the_label(tmp_path: Path) -> None:
    chance = random.Random(2)
    labels: list[float | str | None] = [float(at % 7) for at in range(40)]
    near = [float(label) + chance.gauss(0, 0.5) for label in labels if label is not None]
    far: list[float | None] = [value + chance.gauss(0, 6) for value in near]
    used = [value for at, value in enumerate(far) if at not in (3, 9, 17)]
    far[3] = None
    labels[9], labels[17] = None, "many"
    tests = compared(tmp_path, ratings(near, labels), ratings(far, labels))
    assert tests.mcnemar is None
    (correlation,) = tests.differences
    assert (correlation.measure, correlation.items, correlation.prompts) == ("rank correlation", 37, 10)
    assert correlation.left_out == LeftOut(failed=1, unlabelled=2)
    numbers = [float(at % 7) for at in range(40) if at not in (3, 9, 17)]
    assert correlation.second == pytest.approx(spearman(used, numbers).value)
    assert correlation.first is not None
    assert correlation.first > 0.9
    assert correlation.difference is not None
    assert correlation.difference.low is not None
    assert correlation.difference.low > 0
    assert correlation.difference.value == pytest.approx(correlation.first - rank_correlation(used, numbers))


def test_what_cannot_be_told_says_why(tmp_path: Path) -> None:
    items = [pair_of(number, number % 4, "a") for number in range(8)]
    few = compared(tmp_path / "few", verdicts(items, ["right"] * 8), verdicts(items, ["wrong"] * 8))
    (agreement,) = few.differences
    assert agreement.untold == "It takes 5 prompts to resample; prompts in common: 4."
    assert (agreement.difference, agreement.p, few.mcnemar and few.mcnemar.items) == (None, None, 8)
    flat = compared(
        tmp_path / "flat",
        ratings([1.0] * 20, [float(at) for at in range(20)]),
        ratings([float(at) for at in range(20)], [float(at) for at in range(20)]),
    )
    assert "constant" in flat.differences[0].untold
    items = [pair_of(number, number % 4, None) for number in range(8)]
    bare = compared(tmp_path / "bare", verdicts(items, ["right"] * 8), verdicts(items, ["wrong"] * 8))
    assert bare == PairedTests()


def test_a_run_of_several_kinds_has_a_test_of_each(tmp_path: Path) -> None:
    first_run(tmp_path / "first.sqlite")
    second_run(tmp_path / "second.sqlite")
    with Store.look(tmp_path / "first.sqlite") as one, Store.look(tmp_path / "second.sqlite") as other:
        tests = compare(one, other).tests
    # Pairs 1 to 3 have a label that is a side and two verdicts; the third is undecided in the first run.
    assert tests.mcnemar is not None
    assert (tests.mcnemar.items, tests.mcnemar.left_out) == (2, LeftOut(failed=2, unlabelled=1, undecided=1))
    assert [each.measure for each in tests.differences] == ["agreement"]
