"""The real client against a loopback server that speaks Anthropic's Messages API."""

import asyncio
import io
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from PIL import Image
from pydantic import BaseModel

from loopback import Loopback, Script, drop, hang, json_answer, text_answer
from semiosis.backbones.anthropic import Anthropic
from semiosis.backbones.backbone import Message, Request
from semiosis.backbones.pictures import prepare
from semiosis.backbones.providers import ProviderSettings, find
from semiosis.backbones.query import Query, ValidReply, ask
from semiosis.backbones.schemas import schema_of
from semiosis.core.errors import BackboneError, MissingExtra
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact

pytest.importorskip("anthropic", reason="the anthropic extra is not installed")

KEY = "sk-ant-a-very-secret-key-0001"


class Verdict(BaseModel):
    winner: str
    weight: int


def good(content: object = None, **changes: object) -> dict[str, object]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-4-5-20251001",
        "content": content or [{"type": "text", "text": '{"winner": "A", "weight": 3}'}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 200},
    } | changes


def error(status: int, kind: str, message: str, **headers: str):
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return json_answer(body, status=status, headers={k.replace("_", "-"): v for k, v in headers.items()})


def picture() -> Artifact:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(buffer, "PNG")
    return Artifact.of(buffer.getvalue())


def request(**changes: object) -> Request:
    return Request(
        messages=(
            Message("system", ("You judge.",)),
            Message("user", ("Look.", prepare(picture()), "")),
        ),
        task="verdict",
        schema=schema_of(Verdict),
        schema_name="verdict",
        temperature=0.0,
        **changes,
    )


@asynccontextmanager
async def asking(script: Script, timeout_s: float = 5.0) -> AsyncIterator[Anthropic]:
    with Loopback(script.app) as server:
        backbone = Anthropic("claude-haiku-4-5", base_url=server.url, api_key=KEY, timeout_s=timeout_s)
        try:
            yield backbone
        finally:
            await backbone.aclose()


async def failing(*answers, timeout_s: float = 5.0) -> BackboneError:
    async with asking(Script(*answers), timeout_s) as backbone:
        with pytest.raises(BackboneError) as caught:
            await backbone.complete(request())
    return caught.value


async def test_a_good_reply_is_text_with_what_it_took():
    script = Script(json_answer(good(), headers={"request-id": "req_42"}))
    async with asking(script) as backbone:
        reply = await backbone.complete(request())
    assert backbone.name == "anthropic/claude-haiku-4-5"
    assert (reply.text, reply.finish) == ('{"winner": "A", "weight": 3}', "stop")
    assert (reply.served, reply.fingerprint) == ("claude-haiku-4-5-20251001", "req_42")
    assert (reply.input_tokens, reply.output_tokens) == (1000, 200)
    assert reply.cost_usd == pytest.approx(0.002)
    assert reply.parameters == {"schema_form": "structured", "max_tokens": 4096, "temperature": 0.0}
    assert reply.latency_s > 0


async def test_system_pictures_and_schema_are_sent_in_the_native_form():
    script = Script(json_answer(good()))
    async with asking(script) as backbone:
        await backbone.complete(request())
    sent = script.seen[0]
    assert sent.path == "/v1/messages"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.json["system"] == "You judge."
    [turn] = sent.json["messages"]
    assert [block["type"] for block in turn["content"]] == ["text", "image"]
    assert turn["content"][1]["source"]["media_type"] == "image/png"
    form = sent.json["output_config"]["format"]
    assert form["type"] == "json_schema"
    assert form["schema"]["additionalProperties"] is False
    assert form["schema"]["required"] == ["winner", "weight"]


async def test_a_refused_schema_form_gives_way_to_the_next_and_is_remembered():
    tool = [{"type": "tool_use", "id": "t", "name": "verdict", "input": {"winner": "B", "weight": 1}}]
    script = Script(
        error(400, "invalid_request_error", "output_config.format: Extra inputs are not permitted"),
        json_answer(good(tool, stop_reason="tool_use")),
    )
    async with asking(script) as backbone:
        first = await backbone.complete(request())
        second = await backbone.complete(request())
    assert json.loads(first.text) == {"winner": "B", "weight": 1}
    assert second.parameters["schema_form"] == "tool"
    forms = [("output_config" in each.json, "tools" in each.json) for each in script.seen]
    assert forms == [(True, False), (False, True), (False, True)]
    assert script.seen[2].json["tool_choice"] == {"type": "tool", "name": "verdict"}


async def test_when_tools_are_refused_too_the_question_is_asked_plainly():
    script = Script(
        error(400, "invalid_request_error", "output_config is not supported by this model"),
        error(400, "invalid_request_error", "tool_choice forces tool use, which is not supported"),
        json_answer(good()),
    )
    async with asking(script) as backbone:
        reply = await backbone.complete(request())
    assert reply.parameters["schema_form"] == "plain"
    assert "tools" not in script.seen[2].json


