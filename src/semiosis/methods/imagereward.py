"""ImageReward: what people preferred and how well pictures follow their prompts, read by BLIP.

score = await ImageReward().score(prompt, artifact)
"""

from dataclasses import dataclass

from ..backbones.blip_reward import FILES, BlipReward
from ..backbones.matchers import MatchSource
from ..backbones.weights import TOKENIZER, Weights
from .card import Card
from .contract import method
from .matching import MatchingScorer

BERT = "google-bert/bert-base-uncased"


@method("imagereward")
@dataclass(frozen=True)
class ImageReward(MatchingScorer):
    """The reward as its authors normalise it. Of a prompt, the first 35 tokens are read.

    weights     a hub id or a folder with the authors' ImageReward.pt; THUDM/ImageReward if left out
    device      as torch names it; a graphics card if left out, where there is one
    batch       how many pictures, or pictures with a prompt, go through the model at once, at most
    cache       whether rewards are kept on disk, for other runs
    matcher     gives the numbers instead
    """

    card = Card(
        paper="Xu, Liu, Wu, Tong, Li, Ding, Tang and Dong 2023, ImageReward, NeurIPS, arXiv:2304.05977",
        licence="Apache-2.0",
        needs=f"ImageReward.pt of THUDM/ImageReward, the tokenizer of {BERT}, and the extra transformers",
        scale="normalised over its training pictures: about 0 on average, mostly from -2 to 2",
        unverified="not run here on the published checkpoint",
    )
    usual = "THUDM/ImageReward"

    def source(self) -> MatchSource:
        tokenizer = Weights(BERT, (TOKENIZER,), named=self.weights is not None)
        return BlipReward(self.named(FILES), tokenizer)
