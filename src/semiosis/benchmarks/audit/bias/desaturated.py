"""Finish: does a copy lose because its colours are gone?"""

from typing import TYPE_CHECKING

from ...copies import FinishTest
from ...registry import bias_test

if TYPE_CHECKING:
    from PIL.Image import Image


@bias_test("desaturated")
class Desaturated(FinishTest):
    planted = "The same picture twice, one copy of it in shades of grey of the same lightness."
    fair = "Half of the choices for the grey copy, but where a colour is what the prompt asks for."
    measure = "choices for the grey copy"
    lossless = True

    def altered(self, image: "Image") -> "Image":
        return image.convert("L").convert("RGB")
