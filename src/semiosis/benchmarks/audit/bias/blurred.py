"""Finish: does a copy lose because it is blurred?"""

from typing import TYPE_CHECKING

from ...copies import FinishTest
from ...registry import bias_test

if TYPE_CHECKING:
    from PIL.Image import Image

# Of the longer side: four pixels in a picture of 1024. Every sign stays legible.
RADIUS = 1 / 256


@bias_test("blurred")
class Blurred(FinishTest):
    planted = "The same picture twice, one copy of it softly blurred."
    fair = "Half of the choices for the blurred copy: it shows every sign that the other shows."
    measure = "choices for the blurred copy"

    def altered(self, image: "Image") -> "Image":
        from PIL import ImageFilter

        return image.filter(ImageFilter.GaussianBlur(max(1.0, max(image.size) * RADIUS)))
