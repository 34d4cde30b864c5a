"""A picture edited again and again, read round by round (equation 2).

cascade = await read_rounds(sharing, Rounds(prompt, (first, second, third), maker="a painter"), log)

The prompt is read first; each picture is read without it, and was made from the round before.
"""

from dataclasses import dataclass

from ...backbones.embedders import MiniLM, shared_minilm
from ...backbones.single_flight import together
from ...core.cascade import Cascade, Reading, SemiosisGap, semiosis_gaps
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Prompt
from .shared_readings import SharingReader

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Rounds:
    """A prompt, the picture made of it, and what was made of that one, edit by edit.

    prompt      what the first picture was made from
    artifacts   the first picture, then its edits in order
    maker       who made them
    """

    prompt: Prompt
    artifacts: tuple[Artifact, ...]
    maker: str = UNKNOWN


async def read_rounds(sharing: SharingReader, rounds: Rounds, log: list[Exchange]) -> Cascade | Failure:
    """The cascade of `rounds`, or the first failure among its readings; calls go into `log`."""
    logs: list[list[Exchange]] = [[] for _ in rounds.artifacts]
    prompt, *pictures = await together(
        sharing.prompt(rounds.prompt, log),
        *(sharing.unprompted(artifact, own) for artifact, own in zip(rounds.artifacts, logs, strict=True)),
    )
    log.extend(exchange for own in logs for exchange in own)
    if isinstance(prompt, Failure):
        return prompt
    readings = [prompt]
    for index, picture in enumerate(pictures):
        if isinstance(picture, Failure):
            return picture
        readings.append(_made(picture, index, rounds.maker))
    return Cascade(rounds=tuple(readings))


def _made(picture: Reading, index: int, maker: str) -> Reading:
    of = "edit" if index else "artifact"
    return picture.model_copy(update={"of": of, "maker": maker, "source": index})


def gaps_of(cascade: Cascade) -> tuple[SemiosisGap, ...]:
    """The gap of each round to the first, where the embedding is installed; else none."""
    return semiosis_gaps(cascade, shared_minilm()) if MiniLM.available() else ()
