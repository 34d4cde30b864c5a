"""Any OpenAI-compatible server, over real HTTP: each answer ends in the right value or the right failure."""

import asyncio
import json
from typing import Annotated, Any

import pytest
from aiohttp import web
from pydantic import BaseModel, Field

from chat import completion, refuses, says
from loopback import Answer, Loopback, Script, drop, hang, json_answer, text_answer
from semiosis.backbones.backbone import Message, Request
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.query import Query, ValidReply, ask
from semiosis.backbones.wrapper import Retrying
from semiosis.core.outcome import Exchange, Failure

KEY = "sk-test-0123456789abcdef"


class Verdict(BaseModel):
    winner: Annotated[str, Field(pattern="^[AB]$", max_length=1)]
    reason: Annotated[str, Field(max_length=80)] = ""


GOOD = {"winner": "A", "reason": "it glows"}


def query() -> Query[Verdict]:
    return Query(task="verdict", messages=(Message("user", ("which?",)),), reply=Verdict, stage="verdict")


async def outcome(
    *answers: Answer, provider: str = "openai", timeout_s: float = 5.0, tries: int = 4
) -> tuple[Any, list[Exchange], Script]:
    script = Script(*answers)
    log: list[Exchange] = []
    with Loopback(script.app) as server:
        model = OpenAI("m", provider=provider, base_url=f"{server.url}/v1", api_key=KEY, timeout_s=timeout_s)
        result = await ask(Retrying(model, tries=tries, base_s=0.001), query(), log)
        await model.aclose()
    return result, log, script


