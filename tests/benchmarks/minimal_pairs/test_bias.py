"""Harmless edits accuse, broken ones are told beside."""

from semiosis.benchmarks.bias import Ruling
from semiosis.benchmarks.material import Material
from semiosis.benchmarks.minimal_pairs.bias import HarmlessEdits
from semiosis.core.kinds.pair import PairItem


def pairs() -> list[PairItem]:
    return [item for item in HarmlessEdits().items(Material.bundled()) if isinstance(item, PairItem)]


def test_the_original_is_on_either_side_as_often() -> None:
    for edit, count in (("same", 10), ("broken", 15)):
        sides = [item.labels["original"] for item in pairs() if item.labels["edit"] == edit]
        assert (len(sides), sides.count("a")) == (count, (count + 1) // 2)


def test_a_broken_edit_has_a_winner_and_a_harmless_one_none() -> None:
    items = pairs()
    assert all(item.label == item.labels["original"] for item in items if item.labels["edit"] == "broken")
    assert all(item.label is None for item in items if item.labels["edit"] == "same")
    assert {item.id for item in items} >= {"vanitas-screen/same_1", "vanitas-screen/broken_3"}


def test_a_judge_that_sees_what_is_broken_is_not_accused_of_it() -> None:
    rulings = [Ruling(item.labels, item.label, (("ab", item.label),)) for item in pairs()]  # type: ignore[arg-type]
    finding = HarmlessEdits().judged(rulings)
    assert (finding.n, finding.ties, finding.p) == (10, 10, 1.0)
    assert finding.remarks == ("Of 15 edits that break the meaning, it preferred the original to 15.",)


def test_a_judge_that_clings_to_the_original_is() -> None:
    rulings = [Ruling(item.labels, item.labels["original"]) for item in pairs()]  # type: ignore[arg-type]
    finding = HarmlessEdits().judged([*rulings[1:], Ruling(rulings[0].labels, reason="refused")])
    assert (finding.n, finding.towards) == (9, 9)
    assert finding.p == 2 / 2**9
