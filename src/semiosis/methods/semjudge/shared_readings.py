"""Readings made once: whoever asks for the same sign in the same context, now or later, gets the same one."""

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any

from ...backbones.single_flight import SingleFlight
from ...core.cascade import Reading
from ...core.graph import HSG
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Prompt
from ..signs import subject_of
from .graphs import checked
from .reader import Reader

ReadTask = Callable[[list[Exchange]], Coroutine[Any, Any, Reading | Failure]]
Logged = tuple[Reading | Failure, list[Exchange]]

MOST = 1024


class SharedReadings:
    """By key, the most recent held. A failure is not held, so the next caller tries again."""

    def __init__(self) -> None:
        self._readings: OrderedDict[Hashable, Logged] = OrderedDict()
        self._flight: SingleFlight[Logged] = SingleFlight()

    async def get(self, key: Hashable, read: ReadTask, log: list[Exchange]) -> Reading | Failure:
        held = self._readings.get(key)
        logged, mine = (held, False) if held else await self._flight.do(key, lambda: self._read(key, read))
        result, exchanges = logged
        log.extend(exchanges if mine else [call.model_copy(update={"cached": True}) for call in exchanges])
        return result

    async def _read(self, key: Hashable, read: ReadTask) -> Logged:
        log: list[Exchange] = []
        result = await read(log)
        if isinstance(result, Reading):
            self._readings[key] = (result, log)
            while len(self._readings) > MOST:
                self._readings.popitem(last=False)
        return result, log


@dataclass(frozen=True)
class SharingReader:
    """A reader that does not read the same sign twice in the same context; graphs may be given instead."""

    reader: Reader
    shared: SharedReadings

    async def prompt(
        self, prompt: Prompt, log: list[Exchange], graph: HSG | None = None, by: str = "given"
    ) -> Reading | Failure:
        if graph is not None:
            return Reading(of="prompt", graph=checked(graph, prompt), interpreter=by, made="given")
        key = ("prompt", *subject_of(prompt))
        return await self.shared.get(key, lambda own: self.reader.read_prompt(prompt, own), log)

    async def picture(
        self, prompt: Prompt, read: Reading, artifact: Artifact, log: list[Exchange]
    ) -> Reading | Failure:
        key = ("picture", *subject_of(prompt), artifact.sha256, read.graph)
        return await self.shared.get(
            key, lambda own: self.reader.read_picture(prompt, artifact, read.graph, own), log
        )

    async def unprompted(self, artifact: Artifact, log: list[Exchange]) -> Reading | Failure:
        key = ("alone", artifact.sha256)
        return await self.shared.get(key, lambda own: self.reader.read_unprompted(artifact, own), log)
