"""Random guesses, the same each time: what any other method has to beat.

    judgment = await RandomGuess(seed=1).judge(pair)

A guess depends on the seed and on what is asked, and on nothing else.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import ClassVar

from ..core.kinds.pair import Judgment
from ..core.kinds.question import Answer
from ..core.kinds.rating import Score
from ..core.outcome import Failure
from ..core.sign import Artifact, Pair, Prompt, Question
from ..core.vote import Vote
from .answers import check_pictured
from .card import Card
from .contract import Answers, Judges, Scores, method
from .signs import pair_subject, subject_of

GUESS = "A random guess."


@method("random")
@dataclass(frozen=True)
class RandomGuess(Judges, Scores, Answers):
    """Guesses, without a look: a coin for two pictures, a number for one.

    seed        another seed guesses otherwise
    """

    card: ClassVar[Card] = Card(
        needs="nothing", scale="0 to 1, evenly, of a picture by itself", sees_prompt=False
    )
    seed: int = 0

    async def judge(self, pair: Pair) -> Judgment | Failure:
        winner = "a" if self._share("judge", *pair_subject(pair)) < 0.5 else "b"
        return Judgment(
            pair=pair,
            votes=(Vote(order="ab", winner=winner, discussion=GUESS),),
            provenance=self.provenance([]),
        )

    async def score(self, prompt: Prompt, artifact: Artifact) -> Score | Failure:
        value = self._share("score", *subject_of(prompt), artifact.sha256)
        return Score(prompt=prompt, artifact=artifact, value=value, provenance=self.provenance([]))

    async def answer(self, question: Question, *artifacts: Artifact) -> Answer | Failure:
        check_pictured(artifacts)
        shown = [artifact.sha256 for artifact in artifacts]
        share = self._share("answer", question.question, *question.choices.values(), *shown)
        choice = list(question.choices)[int(share * len(question.choices))]
        return Answer(
            question=question,
            artifacts=artifacts,
            choice=choice,
            reasoning=GUESS,
            votes=(choice,),
            provenance=self.provenance([]),
        )

    def _share(self, *asked: str) -> float:
        """At least 0 and less than 1."""
        digest = hashlib.sha256(json.dumps([self.seed, *asked]).encode()).digest()
        return int.from_bytes(digest[:6], "big") / 2**48
