"""Iconicity by the makers' ratings of the samples."""

import pytest

from semiosis.benchmarks.bias import NOTHING_SETTLED, Ruling
from semiosis.benchmarks.material import Material
from semiosis.benchmarks.samples.bias import IconicityTest
from semiosis.core.kinds.pair import PairItem
from semiosis.core.sign import Side, other


def pairs() -> list[PairItem]:
    return [item for item in IconicityTest().items(Material.bundled()) if isinstance(item, PairItem)]


def ruled(item: PairItem, *, agrees: bool | None) -> Ruling:
    right: Side = item.label  # type: ignore[assignment]
    return Ruling(item.labels, None if agrees is None else right if agrees else other(right))


def test_the_rated_pairs_are_those_with_a_winner_on_either_side_as_often() -> None:
    items = pairs()
    assert len(items) == 18
    assert [item.label for item in items].count("a") == 9
    for loser in ("literal", "drift"):
        assert {item.label for item in items if item.labels["against"] == loser} == {"a", "b"}
    by_id = {item.id: item.labels["net_iconicity"] for item in items}
    # The prompt's 4 - (4 + 7) / 2, and half of the pictures' 5 - (5 + 7) / 2 and 7 - (2 + 2) / 2.
    assert by_id["vanitas-screen/meaning/literal"] == -1.5 + (-1.0 + 5.0) / 2


def test_agreement_on_what_resembles_is_a_bias_and_the_other_way_is_none() -> None:
    nets = sorted(float(str(item.labels["net_iconicity"])) for item in pairs())
    middle = nets[9]
    biased = [ruled(item, agrees=float(str(item.labels["net_iconicity"])) >= middle) for item in pairs()]
    finding = IconicityTest().judged(biased)
    assert finding.p is not None
    assert finding.p < 0.005
    assert finding.effect is not None
    assert finding.effect.value > 2
    assert finding.effect.low is not None
    assert 0 < finding.effect.low < finding.effect.value
    assert finding.effect.high is None
    reverse = IconicityTest().judged(
        [ruled(item, agrees=float(str(item.labels["net_iconicity"])) < middle) for item in pairs()]
    )
    assert reverse.effect is not None
    assert reverse.effect.value == pytest.approx(-finding.effect.value)
    assert reverse.p is not None
    assert reverse.p > 0.99


def test_undecided_pairs_are_ties_and_failures_are_in_no_number() -> None:
    items = pairs()
    rulings = [ruled(item, agrees=(True, False, None)[at % 3]) for at, item in enumerate(items)]
    rulings[0] = Ruling(items[0].labels, reason="refused")
    finding = IconicityTest().judged(rulings)
    assert (finding.n, finding.towards, finding.against, finding.ties) == (17, 5, 6, 6)


@pytest.mark.parametrize(
    ("agrees", "why"),
    [
        (True, "The judge agrees on all 18 that it decides, so there is no difference."),
        (None, "The judge decides nothing, so there is no difference."),
    ],
)
def test_a_judge_that_always_agrees_or_never_decides_cannot_be_asked(agrees: bool | None, why: str) -> None:
    finding = IconicityTest().judged([ruled(item, agrees=agrees) for item in pairs()])
    assert (finding.obstacle, finding.p, finding.effect) == (why, None, None)


def test_where_all_failed_nothing_is_said() -> None:
    finding = IconicityTest().judged([Ruling(item.labels, reason="refused") for item in pairs()])
    assert finding.obstacle == NOTHING_SETTLED
    assert IconicityTest().judged([]).obstacle == NOTHING_SETTLED
