"""ArtiMuse: an aesthetic score from two letters, and a critique in eight aspects.

Cao et al. 2025, "ArtiMuse: Fine-Grained Image Aesthetics Assessment with Joint Scoring and Expert-Level
Understanding". Numbers from 0 to 100 stand as pairs of letters; the authors take the mean over the
probabilities of all 101 pairs, a server gives the pair that the model writes.
"""

import re
from dataclasses import dataclass
from string import ascii_lowercase
from typing import ClassVar

from ...backbones.backbone import Reply
from ...backbones.single_flight import together
from ...core.errors import BadSetting
from ...core.kinds.interpretation import Interpretation, Passage
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Prompt
from ..card import Card
from ..contract import Interprets, method
from ..scorer import Scorer
from ..template import prompt_file
from .served import TunedAnswers

ASPECTS = (
    "Composition & Design",
    "Visual Elements & Structure",
    "Technical Execution",
    "Originality & Creativity",
    "Theme & Communication",
    "Emotion & Viewer Response",
    "Overall Gestalt",
    "Comprehensive Evaluation",
)
# First letters, with the smallest and the largest number that begins with each.
FIRST = {"a": 0, "c": 26, "d": 51, "e": 76}
LARGEST = {"a": 25, "c": 50, "d": 75, "e": 100}


@method("artimuse")
@dataclass(frozen=True)
class ArtiMuse(Scorer, TunedAnswers, Interprets):
    """Scores the aesthetics of a picture, whatever its prompt was; criticises it; answers questions.

    backbone    the tuned model
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    repeats     votes on each question, 1 to 99
    """

    card: ClassVar[Card] = Card(
        paper="Cao et al. 2025, ArtiMuse, arXiv 2507.14533",
        licence="by its authors' terms, on InternVL-3",
        model="Thunderbolt215215/ArtiMuse",
        needs="Thunderbolt215215/ArtiMuse behind a server",
        scale="0 to 100",
        sees_prompt=False,
        unverified="not run with its weights; the score is the pair of letters it writes, "
        "not the mean over all pairs",
    )

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        template = prompt_file("artimuse-score", __file__)
        reply = await self.written(template, artifact, log, check=_lack_of_number)
        if isinstance(reply, Failure):
            return reply
        number = number_of(reply.text)
        # A made up reply stands for none.
        return 50.0 if number is None else float(number)

    async def interpret(self, sign: Prompt | Artifact) -> Interpretation | Failure:
        """A critique in each of the eight aspects."""
        if isinstance(sign, Prompt):
            raise BadSetting("ArtiMuse reads pictures, not prompts.")
        template = prompt_file("artimuse-aspect", __file__)
        logs: list[list[Exchange]] = [[] for _ in ASPECTS]
        critiques = await together(
            *(
                self.written(template, sign, own, aspect=aspect)
                for aspect, own in zip(ASPECTS, logs, strict=True)
            )
        )
        log = [exchange for own in logs for exchange in own]
        failure = next((each for each in critiques if isinstance(each, Failure)), None)
        if failure is not None:
            return self.failed(failure, log)
        passages = (
            Passage(title=aspect, text=reply.text)
            for aspect, reply in zip(ASPECTS, critiques, strict=True)
            if isinstance(reply, Reply)
        )
        return Interpretation(artifact=sign, passages=tuple(passages), provenance=self.provenance(log))


def number_of(text: str) -> int | None:
    """What a pair of letters stands for, as "ea" for 76; None where the text is no such pair."""
    match = re.fullmatch(r"\W*([acde])([a-z])\W*", text.strip(), re.I | re.A)
    if match is None:
        return None
    first, second = match[1].lower(), ascii_lowercase.index(match[2].lower())
    number = FIRST[first] + second
    return number if number <= LARGEST[first] else None


def _lack_of_number(text: str) -> str | None:
    if number_of(text) is None:
        return "The reply is not one of the pairs of letters that stand for 0 to 100."
    return None
