"""The batches of OpenAI, Anthropic and Google: the real clients against loopback servers."""

import asyncio
import hashlib
import io
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import web
from PIL import Image
from pydantic import BaseModel

from batching import AnthropicServer, BatchServer, GeminiServer, OpenAIServer
from loopback import Loopback, drop, hang, json_answer
from semiosis.backbones.anthropic import Anthropic
from semiosis.backbones.backbone import Message, Reply, Request
from semiosis.backbones.batches import BatchProgress, batches_of
from semiosis.backbones.gemini import Gemini
from semiosis.backbones.hosted_batches import HostedBatches, Ticket, lines_of, mark_of
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.pictures import prepare
from semiosis.backbones.prices import cost_of
from semiosis.backbones.schemas import schema_of
from semiosis.backbones.wrapper import Limited, Retrying
from semiosis.core.errors import BackboneError, SetupError
from semiosis.core.sign import Artifact

pytest.importorskip("anthropic", reason="the anthropic extra is not installed")
pytest.importorskip("google.genai", reason="the gemini extra is not installed")

KEY = "sk-a-very-secret-key-000000000001"
LABEL = "run-7/batch-1"
Outcomes = dict[str, Reply | BackboneError]


class Verdict(BaseModel):
    winner: str
    weight: int


@dataclass(frozen=True)
class Provider:
    server: type[BatchServer]
    make: Callable[..., HostedBatches]
    model: str
    forms: tuple[str, ...]
    complaint: str


PROVIDERS = [
    Provider(
        OpenAIServer,
        OpenAI,
        "gpt-5",
        ("strict", "json", "plain"),
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    ),
    Provider(
        AnthropicServer,
        Anthropic,
        "claude-haiku-4-5",
        ("structured", "tool", "plain"),
        "output_config.format: Extra inputs are not permitted",
    ),
    Provider(
        GeminiServer,
        Gemini,
        "gemini-2.5-flash",
        ("schema", "json", "plain"),
        'Unknown name "response_json_schema": Cannot find field.',
    ),
]


@pytest.fixture(params=PROVIDERS, ids=lambda provider: provider.make.__name__)
def provider(request: pytest.FixtureRequest) -> Provider:
    return request.param


