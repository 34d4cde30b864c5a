"""HPSv2 and v2.1: a CLIP tuned on which pictures of a prompt people preferred.

score = await Hpsv2().score(prompt, artifact)
"""

from dataclasses import dataclass
from typing import Literal

from ..backbones.dual_sources import OPEN_CLIP_BASE, DualSource, OpenClipCheckpoint
from ..backbones.encoders import Encoder, likeness
from ..backbones.weights import Weights
from ..core.sign import Artifact, Prompt
from .card import Card
from .contract import method
from .encoding import LAION_CLIP_H, EncodedScorer

Edition = Literal["v2", "v2.1"]

CHECKPOINTS: dict[Edition, str] = {"v2": "HPS_v2_compressed.pt", "v2.1": "HPS_v2.1_compressed.pt"}


@method("hpsv2", **{"v2.1": {"edition": "v2.1"}})
@dataclass(frozen=True)
class Hpsv2(EncodedScorer):
    """The cosine between picture and prompt. The whole picture is seen, laid on a black square.

    edition     "v2", or "v2.1", trained on more pictures
    weights     a hub id or a folder with the authors' checkpoint; xswu/HPSv2 if left out
    device      as torch names it; a graphics card if left out, where there is one
    batch       how many pictures or texts go through the model at once, at most
    cache       whether vectors are kept on disk, for other runs and methods
    encoder     gives the vectors instead
    """

    card = Card(
        paper="Wu, Hao, Sun, Chen, Zhu, Zhao and Li 2023, Human Preference Score v2, arXiv:2306.09341",
        licence="Apache-2.0",
        needs=f"the checkpoint of xswu/HPSv2, configuration and tokenizer of {LAION_CLIP_H}, and the extra "
        "transformers",
        scale="a cosine, in practice 0.15 to 0.35; papers print 100 times that",
        unverified="not run here on the published checkpoints; pictures are resized with antialiasing, as "
        "the authors' package does since torchvision 0.17",
    )
    usual = "xswu/HPSv2"
    edition: Edition = "v2"

    @property
    def label(self) -> str:
        return self.name if self.edition == "v2" else f"{self.name}/{self.edition}"

    def source(self) -> DualSource:
        base = Weights(LAION_CLIP_H, OPEN_CLIP_BASE, named=self.weights is not None)
        return OpenClipCheckpoint(self.named(((CHECKPOINTS[self.edition],),)), base, "pad")

    async def measure(self, encoder: Encoder, prompt: Prompt, artifact: Artifact) -> float:
        return await likeness(encoder, artifact, prompt.text)
