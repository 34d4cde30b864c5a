"""Does a copy win because it has more pixels?"""

from typing import TYPE_CHECKING

from ...copies import Copies, CopyTest, PictureFile, alike, jpeg
from ...registry import bias_test

if TYPE_CHECKING:
    from PIL.Image import Image

SMALL, LARGE = 512, 1024


@bias_test("picture-size")
class PictureSize(CopyTest):
    planted = f"The same picture twice, {SMALL} and {LARGE} pixels on its longer side."
    fair = "Half of the choices for the larger copy."
    measure = "choices for the larger copy"

    def copies(self, image: "Image", number: int) -> Copies:
        return alike(_resized(image, SMALL), _resized(image, LARGE))


def _resized(image: "Image", side: int) -> PictureFile:
    from PIL import Image

    factor = side / max(image.size)
    size = max(1, round(image.width * factor)), max(1, round(image.height * factor))
    resized = image if size == image.size else image.resize(size, Image.Resampling.LANCZOS)
    return jpeg(resized, "the larger copy" if side == LARGE else "the smaller copy")
