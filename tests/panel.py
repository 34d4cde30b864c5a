"""A server that answers each task as it is told to, and remembers what it was asked.

panel = Panel(base={"winner": "A"}, art_analysis=lambda body: {...})
with panel.serving() as backbone: ...
panel.tasks()                       the tasks, in the order asked
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

from chat import completion
from loopback import Loopback
from semiosis.backbones.openai import OpenAI

Said = dict[str, Any] | str | Callable[[dict[str, Any]], Any]


class Panel:
    """`replies` are by task, a dash being an underscore; prose is asked for without a task and is `prose`."""

    def __init__(self, **replies: Said) -> None:
        self.replies = replies
        self.asked: list[dict[str, Any]] = []

    @contextmanager
    def at_address(self) -> Iterator[str]:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._answer)
        with Loopback(app) as loopback:
            yield f"{loopback.url}/v1"

    @contextmanager
    def serving(self, provider: str = "custom") -> Iterator[OpenAI]:
        with self.at_address() as url:
            yield OpenAI("m", provider=provider, base_url=url, api_key="k", timeout_s=20)

    def tasks(self) -> list[str]:
        return [task_of(body) for body in self.asked]

    def bodies(self, task: str) -> list[dict[str, Any]]:
        return [body for body in self.asked if task_of(body) == task]

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        said = self.replies[task_of(body)]
        reply = said(body) if callable(said) else said
        if isinstance(reply, web.Response):
            return reply
        return web.json_response(completion(reply if isinstance(reply, str) else json.dumps(reply)))


def task_of(body: dict[str, Any]) -> str:
    form = body.get("response_format", {}).get("json_schema")
    return form["name"] if form else "prose"


def words_of(body: dict[str, Any]) -> str:
    """All that was written to it, without the pictures."""
    parts: list[str] = []
    for message in body["messages"]:
        content = message["content"]
        parts += [content] if isinstance(content, str) else [each.get("text", "") for each in content]
    return "\n".join(parts)


def pictures_of(body: dict[str, Any]) -> int:
    """How many pictures it was shown."""
    return sum(
        part["type"] == "image_url"
        for message in body["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
    )


def refusal(_: dict[str, Any]) -> web.Response:
    return web.json_response(completion(None, refusal="I would rather not."))
