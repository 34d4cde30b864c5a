"""A picture by its address: what goes wrong is said with the address, whole and without its secrets."""

import asyncio
import gzip
import io
import socket
from contextlib import suppress
from pathlib import Path
from urllib.request import proxy_bypass

import pytest
from aiohttp import web
from PIL import Image

from loopback import Loopback, RawLoopback, Script, drop, hang
from semiosis.backbones.downloads import MAX_BYTES, fetch
from semiosis.core.errors import BadPicture

LONG = "/".join(["a-folder-of-pictures"] * 20) + "/picture.png"


def fault(url: str, timeout_s: float = 5.0) -> str:
    with pytest.raises(BadPicture) as caught:
        fetch(url, timeout_s)
    return str(caught.value)


async def gone(_: web.Request) -> web.Response:
    return web.Response(status=404)


async def to_ftp(_: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "ftp://127.0.0.1/x.png"})


async def to_a_secret(_: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "http://me:hush@127.0.0.1:9/x.png"})


async def round_and_round(request: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": request.path})


async def to_a_file(_: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "file:///etc/passwd"})


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (gone, "the server says 404 Not Found"),
        (to_ftp, "the server says 302 Found"),
        (to_a_file, "the server says 302 Found"),
        (to_a_secret, "the server says 302 Found"),
        (round_and_round, "the server says 302 Found"),
        (drop, "the server hung up without an answer"),
    ],
)
def test_what_a_server_answers_is_said_of_the_whole_address(answer: object, reason: str) -> None:
    with Loopback(Script(answer).app) as server:  # type: ignore[arg-type]
        message = fault(f"{server.url}/{LONG}?signature=hush#hush")
    assert message.startswith(f"{server.url}/{LONG} cannot be fetched: {reason}")
    assert "hush" not in message


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (b"hello\r\n\r\n", "the answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 99_999, "the answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "the answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "the answer broke off"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 99_999, "the answer is not HTTP"),
    ],
)
def test_what_is_not_http_is_called_that(sent: bytes, reason: str) -> None:
    with RawLoopback(sent) as server:
        assert fault(f"{server.url}/a.png") == f"{server.url}/a.png cannot be fetched: {reason}."


def test_nobody_listening_and_nobody_answering_are_told_apart() -> None:
    assert (
        fault("http://127.0.0.1:9/a.png") == "http://127.0.0.1:9/a.png cannot be fetched: Connection refused."
    )
    with Loopback(Script(hang).app) as server:
        url = f"{server.url}/a.png"
        assert fault(url, timeout_s=0.2) == f"{url} cannot be fetched: it took longer than 0.2 s."


class Dripping(RawLoopback):
    """Sends the beginning at once and then a byte now and then, for as long as somebody listens."""

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(10)
        connection.recv(65536)
        connection.sendall(self._answers[0])
        connection.settimeout(0.02)
        while True:
            with suppress(TimeoutError):
                if not connection.recv(1):
                    return
            connection.sendall(b"a")


@pytest.mark.parametrize(
    "beginning",
    [
        b"HTTP/1.1 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n",
    ],
    ids=["headers", "body"],
)
def test_what_comes_byte_by_byte_is_given_up_when_the_whole_takes_too_long(beginning: bytes) -> None:
    with Dripping(beginning) as server:
        url = f"{server.url}/a.png"
        assert fault(url, timeout_s=0.3) == f"{url} cannot be fetched: it took longer than 0.3 s."


async def endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    with suppress(ConnectionError):
        while True:
            await response.write(b"a" * 1024**2)
    return response


async def a_bomb(_: web.Request) -> web.Response:
    zeros = await asyncio.to_thread(gzip.compress, bytes(MAX_BYTES + 1), 1)
    return web.Response(body=zeros, headers={"Content-Encoding": "gzip"})


@pytest.mark.parametrize("answer", [endless, a_bomb])
def test_more_than_the_limit_is_refused_unpacked_too(answer: object) -> None:
    with Loopback(Script(answer).app) as server:  # type: ignore[arg-type]
        url = f"{server.url}/a.png"
        assert fault(url, timeout_s=30) == f"{url} cannot be fetched: it is larger than 64 MB."


def png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (4, 4), "navy").save(buffer, "PNG")
    return buffer.getvalue()


async def packed(_: web.Request) -> web.Response:
    return web.Response(body=gzip.compress(png()), headers={"Content-Encoding": "gzip"})


async def onward(_: web.Request) -> web.Response:
    return web.Response(status=307, headers={"Location": "../b.png"})


def test_a_redirect_is_followed_an_address_asked_as_written_and_what_is_packed_unpacked() -> None:
    script = Script(onward, packed)
    with Loopback(script.app) as server:
        picture = fetch(f"{server.url}/x/a.png?at=%2Fhome%2B&at=2")
    assert (picture.read(), picture.name) == (png(), "a.png")
    assert [request.path for request in script.seen] == ["/x/a.png?at=%2Fhome%2B&at=2", "/b.png"]


def test_a_proxy_of_the_environment_is_asked_and_no_password_of_netrc_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("default login me password hush")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert not proxy_bypass("pictures.invalid")
    script = Script(packed)
    with Loopback(script.app) as proxy:
        for spelt in (proxy.url, proxy.url.removeprefix("http://")):
            monkeypatch.setenv("http_proxy", spelt)
            assert fetch("http://pictures.invalid/a.png").read() == png()
    assert {request.headers["host"] for request in script.seen} == {"pictures.invalid"}
    with Loopback(Script(gone).app) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        assert "the proxy says 404" in fault("https://pictures.invalid/a.png")
    assert not {"authorization", "proxy-authorization"} & {
        name for request in script.seen for name in request.headers
    }


@pytest.mark.parametrize(
    ("url", "address", "reason"),
    [
        ("http://127.0.0.1:9/a b.png?k=hush", "http://127.0.0.1:9/a b.png", "it is no address"),
        ("http://me:hush@[/a.png?k=hush", "http://[/a.png", "it is no address"),
        ("http://127.0.0.1:port/a.png", "http://127.0.0.1:port/a.png", "it is no address"),
        ("http://me:hush@127.0.0.1:9/a.png", "http://127.0.0.1:9/a.png", "it is no address"),
        ("http:///a.png", "http:///a.png", "no host given"),
    ],
)
def test_an_address_that_is_none_is_called_that(url: str, address: str, reason: str) -> None:
    message = fault(url)
    assert message.startswith(f"{address} cannot be fetched: ")
    assert reason in message
    assert "hush" not in message
