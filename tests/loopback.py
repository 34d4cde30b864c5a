"""A real HTTP server on 127.0.0.1, in a thread of its own.

with Loopback(app) as server:                      any aiohttp.web.Application, or AsgiLoopback(app)
    OpenAI("m", base_url=f"{server.url}/v1")

script = Script(json_answer({...}), json_answer({...}, status=429, headers={"Retry-After": "7"}))
with Loopback(script.app) as server: ...           answers in order, the last one for ever
script.seen[0].json["model"]

with RawLoopback(b"hello") as server: ...          a server that does not speak HTTP, or speaks it badly
"""

import asyncio
import json
import re
import socket
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Loopback:
    """Runs the application from `with` to its end; a handler that still hangs then is cancelled."""

    def __init__(self, app: web.Application) -> None:
        self._app = app
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="loopback", daemon=True)
        self._runner: web.AppRunner | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        self._do(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening and drop every connection; safe to call twice."""
        if self._loop.is_closed():
            return
        self._do(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _start(self) -> None:
        self._runner = web.AppRunner(
            self._app, handler_cancellation=True, shutdown_timeout=0.05, access_log=None
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def _stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    def _do(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(10)


class AsgiLoopback(Loopback):
    """The same for an ASGI application, such as Starlette's."""

    def __init__(self, app: Any) -> None:
        super().__init__(app)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    async def _start(self) -> None:
        from uvicorn import Config, Server

        quiet: dict[str, Any] = {"log_config": None, "log_level": "critical"}
        config = Config(self._app, ws="none", timeout_graceful_shutdown=0, **quiet)  # type: ignore[arg-type]
        config.load()
        self._server = Server(config)
        self._server.lifespan = config.lifespan_class(config)
        await self._server.startup([self._listener])

    async def _stop(self) -> None:
        await self._server.shutdown([self._listener])


@dataclass(frozen=True)
class Seen:
    """A request as the server got it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Script:
    """Answers every request with the next answer, the last one for ever; keeps what was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.seen: list[Seen] = []
        self.asked = threading.Event()

    @property
    def app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._handle)
        return app

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.seen.append(Seen(request.method, request.path_qs, headers, await request.read()))
        self.asked.set()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return await answer(request)


def json_answer(content: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    async def answer(_: web.Request) -> web.Response:
        return web.json_response(content, status=status, headers=headers)

    return answer


def text_answer(text: str, *, status: int = 200, content_type: str = "text/plain") -> Answer:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=text, status=status, content_type=content_type)

    return answer


async def hang(_: web.Request) -> web.StreamResponse:
    """Never answers."""
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


async def drop(request: web.Request) -> web.StreamResponse:
    """Closes the connection without a word."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


class RawLoopback:
    """Sends these very bytes to whoever asks, HTTP or not, one answer a connection, the last one for ever."""

    def __init__(self, *answers: bytes) -> None:
        self._answers = list(answers)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, name="raw loopback", daemon=True)
        self.connections = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection, suppress(OSError):
                    self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        self.connections += 1
        connection.settimeout(10)
        _read_request(connection)
        connection.sendall(self._answers.pop(0) if len(self._answers) > 1 else self._answers[0])
        # Closed with bytes unread, a connection is reset, and what was sent may be lost with it.
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass


def _read_request(connection: socket.socket) -> None:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536) or b"\r\n\r\n"
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    while length and len(body) < int(length[1]):
        body += connection.recv(65536) or b" " * int(length[1])
