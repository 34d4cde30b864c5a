"""Prompt files: what stands before the line `---` is the system message, the rest the user's.

prompt_file("verdict", __file__).messages(fenced=[prompt], prompt=prompt, picture_a=prepared, ...)

A prompt file is prompts/<name>.txt beside the module that asks.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..backbones.backbone import Message
from ..backbones.pictures import Prepared

Filling = str | Prepared | Sequence[str | Prepared]

FENCE = re.compile(r"data-[0-9a-f]{10}")
_SLOT = re.compile(r"\$([a-z_]+)")


@dataclass(frozen=True)
class Template:
    """A prompt file, known by its hash."""

    name: str
    text: str
    sha256: str

    def messages(self, *, fenced: Sequence[str], **fillings: Filling) -> tuple[Message, Message]:
        """Fill the slots once: what is filled in is never looked at for slots again."""
        system, _, user = self.text.partition("\n---\n")
        slots: dict[str, Filling] = {"fence": fence_for(fenced), **fillings}
        return Message("system", _fill(system, slots)), Message("user", _fill(user, slots))


_READ: dict[str, Template] = {}


@cache
def prompt_file(name: str, module: str) -> Template:
    """The prompt file of that `name` beside the `module`, which is the caller's `__file__`."""
    data = (Path(module).parent / "prompts" / f"{name}.txt").read_bytes()
    template = Template(name, data.decode().strip(), hashlib.sha256(data).hexdigest())
    _READ[template.sha256] = template
    return template


def prompt_of(sha256: str) -> Template | None:
    """The prompt file of that hash, where it was read in this process."""
    return _READ.get(sha256)


def fence_for(texts: Sequence[str]) -> str:
    """A tag that occurs in none of the texts, and that a text cannot foresee: it is made from their hash."""
    digest = hashlib.sha256("\x00".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
    tag = f"data-{digest[:10]}"
    while any(tag in text for text in texts):
        digest = hashlib.sha256(digest.encode()).hexdigest()
        tag = f"data-{digest[:10]}"
    return tag


def _fill(text: str, slots: dict[str, Filling]) -> tuple[str | Prepared, ...]:
    parts: list[str | Prepared] = []
    words: list[str] = []
    for index, piece in enumerate(_SLOT.split(text)):
        filling = piece if index % 2 == 0 else slots[piece]
        for item in (filling,) if isinstance(filling, str | Prepared) else filling:
            if isinstance(item, str):
                words.append(item)
            else:
                parts.extend(_said(words))
                words.clear()
                parts.append(item)
    parts.extend(_said(words))
    return tuple(parts)


def _said(words: list[str]) -> list[str]:
    text = "".join(words).strip()
    return [text] if text else []
