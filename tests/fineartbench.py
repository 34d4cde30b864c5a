"""A small FineArtBench with drawn pictures, and people of a known taste: they like the first method best.

folder = lay_out(tmp_path / "FineArtBench")
painter_of(picture)                     which method painted what a server was sent, by its colour
"""

import json
import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from semiosis.benchmarks.stylebench.annotations import as_row
from semiosis.building.sampling import everywhere, globally, per_instance
from semiosis.building.votes import ForcedChoice, Group

METHODS = ("brush", "charcoal", "etching", "glaze", "ink", "wash")
STYLES = {
    "3": "Cubism",
    "7": "Ukiyo-e woodblock of a rainy harbour, flat colours, bold outlines, indigo",
    "8": "oil",
}
COMBINATIONS = {"1": ("3", "7"), "2": ("8",), "4": ("7",)}
CONTENTS = 4
SIDE = 128
_STEP = 40
_CONTENT_ATTRIBUTES = (("High", "Diverse"), ("Low", "Limited"))
_STYLE_ATTRIBUTES = {"3": ("art movement", "short"), "7": ("art movement", "long"), "8": ("medium", "short")}


def lay_out(folder: Path, *, seed: int = 1) -> Path:
    """As the authors publish theirs: data/ with base, painting and human_annotation.

    Four contents, three styles, six methods. Instance rows are all 15 pairs of each of four instances, one of
    which has a skipped row and falls to the filters; global rows are 40 pairs. The paper's files have fewer.
    """
    data = folder / "data"
    for name in ("base/images", "human_annotation", "painting"):
        (data / name).mkdir(parents=True)
    _write(data / "base" / "content_1k.json", [_content(number) for number in range(1, CONTENTS + 1)])
    _write(data / "base" / "style_1k.json", {number: _style(number) for number in STYLES})
    combined = {content: [int(style) for style in styles] for content, styles in COMBINATIONS.items()}
    _write(data / "painting" / "content_style_combination.json", combined)
    for number in range(1, CONTENTS + 1):
        draw_content(number).save(data / "base" / "images" / f"{number}.png")
    for method in METHODS:
        (data / "painting" / method).mkdir()
        for content, styles in COMBINATIONS.items():
            for place, style in enumerate(styles, 1):
                file = data / "painting" / method / f"content_{content}_style_{place}.jpg"
                draw_painting(method, int(content), int(style)).save(file, quality=95)
    for kind, rows in choices(seed).items():
        every = [as_row(row) for row in rows]
        _write(data / "human_annotation" / f"{kind}_annotation.json", every)
        _write(data / "human_annotation" / f"{kind}_annotation_paper.json", every[:30])
    return folder


def choices(seed: int = 1) -> dict[str, list[ForcedChoice]]:
    """What people said of each kind of row: mostly the better method, with the sides by a coin."""
    groups: list[Group] = [(content, style) for content, styles in COMBINATIONS.items() for style in styles]
    rivals = everywhere(groups, METHODS)
    prompts = {group: STYLES[group[1]] for group in groups}
    toss = random.Random(seed)
    instance = [_voted(task, toss) for task in per_instance(rivals, 15, prompts=prompts, seed=seed)]
    instance[-1] = instance[-1].model_copy(update={"winner": None})
    asked = [_voted(task, toss) for task in globally(rivals, 40, prompts=prompts, seed=seed)]
    return {"instance": instance, "global": asked}


def draw_content(number: int) -> Image.Image:
    """A circle on a grey ground that no method paints."""
    image = Image.new("RGB", (SIDE, SIDE), (128, 128, 128))
    ImageDraw.Draw(image).ellipse((8, 8, SIDE // 2 + 4 * number, SIDE - 8), fill="white")
    return image


def draw_painting(method: str, content: int, style: int) -> Image.Image:
    """A ground whose red tells the method, and the content's circle in the green of the style."""
    red = _STEP * METHODS.index(method)
    image = Image.new("RGB", (SIDE, SIDE), (red, 0, 200))
    ImageDraw.Draw(image).ellipse((8, 8, SIDE // 2 + 4 * content, SIDE - 8), fill=(red, 20 * style, 200))
    return image


def painter_of(picture: Image.Image) -> str | None:
    """The method that painted it, whatever size it was brought to; None for a content."""
    red, _, blue = (band.getpixel((1, 1)) for band in picture.convert("RGB").split())
    return METHODS[round(red / _STEP)] if blue > 164 else None  # type: ignore[operator]


def _voted(task: ForcedChoice, toss: random.Random) -> ForcedChoice:
    ahead = METHODS.index(task.b) - METHODS.index(task.a)
    won = toss.random() < 1 / (1 + math.exp(-2 * ahead))
    return task.model_copy(update={"annotated": True, "winner": "a" if won else "b"})


def _content(number: int) -> Mapping[str, Any]:
    density, diversity = _CONTENT_ATTRIBUTES[number % 2]
    return {
        "image_path": f"./images/{number}.png",
        "content_prompt": f"circle {number}",
        "scene_complexity": {"element_density": [density], "color_diversity": [diversity]},
    }


def _style(number: str) -> Mapping[str, Any]:
    taxonomy, length = _STYLE_ATTRIBUTES[number]
    return {"style": {"taxonomy": [taxonomy], "prompt_length": [length]}, "prompt": STYLES[number]}


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value), "utf-8")
