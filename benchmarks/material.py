"""What is judged: the bundled pictures under many prompts, or a folder of pictures that are all different."""

import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semiosis.benchmarks.samples.items import ROLES, load
from semiosis.core.sign import Artifact, Pair

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 1024
PNG_EVERY = 10


def pairs(number: int, side: int) -> list[Pair]:
    """Pairs whose prompts all differ, since a prompt is read once for all pairs that share it."""
    initiatives = load()
    pictures = {
        (item.id, role): Artifact.of(_at_most(item.folder / item.artifacts[role].file, side))
        for item in initiatives
        for role in ROLES
    }
    made: list[Pair] = []
    for turn in range(number):
        item = initiatives[turn % len(initiatives)]
        a, b = item.pairs()[turn // len(initiatives) % len(item.pairs())]
        prompt = f"{item.prompt} Number {turn + 1} of a series."
        made.append(Pair(prompt=prompt, a=pictures[item.id, a], b=pictures[item.id, b]))
    return made


def _at_most(path: Path, side: int) -> bytes:
    from PIL import Image

    if side >= SIDE:
        return path.read_bytes()
    buffer = io.BytesIO()
    with Image.open(path) as image:
        image.thumbnail((side, side))
        image.save(buffer, "PNG")
    return buffer.getvalue()


def bodies(folder: Path, number: int) -> list[dict[str, Any]]:
    """Recorded bodies in random order and the recorded mix of stages; equal pictures are one string."""
    urls = dict(json.loads(line) for line in (folder / "urls.jsonl").open(encoding="utf-8"))
    kept = [json.loads(line) for line in (folder / "bodies.jsonl").open(encoding="utf-8")]
    kept.sort(key=stage_of)
    chosen = kept[:: max(1, len(kept) // number)][:number]
    for body in chosen:
        for part in _pictures(body):
            part["image_url"]["url"] = urls[part["image_url"]["url"]]
    random.Random(0).shuffle(chosen)
    return chosen


def stage_of(body: dict[str, Any]) -> str:
    return body["response_format"]["json_schema"]["name"]


def _pictures(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in body["messages"]:
        if isinstance(message["content"], list):
            yield from (part for part in message["content"] if part["type"] == "image_url")


def paint(folder: Path, number: int) -> None:
    """So many square pictures: a bundled one under noise and shapes, one in ten a PNG, the others JPEG."""
    chance = random.Random(0)
    grounds = list(_grounds())
    noise = [_noise(chance) for _ in range(16)]
    for turn in range(number):
        picture = grounds[turn % len(grounds)].copy()
        _disturb(picture, noise, chance)
        if turn % PNG_EVERY:
            picture.save(folder / f"{turn:05}.jpg", quality=90)
        else:
            picture.save(folder / f"{turn:05}.png", compress_level=1)


def _grounds() -> "Iterator[Image]":
    from PIL import Image

    for item in load():
        for role in ROLES:
            with Image.open(item.folder / item.artifacts[role].file) as image:
                yield image.convert("RGB").resize((SIDE, SIDE))


def _noise(chance: random.Random) -> "Image":
    from PIL import Image

    return Image.frombytes("RGB", (192, 192), chance.randbytes(192 * 192 * 3))


def _disturb(picture: "Image", noise: "list[Image]", chance: random.Random) -> None:
    from PIL import ImageDraw

    for patch in chance.sample(noise, 4):
        picture.paste(patch, (chance.randrange(SIDE - 192), chance.randrange(SIDE - 192)))
    draw = ImageDraw.Draw(picture)
    for _ in range(12):
        x, y, width, height = (chance.randrange(40, SIDE // 2) for _ in range(4))
        colour = (chance.randrange(256), chance.randrange(256), chance.randrange(256))
        draw.ellipse((x, y, x + width, y + height), outline=colour, width=9)


def painted_pairs(folder: Path) -> Iterator[Pair]:
    """One pair after the other, made when it is asked for."""
    files = sorted(folder.iterdir())
    initiatives = load()
    for turn, (a, b) in enumerate(zip(files[::2], files[1::2], strict=True)):
        prompt = initiatives[turn % len(initiatives)].prompt
        yield Pair(prompt=f"{prompt} Number {turn + 1} of a series.", a=a, b=b)
