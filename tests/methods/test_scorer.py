"""A scorer judges pairs through one adapter: ties as ties, each picture measured once, no number from nothing."""

import asyncio
import math
from dataclasses import dataclass
from typing import Any

import pytest

from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Exchange, Failure
from semiosis.core.sign import Artifact, Pair, Prompt
from semiosis.methods.scorer import Scorer
from stored import picture

PROMPT = Prompt(text="Nothing lasts.")
ONE, TWO, THREE = picture(1), picture(2), picture(3)


@dataclass(frozen=True)
class Listed(Scorer):
    """Values from a list, and how often each picture was measured."""

    name = "listed"
    values: dict[str, Any]
    measured: list[str]

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        await asyncio.sleep(0)
        self.measured.append(artifact.sha256)
        value = self.values[artifact.sha256]
        return Failure(reason="refused", message="no") if value is None else value


def listed(*values: float | None) -> Listed:
    return Listed(dict(zip((each.sha256 for each in (ONE, TWO, THREE)), values, strict=False)), [])


@pytest.mark.parametrize(("values", "winner"), [((2.0, 1.0), "a"), ((1.0, 2.0), "b"), ((1.0, 1.0), None)])
async def test_the_larger_number_wins_and_equal_ones_tie(
    values: tuple[float, float], winner: str | None
) -> None:
    judgment = await listed(*values).judge(Pair(PROMPT, ONE, TWO))
    assert isinstance(judgment, Judgment)
    assert (judgment.winner, judgment.flipped, judgment.measured) == (winner, None, True)


async def test_a_picture_is_measured_once_for_all_its_pairs_and_its_score() -> None:
    method = listed(1.0, 2.0, 3.0)
    await asyncio.gather(
        *(method.judge(Pair(PROMPT, a, b)) for a, b in ((ONE, TWO), (TWO, THREE), (THREE, ONE)))
    )
    score = await method.score(PROMPT, TWO)
    assert isinstance(score, Score)
    assert score.value == 2.0
    assert sorted(method.measured) == sorted(each.sha256 for each in (ONE, TWO, THREE))
    await method.score(Prompt(text="Another."), TWO)
    assert len(method.measured) == 4


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "refused"),
        (math.nan, "invalid"),
        (math.inf, "invalid"),
        (1e308, "invalid"),
        (-1e308, "invalid"),
    ],
)
async def test_what_is_no_number_is_a_failure_and_is_tried_again(value: float | None, reason: str) -> None:
    method = listed(value, 2.0)
    for outcome in (await method.judge(Pair(PROMPT, ONE, TWO)), await method.score(PROMPT, ONE)):
        assert isinstance(outcome, Failure)
        assert outcome.reason == reason
    assert method.measured.count(ONE.sha256) == 2
