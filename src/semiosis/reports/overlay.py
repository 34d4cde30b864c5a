"""A picture at its own size, with the boxes and labels of its graph drawn on."""

import io
from typing import TYPE_CHECKING

from ..core.graph import HSG, SubSemiosis
from ..core.grounding import Box
from ..core.sign import Artifact
from .palette import LINES, hue_of

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

_LONGEST = 44


def draw_boxes(artifact: Artifact, graph: HSG) -> "Image":
    """The picture, upright, with every box that touches it; dashed where it does not check out."""
    from PIL import Image, ImageDraw

    from ..backbones.pictures import prepare, size_of

    with Image.open(io.BytesIO(prepare(artifact, max_side=max(size_of(artifact))).data)) as opened:
        canvas = opened.convert("RGB")
    pen = ImageDraw.Draw(canvas)
    width = max(2, round(max(canvas.size) / 256))
    font = _font(max(12, round(max(canvas.size) / 50)))
    labels: list[tuple[float, float, float, float]] = []
    parts = [
        (place, child, box) for place, child in enumerate(graph.children, start=1) for box in child.boxes
    ]
    for place, _, box in parts:
        frame = _pixels(box, canvas.size)
        if frame:
            _frame(pen, frame, LINES[hue_of(place)], width, box.verified)
    for place, child, box in parts:
        frame = _pixels(box, canvas.size)
        if frame:
            labels.append(
                _label(pen, (frame, canvas.size), _text(child, box), LINES[hue_of(place)], font, labels)
            )
    return canvas


def _font(size: int) -> "FreeTypeFont | ImageFont":
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _text(child: SubSemiosis, box: Box) -> str:
    label = child.label if len(child.label) <= _LONGEST else child.label[: _LONGEST - 1] + "…"
    # Pillow's own font is Latin only; other scripts would come out as blanks, so the number stands alone.
    if any(ord(character) > 0x24F and character != "…" for character in label):
        label = ""
    return f"{child.id} {label}".strip() + (f" ({box.fault})" if box.fault else "")


def _pixels(box: Box, size: tuple[int, int]) -> tuple[float, float, float, float] | None:
    x0, y0 = max(0.0, box.x0) * size[0], max(0.0, box.y0) * size[1]
    x1, y1 = min(1.0, box.x1) * size[0] - 1, min(1.0, box.y1) * size[1] - 1
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def _frame(
    pen: "ImageDraw", frame: tuple[float, float, float, float], colour: str, width: int, verified: bool
) -> None:
    x0, y0, x1, y1 = frame
    if verified:
        pen.rectangle((x0 - 1, y0 - 1, x1 + 1, y1 + 1), outline="#ffffff", width=width + 2)
        pen.rectangle(frame, outline=colour, width=width)
        return
    step = width * 4
    for start in range(round(x0), round(x1), step * 2):
        for y in (y0, y1):
            pen.line((start, y, min(start + step, x1), y), fill=colour, width=width)
    for start in range(round(y0), round(y1), step * 2):
        for x in (x0, x1):
            pen.line((x, start, x, min(start + step, y1)), fill=colour, width=width)


def _label(
    pen: "ImageDraw",
    where: tuple[tuple[float, float, float, float], tuple[int, int]],
    text: str,
    colour: str,
    font: "FreeTypeFont | ImageFont",
    labels: list[tuple[float, float, float, float]],
) -> tuple[float, float, float, float]:
    """Set the label in a corner of its box where no other label lies; returns the ground it covers."""
    (x0, y0, x1, y1), (right, bottom) = where
    left, top, end, low = pen.textbbox((0, 0), text, font=font)
    pad = max(3, round((low - top) / 4))
    width, height = end - left + 2 * pad, low - top + 2 * pad
    spots = [(x0, y0), (x1 - width, y0), (x0, y1 - height), (x1 - width, y1 - height)]
    spots += [(x0, y0 - height), (x0, y1), (x1 - width, y0 - height), (x1 - width, y1)]
    inside = [
        (min(max(0.0, x), max(0, right - width)), min(max(0.0, y), max(0, bottom - height))) for x, y in spots
    ]
    x, y = next(
        (s for s in inside if not any(_meet((*s, s[0] + width, s[1] + height), t) for t in labels)), inside[0]
    )
    ground = (x, y, x + width, y + height)
    pen.rectangle(ground, fill=colour)
    pen.text((x + pad - left, y + pad - top), text, font=font, fill="#ffffff")
    return ground


def _meet(one: tuple[float, float, float, float], two: tuple[float, float, float, float]) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]
