"""A judge of known taste: pictures carry a number in their colour, and a higher number is worth more."""

import base64
import hashlib
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiohttp import web
from PIL import Image

from chat import completion, verdict
from counting import Counting

PROMPT = "A vanitas still life: everything glows, nothing lasts."


class Critic(Counting):
    """Says A with the probability of Bradley and Terry, by a coin that the order of the two pictures decides.

    `worth` is of the pictures, by number; without it every verdict is A. A picture of `refused` is refused.
    `unsure` pairs, by number, are called coin flips.
    """

    def __init__(
        self,
        worth: Sequence[float] | None,
        *,
        seed: int = 0,
        refused: int | None = None,
        unsure: frozenset[frozenset[int]] = frozenset(),
        delay_s: float = 0.0,
    ) -> None:
        super().__init__(delay_s)
        self.worth = worth
        self.seed = seed
        self.refused = refused
        self.unsure = unsure
        self.shown: list[tuple[int, int]] = []
        self.bodies: list[dict[str, Any]] = []

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        if self.refused is not None and self.refused in pictures(body):
            self.begun += 1
            return web.json_response(completion(None, refusal="I would rather not."))
        return await super()._answer(request)

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        if stage.startswith(("prompt", "picture")):
            return super().reply(stage, body)
        a, b = pictures(body)[-2:]
        self.shown.append((a, b))
        self.bodies.append(body)
        certainty = 1 if {a, b} in self.unsure else 5
        winner = "A" if self.prefers_first(a, b) else "B"
        return verdict(winner, "A.1", "B.1", "prompt.1", certainty=certainty)

    def prefers_first(self, a: int, b: int) -> bool:
        if self.worth is None:
            return True
        coin = int(hashlib.sha256(f"{self.seed} {a} {b}".encode()).hexdigest()[:8], 16) / 2**32
        return coin < 1 / (1 + math.exp(self.worth[b] - self.worth[a]))


def pictures(body: dict[str, Any]) -> list[int]:
    """The numbers of the pictures in a request, in the order they are shown."""
    urls = [
        part["image_url"]["url"]
        for message in body["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]
    return [_number(base64.b64decode(url.partition(",")[2])) for url in urls]


def _number(data: bytes) -> int:
    with Image.open(io.BytesIO(data)) as image:
        pixel = image.convert("RGB").getpixel((0, 0))
    assert isinstance(pixel, tuple)
    return int(pixel[0])


def hang_up(folder: Path, count: int, *, side: int = 16) -> list[Path]:
    """So many pictures, named by their numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{number}.png" for number in range(count)]
    for number, path in enumerate(paths):
        Image.new("RGB", (side, side), (number, 100, 50)).save(path)
    return paths
