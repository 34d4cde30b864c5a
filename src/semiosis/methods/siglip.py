"""SigLIP and SigLIP 2: how probable it is that a picture and a text belong together.

score = await SigLip().score(prompt, artifact)
"""

import math
from dataclasses import dataclass

from ..backbones.encoders import Encoder, likeness
from ..core.sign import Artifact, Prompt
from .card import Card
from .contract import method
from .encoding import EncodedScorer


@method("siglip")
@dataclass(frozen=True)
class SigLip(EncodedScorer):
    """The sigmoid of scale x cosine + bias, both of the model's own.

    weights     a hub id or a folder, of SigLIP or SigLIP 2; google/siglip2-so400m-patch14-384 if left out
    device      as torch names it; a graphics card if left out, where there is one
    batch       how many pictures or texts go through the model at once, at most
    cache       whether vectors are kept on disk, for other runs and methods
    encoder     gives the vectors instead
    """

    card = Card(
        paper="Zhai, Mustafa, Kolesnikov and Beyer 2023, arXiv:2303.15343; Tschannen and others 2025, "
        "arXiv:2502.14786",
        licence="Apache-2.0",
        needs="the weights google/siglip2-so400m-patch14-384, and the extra transformers",
        scale="0 to 1, and close to 0 for most pairs",
        unverified="not run here on the published weights",
    )
    usual = "google/siglip2-so400m-patch14-384"

    async def measure(self, encoder: Encoder, prompt: Prompt, artifact: Artifact) -> float:
        scale, bias = await encoder.scaling()
        return sigmoid(scale * await likeness(encoder, artifact, prompt.text) + bias)


def sigmoid(logit: float) -> float:
    """Without an overflow, on either side."""
    exponential = math.exp(-abs(logit))
    return (1.0 if logit >= 0 else exponential) / (1.0 + exponential)
