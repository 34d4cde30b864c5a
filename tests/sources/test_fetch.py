"""A picture by its address: what goes wrong is said with the address, whole and without its secrets."""

import pytest
from aiohttp import web

from loopback import Loopback, RawLoopback, Script, drop, hang
from semiosis.core.errors import BadPicture
from semiosis.sources.fetch import fetch

LONG = "/".join(["a-folder-of-pictures"] * 20) + "/picture.png"


def fault(url: str, timeout_s: float = 5.0) -> str:
    with pytest.raises(BadPicture) as caught:
        fetch(url, timeout_s)
    return str(caught.value)


async def gone(_: web.Request) -> web.Response:
    return web.Response(status=404)


async def to_ftp(_: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "ftp://127.0.0.1/x.png"})


async def to_a_file(_: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "file:///etc/passwd"})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (gone, "the server says 404 Not Found"),
        (to_ftp, "the server says 302 Found"),
        (to_a_file, "the server says 302 Found"),
        (drop, "the server hung up without an answer"),
    ],
)
def test_what_a_server_answers_is_said_of_the_whole_address(answer: object, said: str) -> None:
    with Loopback(Script(answer).app) as server:  # type: ignore[arg-type]
        told = fault(f"{server.url}/{LONG}?signature=hush#hush")
    assert told.startswith(f"{server.url}/{LONG} cannot be fetched: {said}")
    assert "hush" not in told


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"hello\r\n\r\n", "the answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 99_999, "the answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "the answer broke off"),
    ],
)
def test_what_is_not_http_is_called_that(sent: bytes, said: str) -> None:
    with RawLoopback(sent) as server:
        assert fault(f"{server.url}/a.png") == f"{server.url}/a.png cannot be fetched: {said}."


def test_nobody_listening_and_nobody_answering_are_told_apart() -> None:
    assert (
        fault("http://127.0.0.1:9/a.png") == "http://127.0.0.1:9/a.png cannot be fetched: Connection refused."
    )
    with Loopback(Script(hang).app) as server:
        url = f"{server.url}/a.png"
        assert fault(url, timeout_s=0.2) == f"{url} cannot be fetched: it took longer than 0.2 s."


@pytest.mark.parametrize(
    ("url", "shown", "said"),
    [
        ("http://127.0.0.1:9/a b.png?k=hush", "http://127.0.0.1:9/a b.png", "it is no address"),
        ("http://me:hush@[/a.png?k=hush", "http://[/a.png", "it is no address"),
        ("http://127.0.0.1:port/a.png", "http://127.0.0.1:port/a.png", "it is no address"),
        ("http://me:hush@127.0.0.1:9/a.png", "http://127.0.0.1:9/a.png", "it is no address"),
        ("http:///a.png", "http:///a.png", "no host given"),
    ],
)
def test_an_address_that_is_none_is_called_that(url: str, shown: str, said: str) -> None:
    told = fault(url)
    assert told.startswith(f"{shown} cannot be fetched: ")
    assert said in told
    assert "hush" not in told
