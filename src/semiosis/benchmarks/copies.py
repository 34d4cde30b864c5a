"""A picture against itself: two copies under one prompt, of which one has something done to it.

    class Sepia(FinishTest):
        def altered(self, image: Image) -> Image: ...       the rest is done here

Both copies are files of one format, quality and number of bytes, so that what was planted is all that tells
them apart, unless the file itself is what was planted. They are made when their item is, the same bytes each
time for one release of Pillow, and again when they are wanted and no longer held.
"""

import io
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from threading import Lock
from typing import TYPE_CHECKING, ClassVar
from zlib import crc32

from ..backbones.pictures import upright
from ..core.errors import BadPicture
from ..core.item import BadRow
from ..core.kinds.pair import PairItem
from ..core.sign import Artifact, Pair, Side
from .bias import BiasFinding, Leanings, PairBiasTest, Ruling, sound

if TYPE_CHECKING:
    from PIL.Image import Image

    from .material import Material

JPEG_QUALITY = 95
HELD_BYTES = 128 * 1024 * 1024
_REMEMBERED = 50_000
_PNG, _PNG_HEADER = b"\x89PNG", 33
_LEAST_FILL = 12
_MOST_HELD = 65_533


@dataclass(frozen=True)
class PictureFile:
    """A copy as a file, and what it is, in words."""

    data: bytes
    note: str


@dataclass(frozen=True)
class Copies:
    """The copy as it was, and the one that something was planted in."""

    plain: PictureFile
    planted: PictureFile

    @property
    def bytes(self) -> int:
        return len(self.plain.data) + len(self.planted.data)


class CopyTest(PairBiasTest):
    """Asks which of two copies is better; the planted one is on either side in turns.

    measure     what is counted, in a few words
    """

    measure: ClassVar[str]

    @abstractmethod
    def copies(self, image: "Image", number: int) -> Copies:
        """Both, of the picture with that number, which is upright and at most 1024 pixels long."""

    def items(self, material: "Material") -> Iterator[PairItem | BadRow]:
        number = 0
        for picture in material.pictures():
            if isinstance(picture, BadRow):
                yield picture
                continue
            try:
                plain, planted = self._artifacts(picture.artifact, number)
                side: Side = "b" if number % 2 else "a"
                a, b = (planted, plain) if side == "a" else (plain, planted)
                pair = Pair(picture.prompt, a, b)
                yield PairItem(id=picture.id, pair=pair, labels={"planted": side})
            except BadPicture as error:
                yield BadRow(picture.id, str(error))
            number += 1

    def judged(self, rulings: Sequence[Ruling]) -> BiasFinding:
        leanings = Leanings([ruling.towards(ruling.labels.get("planted")) for ruling in sound(rulings)])
        return leanings.share(self.measure)

    def _artifacts(self, artifact: Artifact, number: int) -> tuple[Artifact, Artifact]:
        plain, planted = (
            copy.with_bytes(partial(_bytes_of, self, artifact, number, at))
            for at, copy in enumerate(_remembered(self, artifact, number))
        )
        return plain, planted


class FinishTest(CopyTest):
    """Both copies are files of one format and quality, with the same number of bytes and, unless `altered`
    changes it, of pixels.

    lossless    whether these are PNG files, which take longer: JPEG moves the lightness where colours change
    """

    lossless: ClassVar[bool] = False

    @abstractmethod
    def altered(self, image: "Image") -> "Image":
        """The picture with the plant in it."""

    def copies(self, image: "Image", number: int) -> Copies:
        written = png if self.lossless else jpeg
        return alike(written(image, "as it was"), written(self.altered(image), self.name))


def jpeg(image: "Image", what: str) -> PictureFile:
    """At a quality at which nobody sees a loss."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=JPEG_QUALITY, subsampling=0)
    return PictureFile(buffer.getvalue(), f"{what}, {image.width} x {image.height} pixels, JPEG")


def png(image: "Image", what: str) -> PictureFile:
    """With every pixel as it is."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    return PictureFile(buffer.getvalue(), f"{what}, {image.width} x {image.height} pixels, PNG")


def alike(plain: PictureFile, planted: PictureFile) -> Copies:
    """Both files with the same number of bytes: each is filled up with what decoders pass over."""
    size = max(len(plain.data), len(planted.data)) + _LEAST_FILL
    return Copies(*(replace(each, data=_filled(each.data, size)) for each in (plain, planted)))


def _filled(data: bytes, size: int) -> bytes:
    rest = size - len(data)
    if data.startswith(_PNG):
        # A private chunk after the header, which is as long in every file: length, name, bytes, checksum.
        named = b"fiLl" + bytes(rest - 12)
        chunk = (rest - 12).to_bytes(4, "big") + named + crc32(named).to_bytes(4, "big")
        return data[:_PNG_HEADER] + chunk + data[_PNG_HEADER:]
    return data[:2] + _comments(rest) + data[2:]


def _comments(size: int) -> bytes:
    """Comment segments of a JPEG file, so many bytes together: each takes four and what it holds."""
    comments = bytearray()
    while size:
        held = min(size - 4, _MOST_HELD)
        # The next one needs its four bytes too.
        held -= 4 if 0 < size - 4 - held < 4 else 0
        comments += b"\xff\xfe" + (held + 2).to_bytes(2, "big") + bytes(held)
        size -= held + 4
    return bytes(comments)


class _Held:
    """The copies made last, up to a number of bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._copies: OrderedDict[tuple[str, str, int], Copies] = OrderedDict()
        self._lock = Lock()

    def get(self, test: CopyTest, artifact: Artifact, number: int) -> Copies:
        """Those of the picture with that number, made where they are not held."""
        key = (test.name, artifact.sha256, number)
        with self._lock:
            if key in self._copies:
                self._copies.move_to_end(key)
                return self._copies[key]
        copies = test.copies(upright(artifact), number)
        with self._lock:
            if key not in self._copies:
                self._copies[key] = copies
                self._bytes += copies.bytes
            while self._bytes > self._limit and len(self._copies) > 1:
                self._bytes -= self._copies.popitem(last=False)[1].bytes
        return copies


_held = _Held(HELD_BYTES)


@lru_cache(_REMEMBERED)
def _remembered(test: CopyTest, artifact: Artifact, number: int) -> tuple[Artifact, Artifact]:
    """Both without their bytes."""
    copies = _held.get(test, artifact, number)
    plain, planted = (
        Artifact(sha256=Artifact.of(each.data).sha256, name=artifact.name, note=each.note)
        for each in (copies.plain, copies.planted)
    )
    return plain, planted


def _bytes_of(test: CopyTest, artifact: Artifact, number: int, at: int) -> bytes:
    copies = _held.get(test, artifact, number)
    return (copies.planted if at else copies.plain).data
