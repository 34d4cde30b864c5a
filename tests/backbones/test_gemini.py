"""The real google-genai client against a loopback server that speaks generateContent."""

import io
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from PIL import Image
from pydantic import BaseModel

from loopback import Loopback, Script, drop, hang, json_answer, text_answer
from semiosis.backbones.backbone import Message, Request, TokenLogprob
from semiosis.backbones.gemini import Gemini
from semiosis.backbones.pictures import prepare
from semiosis.backbones.providers import ProviderSettings, find
from semiosis.backbones.query import Query, ValidReply, ask
from semiosis.backbones.schemas import schema_of
from semiosis.core.errors import BackboneError, MissingExtra
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact

pytest.importorskip("google.genai", reason="the gemini extra is not installed")

KEY = "AIzaSy-a-very-secret-key-000000000001"


class Verdict(BaseModel):
    winner: str
    weight: int


def candidate(text: str = '{"winner": "A", "weight": 3}', reason: str = "STOP", **more: object):
    parts = [{"text": "let me think", "thought": True}, {"text": text}]
    return {"content": {"role": "model", "parts": parts}, "finishReason": reason, "index": 0, **more}


def good(*candidates: object, **changes: object) -> dict[str, object]:
    return {
        "candidates": list(candidates) or [candidate()],
        "usageMetadata": {
            "promptTokenCount": 1000,
            "candidatesTokenCount": 150,
            "thoughtsTokenCount": 50,
            "totalTokenCount": 1200,
        },
        "modelVersion": "gemini-2.5-flash-002",
        "responseId": "resp_42",
    } | changes


def error(code: int, status: str, message: str, details: object = None, **headers: str):
    body = {"error": {"code": code, "status": status, "message": message, "details": details or []}}
    return json_answer(body, status=code, headers={k.replace("_", "-"): v for k, v in headers.items()})


def picture() -> Artifact:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(buffer, "PNG")
    return Artifact.of(buffer.getvalue())


def request(**changes: object) -> Request:
    return Request(
        messages=(
            Message("system", ("You judge.",)),
            Message("user", ("Look.", prepare(picture()))),
            Message("assistant", ("Seen.",)),
            Message("user", ("And?",)),
        ),
        task="verdict",
        schema=schema_of(Verdict),
        schema_name="verdict",
        temperature=0.0,
        **changes,
    )


@asynccontextmanager
async def asking(script: Script, timeout_s: float = 5.0) -> AsyncIterator[Gemini]:
    with Loopback(script.app) as server:
        backbone = Gemini("gemini-2.5-flash", base_url=server.url, api_key=KEY, timeout_s=timeout_s)
        try:
            yield backbone
        finally:
            await backbone.aclose()


async def failing(*answers, timeout_s: float = 5.0) -> BackboneError:
    async with asking(Script(*answers), timeout_s) as backbone:
        with pytest.raises(BackboneError) as caught:
            await backbone.complete(request())
    return caught.value


async def test_a_good_reply_is_its_text_without_thoughts_and_what_it_took():
    async with asking(Script(json_answer(good()))) as backbone:
        reply = await backbone.complete(request(seed=5))
    assert backbone.name == "gemini/gemini-2.5-flash"
    assert (reply.text, reply.finish) == ('{"winner": "A", "weight": 3}', "stop")
    assert (reply.served, reply.fingerprint) == ("gemini-2.5-flash-002", "resp_42")
    assert (reply.input_tokens, reply.output_tokens) == (1000, 200)
    assert reply.cost_usd == pytest.approx(0.0008)
    assert reply.parameters["schema_form"] == "schema"
    assert reply.parameters["seed"] == 5


async def test_system_pictures_and_schema_are_sent_in_the_native_form():
    script = Script(json_answer(good()))
    async with asking(script) as backbone:
        await backbone.complete(request())
    sent = script.seen[0]
    assert sent.path.endswith("/models/gemini-2.5-flash:generateContent")
    assert KEY not in sent.path
    assert sent.json["systemInstruction"]["parts"][0]["text"] == "You judge."
    assert [turn["role"] for turn in sent.json["contents"]] == ["user", "model", "user"]
    blob = sent.json["contents"][0]["parts"][1]["inlineData"]
    assert "image/png" in blob.values()
    config = sent.json["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"]["required"] == ["winner", "weight"]


async def test_a_refused_schema_gives_way_to_json_then_to_words_and_is_remembered():
    script = Script(
        error(400, "INVALID_ARGUMENT", 'Unknown name "responseJsonSchema" at generation_config'),
        error(400, "INVALID_ARGUMENT", "JSON mode is not enabled for this model"),
        json_answer(good()),
    )
    async with asking(script) as backbone:
        first = await backbone.complete(request())
        await backbone.complete(request())
    configs = [each.json["generationConfig"] for each in script.seen]
    assert ["responseJsonSchema" in config for config in configs] == [True, False, False, False]
    assert ["responseMimeType" in config for config in configs] == [True, True, False, False]
    assert first.parameters["schema_form"] == "plain"


async def test_refused_logprobs_are_dropped():
    script = Script(
        error(400, "INVALID_ARGUMENT", "Logprobs is not enabled for models/gemini-2.5-flash"),
        json_answer(good()),
    )
    async with asking(script) as backbone:
        reply = await backbone.complete(request(logprobs=True))
    assert reply.logprobs is None
    assert reply.parameters["schema_form"] == "schema"


