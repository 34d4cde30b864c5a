"""A server that answers each task as it is told to, and remembers what it was asked.

panel = Panel(base={"winner": "A"}, art_analysis=lambda body: {...})
with panel.serving() as backbone: ...
panel.tasks()                       the tasks, in the order asked
shown_in(panel.asked[0])            what each picture was called, and its size
"""

import base64
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web
from PIL import Image

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
    return len(shown_in(body))


def shown_in(body: dict[str, Any]) -> list[tuple[str, tuple[int, int]]]:
    """Each picture it was shown: the last line before it, and its size."""
    shown: list[tuple[str, tuple[int, int]]] = []
    line = ""
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else []:
            if part["type"] == "image_url":
                data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
                with Image.open(io.BytesIO(data)) as image:
                    shown.append((line, image.size))
            else:
                line = part["text"].strip().rpartition("\n")[2]
    return shown


def refusal(_: dict[str, Any]) -> web.Response:
    return web.json_response(completion(None, refusal="I would rather not."))
