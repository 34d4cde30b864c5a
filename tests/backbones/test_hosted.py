"""Whatever a server sends ends as a reply or as a BackboneError, for every client alike."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from loopback import RawLoopback
from semiosis.backbones.anthropic import Anthropic
from semiosis.backbones.backbone import Message, Request
from semiosis.backbones.gemini import Gemini
from semiosis.backbones.hosted_batches import HostedBatches
from semiosis.backbones.http_errors import from_status
from semiosis.backbones.openai import OpenAI
from semiosis.core.errors import BackboneError

Make = Callable[..., HostedBatches]
CLIENTS: dict[str, Make] = {
    "openai": lambda **settings: OpenAI("m", **settings),
    "anthropic": lambda **settings: Anthropic("m", **settings),
    "gemini": lambda **settings: Gemini("m", **settings),
}
JSON = "Content-Type: application/json"
NESTED = b"[" * 200_000 + b"]" * 200_000


def http(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def as_json(value: Any) -> bytes:
    return http(json.dumps(value).encode(), JSON)


def chunked(body: bytes) -> bytes:
    return f"HTTP/1.1 200 OK\r\n{JSON}\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + body


FIELDS = ("choices", "content", "candidates")
# What asking again may mend is unreachable.
BROKEN = {
    "not HTTP": b"hello",
    "not HTTP, in lines": b"hello\r\n\r\nworld\r\n\r\n",
    "nothing": b"",
    "TLS on a plain port": bytes.fromhex("15030300020246") + b"\x16\x03\x01" + bytes(range(256)),
    "a bad status line": b"HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\n{}",
    "a status of no kind": http(b"{}", JSON, status="999 What"),
    "a version of no kind": b"HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "a bad header": b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n{}",
    "a header with a zero byte": b"HTTP/1.1 200 OK\r\nX: a\x00b\r\nContent-Length: 2\r\n\r\n{}",
    "an endless header": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000 + b"\r\n\r\n{}",
    "a length of no number": b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}",
    "a bad chunk": chunked(b"zz\r\nhello\r\n0\r\n\r\n"),
    "a cut chunk": chunked(b"ff\r\nhello"),
    "a cut body": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{",
    "no gzip": http(b"not gzip", JSON, "Content-Encoding: gzip"),
    "cut gzip": http(gzip.compress(b"{}" * 999)[:20], JSON, "Content-Encoding: gzip"),
    "no deflate": http(b"not deflate", JSON, "Content-Encoding: deflate"),
    "not JSON": http(b"{", JSON),
    "half a JSON text": http(b'{"choices": [{"message": {"content": "x', JSON),
    "bytes of no character": http(b'"\xff\xfe\xfa"', JSON),
    "200,000 brackets": http(NESTED, JSON),
    "200,000 brackets inside": http(b'{"choices": ' + NESTED + b"}", JSON),
    "a redirect in a circle": http(b"", "Location: /", status="302 Found"),
    "a redirect to nowhere": http(b"", "Location: http://127.0.0.1:99999/", status="302 Found"),
    "brackets as an error": http(NESTED, JSON, status="500 Oops"),
}
REFUSALS = {
    "an error of another shape": (http(b'{"error": ["no such"]}', JSON, status="400 No"), "rejected"),
    "an error that is a list": (http(b'["no such"]', JSON, status="400 No"), "rejected"),
    "an error that is a text": (http(b"no such", status="404 No"), "rejected"),
    "an error in other words": (http(b'{"detail": "no such"}', JSON, status="422 No"), "rejected"),
    "a wait of no number": (
        http(b'["no such"]', JSON, "Retry-After: nan", status="429 Slow"),
        "rate-limited",
    ),
    "a key refused": (http(b'{"detail": "no such"}', JSON, status="401 No"), "unauthorised"),
    "a fault": (http(b"<html>no such</html>", status="502 Bad"), "unreachable"),
}
SHAPES: dict[str, Any] = {
    "a list": [],
    "null": None,
    "a text": "x",
    "a number": 7,
    "an empty object": {},
    "fields that are null": dict.fromkeys((*FIELDS, "usage", "model")),
    "fields that are texts": dict.fromkeys((*FIELDS, "usage", "model"), "x"),
    "fields that are numbers": dict.fromkeys((*FIELDS, "usage"), 1e999),
    "lists of null": {name: [None] for name in FIELDS},
    "lists of lists": {name: [[[]]] for name in FIELDS},
    "lists of texts": {name: ["x"] for name in FIELDS},
    "a finish of another kind": {
        "choices": [{"message": {"content": "x"}, "finish_reason": {"a": []}}],
        "content": [{"type": "text", "text": "x"}],
        "stop_reason": ["end_turn"],
        "candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": ["STOP"]}],
    },
}


DEPTHS = (100, 400, 900, 3000, 20_000)


async def sent(client: str, answer: bytes) -> tuple[BackboneError | str, str]:
    """What comes of a call to a server that sends this, and the server's address."""
    with RawLoopback(answer) as server:
        model = CLIENTS[client](base_url=server.url, api_key="sk-test-0123456789", timeout_s=10.0)
        try:
            reply = await model.complete(Request((Message("user", ("hi",)),), task="t"))
            return reply.text, server.url
        except BackboneError as error:
            return error, server.url
        finally:
            await model.aclose()


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("name", BROKEN)
async def test_a_malformed_reply_is_a_failure_that_may_be_asked_again(client: str, name: str) -> None:
    error, url = await sent(client, BROKEN[name])
    assert isinstance(error, BackboneError)
    assert (error.kind, error.retryable) == ("unreachable", True)
    assert str(error).startswith(f"{client}/m at {url} ")
    assert len(str(error).splitlines()) == 1
    assert len(str(error)) < 700


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("name", REFUSALS)
async def test_a_refusal_of_any_shape_is_of_its_kind_and_in_the_servers_words(client: str, name: str) -> None:
    answer, kind = REFUSALS[name]
    error, url = await sent(client, answer)
    assert isinstance(error, BackboneError)
    assert error.kind == kind
    assert str(error).startswith(f"{client}/m at {url} ")
    assert "no such" in str(error)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("name", SHAPES)
