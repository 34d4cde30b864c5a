"""Where a claim points: a box in the picture, a span of the prompt. Kept even when it does not check out."""

import re
from typing import Literal, Self

from .value import Value

BoxMark = Literal["from-pixels", "from-0-1", "from-y-first", "corners-swapped"]
BoxFault = Literal["without area", "not inside the picture"]

_EDGE = 1e-9


class Box(Value):
    """A place in a picture, kept even when it does not check out.

    `x0`, `y0`  the upper left corner, as shares of the picture's width and height
    `x1`, `y1`  the lower right one
    marks       what was converted or mended
    """

    x0: float
    y0: float
    x1: float
    y1: float
    marks: tuple[BoxMark, ...] = ()

    @property
    def verified(self) -> bool:
        """It lies in the picture and has an area."""
        return self.fault is None

    @property
    def fault(self) -> BoxFault | None:
        """What is wrong with it; None for a box that checks out."""
        if not (self.x0 < self.x1 and self.y0 < self.y1):
            return "without area"
        inside = min(self.x0, self.y0) >= -_EDGE and max(self.x1, self.y1) <= 1 + _EDGE
        return None if inside else "not inside the picture"

    def mended(self) -> Self:
        """The same box with its corners in order."""
        if self.x0 <= self.x1 and self.y0 <= self.y1:
            return self
        return type(self)(
            x0=min(self.x0, self.x1),
            y0=min(self.y0, self.y1),
            x1=max(self.x0, self.x1),
            y1=max(self.y0, self.y1),
            marks=(*self.marks, "corners-swapped"),
        )


class TextSpan(Value):
    """A quotation, and where it stands in the prompt.

    quote       the words as they were quoted
    start       where they begin, in characters; None when they were not found
    end         where they end
    """

    quote: str
    start: int | None = None
    end: int | None = None

    @property
    def verified(self) -> bool:
        """Whether it was found."""
        return self.start is not None


_QUOTES = dict.fromkeys(map(ord, "‘’‚‛`´′"), "'") | dict.fromkeys(map(ord, "“”„‟«»″"), '"')
_MARKS = "\"'“”‘’«»"
_ELLIPSES = re.compile(r"^(?:\.\.\.|…)\s*|\s*(?:\.\.\.|…)$")


def find_span(prompt: str, quote: str) -> TextSpan:
    """Find a quotation, forgiving case, quotation marks, dashes and white space."""
    bare = _ELLIPSES.sub("", quote.strip()).strip()
    start = prompt.find(bare) if bare.strip(_MARKS) else -1
    if start >= 0:
        return TextSpan(quote=quote, start=start, end=start + len(bare))
    folded, origin = _fold(prompt)
    for wanted in (bare, bare.strip(_MARKS).strip()):
        start = prompt.find(wanted) if wanted.strip(_MARKS) else -1
        if start >= 0:
            return TextSpan(quote=quote, start=start, end=start + len(wanted))
        needle, _ = _fold(wanted)
        at = folded.find(needle) if needle.strip(_MARKS) else -1
        if at >= 0:
            return TextSpan(quote=quote, start=origin[at], end=origin[at + len(needle) - 1] + 1)
    return TextSpan(quote=quote)


def _fold(text: str) -> tuple[str, list[int]]:
    """Text reduced to what counts, and for each of its characters the place it came from."""
    characters: list[str] = []
    origin: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            if characters and characters[-1] != " ":
                characters.append(" ")
                origin.append(place)
            continue
        for folded in character.translate(_QUOTES).replace("–", "-").replace("—", "-").casefold():
            characters.append(folded)
            origin.append(place)
    while characters and characters[-1] == " ":
        characters.pop()
        origin.pop()
    return "".join(characters), origin
