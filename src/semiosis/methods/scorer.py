"""A method that gives each picture a number: pairs are judged by comparing two of them.

    @method("brightness")
    @dataclass(frozen=True)
    class Brightness(Scorer):
        async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure: ...

A picture is measured once for each prompt, however many pairs it is in; equal numbers are a tie.
"""

from abc import abstractmethod
from dataclasses import dataclass, field
from math import isfinite

from ..backbones.single_flight import SharedWork, together
from ..core.kinds.pair import Judgment
from ..core.kinds.rating import Score
from ..core.outcome import Exchange, Failure
from ..core.sign import Artifact, Pair, Prompt, Side
from ..core.vote import Vote
from .contract import Judges, Scores
from .signs import subject_of

MOST = 4096


class JudgesByScore(Judges, Scores):
    """Judges pairs by comparing the scores of the two pictures."""

    def standing(self, score: Score) -> tuple[float, ...]:
        """What scores are compared by: higher is better, and equal is a tie."""
        return (score.value,)

    async def judge(self, pair: Pair) -> Judgment | Failure:
        a, b = await together(self.score(pair.prompt, pair.a), self.score(pair.prompt, pair.b))
        log = [call for each in (a, b) if each.provenance for call in each.provenance.exchanges]
        if isinstance(a, Failure):
            return self.failed(a, log)
        if isinstance(b, Failure):
            return self.failed(b, log)
        at_a, at_b = self.standing(a), self.standing(b)
        winner: Side | None = None if at_a == at_b else "a" if at_a > at_b else "b"
        return Judgment(
            pair=pair,
            votes=(Vote(winner=winner),),
            cascade_a=a.cascade,
            cascade_b=b.cascade,
            gap_a=a.gap,
            gap_b=b.gap,
            provenance=self.provenance(log),
        )


def _measurements() -> SharedWork[float]:
    return SharedWork(MOST)


@dataclass(frozen=True)
class Scorer(JudgesByScore):
    """Prompt and picture to a number, higher being better; everything else follows from `value`."""

    _measurements: SharedWork[float] = field(
        default_factory=_measurements, init=False, repr=False, compare=False, kw_only=True
    )

    @abstractmethod
    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        """The number for `artifact` under `prompt`, or why there is none; calls go into `log`."""

    async def score(self, prompt: Prompt, artifact: Artifact) -> Score | Failure:
        async def measure(own: list[Exchange]) -> float | Failure:
            value = await self.value(prompt, artifact, own)
            if isinstance(value, Failure) or isfinite(value):
                return value
            return Failure(reason="invalid", message=f"The scorer gave {value}, which is no number.")

        log: list[Exchange] = []
        value = await self._measurements.get((*subject_of(prompt), artifact.sha256), measure, log)
        if isinstance(value, Failure):
            return self.failed(value, log)
        return Score(prompt=prompt, artifact=artifact, value=value, provenance=self.provenance(log))
