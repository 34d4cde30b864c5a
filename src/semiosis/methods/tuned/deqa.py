"""DeQA-Score: image quality from the probabilities of five words.

You et al. 2025, "Teaching Large Language Models to Regress Accurate Image Quality Scores Using Score
Distribution": a softmax over the five levels that may follow the opening, weighed 5 to 1.
"""

from dataclasses import dataclass
from typing import ClassVar

from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Prompt
from ..card import Card
from ..contract import method
from ..scorer import Scorer
from ..template import prompt_file
from .served import Tuned

OPENING = "The quality of the image is"


@method("deqa")
@dataclass(frozen=True)
class DeQA(Scorer, Tuned):
    """Scores the quality of a picture, 1 to 5, whatever its prompt was.

    backbone    the tuned model, behind a server that goes on from an opening and gives log-probabilities
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one
    """

    card: ClassVar[Card] = Card(
        paper="You et al. 2025, DeQA-Score, arXiv 2501.11561",
        licence="code Apache-2.0; weights on mPLUG-Owl2 and LLaMA 2, by their terms",
        model="zhiyuanyou/DeQA-Score-Mix3",
        needs="zhiyuanyou/DeQA-Score-Mix3 behind vllm/... or llamacpp/... with log-probabilities",
        scale="1 to 5",
        sees_prompt=False,
        unverified="not run with its weights; mPLUG-Owl2 pads pictures to squares, a server may not",
    )

    def require(self) -> None:
        super().require()
        self.require_opening()

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        return await self.weighed(prompt_file("deqa", __file__), OPENING, artifact, log)
