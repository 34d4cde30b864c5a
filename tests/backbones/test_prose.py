"""Prose from a live server: what cannot be used is a Failure, and where no probabilities come, none is made up."""

import pytest

from chat import says
from loopback import Answer, Loopback, Script
from semiosis.backbones.backbone import Message, Reply
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.prose import ProseQuery, ask_answers, ask_prose
from semiosis.core.outcome import Exchange, Failure

QUERY = ProseQuery(
    task="critique", messages=(Message("user", ("Read it.",)),), stage="critique", max_tokens=100
)


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


async def test_a_backbone_without_probabilities_gives_no_number() -> None:
    query = ProseQuery(task="vqascore", messages=QUERY.messages, stage="question", answers=("Yes", "No"))
    log: list[Exchange] = []
    with Loopback(Script(says("Yes")).app) as loopback:
        backbone = OpenAI("m", provider="custom", base_url=f"{loopback.url}/v1", api_key="k")
        likely = await ask_answers(backbone, query, log)
        await backbone.aclose()
    assert isinstance(likely, Failure)
    assert likely.reason == "invalid"
    assert likely.message.startswith(
        "custom/m gives no probabilities of answers, and vqascore is made of these"
    )
