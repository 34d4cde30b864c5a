"""Several pictures hung in one: a source on top, two results below, as forced choices of a style show them.

composed(Hanging(top=content, left=a, right=b), max_side=1024, scale=0.5)
"""

import hashlib
import io
import json
from dataclasses import dataclass

from ..core.sign import Artifact
from .pictures import DEFAULT_SIDE, JPEG_QUALITY, Prepared, size_of, whole

# Between two pictures, as a share of their height.
GAP = 0.02


@dataclass(frozen=True)
class Hanging:
    """What hangs where; all are brought to one height, that of the lower of the two below."""

    left: Artifact
    right: Artifact
    top: Artifact | None = None

    @property
    def sha256(self) -> str:
        """Of what hangs where."""
        parts = [each and each.sha256 for each in (self.top, self.left, self.right)]
        return hashlib.sha256(json.dumps(["composed", *parts]).encode()).hexdigest()

    @property
    def note(self) -> str:
        source = f"source {self.top.sha256[:12]} on top, " if self.top else ""
        return f"{source}{self.left.sha256[:12]} at the left, {self.right.sha256[:12]} at the right"


@dataclass(frozen=True)
class _Plan:
    size: tuple[int, int]
    places: tuple[tuple[Artifact, tuple[int, int, int, int]], ...]


def composed(
    hanging: Hanging, max_side: int = DEFAULT_SIDE, scale: float = 1.0, *, encoded: bool = True
) -> Prepared:
    """The one picture, each part at `scale` of its size, the whole no larger than asked.

    Without encoding it has no bytes: for a rehearsal.
    """
    plan = _planned(hanging, max_side, scale)
    width, height = plan.size
    note = f"{hanging.note}; at {scale:g} of its size"
    if not encoded:
        return Prepared(hanging.sha256, b"", "image/jpeg", width, height, note)
    from PIL import Image

    sheet = Image.new("RGB", plan.size, "white")
    for artifact, (left, top, right, bottom) in plan.places:
        picture = whole(artifact).resize((right - left, bottom - top), Image.Resampling.LANCZOS)
        sheet.paste(picture, (left, top))
    buffer = io.BytesIO()
    sheet.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return Prepared(hanging.sha256, buffer.getvalue(), "image/jpeg", width, height, note)


def _planned(hanging: Hanging, max_side: int, scale: float) -> _Plan:
    below = [size_of(each) for each in (hanging.left, hanging.right)]
    row = min(height for _, height in below) * scale
    gap = row * GAP
    widths = [width * row / height for width, height in below]
    across = sum(widths) + gap
    down = row
    top = 0.0
    if hanging.top is not None:
        wide, high = size_of(hanging.top)
        top = wide * row / high
        across, down = max(across, top), 2 * row + gap
    shrink = min(1.0, max_side / max(across, down))

    def place(x: float, y: float, width: float) -> tuple[int, int, int, int]:
        left, upper = round(x * shrink), round(y * shrink)
        return left, upper, left + max(1, round(width * shrink)), upper + max(1, round(row * shrink))

    start, floor = (across - sum(widths) - gap) / 2, down - row
    places = [
        (hanging.left, place(start, floor, widths[0])),
        (hanging.right, place(start + widths[0] + gap, floor, widths[1])),
    ]
    if hanging.top is not None:
        places.append((hanging.top, place((across - top) / 2, 0, top)))
    size = max(box[2] for _, box in places), max(box[3] for _, box in places)
    return _Plan(size, tuple(places))
