"""A method that gives each picture a number: pairs are judged by comparing two of them.

    @method("brightness")
    @dataclass(frozen=True)
    class Brightness(Scorer):
        async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure: ...

A picture is measured once for each prompt, however many pairs it is in; equal numbers are a tie.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isfinite

from ..backbones.single_flight import SharedWork, together
from ..core.kinds.pair import Judgment
from ..core.kinds.rating import Measurement, Score
from ..core.loop import run
from ..core.outcome import Exchange, Failure
from ..core.sign import Artifact, Pair, Prompt, Side
from ..core.vote import Vote
from .contract import Judges, Scores
from .signs import subject_of

MOST = 4096
# Sums and squares of larger numbers overflow.
LARGEST = 1e100


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
            score_a=a.measurement,
            score_b=b.measurement,
            cascade_a=a.cascade,
            cascade_b=b.cascade,
            gap_a=a.gap,
            gap_b=b.gap,
            provenance=self.provenance(log),
        )


def _measurements() -> SharedWork[Measurement]:
    return SharedWork(MOST)


@dataclass(frozen=True)
class Measurer(JudgesByScore):
    """Prompt and picture to a number with its parts, higher being better; all follows from `measurement`."""

    _measurements: SharedWork[Measurement] = field(
        default_factory=_measurements, init=False, repr=False, compare=False, kw_only=True
    )

    @abstractmethod
    async def measurement(
        self, prompt: Prompt, artifact: Artifact, log: list[Exchange]
    ) -> Measurement | Failure:
        """The number for `artifact` under `prompt` and its parts, or why not; calls go into `log`."""

    async def score(self, prompt: Prompt, artifact: Artifact) -> Score | Failure:
        log: list[Exchange] = []
        measurement = await self._measurements.get(
            (*subject_of(prompt), artifact.sha256), partial(self.measurement, prompt, artifact), log
        )
        if isinstance(measurement, Failure):
            return self.failed(measurement, log)
        return Score(
            prompt=prompt,
            artifact=artifact,
            value=measurement.value,
            parts=measurement.parts,
            provenance=self.provenance(log),
        )

    async def matrix(
        self, prompts: Sequence[Prompt], artifacts: Sequence[Artifact]
    ) -> list[list[Score | Failure]]:
        """Every picture under every prompt: a row for each of `artifacts`, a column for each of `prompts`."""
        cells = [self.score(prompt, artifact) for artifact in artifacts for prompt in prompts]
        scores = await together(*cells)
        return [scores[at : at + len(prompts)] for at in range(0, len(scores), len(prompts))]

    def matrix_sync(
        self, prompts: Sequence[Prompt], artifacts: Sequence[Artifact]
    ) -> list[list[Score | Failure]]:
        """As `matrix`, outside async code."""
        return run(self.matrix(prompts, artifacts))


@dataclass(frozen=True)
class Scorer(Measurer):
    """Prompt and picture to a number without parts; all follows from `value`."""

    @abstractmethod
    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        """The number for `artifact` under `prompt`, or why there is none; calls go into `log`."""

    async def measurement(
        self, prompt: Prompt, artifact: Artifact, log: list[Exchange]
    ) -> Measurement | Failure:
        value = await self.value(prompt, artifact, log)
        if isinstance(value, Failure):
            return value
        if not isfinite(value):
            return Failure(reason="invalid", message=f"The scorer gave {value}, which is no number.")
        if abs(value) > LARGEST:
            return Failure(reason="invalid", message=f"The scorer gave {value:g}: beyond {LARGEST:g}.")
        return Measurement(value=value)