def key(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def plain(text: str, **changes: Any) -> Request:
    return Request(messages=(Message("user", (text,)),), task="verdict", **changes)


def seen(text: str = "Which is it? 哪一个？") -> Request:
    buffer = io.BytesIO()
    Image.new("RGB", (90, 80), "red").save(buffer, "PNG")
    picture = prepare(Artifact.of(buffer.getvalue()))
    return Request(
        messages=(Message("system", ("You judge.",)), Message("user", (text, picture))),
        task="verdict",
        schema=schema_of(Verdict),
        schema_name="verdict",
        temperature=0.0,
        max_tokens=300,
    )


@asynccontextmanager
async def asking(
    provider: Provider, server: BatchServer, timeout_s: float = 5.0
) -> AsyncIterator[HostedBatches]:
    with Loopback(server.app) as loopback:
        address = f"{loopback.url}{server.path}"
        backbone = provider.make(provider.model, base_url=address, api_key=KEY, timeout_s=timeout_s)
        try:
            yield backbone
        finally:
            await backbone.aclose()


async def collected(backbone: HostedBatches, batch: str) -> Outcomes:
    responses = [each async for each in backbone.collect(batch)]
    assert len(responses) == len(dict(responses))
    return dict(responses)


async def outcome_of(provider: Provider, answer: Callable[[BatchServer], Any]) -> Reply | BackboneError:
    server = provider.server(lambda _: answer(server))
    async with asking(provider, server) as backbone:
        batch = await backbone.submit({key("1"): seen()}, LABEL)
        return (await collected(backbone, batch))[key("1")]


async def test_two_requests_come_back_under_their_keys_at_half_the_price(provider: Provider):
    server = provider.server(lambda body: "seen" if "Which" in str(body) else "said")
    server.held = True
    requests = {key("1"): seen(), key("2"): plain("Say it.", seed=7)}
    async with asking(provider, server) as backbone:
        batch = await backbone.submit(requests, LABEL)
        assert await backbone.progress(batch) == BatchProgress("waiting")
        server.held = False
        progress = await backbone.progress(batch)
        outcomes = await collected(backbone, batch)
    # Google's client does not pass the counts on.
    assert progress == BatchProgress("done", 0 if provider.make is Gemini else 2)
    first, second = outcomes[key("1")], outcomes[key("2")]
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (first.text, second.text) == ("seen", "said")
    assert (first.input_tokens, first.output_tokens) == (11, 7)
    assert first.cost_usd == pytest.approx((cost_of(backbone.name, 11, 7) or 0) / 2)
    assert first.cost_usd > 0
    assert first.latency_s == 0.0
    assert first.started_at.startswith("20")
    assert "served" in first.served
    assert (first.parameters["schema_form"], second.parameters["schema_form"]) == (
        provider.forms[0],
        "plain",
    )
    assert first.parameters["temperature"] == 0.0
    assert 300 in first.parameters.values()


async def test_pictures_and_schema_stand_in_a_batch_as_in_a_single_call(provider: Provider):
    server = provider.server(lambda _: "ok")
    request = seen()
    async with asking(provider, server) as backbone:
        await backbone.submit({key("1"): request}, LABEL)
    [body] = server.submitted
    sent = json.dumps(body, ensure_ascii=False)
    assert request.pictures[0].base64 in sent
    assert "You judge." in sent
    assert "哪一个" in sent
    assert body.get("temperature", body.get("generation_config", {}).get("temperature")) == 0.0
    assert "extra_body" not in body
    schemas = {
        OpenAI: lambda: body["response_format"]["json_schema"]["schema"],
        Anthropic: lambda: body["output_config"]["format"]["schema"],
        Gemini: lambda: body["generation_config"]["response_json_schema"],
    }
    assert schemas[provider.make]()["required"] == ["winner", "weight"]


async def test_a_size_is_the_bytes_a_request_takes(provider: Provider):
    server = provider.server(lambda _: "ok")
    requests = {key("1"): seen(), key("2"): plain("Say it.")}
    async with asking(provider, server) as backbone:
        await backbone.submit(requests, LABEL)
        size = sum(backbone.size(request) for request in requests.values())
    sizes = {
        OpenAI: lambda: len(server._files["file-1"]),
        Gemini: lambda: len(server._files["1"]),
        # The client writes Chinese as it is, which is shorter than what was counted.
        Anthropic: lambda: size,
    }
    assert size == sizes[provider.make]()
    assert size > len(seen().pictures[0].base64)


async def test_a_refused_schema_is_an_error_that_the_next_batch_has_learnt_from(provider: Provider):
    server = provider.server(lambda _: server.fails(400, provider.complaint))
    async with asking(provider, server) as backbone:
        batch = await backbone.submit({key(n): seen() for n in "123"}, LABEL)
        outcomes = await collected(backbone, batch)
        server.answer = lambda _: "ok"
        batch = await backbone.submit({key("1"): seen()}, "the next")
        again = (await collected(backbone, batch))[key("1")]
    assert [getattr(each, "kind", "") for each in outcomes.values()] == ["rejected"] * 3
    assert isinstance(again, Reply)
    # Three said so of one form, and one form was given up.
    assert again.parameters["schema_form"] == provider.forms[1]


@pytest.mark.parametrize(
    ("status", "kind"), [(429, "rate-limited"), (500, "unreachable"), (401, "unauthorised")]
)
async def test_a_request_refused_on_its_own_is_an_error_of_its_kind(
    provider: Provider, status: int, kind: str
):
    error = await outcome_of(provider, lambda server: server.fails(status, "not now"))
    assert isinstance(error, BackboneError)
    assert (error.kind, error.__traceback__) == (kind, None)
    assert "not now" in str(error)


@pytest.mark.parametrize("finish", ["refused", "filtered", "length"])
async def test_a_reply_that_ended_otherwise_says_so(provider: Provider, finish: str):
    reply = await outcome_of(provider, lambda server: server.says("half", finish))
    assert isinstance(reply, Reply)
    same = {Anthropic: {"filtered": "refused"}, Gemini: {"refused": "filtered"}}.get(provider.make, {})
    assert (reply.finish, reply.text) == (same.get(finish, finish), "half")


async def test_a_filtered_request_of_openai_is_filtered():
    policy = {"error": {"message": "against the rules", "code": "content_policy_violation"}}
    result = {"response": {"status_code": 400, "body": policy}, "error": None}
    error = await outcome_of(PROVIDERS[0], lambda _: result)
    assert isinstance(error, BackboneError)
    assert error.kind == "filtered"


async def test_what_came_before_a_batch_expired_is_collected(provider: Provider):
    server = provider.server(lambda body: "in time" if "early" in str(body) else None)
    requests = {key("1"): plain("early"), key("2"): plain("late")}
    async with asking(provider, server) as backbone:
        batch = await backbone.submit(requests, LABEL)
        progress = await backbone.progress(batch)
        outcomes = await collected(backbone, batch)
    assert progress.state == "done"
    assert "expired" in progress.message
    first, second = outcomes[key("1")], outcomes[key("2")]
    assert isinstance(first, Reply)
    assert isinstance(second, BackboneError)
    assert second.kind == ("unreachable" if provider.make is Gemini else "timeout")


async def test_a_batch_that_expired_whole_has_failed(provider: Provider):
    async with asking(provider, provider.server(lambda _: None)) as backbone:
        progress = await backbone.progress(await backbone.submit({key("1"): plain("late")}, LABEL))
    assert (progress.state, progress.done) == ("failed", 0)
    assert "expired" in progress.message


async def test_a_batch_that_openai_finds_invalid_has_failed_and_says_why():
    server = OpenAIServer(lambda _: "never")
    server.invalid = f"Enqueued token limit reached; key {KEY}."
    async with asking(PROVIDERS[0], server) as backbone:
        progress = await backbone.progress(await backbone.submit({key("1"): plain("x")}, LABEL))
    assert progress.state == "failed"
    assert "Enqueued token limit reached" in progress.message
    assert KEY not in progress.message


TROUBLE = {
    "unauthorised": json_answer({"error": {"message": f"no such key {KEY}", "type": "x"}}, status=401),
    "rate-limited": json_answer(
        {"error": {"message": "slow down", "type": "x"}}, status=429, headers={"Retry-After": "7"}
    ),
    "unreachable": json_answer({"error": {"message": "oh", "type": "x"}}, status=500),
}


@pytest.mark.parametrize("call", ["submit", "find", "progress", "collect"])
@pytest.mark.parametrize("kind", TROUBLE)
async def test_a_call_that_fails_raises_the_kind_of_a_single_call(provider: Provider, kind: str, call: str):
    server = provider.server(lambda _: "ok")
    async with asking(provider, server) as backbone:
        batch = await backbone.submit({key("1"): plain("x")}, LABEL)
        server.trouble = TROUBLE[kind]
        calls = {
            "submit": lambda: backbone.submit({key("2"): plain("y")}, "another"),
            "find": lambda: backbone.find(LABEL),
            "progress": lambda: backbone.progress(batch),
            "collect": lambda: collected(backbone, batch),
        }
        with pytest.raises(BackboneError) as caught:
            await calls[call]()
    assert caught.value.kind == kind
    assert caught.value.retry_after_s == (7.0 if kind == "rate-limited" else None)
    assert KEY not in f"{caught.value} {caught.value.reply}"
    assert caught.value.__cause__ is None


async def test_a_server_that_is_gone_or_silent_is_no_surprise(provider: Provider):
    server = provider.server(lambda _: "ok")
    async with asking(provider, server, timeout_s=0.3) as backbone:
        server.trouble = hang
        with pytest.raises(BackboneError) as silent:
            await backbone.progress("batches/1")
        server.trouble = drop
        with pytest.raises(BackboneError) as dropped:
            await backbone.submit({key("1"): plain("x")}, LABEL)
    assert (silent.value.kind, dropped.value.kind) == ("timeout", "unreachable")
    backbone = provider.make(provider.model, base_url="http://127.0.0.1:9", api_key=KEY, timeout_s=5)
    with pytest.raises(BackboneError, match="cannot be reached") as gone:
        await backbone.submit({key("1"): plain("x")}, LABEL)
    assert gone.value.kind == "unreachable"
    await backbone.aclose()


@pytest.mark.parametrize("answer", [[], "text", {"id": 5, "name": 5, "data": [5], "operations": [5]}, None])
async def test_answers_of_another_shape_are_backbone_errors(provider: Provider, answer: Any):
    server = provider.server(lambda _: "ok")
    async with asking(provider, server) as backbone:
        batch = await backbone.submit({key("1"): plain("x")}, LABEL)
        server.trouble = json_answer(
            answer, headers={"X-Goog-Upload-URL": "/u", "X-Goog-Upload-Status": "final"}
        )
        with pytest.raises(BackboneError):
            await backbone.submit({key("2"): plain("y")}, "another")
        for call in (backbone.find(LABEL), backbone.progress(batch), collected(backbone, batch)):
            with suppress(BackboneError):
                assert await call in (None, BatchProgress("waiting"))


async def test_a_key_of_another_kind_is_the_callers_mistake(provider: Provider):
    with pytest.raises(ValueError, match="SHA-256 in hexadecimal"):
        await provider.make(provider.model, api_key=KEY).submit({"1": plain("x")}, LABEL)


async def test_without_a_key_nothing_is_sent(provider: Provider):
    backbone = provider.make(provider.model)
    for call in (backbone.submit({}, LABEL), backbone.find(LABEL), backbone.progress("b")):
        with pytest.raises(SetupError, match="needs a key: export"):
            await call


def hostile(field: str, name: str) -> list[bytes]:
    deep = b'{"a":' * 20_000
    lines: list[Any] = [5, [], None, {}, {field: 5}, {field: name[:-1]}, {field: "é" * 64}]
    stranger = Ticket(key("stranger"), mark_of("other"), "p")
    lines += [{field: str(stranger)}, {field: name[:-1] + "z"}]
    return [b"", b"{", b"\xff\xfe", b"\x00", deep, *(json.dumps(line).encode() for line in lines)]


async def test_lines_that_make_no_sense_are_passed_over(provider: Provider):
    server = provider.server(lambda _: "ok")
    async with asking(provider, server) as backbone:
        batch = await backbone.submit({key("1"): seen(), key("2"): seen("And?")}, LABEL)
        await backbone.progress(batch)
        field = "key" if provider.make is Gemini else "custom_id"
        server.extra = hostile(field, server.names[0])
        results = server.batches[0].results or []
        # The same one twice, and one that cannot be read.
        server.extra.append(json.dumps(results[0]).encode())
        server.extra.append(json.dumps(results.pop()).encode()[:-9])
        outcomes = await collected(backbone, batch)
    assert outcomes.keys() == {key("1"), key("2")}
    first, second = outcomes[key("1")], outcomes[key("2")]
    assert isinstance(first, Reply)
    assert first.text == "ok"
    assert isinstance(second, BackboneError)
    assert second.kind == "unreachable"


STRANGE: list[Any] = [
    {},
    {"response": None, "error": None, "result": None},
    {"response": 5, "result": 5},
    {"error": "x", "result": {"type": "errored", "error": "x"}},
    {"response": {"status_code": "200", "body": {}}, "result": {"type": "succeeded", "message": None}},
    {"response": {"status_code": 200, "body": None}, "result": {"type": "succeeded"}},
    {"response": {"status_code": 200, "body": {"choices": [None], "_fields_set": 5}}},
    {"response": {"status_code": 400, "body": {"error": "no"}}},
    {
        "response": {"candidates": [{"content": 5}]},
        "result": {"type": "succeeded", "message": {"content": 5}},
    },
]


@pytest.mark.parametrize("result", STRANGE)
async def test_a_result_of_another_shape_is_an_error_for_its_key(provider: Provider, result: dict[str, Any]):
    server = provider.server(lambda _: "ok")
    async with asking(provider, server) as backbone:
        batch = await backbone.submit({key("1"): seen()}, LABEL)
        await backbone.progress(batch)
        field = "key" if provider.make is Gemini else "custom_id"
        server.extra = [json.dumps({field: server.names[0]} | result).encode()]
        error = (await collected(backbone, batch))[key("1")]
    assert isinstance(error, BackboneError)
    assert error.kind == "unparsable"


async def test_a_key_that_a_server_echoes_is_withheld(provider: Provider):
    reply = await outcome_of(provider, lambda server: server.says(f"your key is {KEY} \ud800", "stop"))
    error = await outcome_of(provider, lambda server: server.fails(400, f"bad: {KEY} \ud800"))
    assert isinstance(reply, Reply)
    assert reply.text == "your key is [key] ?"
    assert isinstance(error, BackboneError)
    assert KEY not in f"{error} {error.reply}"
    str(error).encode()


async def test_a_lost_batch_is_found_by_its_label(provider: Provider):
    server = provider.server(lambda _: "ok")
    async with asking(provider, server) as backbone:
        assert await backbone.find(LABEL) is None
        batches = [await backbone.submit({key("1"): plain("x")}, f"{LABEL}-{n}") for n in range(3)]
        for batch in batches:
            await backbone.progress(batch)
        assert await backbone.find(f"{LABEL}-0") == batches[0]
        assert await backbone.find(f"{LABEL}-2") == batches[2]
        assert await backbone.find("never submitted") is None


async def test_anthropic_does_not_say_none_while_a_batch_under_way_may_be_the_one():
    server = AnthropicServer(lambda _: "ok")
    server.held = True
    async with asking(PROVIDERS[1], server) as backbone, asking(PROVIDERS[1], server) as later:
        batch = await backbone.submit({key("1"): plain("x")}, LABEL)
        assert await backbone.find("another") is None
        with pytest.raises(BackboneError, match="ask again when they have") as caught:
            await later.find(LABEL)
        assert caught.value.retryable
        server.held = False
        await backbone.progress(batch)
        assert await later.find(LABEL) == batch


async def test_another_process_collects_what_this_one_submitted(provider: Provider):
    server = provider.server(
        lambda body: "ok" if "good" in str(body) else server.fails(400, provider.complaint)
    )
    requests = {key("1"): seen("good"), key("2"): seen("bad")}
    async with asking(provider, server) as backbone, asking(provider, server) as later:
        batch = await backbone.submit(requests, LABEL)
        outcomes = await collected(later, batch)
        await later.submit({key("3"): seen()}, "the next")
    reply, error = outcomes[key("1")], outcomes[key("2")]
    assert isinstance(reply, Reply)
    assert (reply.text, reply.parameters["schema_form"]) == ("ok", provider.forms[0])
    assert reply.started_at
    assert isinstance(error, BackboneError)
    first, *_, last = [Ticket.read(name) for name in server.names]
    assert first
    assert last
    assert (first.form, last.form) == (provider.forms[0][0], provider.forms[1][0])


@pytest.mark.parametrize("by_another", [False, True])
async def test_a_refused_parameter_is_left_out_of_the_next_batch(provider: Provider, by_another: bool):
    server = provider.server(lambda _: server.fails(400, "temperature is not supported by this model"))
    async with asking(provider, server) as backbone, asking(provider, server) as later:
        batch = await backbone.submit({key("1"): seen()}, LABEL)
        other = later if by_another else backbone
        await collected(other, batch)
        await other.submit({key("2"): seen()}, "the next")
    first, second = (json.dumps(body) for body in server.submitted)
    assert "temperature" in first
    assert "temperature" not in second


async def test_a_batch_under_way_is_not_collected(provider: Provider):
    server = provider.server(lambda _: "ok")
    server.held = True
    async with asking(provider, server) as backbone:
        batch = await backbone.submit({key("1"): plain("x")}, LABEL)
        with pytest.raises(BackboneError, match="still at work") as caught:
            await collected(backbone, batch)
        assert caught.value.retryable
        server.held = False
        assert (await collected(backbone, batch)).keys() == {key("1")}


async def test_results_that_break_off_can_be_collected_again(provider: Provider):
    server = provider.server(lambda _: "ok")
    whole = server._lines

    def cut(results: list[dict[str, Any]]) -> web.Response:
        response = whole(results)
        response.headers["Content-Length"] = "100000"
        response.force_close()
        return response

    async with asking(provider, server) as backbone:
        batch = await backbone.submit({key("1"): seen()}, LABEL)
        server._lines = cut
        with pytest.raises(BackboneError) as caught:
            await collected(backbone, batch)
        server._lines = whole
        outcomes = await collected(backbone, batch)
    assert caught.value.kind == "unreachable"
    assert isinstance(outcomes[key("1")], Reply)


async def test_results_may_be_left_half_read(provider: Provider):
    server = provider.server(lambda _: "ok " * 50_000)
    async with asking(provider, server) as backbone:
        batch = await backbone.submit({key(f"{n}"): plain(f"{n}") for n in range(20)}, LABEL)
        async with aclosing(backbone.collect(batch)) as outcomes:
            async for _ in outcomes:
                break
        assert len(await collected(backbone, batch)) == 20


async def test_lines_are_cut_at_line_feeds_only():
    async def chunks() -> AsyncIterator[bytes]:
        for chunk in (b"on", b"e\ntw\xe2\x80", b"\xa8o\r\n\nthree\x0b", b"3"):
            yield chunk

    assert [line async for line in lines_of(chunks())] == [b"one", "tw\u2028o\r".encode(), b"", b"three\x0b3"]


def test_a_ticket_is_what_anthropic_takes_and_reads_back():
    ticket = Ticket(key("1"), mark_of("a label of any length " * 9), "s")
    assert len(str(ticket)) == 64
    assert Ticket.read(str(ticket)) == ticket
    assert mark_of("a") != mark_of("b")


async def test_batches_are_those_of_the_provider_under_the_wrappers():
    model = OpenAI("gpt-5", api_key=KEY)
    assert batches_of(Limited(Retrying(model), at_once=2)) is model
    assert batches_of(OpenAI("m", base_url="http://127.0.0.1:9")) is not None
    assert batches_of(OpenAI("m", provider="custom", base_url="http://127.0.0.1:9")) is None
    for name in ("ollama", "vllm", "llamacpp", "lmstudio", "openrouter"):
        assert batches_of(OpenAI("m", provider=name, base_url="http://127.0.0.1:9")) is None

    class Other:
        name = "other/model"
        traits = model.traits

        async def complete(self, request: Request) -> Reply:
            return Reply(request.task)

        async def aclose(self) -> None: ...

    assert batches_of(Other()) is None


async def test_the_limits_are_those_the_providers_publish():
    limits = [(each.max_requests, each.max_bytes) for each in (OpenAI("m"), Anthropic("m"), Gemini("m"))]
    assert limits == [(50_000, 200_000_000), (100_000, 100_000_000), (50_000, 2_000_000_000)]


async def test_many_requests_leave_the_loop_free():
    server = OpenAIServer(lambda _: "ok")
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    async with asking(PROVIDERS[0], server) as backbone:
        ticking = asyncio.create_task(tick())
        await backbone.submit({key(f"{n}"): seen(f"{n}") for n in range(500)}, LABEL)
        ticking.cancel()
    assert len(server.submitted) == 500
    assert ticks > 10
