"""Random guesses, the same each time: what any other method has to beat.

    judgment = await RandomGuess(seed=1).judge(pair)

A guess depends on the seed and on what is asked, and on nothing else.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import ClassVar

from ..core.kinds.question import Answer
from ..core.outcome import Exchange, Failure
from ..core.sign import Artifact, Prompt, Question
from .answers import check_pictured
from .card import Card
from .contract import Answers, method
from .scorer import Scorer
from .signs import subject_of


@method("random")
@dataclass(frozen=True)
class RandomGuess(Scorer, Answers):
    """Guesses, without a look at the pictures: a random number for each, a random choice.

    seed        another seed guesses otherwise
    """

    version: ClassVar[str] = "2"
    card: ClassVar[Card] = Card(needs="nothing", scale="0 to 1, evenly", sees_prompt=False)
    seed: int = 0

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        return self._share("score", *subject_of(prompt), artifact.sha256)

    async def answer(self, question: Question, *artifacts: Artifact) -> Answer | Failure:
        check_pictured(artifacts)
        shown = [artifact.sha256 for artifact in artifacts]
        share = self._share("answer", question.question, *question.choices.values(), *shown)
        choice = list(question.choices)[int(share * len(question.choices))]
        return Answer(
            question=question,
            artifacts=artifacts,
            choice=choice,
            reasoning="",
            votes=(choice,),
            provenance=self.provenance([]),
        )

    def _share(self, *asked: str) -> float:
        """At least 0 and less than 1."""
        digest = hashlib.sha256(json.dumps([self.seed, *asked]).encode()).digest()
        return int.from_bytes(digest[:6], "big") / 2**48
