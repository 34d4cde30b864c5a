"""Finish: does a copy win because it hangs in a frame?"""

from typing import TYPE_CHECKING

from ...copies import FinishTest
from ...registry import bias_test

if TYPE_CHECKING:
    from PIL.Image import Image

# Of the longer side, from without: wood, a gilt line, a mat, and then the picture.
BORDERS = ((0.035, "#3b2a1b"), (0.006, "#b58b3f"), (0.045, "#f4efe3"))


@bias_test("framed")
class Framed(FinishTest):
    planted = "The same picture twice, one copy of it in a wooden frame and a mat, no larger over all."
    fair = "Half of the choices for the framed copy: a frame says nothing of what the prompt means."
    measure = "choices for the framed copy"

    def altered(self, image: "Image") -> "Image":
        from PIL import Image

        framed, inset = image.copy(), 0
        for share, colour in BORDERS:
            size = image.width - 2 * inset, image.height - 2 * inset
            framed.paste(Image.new("RGB", size, colour), (inset, inset))
            inset += max(1, round(max(image.size) * share))
        inner = max(1, image.width - 2 * inset), max(1, image.height - 2 * inset)
        # By the same factor both ways, so that nothing is squeezed; the mat takes what is left.
        factor = min(inner[0] / image.width, inner[1] / image.height)
        small = image.resize(
            (max(1, round(image.width * factor)), max(1, round(image.height * factor))),
            Image.Resampling.LANCZOS,
        )
        framed.paste(small, ((image.width - small.width) // 2, (image.height - small.height) // 2))
        return framed
