"""LMM4LMM: a model tuned on people's scores of generated pictures, for perception and for correspondence.

Wang et al. 2025, "LMM4LMM: Benchmarking and Evaluating Large-multimodal Image Generation with LMMs". Its last
stage reads a number from a head on a hidden state, which no chat server hands out; behind a server its first
stage is left, which names one of five levels.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Prompt
from ..card import Card
from ..contract import method
from ..scorer import Scorer
from ..template import prompt_file
from .served import TunedAnswers

Aspect = Literal["correspondence", "perception"]
LevelsBy = Literal["words", "probabilities"]

OPENINGS: dict[Aspect, str] = {
    "correspondence": "The text-image correspondence is",
    "perception": "The quality of the image is",
}


@method("lmm4lmm", perception={"aspect": "perception"})
@dataclass(frozen=True)
class LMM4LMM(Scorer, TunedAnswers):
    """Scores a picture by the level that the model names, 1 to 5; answers questions.

    backbone    the tuned model
    aspect      "correspondence" with the prompt, or "perception", its quality
    levels_by   "words": the level it names; "probabilities" of the five levels, where the server gives these
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    repeats     votes on each question, 1 to 99
    """

    card: ClassVar[Card] = Card(
        paper="Wang et al. 2025, LMM4LMM, arXiv 2504.08358",
        licence="not stated by its authors",
        model="IntMeGroup/LMM4LMM-Correspondence",
        needs="IntMeGroup/LMM4LMM-Correspondence or -Perception behind a server",
        scale="1 to 5",
        unverified="not run with its weights; the words of its questions are not published, these are ours; "
        "a server gives its levels, not the number of its head",
    )
    aspect: Aspect = "correspondence"
    levels_by: LevelsBy = "words"

    @property
    def label(self) -> str:
        return self.name if self.aspect == "correspondence" else f"{self.name}/{self.aspect}"

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        template = prompt_file(f"lmm4lmm-{self.aspect}", __file__)
        if self.levels_by == "probabilities":
            return await self.weighed(template, OPENINGS[self.aspect], artifact, log, prompt=prompt.text)
        return await self.level(template, artifact, log, prompt=prompt.text)
