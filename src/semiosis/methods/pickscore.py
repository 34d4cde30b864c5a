"""PickScore: a CLIP tuned on which of two pictures people picked for their own prompts.

score = await PickScore().score(prompt, artifact)
"""

from dataclasses import dataclass

from ..backbones.dual_sources import PROCESSING, DualSource, Pretrained
from ..backbones.encoders import Encoder, likeness
from ..backbones.weights import MODEL, Weights
from ..core.sign import Artifact, Prompt
from .card import Card
from .contract import method
from .encoding import LAION_CLIP_H, EncodedScorer


@method("pickscore")
@dataclass(frozen=True)
class PickScore(EncodedScorer):
    """The model's own scale x cosine, as its model card computes it.

    weights     a hub id or a folder; yuvalkirstain/PickScore_v1 if left out
    device      as torch names it; a graphics card if left out, where there is one
    batch       how many pictures or texts go through the model at once, at most
    cache       whether vectors are kept on disk, for other runs and methods
    encoder     gives the vectors instead
    """

    card = Card(
        paper="Kirstain, Polyak, Singer, Matiana, Penna and Levy 2023, Pick-a-Pic, NeurIPS, arXiv:2305.01569",
        licence="none is stated with the weights",
        needs=f"the weights yuvalkirstain/PickScore_v1, the tokenizer of {LAION_CLIP_H}, and the extra "
        "transformers",
        scale="about 100 x cosine, in practice 15 to 25; papers that print 0.15 to 0.25 leave out the scale",
        unverified="not run here on the published weights",
    )
    usual = "yuvalkirstain/PickScore_v1"

    def source(self) -> DualSource:
        processing = Weights(LAION_CLIP_H, PROCESSING, named=self.weights is not None)
        return Pretrained(self.named(MODEL), processing)

    async def measure(self, encoder: Encoder, prompt: Prompt, artifact: Artifact) -> float:
        scale, _ = await encoder.scaling()
        return scale * await likeness(encoder, artifact, prompt.text)
