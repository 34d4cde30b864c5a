"""Decode safely, turn upright, bring to sRGB, resize, encode once per content hash.

prepare(artifact, max_side=1024).data_url
"""

import asyncio
import base64
import io
import os
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

from ..core.errors import BadPicture
from ..core.outcome import SentPicture
from ..core.sign import Artifact
from .colours import in_srgb

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SIDE_ACCEPTED = 20_000
MAX_PIXELS = 178_956_970  # Pillow's own limit, above which it refuses to open a picture
DEFAULT_SIDE = 1024
JPEG_QUALITY = 90
CACHE_BYTES = 128 * 1024 * 1024
# Each thread that decodes keeps some of its memory for good (about 30 MB), so there are few.
ENCODERS = min(4, os.cpu_count() or 1)

# Formats whose decoders are maintained and sandbox-free; anything else Pillow knows is refused.
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "AVIF")

T = TypeVar("T")


@dataclass(frozen=True)
class Prepared:
    """A picture as it is sent: upright, sRGB, no larger than asked."""

    sha256: str
    data: bytes
    media_type: str
    width: int
    height: int
    note: str = ""

    @property
    def base64(self) -> str:
        return base64.b64encode(self.data).decode("ascii")

    @cached_property
    def data_url(self) -> str:
        """Made once, since a picture is sent in call after call."""
        return f"data:{self.media_type};base64,{self.base64}"

    @property
    def record(self) -> SentPicture:
        return SentPicture(
            sha256=self.sha256, width=self.width, height=self.height, bytes=len(self.data), note=self.note
        )


class _Recent:
    """The pictures encoded last, up to a number of bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._items: OrderedDict[tuple[str, int], Prepared] = OrderedDict()
        self._lock = threading.Lock()
        self._turns: dict[tuple[str, int], threading.Lock] = {}

    @contextmanager
    def turn(self, key: tuple[str, int]) -> Generator[None]:
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
        with turn:
            yield
        with self._lock:
            self._turns.pop(key, None)

    def get(self, key: tuple[str, int]) -> Prepared | None:
        with self._lock:
            picture = self._items.get(key)
            if picture is not None:
                self._items.move_to_end(key)
            return picture

    def put(self, key: tuple[str, int], prepared: Prepared) -> None:
        with self._lock:
            if key in self._items:
                return
            self._items[key] = prepared
            self._held += _held(prepared)
            while self._held > self._limit and len(self._items) > 1:
                _, dropped = self._items.popitem(last=False)
                self._held -= _held(dropped)


def _held(prepared: Prepared) -> int:
    """With its data URL, a third longer than the data itself."""
    return len(prepared.data) * 7 // 3


_recent = _Recent(CACHE_BYTES)
_rescaled = _Recent(CACHE_BYTES // 4)
_encoders = ThreadPoolExecutor(ENCODERS, thread_name_prefix="semiosis-pictures")


async def prepared(artifact: Artifact, max_side: int = DEFAULT_SIDE) -> Prepared:
    """As `prepare`, without holding up the loop; a picture at hand costs no thread."""
    if _recent.get((artifact.sha256, max_side)) is not None:
        return prepare(artifact, max_side)
    return await asyncio.get_running_loop().run_in_executor(_encoders, prepare, artifact, max_side)


def prepare(artifact: Artifact, max_side: int = DEFAULT_SIDE) -> Prepared:
    """The picture as it will be sent; the same work is done once for each content hash and size."""
    key = (artifact.sha256, max_side)
    picture = _recent.get(key)
    if picture is None:
        # Several threads may want the same picture at once: the first encodes it, the others wait.
        with _recent.turn(key):
            picture = _recent.get(key)
            if picture is None:
                picture = _encode(artifact, max_side)
                _recent.put(key, picture)
    # The note of an artifact is about how it came here, not about its bytes.
    return (
        replace(picture, note="; ".join(filter(None, [artifact.note, picture.note])))
        if artifact.note
        else picture
    )


def size_of(artifact: Artifact) -> tuple[int, int]:
    """Width and height as shown, after checking that the picture can be used."""
    with _opened(artifact) as (image, _):
        turned = image.getexif().get(0x0112, 1) in (5, 6, 7, 8)
        return (image.height, image.width) if turned else image.size


async def seen_whole(artifact: Artifact, work: "Callable[[Image], T]") -> T:
    """What `work` makes of the picture in all its pixels, upright and in sRGB; the loop is not held up."""
    return await asyncio.get_running_loop().run_in_executor(_encoders, lambda: work(whole(artifact)))


def measured(artifact: Artifact, max_side: int = DEFAULT_SIDE) -> Prepared:
    """The picture as large as it will be sent, and without its bytes: for a rehearsal."""
    width, height = size_of(artifact)
    scale = min(1.0, max_side / max(width, height))
    width, height = max(1, round(width * scale)), max(1, round(height * scale))
    return Prepared(artifact.sha256, b"", "image/jpeg", width, height, artifact.note)


def upright(artifact: Artifact, max_side: int = DEFAULT_SIDE) -> "Image":
    """The picture to work on: upright, in sRGB, no larger than asked."""
    from PIL import Image, ImageOps

    with _opened(artifact) as (image, notes):
        flat = _to_rgb(ImageOps.exif_transpose(image), notes)
        if max(flat.size) > max_side:
            flat.thumbnail((max_side, max_side), Image.Resampling.LANCZOS)
        return flat


def rescaled(artifact: Artifact, side: int) -> Prepared:
    """The picture upright, in sRGB, `side` pixels on its longer side, as a PNG: the same bytes each time.

    Its `sha256` is that of the picture it was made from.
    """
    key = (artifact.sha256, side)
    picture = _rescaled.get(key)
    if picture is None:
        with _rescaled.turn(key):
            picture = _rescaled.get(key) or _resize(artifact, side)
            _rescaled.put(key, picture)
    return picture


def _resize(artifact: Artifact, side: int) -> Prepared:
    from PIL import Image, ImageOps

    with _opened(artifact) as (image, notes):
        flat = _to_rgb(ImageOps.exif_transpose(image), notes)
        scale = side / max(flat.size)
        size = max(1, round(flat.width * scale)), max(1, round(flat.height * scale))
        notes.append(f"{flat.width} x {flat.height} brought to {size[0]} x {size[1]} pixels")
        buffer = io.BytesIO()
        flat.resize(size, Image.Resampling.LANCZOS).save(buffer, "PNG")
    return Prepared(artifact.sha256, buffer.getvalue(), "image/png", *size, note="; ".join(notes))


def whole(artifact: Artifact) -> "Image":
    """The picture as it is: upright, in sRGB, none of its pixels left out."""
    from PIL import ImageOps

    with _opened(artifact) as (image, notes):
        return _to_rgb(ImageOps.exif_transpose(image), notes)


def _encode(artifact: Artifact, max_side: int) -> Prepared:
    from PIL import ImageOps

    with _opened(artifact) as (image, notes):
        # JPEG decoders can shrink while decoding, which keeps a 20,000-pixel photograph affordable.
        image.draft("RGB", (max_side, max_side))
        upright = ImageOps.exif_transpose(image)
        flat = _to_rgb(upright, notes)
        if max(flat.size) > max_side:
            flat.thumbnail((max_side, max_side), reducing_gap=2.0)
        lossless = flat.width * flat.height <= 64 * 64
        buffer = io.BytesIO()
        if lossless:
            flat.save(buffer, "PNG")
        else:
            flat.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return Prepared(
        sha256=artifact.sha256,
        data=buffer.getvalue(),
        media_type="image/png" if lossless else "image/jpeg",
        width=flat.width,
        height=flat.height,
        note="; ".join(notes),
    )


@contextmanager
def _opened(artifact: Artifact) -> "Generator[tuple[Image, list[str]]]":
    """The picture and what to say of it; whatever goes wrong inside is said to be the picture's fault."""
    from PIL import Image, UnidentifiedImageError

    name = artifact.name or "the picture"
    data = artifact.read()
    try:
        # Our own limit below replaces Pillow's warnings. Filters belong to the process and this runs in
        # threads, so one is added (the same one, however often) and none is put back.
        warnings.filterwarnings("ignore", module=r"PIL\.")
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            _check_size(name, image.size, len(data))
            frames = getattr(image, "n_frames", 1)
            animated = frames > 1 and image.format != "MPO"
            yield image, [f"first frame of {frames}"] if animated else []
    except BadPicture:
        raise
    except Image.DecompressionBombError:
        raise BadPicture(f"{name} would unpack to more than {MAX_PIXELS:,} pixels.") from None
    except UnidentifiedImageError:
        raise BadPicture(f"{name} is not a picture in a known format ({', '.join(_FORMATS)}).") from None
    except Exception as error:  # noqa: BLE001 - decoders raise whatever a damaged file leads them to
        cause = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadPicture(f"{name} is damaged or incomplete and cannot be decoded: {cause}.") from None


