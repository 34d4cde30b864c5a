"""A real HTTP server on 127.0.0.1, in a thread of its own.

with Loopback(app) as server:                      any aiohttp.web.Application
    OpenAI("m", base_url=f"{server.url}/v1")

script = Script(json_answer({...}), json_answer({...}, status=429, headers={"Retry-After": "7"}))
with Loopback(script.app) as server: ...           answers in order, the last one for ever
script.seen[0].json["model"]
"""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
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
        if self._runner is not None:
            self._do(self._runner.cleanup())
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

    def _do(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(10)


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