async def test_json_of_another_shape_is_no_value(client: str, name: str) -> None:
    error, _ = await sent(client, as_json(SHAPES[name]))
    assert isinstance(error, BackboneError)
    assert error.kind in ("unparsable", "unreachable")


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("name", ["not HTTP", "a bad chunk", "no gzip", "200,000 brackets", "a number"])
async def test_a_malformed_answer_about_a_batch_is_a_failure_too(client: str, name: str) -> None:
    answer = BROKEN.get(name) or as_json(SHAPES[name])
    with RawLoopback(answer) as server:
        model = CLIENTS[client](base_url=server.url, api_key="sk-test-0123456789", timeout_s=10.0)
        with pytest.raises(BackboneError) as caught:
            await model.progress("batches/b")
        assert caught.value.kind in ("unparsable", "unreachable")
        await model.aclose()


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("depth", DEPTHS)
async def test_however_deep_it_nests_it_is_no_value(client: str, depth: int) -> None:
    nested = "[" * depth + "]" * depth
    body = "{" + ", ".join(f'"{name}": {nested}' for name in FIELDS) + "}"
    error, _ = await sent(client, http(body.encode(), JSON))
    assert isinstance(error, BackboneError)
    assert error.kind in ("unparsable", "unreachable")


@pytest.mark.parametrize("client", CLIENTS)
async def test_secrets_of_an_address_are_in_no_message(client: str) -> None:
    model = CLIENTS[client](base_url="http://me:hush@127.0.0.1:9/v1?token=hush", api_key="k", timeout_s=10.0)
    with pytest.raises(BackboneError) as caught:
        await model.complete(Request((Message("user", ("hi",)),), task="t"))
    await model.aclose()
    assert caught.value.kind == "unreachable"
    assert str(caught.value).startswith(f"{client}/m at http://127.0.0.1:9/v1 ")
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "billable"),
    [(500, True), (502, True), (504, True), (503, False), (529, False), (429, False), (400, False)],
)
def test_a_status_tells_whether_the_call_may_have_been_billed(status: int, billable: bool) -> None:
    assert from_status("openai/m", status, "words").billable is billable
