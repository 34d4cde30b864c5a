"""LMM4LMM: a model tuned on people's scores of generated pictures, for perception and for correspondence.

Wang et al. 2025, "LMM4LMM: Benchmarking and Evaluating Large-multimodal Image Generation with LMMs". Its last
stage reads a number from a head on a hidden state, which no chat server hands out; behind a server its first
stage is left, which names one of five levels.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Prompt
from ..card import Card
from ..contract import method
from ..scorer import Scorer
from ..template import prompt_file
from .served import TunedAnswers

LevelsBy = Literal["words", "probabilities"]


@method("lmm4lmm")
@dataclass(frozen=True)
class LMM4LMM(Scorer, TunedAnswers):
    """Scores how a picture corresponds to its prompt, by the level that the model names; answers questions.

    backbone    the tuned model
    levels_by   "words": the level it names; "probabilities" of the five levels, where the server gives these
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    repeats     votes on each question, 1 to 99
    """

    card: ClassVar[Card] = Card(
        paper="Wang et al. 2025, LMM4LMM, arXiv 2504.08358",
        licence="not stated by its authors",
        model="IntMeGroup/LMM4LMM-Correspondence",
        needs="IntMeGroup/LMM4LMM-Correspondence behind a server",
        scale="1 to 5",
        unverified="not run with its weights; the words of its questions are not published, these are ours; "
        "a server gives its levels, not the number of its head",
    )
    question: ClassVar[str] = "lmm4lmm-correspondence"
    opening: ClassVar[str] = "The text-image correspondence is"
    levels_by: LevelsBy = "words"

    def require(self) -> None:
        super().require()
        if self.levels_by == "probabilities":
            self.require_opening()

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        template = prompt_file(self.question, __file__)
        texts = {"prompt": prompt.text} if self.card.sees_prompt else {}
        if self.levels_by == "probabilities":
            return await self.weighed(template, self.opening, artifact, log, **texts)
        return await self.level(template, artifact, log, **texts)


@method("lmm4lmm/perception")
@dataclass(frozen=True)
class LMM4LMMPerception(LMM4LMM):
    """Scores the quality of a picture, by the level that the model names; answers questions."""

    card: ClassVar[Card] = replace(
        LMM4LMM.card,
        model="IntMeGroup/LMM4LMM-Perception",
        needs="IntMeGroup/LMM4LMM-Perception behind a server",
        sees_prompt=False,
    )
    question: ClassVar[str] = "lmm4lmm-perception"
    opening: ClassVar[str] = "The quality of the image is"
