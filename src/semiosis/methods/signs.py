"""Signs as they are sent to a backbone, and what they are known by in recordings."""

import hashlib

from ..backbones.backbone import Backbone
from ..backbones.pictures import Prepared, measured, prepared
from ..core.sign import Artifact, Pair, Prompt


async def sent(backbone: Backbone, artifact: Artifact) -> Prepared:
    """The picture at the size that this backbone looks at."""
    traits = backbone.traits
    if traits.stands_in:
        return measured(artifact, traits.max_side)
    return await prepared(artifact, traits.max_side)


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
