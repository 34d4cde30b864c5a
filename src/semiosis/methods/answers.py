"""Any number of repeats: choices become votes, votes become an answer or a failure."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Protocol

from ..backbones.single_flight import together
from ..core.cascade import Reading
from ..core.certainty import Certainty
from ..core.errors import BadPicture
from ..core.kinds.question import Answer
from ..core.outcome import Exchange, Failure, Provenance
from ..core.sign import Artifact, Question
from ..core.vote import Evidence


@dataclass(frozen=True)
class Chosen:
    """One choice, and why."""

    choice: str
    reasoning: str
    evidence: tuple[Evidence, ...] = ()
    certainty: Certainty | None = None


Choose = Callable[[int, list[Exchange]], Awaitable[Chosen | Failure]]


class Answering(Protocol):
    """What a method that answers has besides."""

    @property
    def repeats(self) -> int: ...

    def provenance(self, exchanges: list[Exchange]) -> Provenance: ...

    def failed(self, failure: Failure, exchanges: list[Exchange]) -> Failure: ...


async def answered_by_votes(
    method: Answering,
    question: Question,
    artifacts: Sequence[Artifact],
    choose: Choose,
    *,
    log: list[Exchange],
    readings: Sequence[Reading] = (),
) -> Answer | Failure:
    """What most votes chose, and of several choices the first; without a single vote, the first failure."""
    logs: list[list[Exchange]] = [[] for _ in range(method.repeats)]
    results = await together(*(choose(repeat, own) for repeat, own in enumerate(logs)))
    log.extend(exchange for own in logs for exchange in own)
    votes = [result for result in results if isinstance(result, Chosen)]
    failures = tuple(result for result in results if isinstance(result, Failure))
    if not votes:
        return method.failed(failures[0], log)
    choices = tuple(vote.choice for vote in votes)
    leading = max(votes, key=lambda vote: choices.count(vote.choice))
    levels = [vote.certainty for vote in votes if vote.certainty is not None]
    return Answer(
        question=question,
        artifacts=tuple(artifacts),
        choice=leading.choice,
        reasoning=leading.reasoning,
        evidence=leading.evidence,
        readings=tuple(readings),
        votes=choices,
        certainty=mean(levels) if levels else None,
        failures=failures,
        provenance=method.provenance(log),
    )


def check_pictured(artifacts: Sequence[Artifact]) -> None:
    """A question is asked of at least one picture."""
    if not artifacts:
        raise BadPicture("A question is asked of at least one picture.")
