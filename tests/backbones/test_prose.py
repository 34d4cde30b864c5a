"""Prose from a live server: what cannot be used is a Failure, and where no probabilities come, none is made up."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chat import completion, says
from loopback import Answer, Loopback, Script, json_answer
from semiosis.backbones.backbone import Backbone, Message, Reply
from semiosis.backbones.cache import Cached
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.prose import ProseQuery, ask_answers, ask_prose
from semiosis.core.outcome import Exchange, Failure

QUERY = ProseQuery(
    task="critique", messages=(Message("user", ("Read it.",)),), stage="critique", max_tokens=100
)
YES_OR_NO = replace(QUERY, task="vqascore", stage="question", answers=("Yes", "No"))


async def written(*answers: Answer) -> tuple[Reply | Failure, Script, list[Exchange]]:
    script, log = Script(*answers), list[Exchange]()
    with Loopback(script.app) as loopback:
        backbone = OpenAI("m", provider="custom", base_url=f"{loopback.url}/v1", api_key="k")
        reply = await ask_prose(backbone, QUERY, log)
        await backbone.aclose()
    return reply, script, log


async def test_prose_is_kept_as_it_was_written_and_no_schema_is_asked_for() -> None:
    reply, script, log = await written(says("A cold light.\n\nNothing lasts."))
    assert isinstance(reply, Reply)
    assert reply.text == "A cold light.\n\nNothing lasts."
    assert "response_format" not in script.seen[0].json
    assert [(each.stage, each.reply) for each in log] == [("critique", reply.text)]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (says("I'm sorry, but I can't help with that."), "refused"),
        (says(None, refusal="no"), "refused"),
        (says("", finish="content_filter"), "filtered"),
        (says("   "), "unparsable"),
    ],
)
async def test_what_is_no_prose_is_a_failure(answer: Answer, reason: str) -> None:
    reply, _, log = await written(answer)
    assert isinstance(reply, Failure)
    assert (reply.reason, reply.stage, len(log)) == (reason, "critique", 1)


async def test_a_cut_reply_is_asked_for_once_more_with_more_room_and_never_passes() -> None:
    reply, script, _ = await written(says("A cold", finish="length"), says("A cold light."))
    assert isinstance(reply, Reply)
    assert [each.json["max_tokens"] for each in script.seen] == [100, 300]
    reply, script, log = await written(says("A cold", finish="length"))
    assert isinstance(reply, Failure)
    assert (reply.reason, len(script.seen), len(log)) == ("truncated", 2, 2)


def likely_first(*tokens: tuple[str, float]) -> Answer:
    """A reply whose first token could have been any of these, each with its log-probability."""
    entries = [{"token": token, "logprob": logprob, "bytes": None} for token, logprob in tokens]
    answer = completion("Yes")
    answer["choices"][0]["logprobs"] = {"content": [entries[0] | {"top_logprobs": entries}]}
    return json_answer(answer)


async def weighed(answer: Answer) -> dict[str, float] | Failure:
    with Loopback(Script(answer).app) as loopback:
        backbone = OpenAI("m", provider="custom", base_url=f"{loopback.url}/v1", api_key="k")
        likely = await ask_answers(backbone, YES_OR_NO, [])
        await backbone.aclose()
    return likely


async def test_a_backbone_without_probabilities_gives_no_number() -> None:
    likely = await weighed(says("Yes"))
    assert isinstance(likely, Failure)
    assert likely.reason == "invalid"
    assert likely.message.startswith(
        "custom/m gives no probabilities of answers, and vqascore is made of these"
    )


@pytest.mark.parametrize("untrue", [math.nan, 7.5, math.inf])
async def test_what_is_no_logarithm_of_a_probability_is_a_failure(untrue: float) -> None:
    likely = await weighed(likely_first(("Yes", untrue), ("No", -1.0)))
    assert isinstance(likely, Failure)
    assert likely.reason == "invalid"
    assert likely.message == f"custom/m gave {untrue} as the logarithm of a probability."


async def test_a_probability_above_1_by_rounding_is_1() -> None:
    assert await weighed(likely_first(("Yes", 1e-6), ("No", -20.0))) == {"Yes": 0.0, "No": -20.0}


async def test_a_first_token_that_cannot_come_is_absent() -> None:
    likely = await weighed(likely_first(("Yes", -1.0), (" yes", -math.inf), ("No", -2.0)))
    assert likely == {"Yes": -1.0, "No": -2.0}
    absent = await weighed(likely_first(("Yes", -1.0), ("No", -math.inf)))
    assert isinstance(absent, Failure)
    assert "says nothing of 'No'" in absent.message


Asking = Callable[[Backbone], Awaitable[object]]


async def calls_of(asking: Asking, folder: Path, *answers: Answer) -> int:
    """How many reach the server where replies are kept and the same is asked twice."""
    script = Script(*answers)
    with Loopback(script.app) as loopback:
        inner = OpenAI("m", provider="custom", base_url=f"{loopback.url}/v1", api_key="k")
        backbone = Cached(inner, folder / "replies.sqlite")
        for _ in range(2):
            await asking(backbone)
        await backbone.aclose()
    return len(script.seen)


def lack_of_words(text: str) -> str | None:
    return "It is one word." if text == "No." else None


def prose(backbone: Backbone) -> Awaitable[object]:
    return ask_prose(backbone, replace(QUERY, check=lack_of_words), [])


def weights(backbone: Backbone) -> Awaitable[object]:
    return ask_answers(backbone, YES_OR_NO, [])


@pytest.mark.parametrize(
    ("asking", "answer", "calls"),
    [
        (prose, says("A cold light."), 1),
        (prose, says("No."), 2),
        (prose, says("I'm sorry, but I can't help with that."), 2),
        (prose, says("   "), 2),
        (weights, likely_first(("Yes", -1.0), ("No", -2.0)), 1),
        (weights, likely_first(("Yes", -1.0), ("No", 7.5)), 2),
        (weights, likely_first(("Yes", math.nan), ("No", -1.0)), 2),
        (weights, says("Yes"), 2),
    ],
)
async def test_a_reply_of_no_use_is_not_kept(
    asking: Asking, answer: Answer, calls: int, tmp_path: Path
) -> None:
    assert await calls_of(asking, tmp_path, answer) == calls


async def test_what_comes_with_more_room_is_kept_if_it_is_of_use(tmp_path: Path) -> None:
    cut = says("A cold", finish="length")
    for text, calls in (("A cold light.", 3), ("   ", 4)):
        assert await calls_of(prose, tmp_path / str(calls), cut, says(text), cut, says(text)) == calls