async def test_logprobs_are_read_where_given():
    chosen = [{"token": "{", "logProbability": -0.25}, {"token": "}", "logProbability": 0}]
    reply_body = good(candidate(logprobsResult={"chosenCandidates": chosen, "topCandidates": []}))
    async with asking(Script(json_answer(reply_body))) as backbone:
        reply = await backbone.complete(request(logprobs=True))
    assert reply.logprobs == (TokenLogprob("{", -0.25), TokenLogprob("}", 0.0))


@pytest.mark.parametrize(
    ("details", "headers", "expected"),
    [
        ([], {"retry_after": "7"}, 7.0),
        ([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}], {}, 34.5),
        ([], {}, None),
    ],
)
async def test_a_rate_limit_carries_the_servers_wait_and_is_not_retried_here(details, headers, expected):
    script = Script(error(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", details, **headers))
    async with asking(script) as backbone:
        with pytest.raises(BackboneError) as caught:
            await backbone.complete(request())
    assert (caught.value.kind, caught.value.retry_after_s) == ("rate-limited", expected)
    assert len(script.seen) == 1


@pytest.mark.parametrize(
    ("code", "status", "message", "expected"),
    [
        (500, "INTERNAL", "internal", "unreachable"),
        (503, "UNAVAILABLE", "overloaded", "unreachable"),
        (403, "PERMISSION_DENIED", "no", "unauthorised"),
        (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", "unauthorised"),
        (404, "NOT_FOUND", "models/none is not found", "rejected"),
        (400, "INVALID_ARGUMENT", "The input token count exceeds the maximum", "rejected"),
    ],
)
async def test_a_status_becomes_its_kind(code: int, status: str, message: str, expected: str):
    caught = await failing(error(code, status, message))
    assert caught.kind == expected
    assert message in str(caught)


async def test_the_key_is_kept_out_of_what_the_server_echoes():
    caught = await failing(error(401, "UNAUTHENTICATED", f"bad key {KEY}"))
    assert caught.kind == "unauthorised"
    assert KEY not in f"{caught} {caught.reply}"
    assert caught.__cause__ is None


async def test_a_server_that_never_answers_times_out():
    clock = time.perf_counter()
    caught = await failing(hang, timeout_s=0.2)
    assert caught.kind == "timeout"
    assert time.perf_counter() - clock < 3


async def test_a_dropped_connection_and_a_closed_port_are_unreachable_at_once():
    clock = time.perf_counter()
    assert (await failing(drop)).kind == "unreachable"
    backbone = Gemini("gemini-2.5-flash", base_url="http://127.0.0.1:9", api_key=KEY, timeout_s=5)
    with pytest.raises(BackboneError, match="cannot be reached") as caught:
        await backbone.complete(request())
    assert caught.value.kind == "unreachable"
    assert time.perf_counter() - clock < 3
    await backbone.aclose()


async def test_a_body_that_is_not_json_is_no_reply():
    assert (await failing(text_answer("<html>", content_type="text/html"))).kind == "unreachable"
    assert (await failing(text_answer('{"candidates": [', content_type="application/json"))).kind == (
        "unreachable"
    )


async def test_an_answer_without_candidates_is_unparsable():
    assert (await failing(json_answer(good(candidates=[])))).kind == "unparsable"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (good(candidate(reason="SAFETY")), "filtered"),
        (good(candidate(reason="BLOCKLIST")), "filtered"),
        (good(candidate(reason="PROHIBITED_CONTENT")), "filtered"),
        (good(candidates=[], promptFeedback={"blockReason": "SAFETY"}), "filtered"),
        (good(candidate(reason="MAX_TOKENS")), "truncated"),
        (good({"finishReason": "STOP", "index": 0}), "unparsable"),
    ],
)
async def test_what_was_withheld_or_cut_becomes_a_failure_never_a_value(answer, reason: str):
    async with asking(Script(json_answer(answer))) as backbone:
        query = Query(task="verdict", stage="verdict", messages=request().messages, reply=Verdict)
        response = await ask(backbone, query, [])
    assert isinstance(response, Failure)
    assert response.reason == reason


async def test_a_good_answer_is_read_as_a_value():
    async with asking(Script(json_answer(good()))) as backbone:
        query = Query(task="verdict", stage="verdict", messages=request().messages, reply=Verdict)
        response = await ask(backbone, query, [])
    assert isinstance(response, ValidReply)
    assert response.value == Verdict(winner="A", weight=3)


async def test_it_is_found_by_name_and_takes_the_key_of_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    script = Script(json_answer(good()))
    with Loopback(script.app) as server:
        backbone = find("gemini").make("gemini-2.5-flash", ProviderSettings(base_url=server.url, timeout_s=5))
        await backbone.complete(request())
        await backbone.aclose()
    assert backbone.name == "gemini/gemini-2.5-flash"
    assert script.seen[0].headers["x-goog-api-key"] == KEY


async def test_a_missing_client_names_its_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "google.genai", None)
    with pytest.raises(MissingExtra, match=r"semiosis\[gemini\]"):
        await Gemini("gemini-2.5-flash", api_key=KEY).complete(request())