async def test_calls_side_by_side_give_up_one_form_only():
    """All were sent before the first refusal came back."""
    refuse = error(400, "invalid_request_error", "output_config: not supported")
    script = Script(refuse, refuse, refuse, json_answer(good()))
    async with asking(script) as backbone:
        replies = await asyncio.gather(*(backbone.complete(request()) for _ in range(3)))
    assert {reply.parameters["schema_form"] for reply in replies} == {"tool"}


async def test_a_refused_temperature_is_dropped_and_remembered():
    script = Script(
        error(400, "invalid_request_error", "`temperature` is deprecated for this model."),
        json_answer(good()),
    )
    async with asking(script) as backbone:
        reply = await backbone.complete(request())
        await backbone.complete(request())
    assert ["temperature" in each.json for each in script.seen] == [True, False, False]
    assert reply.parameters["temperature"] is None
    assert reply.parameters["schema_form"] == "structured"


async def test_a_rate_limit_carries_the_servers_wait_and_is_not_retried_here():
    script = Script(error(429, "rate_limit_error", "slow down", retry_after="7"))
    async with asking(script) as backbone:
        with pytest.raises(BackboneError) as caught:
            await backbone.complete(request())
    assert (caught.value.kind, caught.value.retry_after_s) == ("rate-limited", 7.0)
    assert len(script.seen) == 1


@pytest.mark.parametrize(
    ("status", "kind", "message", "expected"),
    [
        (500, "api_error", "internal", "unreachable"),
        (529, "overloaded_error", "overloaded", "unreachable"),
        (403, "permission_error", "no", "unauthorised"),
        (404, "not_found_error", "model: claude-none", "rejected"),
        (413, "request_too_large", "too large", "rejected"),
        (422, "invalid_request_error", "prompt is too long", "rejected"),
        (400, "invalid_request_error", "Your credit balance is too low", "budget"),
    ],
)
async def test_a_status_becomes_its_kind(status: int, kind: str, message: str, expected: str):
    caught = await failing(error(status, kind, message))
    assert caught.kind == expected
    assert message in str(caught)


async def test_the_key_is_kept_out_of_what_the_server_echoes():
    caught = await failing(error(401, "authentication_error", f"invalid x-api-key: {KEY}"))
    assert caught.kind == "unauthorised"
    assert KEY not in f"{caught} {caught.reply}"
    assert caught.__cause__ is None


async def test_a_server_that_never_answers_times_out():
    clock = time.perf_counter()
    caught = await failing(hang, timeout_s=0.2)
    assert caught.kind == "timeout"
    assert time.perf_counter() - clock < 3


async def test_a_dropped_connection_and_a_closed_port_are_unreachable():
    assert (await failing(drop)).kind == "unreachable"
    backbone = Anthropic("claude-haiku-4-5", base_url="http://127.0.0.1:9", api_key=KEY, timeout_s=5)
    with pytest.raises(BackboneError, match="cannot be reached") as caught:
        await backbone.complete(request())
    assert caught.value.kind == "unreachable"
    await backbone.aclose()


async def test_a_body_that_is_not_json_is_no_reply():
    assert (await failing(text_answer("<html>", content_type="text/html"))).kind == "unparsable"
    assert (await failing(text_answer('{"content": [', content_type="application/json"))).kind == (
        "unreachable"
    )


async def test_a_message_without_content_is_unparsable():
    caught = await failing(json_answer({"type": "message", "content": None}))
    assert caught.kind == "unparsable"


@pytest.mark.parametrize(("stop_reason", "reason"), [("refusal", "refused"), ("max_tokens", "truncated")])
async def test_refusals_and_cut_replies_become_failures_never_values(stop_reason: str, reason: str):
    async with asking(Script(json_answer(good(stop_reason=stop_reason)))) as backbone:
        query = Query(task="verdict", stage="verdict", messages=request().messages, reply=Verdict)
        response = await ask(backbone, query, [])
    assert isinstance(response, Failure)
    assert response.reason == reason


async def test_a_tool_answer_is_read_as_a_value():
    tool = [
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        {"type": "tool_use", "id": "t", "name": "verdict", "input": {"winner": "B", "weight": 1}},
    ]
    async with asking(Script(json_answer(good(tool)))) as backbone:
        query = Query(task="verdict", stage="verdict", messages=request().messages, reply=Verdict)
        response = await ask(backbone, query, [])
    assert isinstance(response, ValidReply)
    assert response.value == Verdict(winner="B", weight=1)


async def test_it_is_found_by_name_and_takes_the_key_of_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    script = Script(json_answer(good()))
    with Loopback(script.app) as server:
        backbone = find("anthropic").make(
            "claude-haiku-4-5", ProviderSettings(base_url=server.url, timeout_s=5)
        )
        await backbone.complete(request())
        await backbone.aclose()
    assert backbone.name == "anthropic/claude-haiku-4-5"
    assert script.seen[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_missing_client_names_its_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(MissingExtra, match=r"semiosis\[anthropic\]"):
        await Anthropic("claude-haiku-4-5", api_key=KEY).complete(request())
