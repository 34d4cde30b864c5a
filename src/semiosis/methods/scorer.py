"""A method that gives each picture a number: pairs are judged by comparing two of them.

    @method("brightness")
    @dataclass(frozen=True)
    class Brightness(Scorer):
        async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure: ...

A picture is measured once for each prompt, however many pairs it is in; equal numbers are a tie.
"""

from abc import abstractmethod
from collections import OrderedDict
from dataclasses import dataclass, field
from math import isfinite

from ..backbones.single_flight import SingleFlight, together
from ..core.kinds.pair import Judgment
from ..core.kinds.rating import Score
from ..core.outcome import Exchange, Failure
from ..core.sign import Artifact, Pair, Prompt, Side
from ..core.vote import Vote
from .contract import Judges, Scores
from .signs import subject_of

MOST = 4096

Measured = tuple[float | Failure, list[Exchange]]


class Measurements:
    """Values by prompt and picture, the most recent held; a failure is not held, so it is tried again."""

    def __init__(self) -> None:
        self.values: OrderedDict[tuple[str, ...], Measured] = OrderedDict()
        self.flight: SingleFlight[Measured] = SingleFlight()

    def hold(self, key: tuple[str, ...], measured: Measured) -> None:
        self.values[key] = measured
        while len(self.values) > MOST:
            self.values.popitem(last=False)


@dataclass(frozen=True)
class Scorer(Judges, Scores):
    """Prompt and picture to a number, higher being better; everything else follows from `value`."""

    _measurements: Measurements = field(
        default_factory=Measurements, init=False, repr=False, compare=False, kw_only=True
    )

    @abstractmethod
    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        """The number for `artifact` under `prompt`, or why there is none; calls go into `log`."""

    async def score(self, prompt: Prompt, artifact: Artifact) -> Score | Failure:
        value, log = await self._measured(prompt, artifact)
        if isinstance(value, Failure):
            return self.failed(value, log)
        return Score(prompt=prompt, artifact=artifact, value=value, provenance=self.provenance(log))

    async def judge(self, pair: Pair) -> Judgment | Failure:
        (a, log_a), (b, log_b) = await together(
            self._measured(pair.prompt, pair.a), self._measured(pair.prompt, pair.b)
        )
        log = [*log_a, *log_b]
        for value in (a, b):
            if isinstance(value, Failure):
                return self.failed(value, log)
        winner: Side | None = None if a == b else "a" if a > b else "b"  # pyright: ignore[reportOperatorIssue]
        return Judgment(pair=pair, votes=(Vote(winner=winner),), provenance=self.provenance(log))

    async def _measured(self, prompt: Prompt, artifact: Artifact) -> Measured:
        key = (*subject_of(prompt), artifact.sha256)
        measurements = self._measurements
        if key in measurements.values:
            value, log = measurements.values[key]
            mine = False
        else:
            (value, log), mine = await measurements.flight.do(
                key, lambda: self._measure(key, prompt, artifact)
            )
        return value, log if mine else [call.model_copy(update={"cached": True}) for call in log]

    async def _measure(self, key: tuple[str, ...], prompt: Prompt, artifact: Artifact) -> Measured:
        log: list[Exchange] = []
        value = await self.value(prompt, artifact, log)
        if not isinstance(value, Failure):
            if not isfinite(value):
                failure = Failure(reason="invalid", message=f"The scorer gave {value}, which is no number.")
                return failure, log
            self._measurements.hold(key, (value, log))
        return value, log
