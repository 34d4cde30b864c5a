"""CLIPScore: how near a picture is to its prompt, as CLIP sees both.

score = await ClipScore().score(prompt, artifact)
"""

from dataclasses import dataclass

from ..backbones.encoders import Encoder, likeness
from ..core.sign import Artifact, Prompt
from .card import Card
from .contract import method
from .encoding import OPENAI_CLIP, EncodedScorer


@method("clipscore", paper={"scale": 2.5, "prefix": "A photo depicts "})
@dataclass(frozen=True)
class ClipScore(EncodedScorer):
    """scale x max(cosine, 0): by 100, as most print it; `clipscore/paper` is the paper's own form.

    scale       what the cosine is multiplied by: 100, or 2.5 in the paper
    prefix      what is written before the prompt: nothing, or "A photo depicts " in the paper
    weights     a hub id or a folder; openai/clip-vit-base-patch32 if left out
    device      as torch names it; a graphics card if left out, where there is one
    batch       how many pictures or texts go through the model at once, at most
    cache       whether vectors are kept on disk, for other runs and methods
    encoder     gives the vectors instead
    """

    card = Card(
        paper="Hessel, Holtzman, Forbes, Le Bras and Choi 2021, CLIPScore, EMNLP, arXiv:2104.08718",
        licence=OPENAI_CLIP,
        needs="the weights openai/clip-vit-base-patch32, and the extra transformers",
        scale="0 to 100, in practice 15 to 40; clipscore/paper 0 to 2.5",
        unverified="not run here on the published weights",
    )
    usual = "openai/clip-vit-base-patch32"
    scale: float = 100.0
    prefix: str = ""

    @property
    def label(self) -> str:
        return f"{self.name}/paper" if (self.scale, self.prefix) == (2.5, "A photo depicts ") else self.name

    async def measure(self, encoder: Encoder, prompt: Prompt, artifact: Artifact) -> float:
        return self.scale * max(await likeness(encoder, artifact, self.prefix + prompt.text), 0.0)
