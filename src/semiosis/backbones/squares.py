"""Pictures as squares, for weights without an image processor: prepared as their authors' code does.

Square(224, "crop")(image)["pixel_values"]          1 x 3 x 224 x 224, normalised as for CLIP
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

Fit = Literal["crop", "pad"]

# https://github.com/openai/CLIP, of which BLIP and HPSv2 took them over.
MEAN = (0.48145466, 0.4578275, 0.40821073)
SPREAD = (0.26862954, 0.26130258, 0.27577711)


@dataclass(frozen=True)
class Square:
    """The middle of a picture ("crop"), or all of it on black ("pad"), so many pixels a side."""

    side: int
    fit: Fit

    def __call__(self, image: "Image") -> Mapping[str, Any]:
        import numpy as np

        pixels: Any = self._middle(image) if self.fit == "crop" else self._whole(image)
        normal = (pixels - np.array(MEAN, np.float32)) / np.array(SPREAD, np.float32)
        return {"pixel_values": normal.astype(np.float32).transpose(2, 0, 1)[None]}

    def _middle(self, image: "Image") -> "NDArray[np.float32]":
        """Resized as a picture, by Pillow; as torchvision cuts off the longer side's fraction and rounds."""
        import numpy as np
        from PIL import Image

        short = min(image.size)
        width, height = (int(self.side * length / short) for length in image.size)
        left, top = (round((length - self.side) / 2) for length in (width, height))
        whole = image.resize((width, height), Image.Resampling.BICUBIC)
        middle = whole.crop((left, top, left + self.side, top + self.side))
        return np.asarray(middle, np.float32) / np.float32(255)

    def _whole(self, image: "Image") -> "NDArray[np.float32]":
        """Resized as numbers, by torch, which neither rounds nor clips them."""
        import numpy as np
        import torch

        pixels = np.asarray(image, np.float32) / np.float32(255)
        scale = self.side / max(image.size)
        height, width = (max(1, round(length * scale)) for length in pixels.shape[:2])
        interpolate: Any = torch.nn.functional.interpolate
        whole = interpolate(
            torch.as_tensor(pixels.transpose(2, 0, 1))[None], (height, width), mode="bicubic", antialias=True
        )
        square = np.zeros((self.side, self.side, 3), np.float32)
        top, left = (self.side - height) // 2, (self.side - width) // 2
        square[top : top + height, left : left + width] = whole[0].permute(1, 2, 0).numpy()
        return square
