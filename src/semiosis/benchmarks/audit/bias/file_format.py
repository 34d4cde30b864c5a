"""Does a copy win because of the file that it lies in? A larger one meets a smaller, the pixels the same."""

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ...copies import Copies, CopyTest, PictureFile, jpeg, png
from ...registry import bias_test

if TYPE_CHECKING:
    from PIL.Image import Image

Format = Literal["PNG", "WebP", "JPEG"]
# Each picture meets itself in two of the three, which take turns.
MATCHES: tuple[tuple[Format, Format], ...] = (("PNG", "WebP"), ("PNG", "JPEG"), ("WebP", "JPEG"))


@bias_test("file-format")
class FileFormat(CopyTest):
    planted = (
        "The same pixels twice, in two files of another format and size: JPEG, lossless WebP or PNG, the two "
        "others holding what the JPEG file unpacks to."
    )
    fair = "Half of the choices for the larger file."
    measure = "choices for the larger file"

    def copies(self, image: "Image", number: int) -> Copies:
        one, other = (_written(image, format) for format in MATCHES[number % len(MATCHES)])
        smaller, larger = sorted((one, other), key=lambda file: len(file.data))
        return Copies(smaller, larger)


def _written(image: "Image", format: Format) -> PictureFile:
    from PIL import Image

    file = jpeg(image, "")
    if format != "JPEG":
        with Image.open(io.BytesIO(file.data)) as unpacked:
            unpacked.load()
        file = png(unpacked, "") if format == "PNG" else _webp(unpacked)
    return replace(file, note=f"{format}, {len(file.data):,} bytes")


def _webp(image: "Image") -> PictureFile:
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", lossless=True, method=0, quality=0)
    return PictureFile(buffer.getvalue(), "")
