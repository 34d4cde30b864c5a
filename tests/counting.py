"""A server that counts, and a file of pairs to send it."""

import asyncio
import hashlib
import io
import json
import time
from collections import Counter, deque
from pathlib import Path
from typing import Any

from aiohttp import web
from PIL import Image, ImageDraw

from chat import BOX, Judge, completion, picture_graph, prompt_graph, verdict


class Counting(Judge):
    """Answers every request by what it holds, after a while; counts what began, and what was answered."""

    def __init__(self, delay_s: float = 0.0) -> None:
        super().__init__()
        self.delay_s = delay_s
        self.usage: dict[str, int] | None = None
        self.begun = 0
        self.answered = 0
        self.in_flight = 0
        self.times: Counter[str] = Counter()
        self.flying: set[str] = set()
        self.landed: deque[tuple[float, str]] = deque(maxlen=64)

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.begun += 1
        self.in_flight += 1
        about = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        self.times[about] += 1
        self.flying.add(about)
        try:
            await asyncio.sleep(self.delay_s)
            stage = self.stage(body)
            reply = self.reply(stage, body)
            answer = completion(reply if isinstance(reply, str) else json.dumps(reply))
            response = web.json_response(answer | ({} if self.usage is None else {"usage": self.usage}))
            await response.prepare(request)
            # Before the body is sent: whoever has it may be done, and look at the counts.
            self.answered += 1
            self.asked.append({"stage": stage})
            await response.write_eof()
            return response
        finally:
            self.in_flight -= 1
            self.flying.discard(about)
            self.landed.append((time.monotonic(), about))

    def stages(self) -> list[str]:
        return [each["stage"] for each in self.asked]

    def stage(self, body: dict[str, Any]) -> str:
        return str(body["response_format"]["json_schema"]["name"])

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        """The same request has the same reply, and another request another."""
        digest = hashlib.sha256(json.dumps(body["messages"], sort_keys=True).encode()).hexdigest()[:32]
        if stage.startswith("prompt_graph"):
            return prompt_graph("everything glows", digest)
        if stage.startswith("picture_graphs"):
            return {"a": picture_graph(f"a {digest}", [BOX], []), "b": picture_graph(f"b {digest}", [BOX])}
        if stage.startswith("picture"):
            return picture_graph(f"solo {digest}", [BOX], [])
        if stage.startswith("contrast_"):
            return super().reply(stage, body)
        contrast = super().reply(stage, body) if stage == "contrast" else {}
        return contrast | verdict("A" if int(digest, 16) % 3 else "B", "A.1", "B.1", "prompt.1")


class Slurring(Counting):
    """Answers its first question with these bytes, one after the other as it is asked again, and then well."""

    def __init__(self, *slurs: bytes) -> None:
        super().__init__()
        self.slurs = list(slurs)
        self.first: Any = None

    async def _answer(self, request: web.Request) -> web.Response:
        messages = (await request.json())["messages"]
        self.first = self.first or messages
        if not self.slurs or messages != self.first:
            return await super()._answer(request)
        self.begun += 1
        assert request.transport is not None
        request.transport.write(self.slurs.pop(0))
        request.transport.close()
        return web.Response()


def paint(path: Path, number: int) -> Path:
    image = Image.new("RGB", (24, 24), (number * 37 % 256, number * 91 % 256, number * 11 % 256))
    ImageDraw.Draw(image).text((1, 1), str(number), fill="white")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    path.write_bytes(buffer.getvalue())
    return path


def write_pairs(folder: Path, pairs: int, *, prompts: int = 20, pictures: int = 40) -> Path:
    """So many different pairs of few prompts and few pictures."""
    for number in range(pictures):
        paint(folder / f"{number}.png", number)
    lines: list[str] = []
    for number in range(pairs):
        a = number % pictures
        b = (a + 1 + number // pictures % (pictures - 1)) % pictures
        winner = "a" if number % 2 else "b"
        text = f"Prompt {number % prompts}: everything glows, nothing lasts."
        lines.append(json.dumps({"prompt": text, "a": f"{a}.png", "b": f"{b}.png", "winner": winner}))
    path = folder / "pairs.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def write_tournament(folder: Path, pictures: int = 5) -> Path:
    for number in range(pictures):
        paint(folder / f"{number}.png", number)
    rows = [
        {"prompt": "Everything glows, nothing lasts.", "a": f"{a}.png", "b": f"{b}.png"}
        for a in range(pictures)
        for b in range(a + 1, pictures)
    ]
    path = folder / "tournament.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