def _check_size(name: str, size: tuple[int, int], bytes_held: int) -> None:
    width, height = size
    if max(width, height) > MAX_SIDE_ACCEPTED:
        raise BadPicture(
            f"{name} is {width} x {height} pixels; at most {MAX_SIDE_ACCEPTED} a side can be used."
        )
    # PNG and friends unpack whole: a tiny file that claims a huge canvas is a bomb, not a picture.
    if width * height > 50_000_000 and bytes_held * 2000 < width * height:
        raise BadPicture(
            f"{name} is a decompression bomb: {bytes_held:,} bytes claim {width} x {height} pixels."
        )


def _to_rgb(image: "Image", notes: list[str]) -> "Image":
    colours, alpha = _parted(image, notes)
    profile = image.info.get("icc_profile")
    if profile:
        colours, note = in_srgb(colours, profile)
        notes += [note] if note else []
    if colours.mode == "CMYK":
        notes.append("CMYK converted to RGB")
    flat = colours.convert("RGB")
    return flat if alpha is None else _on_white(flat, alpha, notes)


def _parted(image: "Image", notes: list[str]) -> "tuple[Image, Image | None]":
    """Its colours, as grey, RGB or CMYK of 8 bits, and where they are clear."""
    if image.mode in ("I", "I;16", "I;16B", "I;16L", "F"):
        notes.append("16-bit reduced to 8-bit")
        low, high = _range(image)
        scale = 255.0 / (high - low) if high > low else 0.0
        values = image.convert("F").point(lambda value: value * scale - low * scale)
        return values.convert("L"), None
    grey = image.mode in ("1", "L", "LA")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        clear = image.convert("LA" if grey else "RGBA")
        return clear.convert("L" if grey else "RGB"), clear.getchannel("A")
    return (image if image.mode == "CMYK" else image.convert("L" if grey else "RGB")), None


def _on_white(image: "Image", alpha: "Image", notes: list[str]) -> "Image":
    from PIL import Image

    if alpha.getextrema() == (255, 255):
        return image
    notes.append("transparency laid on white")
    return Image.composite(image, Image.new("RGB", image.size, "white"), alpha)


def _range(image: "Image") -> tuple[float, float]:
    """What counts as black and as white in a picture of more than 8 bits."""
    if image.mode.startswith("I;16"):
        return 0.0, 65535.0
    low, high = cast("tuple[float, float]", image.convert("F").getextrema())
    return (0.0, 65535.0) if 255 < high <= 65535 else (low, high)