async def slow(request: web.Request) -> web.StreamResponse:
    """A byte now and then, for ever: every single read is quick."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    while True:
        await response.write(b" ")
        await asyncio.sleep(0.02)


async def cut(request: web.Request) -> web.StreamResponse:
    """Promises more than it sends."""
    body = json.dumps(completion(json.dumps(GOOD))).encode()
    response = web.StreamResponse(
        headers={"Content-Type": "application/json", "Content-Length": str(len(body))}
    )
    await response.prepare(request)
    await response.write(body[:60])
    assert request.transport is not None
    request.transport.abort()
    return response


GOOD_REPLIES = {
    "a plain object": (says(GOOD), ()),
    "fenced": (
        says("Here you are:\n```json\n" + json.dumps(GOOD) + "\n```\nGood luck."),
        ("found in prose",),
    ),
    "prose around": (says("I think {carefully}: " + json.dumps(GOOD) + " so there."), ("found in prose",)),
    "thinking first": (says("<think>{'winner': 'B'}?</think>" + json.dumps(GOOD)), ("found in prose",)),
    "single quotes": (says("{'winner': 'A', 'reason': 'it glows',}"), ("repaired",)),
    "cut but whole enough": (says('{"winner": "A", "reason": "it glows'), ("repaired",)),
}


@pytest.mark.parametrize("name", GOOD_REPLIES)
async def test_a_usable_reply_gives_its_value_in_one_call_and_says_what_was_mended(name: str) -> None:
    answer, repairs = GOOD_REPLIES[name]
    result, log, script = await outcome(answer)
    assert isinstance(result, ValidReply)
    assert result.value == Verdict(**GOOD)
    assert len(script.seen) == 1
    assert log[0].repairs == repairs
    assert (log[0].served, log[0].fingerprint) == ("served-model-1", "fp_test")
    assert (log[0].input_tokens, log[0].output_tokens) == (11, 7)


FAILURES: dict[str, tuple[tuple[Answer, ...], str, int]] = {
    "no JSON, twice": ((says("A, clearly."),), "unparsable", 2),
    "wrong keys, twice": ((says({"victor": "A"}),), "invalid", 2),
    "wrong types, twice": ((says({"winner": ["A"]}),), "invalid", 2),
    "not offered, twice": ((says({"winner": "C"}),), "invalid", 2),
    "a refusal field": ((says(None, refusal="I can't judge this."),), "refused", 1),
    "a refusal in words": ((says("I'm sorry, but I can't help with that."),), "refused", 1),
    "a refusal that quotes the format": (
        (
            says(
                'I cannot judge this. The format would be {"winner": "A", "reason": "x"} but I will not answer.'
            ),
        ),
        "refused",
        1,
    ),
    "a filtered reply": ((says("", finish="content_filter"),), "filtered", 1),
    "a filtered request": ((refuses(400, "blocked", code="content_filter"),), "filtered", 1),
    "truncated, twice": ((says('{"winner": "A"', finish="length"),), "truncated", 2),
    "two answers that differ": ((says('{"winner": "A"} or rather {"winner": "B"}'),), "unparsable", 2),
    "a reply that broke off": ((says('{"winner": "A"}', finish="error"),), "unreachable", 4),
    "choices that are text": ((json_answer({**completion("x"), "choices": ["x", None]}),), "unparsable", 1),
    "an echo of the key": ((json_answer({"error": KEY, "model": KEY}),), "unparsable", 1),
    "no choices": ((json_answer({**completion("x"), "choices": []}),), "unparsable", 1),
    "choices of another kind": ((json_answer({**completion("x"), "choices": "many"}),), "unparsable", 1),
    "an empty body": ((json_answer({}),), "unparsable", 1),
    "429 for ever": ((refuses(429, "slow down"),), "rate-limited", 4),
    "500 for ever": ((text_answer("oops", status=500),), "unreachable", 4),
    "resets for ever": ((drop,), "unreachable", 4),
    "bodies cut off": ((cut,), "unreachable", 4),
    "HTML for ever": ((text_answer("<html>", content_type="application/json"),), "unreachable", 4),
    "400": ((refuses(400, "your prompt is too long"),), "rejected", 1),
    "401": ((refuses(401, f"Incorrect API key provided: {KEY}"),), "unauthorised", 1),
    "403": ((refuses(403, "no access"),), "unauthorised", 1),
    "404": ((refuses(404, "no such model"),), "rejected", 1),
    "out of credit": ((refuses(429, "no credit", code="insufficient_quota"),), "budget", 1),
}


@pytest.mark.parametrize("name", FAILURES)
async def test_trouble_ends_in_its_own_kind_of_failure_within_its_bound_of_calls(name: str) -> None:
    answers, kind, calls = FAILURES[name]
    result, log, script = await outcome(*answers)
    assert isinstance(result, Failure)
    assert result.reason == kind, result.message
    assert len(script.seen) == calls
    assert KEY not in result.model_dump_json()
    assert all(KEY not in exchange.model_dump_json() for exchange in log)


@pytest.mark.parametrize("answer", [hang, slow], ids=["never answers", "a slow body"])
async def test_a_call_that_takes_too_long_is_a_timeout_and_tried_once_more(answer: Answer) -> None:
    result, _, script = await outcome(answer, timeout_s=1.0)
    assert isinstance(result, Failure)
    assert (result.reason, len(script.seen), result.attempts) == ("timeout", 2, 2)


async def test_transient_trouble_passes() -> None:
    result, log, script = await outcome(
        refuses(429, "slow down"), text_answer("oops", status=503), drop, says(GOOD)
    )
    assert isinstance(result, ValidReply)
    assert len(script.seen) == log[0].attempts == 4


async def test_retry_after_is_honoured() -> None:
    script = Script(
        json_answer({"error": {"message": "later"}}, status=429, headers={"Retry-After": "0.3"}), says(GOOD)
    )
    with Loopback(script.app) as server:
        model = Retrying(OpenAI("m", base_url=f"{server.url}/v1"), base_s=60)
        before = asyncio.get_running_loop().time()
        result = await ask(model, query(), [])
        waited = asyncio.get_running_loop().time() - before
        await model.aclose()
    assert isinstance(result, ValidReply)
    assert 0.3 <= waited < 30


async def test_a_wait_beyond_reason_is_not_waited_for() -> None:
    answer = json_answer({"error": {"message": "tomorrow"}}, status=429, headers={"Retry-After": "86400"})
    result, _, script = await outcome(answer)
    assert isinstance(result, Failure)
    assert (result.reason, len(script.seen)) == ("rate-limited", 1)


async def test_what_was_wrong_is_said_once_and_the_correction_is_taken() -> None:
    result, log, script = await outcome(says({"victor": "A"}), says(GOOD))
    assert isinstance(result, ValidReply)
    assert len(log) == 2
    messages = script.seen[1].json["messages"]
    assert json.loads(messages[-2]["content"]) == {"victor": "A"}
    assert "winner: Field required" in messages[-1]["content"]


async def test_a_truncated_reply_is_asked_again_with_more_room() -> None:
    result, _, script = await outcome(says('{"winner": "A', finish="length"), says(GOOD))
    assert isinstance(result, ValidReply)
    first, second = (request.json["max_completion_tokens"] for request in script.seen)
    assert second == 3 * first


def form(body: Any) -> Any:
    response_format = body.get("response_format")
    return None if response_format is None else response_format["type"]


async def test_a_refused_schema_falls_to_json_mode_then_to_plain_and_is_remembered() -> None:
    script = Script(
        refuses(400, "response_format json_schema is not supported"),
        refuses(400, "response_format is not supported"),
        says(GOOD),
    )
    with Loopback(script.app) as server:
        model = OpenAI("m", base_url=f"{server.url}/v1")
        first, second = [await ask(model, query(), []) for _ in range(2)]
        await model.aclose()
    assert isinstance(first, ValidReply)
    assert isinstance(second, ValidReply)
    assert [form(request.json) for request in script.seen] == ["json_schema", "json_object", None, None]


async def test_parameters_a_model_refuses_are_left_out_or_renamed_and_that_is_remembered() -> None:
    script = Script(
        refuses(400, "Unsupported parameter: 'max_completion_tokens'. Use 'max_tokens' instead."),
        refuses(400, "'temperature' does not support 0.0 with this model"),
        says(GOOD),
    )
    request = Request((Message("user", ("hi",)),), task="t", temperature=0.0, max_tokens=9)
    with Loopback(script.app) as server:
        model = OpenAI("m", base_url=f"{server.url}/v1")
        replies = [await model.complete(request) for _ in range(2)]
        await model.aclose()
    bodies = [each.json for each in script.seen]
    assert len(bodies) == 4
    assert [("temperature" in body, "max_tokens" in body) for body in bodies] == [
        (True, False),
        (True, True),
        (False, True),
        (False, True),
    ]
    assert replies[0].parameters == {"schema_form": "plain", "max_tokens": 9}


async def test_a_limit_on_tokens_is_kept_and_remembered() -> None:
    message = (
        "max_completion_tokens is too large: 20000. This model supports at most 16384 completion tokens."
    )
    script = Script(refuses(400, message), says(GOOD))
    request = Request((Message("user", ("hi",)),), task="t", max_tokens=20_000)
    with Loopback(script.app) as server:
        model = OpenAI("m", base_url=f"{server.url}/v1")
        for _ in range(2):
            await model.complete(request)
        await model.aclose()
    assert [each.json["max_completion_tokens"] for each in script.seen] == [20_000, 16_384, 16_384]


async def test_a_larger_room_that_is_refused_leaves_the_reply_truncated() -> None:
    result, _, script = await outcome(says('{"winner": "A', finish="length"), refuses(400, "no more room"))
    assert isinstance(result, Failure)
    assert (result.reason, len(script.seen)) == ("truncated", 2)


async def test_schemas_are_spoken_in_the_servers_dialect() -> None:
    for provider, bounded in (("openai", False), ("llamacpp", True), ("openrouter", False), ("ollama", True)):
        _, _, script = await outcome(says(GOOD), provider=provider)
        schema = script.seen[0].json["response_format"]["json_schema"]["schema"]
        assert ("maxLength" in schema["properties"]["reason"]) is bounded
        assert schema["required"] == ["winner", "reason"]
        assert schema["additionalProperties"] is False


async def test_log_probabilities_are_exposed_where_the_server_gives_them() -> None:
    answer = completion("A")
    answer["choices"][0]["logprobs"] = {
        "content": [{"token": "A", "logprob": -0.25, "bytes": None, "top_logprobs": []}]
    }
    script = Script(json_answer(answer))
    with Loopback(script.app) as server:
        model = OpenAI("m", base_url=f"{server.url}/v1")
        reply = await model.complete(Request((Message("user", ("hi",)),), task="t", logprobs=True))
        await model.aclose()
    assert script.seen[0].json["logprobs"] is True
    assert reply.logprobs is not None
    assert (reply.logprobs[0].token, reply.logprobs[0].logprob) == ("A", -0.25)


async def test_a_server_that_echoes_the_key_does_not_get_it_into_the_record() -> None:
    result, log, _ = await outcome(says({"winner": "A", "reason": f"your key is {KEY}"}))
    assert isinstance(result, ValidReply)
    assert KEY not in log[0].reply
    assert KEY not in result.value.reason
