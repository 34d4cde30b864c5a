"""Every prompt that looks at a picture, as a model that sees has answered it: what was read, and who won.

The model answered exactly what these methods send; the prompts as they are now find the replies, so a prompt that is
reworded fails here until it has met a model again (sittings.py).
"""

from collections import Counter
from functools import cache

import pytest

from semiosis.backbones.recording import Replay
from semiosis.core.item import Item
from semiosis.core.kinds.interpretation import Interpretation
from semiosis.core.kinds.rating import Score
from semiosis.core.loop import run
from semiosis.core.outcome import Exchange, Failure, Outcome
from witnesses.sittings import REPLIES, SITTINGS, ratings

# As labelled by the makers, of those that have a label; two pairs have none. Eleven faults are of the style, which
# two of the sittings do not tell.
RIGHT = {
    "direct-base-separate": (20, 20),
    "direct-base-without-content": (20, 20),
    "direct-base-without-style": (16, 20),
    "direct-base-without-both": (17, 20),
    "direct-base-stylization": (20, 20),
    "direct-cot-stylization": (20, 20),
    "artcot-stylization": (20, 20),
    "viescore-stylization": (20, 20),
    "direct-base": (18, 18),
    "direct-cot": (18, 18),
    "artcot": (18, 18),
    "direct-answer": (24, 24),
    "artcot-answer": (24, 24),
}
# Pairs in which the picture that carries the meaning has more, and as much: of 18.
AHEAD = {"viescore": (18, 0), "rubric": (17, 1), "dsg": (16, 2)}
LEAST = 20
# All that these methods ask about pictures. DSG's three questions about the text see none; tuned models are
# asked in the words they were tuned with.
PROMPTS = {
    *(
        "base",
        "cot",
        "analysis",
        "critique",
        "summary",
        "task-prompt",
        "task-stylization",
        "apart",
        "composed",
        "composed-results",
        "task-style-only",
        "task-content-only",
        "task-neither",
        "strangers-fenced",
        "strangers-lettering",
    ),
    *("alone-analysis", "alone-critique", "alone-answer", "choice", "read-picture", "rubric", "look"),
    *("viescore-prompt", "viescore-stylization", "viescore-perception"),
}


@cache
def played(name: str) -> list[Outcome]:
    return run(SITTINGS[name].outcomes(Replay(REPLIES / f"{name}.jsonl")))


def exchanges(name: str) -> list[Exchange]:
    return [exchange for each in played(name) if each.provenance for exchange in each.provenance.exchanges]


@pytest.mark.parametrize("name", SITTINGS)
def test_every_reply_was_read_and_none_of_them_guessed(name: str) -> None:
    outcomes = played(name)
    assert len(outcomes) >= LEAST
    assert [outcome for outcome in outcomes if isinstance(outcome, Failure)] == []
    assert [exchange for exchange in exchanges(name) if exchange.repairs] == []


@pytest.mark.parametrize("name", RIGHT)
def test_verdicts_and_choices_are_those_of_the_makers(name: str) -> None:
    agreements = [
        outcome.agrees(item.label)
        for outcome, item in zip(played(name), SITTINGS[name].about(), strict=True)
        if isinstance(item, Item) and item.label is not None
    ]
    assert (sum(each is True for each in agreements), len(agreements)) == RIGHT[name]


@pytest.mark.parametrize("name", AHEAD)
def test_numbers_put_the_picture_that_carries_the_meaning_first(name: str) -> None:
    values = {
        item.id: outcome.value
        for outcome, item in zip(played(name), ratings(), strict=True)
        if isinstance(outcome, Score)
    }
    counts = Counter(
        (values[f"{initiative}/meaning"] > values[f"{initiative}/{role}"])
        - (values[f"{initiative}/meaning"] < values[f"{initiative}/{role}"])
        for initiative in {each.partition("/")[0] for each in values}
        for role in ("literal", "drift")
    )
    assert (counts[1], counts[0], counts.total()) == (*AHEAD[name], 18)


@pytest.mark.parametrize("name", ["direct-interpret", "artcot-interpret"])
def test_pictures_read_alone_are_read_in_prose(name: str) -> None:
    for outcome in played(name):
        assert isinstance(outcome, Interpretation)
        assert all(len(passage.text) > 40 for passage in outcome.passages)
    titles = {tuple(passage.title for passage in outcome.passages) for outcome in played(name)}  # type: ignore[attr-defined]
    assert len(titles) == 1


def test_every_prompt_about_pictures_was_answered_twenty_times() -> None:
    met = Counter(prompt for name in SITTINGS for each in exchanges(name) for prompt in each.prompts)
    assert {prompt: met[prompt] for prompt in PROMPTS if met[prompt] < LEAST} == {}
    assert met.keys() >= PROMPTS
