"""Colours as everybody else sees them: a picture with a colour profile is brought to sRGB.

srgb, note = in_srgb(image, image.info["icc_profile"])
"""

import io
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from ..core.text import plain

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageCms import ImageCmsTransform

# By the colour space a profile is for: the mode it is applied in.
_MODES = {"RGB": "RGB", "GRAY": "L", "CMYK": "CMYK"}
# Of 255, what two writings of sRGB may differ by: a profile is known by what it does, not by its name.
_UNSEEN = 2
_LONGEST_NAME = 60


def in_srgb(image: "Image", profile: bytes) -> "tuple[Image, str]":
    """A picture of mode L, RGB or CMYK in sRGB, and what to say of it: nothing where it was sRGB before."""
    from PIL import ImageCms

    srgb: Any = cast(Any, ImageCms).createProfile("sRGB")
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        space = str(cast(Any, source).profile.xcolor_space).strip()
        mode = _MODES.get(space, "")
        if image.mode != mode and (image.mode, mode) != ("L", "RGB"):
            return image, f"colours taken as sRGB: the colour profile is for {space}, not for {image.mode}"
        transform = ImageCms.buildTransform(
            source,
            srgb,
            mode,
            "RGB",
            ImageCms.Intent.RELATIVE_COLORIMETRIC,
            ImageCms.Flags.BLACKPOINTCOMPENSATION,
        )
        if _changes_nothing(transform, mode):
            return image, ""
        brought = ImageCms.applyTransform(image.convert(mode), transform)
        name = _shown(ImageCms.getProfileDescription(source))
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return image, "colours taken as sRGB: the colour profile is damaged"
    return brought or image, f"colours brought to sRGB from {name or 'a profile without a name'}"


def _changes_nothing(transform: "ImageCmsTransform", mode: str) -> bool:
    from PIL import ImageChops, ImageCms

    probe = _probe().convert(mode)
    brought = ImageCms.applyTransform(probe, transform)
    if brought is None or mode == "CMYK":
        return False
    apart = ImageChops.difference(brought, probe.convert("RGB"))
    furthest = [cast("tuple[int, int]", band.getextrema())[1] for band in apart.split()]
    return max(furthest) <= _UNSEEN


@cache
def _probe() -> "Image":
    """Every colour of nine levels a channel."""
    from PIL import Image

    levels = [*range(0, 256, 32), 255]
    colours = bytes(value for r in levels for g in levels for b in levels for value in (r, g, b))
    return Image.frombytes("RGB", (27, 27), colours)


def _shown(name: str) -> str:
    """A profile's own name comes from outside: one short line of text."""
    return " ".join(plain(name).split())[:_LONGEST_NAME]
