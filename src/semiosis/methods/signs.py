"""Signs as they are sent to a backbone, and what they are known by in recordings."""

import asyncio
import hashlib

from ..backbones.backbone import Backbone
from ..backbones.composition import Hanging, composed
from ..backbones.pictures import Prepared, measured, prepared, size_of
from ..core.sign import Artifact, Pair, Prompt


async def sent(backbone: Backbone, artifact: Artifact, scale: float = 1.0) -> Prepared:
    """The picture at `scale` of its size, and no larger than this backbone looks at."""
    traits = backbone.traits
    side = traits.max_side
    if scale != 1:
        side = min(side, max(1, round(max(size_of(artifact)) * scale)))
    if traits.stands_in:
        return measured(artifact, side)
    return await prepared(artifact, side)


async def sent_as_one(backbone: Backbone, hanging: Hanging, scale: float = 1.0) -> Prepared:
    """Several pictures as one, each at `scale` of its size, the whole as large as this backbone looks at."""
    traits = backbone.traits
    if traits.stands_in:
        return composed(hanging, traits.max_side, scale, encoded=False)
    return await asyncio.to_thread(composed, hanging, traits.max_side, scale)


async def references(backbone: Backbone, prompt: Prompt) -> list[str | Prepared]:
    """The reference images of a prompt, each with its number."""
    parts: list[str | Prepared] = []
    for number, reference in enumerate(prompt.references, 1):
        parts += [f"\nReference image {number}, part of the prompt:\n", await sent(backbone, reference)]
    return parts


def pair_subject(pair: Pair) -> tuple[str, ...]:
    """What a pair is known by, in the order its pictures are shown."""
    return (*subject_of(pair.prompt), pair.a.sha256, pair.b.sha256)


def subject_of(prompt: Prompt) -> tuple[str, ...]:
    """What a prompt is known by in recordings: the hash of its text, and of its reference images."""
    text = hashlib.sha256(prompt.text.encode("utf-8", "surrogatepass")).hexdigest()
    return (text, *(reference.sha256 for reference in prompt.references))
