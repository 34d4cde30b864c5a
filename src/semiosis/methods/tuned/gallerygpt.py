"""GalleryGPT: a paragraph of formal analysis of a painting.

Bin et al. 2024, "GalleryGPT: Analyzing Paintings with Large Multimodal Models". It was tuned to write, not to
rate; how SemJudge's table 1 had it rate pictures is not published, so its level, 5 to 1, is our own question.
"""

from dataclasses import dataclass
from typing import ClassVar

from ...core.errors import BadSetting
from ...core.kinds.interpretation import Interpretation, Passage
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Prompt
from ..card import Card
from ..contract import Interprets, method
from ..scorer import Scorer
from ..template import prompt_file
from .served import TunedAnswers


@method("gallerygpt")
@dataclass(frozen=True)
class GalleryGPT(Scorer, TunedAnswers, Interprets):
    """Analyses a painting's form in a paragraph; names a level for it, 1 to 5; answers questions.

    backbone    the tuned model
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    repeats     votes on each question, 1 to 99
    """

    card: ClassVar[Card] = Card(
        paper="Bin et al. 2024, GalleryGPT, ACM MM, arXiv 2408.00491",
        licence="not stated by its authors; on ShareGPT4V-7B and LLaMA 2",
        model="GalleryGPT",
        needs="GalleryGPT's adapter on ShareGPT4V-7B, behind a server",
        scale="1 to 5",
        sees_prompt=False,
        unverified="not run with its weights; the question for a level is ours",
    )

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        return await self.level(prompt_file("gallerygpt-level", __file__), artifact, log)

    async def interpret(self, sign: Prompt | Artifact) -> Interpretation | Failure:
        if isinstance(sign, Prompt):
            raise BadSetting("GalleryGPT reads pictures, not prompts.")
        log: list[Exchange] = []
        reply = await self.written(prompt_file("gallerygpt", __file__), sign, log)
        if isinstance(reply, Failure):
            return self.failed(reply, log)
        passages = (Passage(title="Formal analysis", text=reply.text),)
        return Interpretation(artifact=sign, passages=passages, provenance=self.provenance(log))
