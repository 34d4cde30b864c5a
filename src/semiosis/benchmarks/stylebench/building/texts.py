"""Text from outside: keywords, captions, replies. One line each, nothing in it that cannot be seen."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

# They join and part letters in Persian, Hindi and others, and are no printable characters.
_JOINERS = "\u200c\u200d"


def one_line(text: str) -> str:
    """White space as single spaces. Raises ValueError where that leaves no words or hidden characters."""
    line = " ".join(text.split())
    if not any(character.isalnum() for character in line):
        raise ValueError("must hold words")
    if not all(character.isprintable() or character in _JOINERS for character in line):
        raise ValueError("holds characters that cannot be shown")
    return line


Caption = Annotated[str, StringConstraints(max_length=1000), AfterValidator(one_line)]
StylePrompt = Annotated[str, StringConstraints(max_length=400), AfterValidator(one_line)]
Keyword = Annotated[str, StringConstraints(max_length=200), AfterValidator(one_line)]


def folded(text: str) -> str:
    """The same for texts that differ in case, spacing, punctuation or the form of their letters alone."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
