"""Text from outside. One line each, nothing in it that cannot be seen.

Title = Annotated[str, StringConstraints(max_length=400), ONE_LINE]
"""

import re
import unicodedata
from collections.abc import Sequence

from pydantic import AfterValidator, TypeAdapter, ValidationError

from ..core.errors import BadRecord

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


ONE_LINE = AfterValidator(one_line)


def checked(text: str, kind: TypeAdapter[str], what: str) -> str:
    """The text as its kind has it. Raises BadRecord where it is none."""
    try:
        return kind.validate_python(text)
    except ValidationError as error:
        raise BadRecord(f"The {what} cannot be used: {error.errors()[0]['msg']}.") from None


def folded(text: str) -> str:
    """The same for texts that differ in case, spacing, punctuation or the form of their letters alone."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
