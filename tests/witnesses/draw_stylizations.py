"""Draws stylizations/: bundled pictures painted anew by code, once as asked and once with one fault.

    python tests/witnesses/draw_stylizations.py

Twenty pairs, each with the style in words and who should win: `faithful` is better at both tasks, or as good at
one and better at the other; its rival loses the content, misses the style, or does half of either.
"""

import json
import random
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageOps

FOLDER = Path(__file__).parent / "stylizations"
SIDE = 448

Painter = Callable[[Image.Image], Image.Image]


def _cut(image: Image.Image) -> Image.Image:
    """Black and white, nothing between."""
    grey = ImageOps.autocontrast(ImageOps.grayscale(image), cutoff=2).filter(ImageFilter.MedianFilter(5))
    edges = ImageOps.invert(grey.filter(ImageFilter.FIND_EDGES)).point(lambda v: 255 if v > 200 else 0)
    local = grey.filter(ImageFilter.GaussianBlur(28))
    bright = Image.fromarray((np.asarray(grey, float) > np.asarray(local, float) - 4).astype("uint8") * 255)
    return ImageChops.multiply(bright, edges).convert("RGB")


def _mosaic(image: Image.Image) -> Image.Image:
    """Square tiles with light joints."""
    tile = 14
    small = image.resize((image.width // tile, image.height // tile), Image.Resampling.BOX)
    picture = ImageEnhance.Color(small).enhance(1.6).resize((small.width * tile, small.height * tile), 0)
    draw = ImageDraw.Draw(picture)
    for x in range(0, picture.width, tile):
        draw.line((x, 0, x, picture.height), fill=(226, 220, 206), width=2)
    for y in range(0, picture.height, tile):
        draw.line((0, y, picture.width, y), fill=(226, 220, 206), width=2)
    return picture


def _dots(image: Image.Image) -> Image.Image:
    """Dots of strong colour on a pale ground."""
    toss = random.Random(3)
    picture = Image.new("RGB", image.size, (244, 238, 224))
    draw, strong = ImageDraw.Draw(picture), ImageEnhance.Color(image).enhance(2.0)
    for _ in range(26_000):
        x, y = toss.randrange(image.width), toss.randrange(image.height)
        colour = strong.getpixel((x, y))
        assert isinstance(colour, tuple)
        shifted = tuple(max(0, min(255, int(value) + toss.randint(-45, 45))) for value in colour)
        draw.ellipse((x - 2, y - 2, x + 2, y + 2), fill=shifted)
    return picture


def _charcoal(image: Image.Image) -> Image.Image:
    """Grey strokes on rough paper."""
    grey = ImageOps.autocontrast(ImageOps.grayscale(image))
    lines = ImageOps.invert(grey.filter(ImageFilter.GaussianBlur(1)).filter(ImageFilter.FIND_EDGES))
    lines = ImageEnhance.Contrast(lines).enhance(2.2)
    grain = np.random.default_rng(5).normal(0, 26, (image.height, image.width))
    soft = np.asarray(grey.filter(ImageFilter.GaussianBlur(3)), float) * 0.55 + 105
    drawn = np.minimum(soft, np.asarray(lines, float)) + grain
    return Image.fromarray(np.clip(drawn, 0, 255).astype("uint8")).convert("RGB")


def _poster(image: Image.Image) -> Image.Image:
    """Five flat colours."""
    flat = image.filter(ImageFilter.ModeFilter(11)).quantize(5, dither=Image.Dither.NONE)
    return ImageEnhance.Color(flat.convert("RGB")).enhance(1.9)


def _blueprint(image: Image.Image) -> Image.Image:
    """White lines on blue, under a grid."""
    edges = ImageOps.grayscale(image).filter(ImageFilter.SMOOTH_MORE).filter(ImageFilter.FIND_EDGES)
    edges = ImageOps.autocontrast(edges, cutoff=1).point(lambda v: 255 if v > 70 else 0)
    picture = Image.new("RGB", image.size, (22, 58, 128))
    draw = ImageDraw.Draw(picture)
    for place in range(0, SIDE * 2, 28):
        draw.line((place, 0, place, image.height), fill=(52, 88, 156))
        draw.line((0, place, image.width, place), fill=(52, 88, 156))
    picture.paste((236, 243, 255), mask=edges)
    return picture


def _glass(image: Image.Image) -> Image.Image:
    """Panes of one bright colour each, with black leading."""
    places = np.random.default_rng(7).uniform(0, 1, (330, 2)) * [image.height, image.width]
    rows, columns = np.mgrid[0 : image.height, 0 : image.width]
    distance = (rows[..., None] - places[:, 0]) ** 2 + (columns[..., None] - places[:, 1]) ** 2
    pane = distance.argmin(-1)
    bright = np.asarray(ImageEnhance.Color(ImageOps.autocontrast(image)).enhance(1.9), float)
    painted = np.zeros_like(bright)
    for number in range(len(places)):
        painted[pane == number] = bright[pane == number].mean(0) if (pane == number).any() else 0
    lead = (np.roll(pane, 1, 0) != pane) | (np.roll(pane, 1, 1) != pane)
    lead |= np.roll(lead, 1, 0) | np.roll(lead, 1, 1)
    painted[lead] = 12
    return Image.fromarray(painted.astype("uint8"))


def _oil(image: Image.Image) -> Image.Image:
    """Thick short strokes."""
    toss = random.Random(11)
    picture = image.filter(ImageFilter.ModeFilter(9))
    draw, warm = ImageDraw.Draw(picture), ImageEnhance.Color(image).enhance(1.4)
    for _ in range(7_000):
        x, y, slant = toss.randrange(image.width), toss.randrange(image.height), toss.choice((-5, 5))
        colour = warm.getpixel((x, y))
        assert isinstance(colour, tuple)
        tone = tuple(max(0, min(255, int(value) + toss.randint(-16, 16))) for value in colour)
        draw.line((x - 7, y - slant, x + 7, y + slant), fill=tone, width=4)
    relief = ImageChops.overlay(picture, picture.filter(ImageFilter.EMBOSS))
    return Image.blend(picture, relief, 0.25)


def _hatching(image: Image.Image) -> Image.Image:
    """Black lines on cream, closer where it is darker."""
    grey = np.asarray(
        ImageOps.autocontrast(ImageOps.grayscale(image).filter(ImageFilter.GaussianBlur(1))), float
    )
    rows, columns = np.mgrid[0 : image.height, 0 : image.width]
    ink = ((rows + columns) % 6 < 2) & (grey < 190)
    ink |= ((rows - columns) % 6 < 2) & (grey < 130)
    ink |= (rows % 4 < 2) & (grey < 75)
    edges = np.asarray(ImageOps.grayscale(image).filter(ImageFilter.FIND_EDGES), float) > 60
    picture = np.where((ink | edges)[..., None], (24, 20, 18), (243, 234, 214))
    return Image.fromarray(picture.astype("uint8"))


def _lost(image: Image.Image) -> Image.Image:
    """Its parts in another order: the source can no longer be read."""
    toss, step = random.Random(13), image.width // 4
    cells = [(x, y) for x in range(0, step * 4, step) for y in range(0, image.height - step + 1, step)]
    others = toss.sample(cells, len(cells))
    picture = image.copy()
    for (x, y), (u, v) in zip(cells, others, strict=True):
        picture.paste(image.crop((u, v, u + step, v + step)).rotate(180), (x, y))
    return picture


def _emptied(image: Image.Image) -> Image.Image:
    """The middle painted over with what is around it."""
    box = (image.width // 5, image.height // 4, image.width * 4 // 5, image.height * 9 // 10)
    picture = image.copy()
    cover = image.crop((0, 0, image.width, 24)).resize((box[2] - box[0], box[3] - box[1]))
    picture.paste(cover.filter(ImageFilter.GaussianBlur(6)), box[:2])
    return picture


def _faint(image: Image.Image) -> Image.Image:
    """Hardly another style than the source's."""
    return ImageEnhance.Color(image.filter(ImageFilter.GaussianBlur(1.2))).enhance(0.8)


STYLES: dict[str, tuple[str, Painter]] = {
    "woodcut": ("woodcut print, black and white, hard-edged cuts without greys", _cut),
    "mosaic": ("ancient floor mosaic of square stones", _mosaic),
    "pointillism": ("Pointillism: small dots of pure colour, no outlines", _dots),
    "charcoal": ("charcoal drawing on rough paper", _charcoal),
    "screen-print": ("screen print in five flat, loud colours", _poster),
    "blueprint": ("architect's blueprint, white lines on blue", _blueprint),
    "stained-glass": ("stained glass window with lead lines", _glass),
    "oil": ("oil painting, thick impasto strokes", _oil),
    "engraving": ("copperplate engraving with cross-hatching", _hatching),
}
FAULTS: dict[str, Painter] = {"lost": _lost, "emptied": _emptied, "faint": _faint}

# Content, style, and what the rival does: a fault, or another style painted in place of the one asked for.
PAIRS = (
    ("samples/icarus-wayfinding/literal", "woodcut", "faint"),
    ("samples/ocean-churning-chart/literal", "mosaic", "lost"),
    ("samples/simorgh-thirty-birds/literal", "pointillism", "mosaic"),
    ("samples/war-without-war/literal", "charcoal", "screen-print"),
    ("samples/vanitas-screen/literal", "screen-print", "emptied"),
    ("samples/kintsugi-friendship/literal", "blueprint", "faint"),
    ("samples/wu-wei-river/literal", "stained-glass", "oil"),
    ("samples/someone-left/literal", "oil", "lost"),
    ("samples/annunciation-geometry/literal", "engraving", "emptied"),
    ("samples/icarus-wayfinding/meaning", "stained-glass", "lost"),
    ("samples/ocean-churning-chart/drift", "engraving", "pointillism"),
    ("samples/simorgh-thirty-birds/drift", "blueprint", "emptied"),
    ("samples/war-without-war/meaning", "mosaic", "faint"),
    ("samples/vanitas-screen/drift", "charcoal", "lost"),
    ("samples/kintsugi-friendship/drift", "oil", "woodcut"),
    ("samples/wu-wei-river/drift", "woodcut", "emptied"),
    ("samples/someone-left/drift", "pointillism", "faint"),
    ("samples/annunciation-geometry/drift", "screen-print", "blueprint"),
    ("samples/simorgh-thirty-birds/meaning", "oil", "emptied"),
    ("samples/wu-wei-river/meaning", "charcoal", "stained-glass"),
)


def draw() -> None:
    """Sides by turns, so that neither is the better one more often."""
    FOLDER.mkdir(exist_ok=True)
    rows: list[dict[str, str]] = []
    for number, (place, style, rival) in enumerate(PAIRS, 1):
        _, initiative, role = place.split("/")
        folder = Path(str(files("semiosis.benchmarks.samples"))) / "data" / initiative
        with Image.open(folder / f"{role}.webp") as image:
            content = ImageOps.contain(image.convert("RGB"), (SIDE, SIDE))
        words, painter = STYLES[style]
        faithful = painter(content)
        if rival in STYLES:
            other = STYLES[rival][1](content)
        else:
            other = _faint(content) if rival == "faint" else painter(FAULTS[rival](content))
        sides = ("a", "b") if number % 2 else ("b", "a")
        names: dict[str, str] = {}
        for name, picture in (("content", content), (sides[0], faithful), (sides[1], other)):
            names[name] = f"{number:02}-{name}.webp"
            picture.save(FOLDER / names[name], quality=80, method=6)
        id = f"{initiative}/{role}/{style}/{rival}"
        rows.append({"id": id, "style": words, **names, "winner": sides[0]})
    lines = (json.dumps(dict(sorted(row.items()))) for row in rows)
    (FOLDER / "pairs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    draw()
