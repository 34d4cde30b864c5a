"""CLIP-IQA: is the picture nearer to "Good photo." or to "Bad photo."? The prompt plays no part.

score = await ClipIqa().score(prompt, artifact)
"""

from dataclasses import dataclass

from ..backbones.encoders import Encoder, cosine
from ..backbones.single_flight import together
from ..core.sign import Artifact, Prompt
from .card import Card
from .contract import method
from .encoding import OPENAI_CLIP, EncodedScorer
from .siglip import sigmoid

# CLIP's scale of likenesses, where its training ended.
SCALE = 100.0


@method("clip-iqa")
@dataclass(frozen=True)
class ClipIqa(EncodedScorer):
    """The softmax of 100 x cosine over two antonyms: the first one's share.

    good        the antonym that scores
    bad         the other one
    weights     a hub id or a folder; openai/clip-vit-base-patch32 if left out, which stands in
    device      as torch names it; a graphics card if left out, where there is one
    batch       how many pictures or texts go through the model at once, at most
    cache       whether vectors are kept on disk, for other runs and methods
    encoder     gives the vectors instead
    """

    card = Card(
        paper="Wang, Chan and Loy 2023, Exploring CLIP for assessing the look and feel of images, AAAI, "
        "arXiv:2207.12396",
        licence=OPENAI_CLIP,
        needs="the weights openai/clip-vit-base-patch32, and the extra transformers",
        scale="0 to 1",
        sees_prompt=False,
        unverified="the paper's backbone, CLIP RN50 without its position embedding, is not in transformers: "
        "ViT-B/32 stands in, on the middle 224 pixels instead of the whole picture, so published numbers do "
        "not apply; not run here on published weights",
    )
    usual = "openai/clip-vit-base-patch32"
    good: str = "Good photo."
    bad: str = "Bad photo."

    async def measure(self, encoder: Encoder, prompt: Prompt, artifact: Artifact) -> float:
        picture, good, bad = await together(
            encoder.picture(artifact), encoder.text(self.good), encoder.text(self.bad)
        )
        return sigmoid(SCALE * (cosine(picture, good) - cosine(picture, bad)))
