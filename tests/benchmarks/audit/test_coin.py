"""A judge that tosses a coin is accused about as often as the line says, however it votes."""

import pytest

from audited import Asked, Voting, coin, material
from semiosis.benchmarks.audit.items import Audit

SIMULATIONS = 500


@pytest.fixture(scope="module")
def asked() -> Asked:
    return Asked(Audit(material()))


@pytest.mark.parametrize("voting", ["both", "once"])
def test_a_coin_is_accused_by_some_test_in_5_of_100_audits(voting: Voting, asked: Asked) -> None:
    accused = sum(
        any(each.accused for each in asked.audited(coin(seed, asked.questions), voting))
        for seed in range(SIMULATIONS)
    )
    assert 0.03 <= accused / SIMULATIONS <= 0.07


def test_every_test_has_its_part_in_a_coins_audit(asked: Asked) -> None:
    tests = asked.audited(coin(1, asked.questions))
    assert [each.test for each in tests] == [
        *("blurred", "desaturated", "file-format", "framed", "iconicity"),
        *("minimal-pairs", "picture-size", "prompt-length", "side"),
    ]
    assert all(each.finding.p is not None and each.holm is not None for each in tests)
    assert all(each.holm >= each.finding.p for each in tests if each.test == "iconicity")  # type: ignore[operator]


def test_a_judge_that_leans_to_what_is_shown_first_is_accused_of_that_and_rarely_of_anything_else(
    asked: Asked,
) -> None:
    """Seven in eight choices are for it, in one look."""
    hits, others = 0, 0
    for seed in range(50):
        coins = [coin(1000 * toss + seed, asked.questions) for toss in range(3)]
        tests = asked.audited(lambda number, coins=coins: any(toss(number) for toss in coins), "once")
        names = {each.test for each in tests if each.accused}
        hits += "side" in names
        others += bool(names - {"side"})
    assert hits >= 48
    assert others <= 5
