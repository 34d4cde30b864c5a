"""Readings made once: whoever asks for the same sign in the same context, now or later, gets the same one."""

from dataclasses import dataclass

from ...backbones.single_flight import SharedWork
from ...core.cascade import Reading
from ...core.graph import HSG
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Prompt
from ..signs import subject_of
from .graphs import checked
from .reader import Reader

MOST = 1024


def shared_readings() -> SharedWork[Reading]:
    return SharedWork(MOST)


@dataclass(frozen=True)
class SharingReader:
    """A reader that does not read the same sign twice in the same context; graphs may be given instead."""

    reader: Reader
    shared: SharedWork[Reading]

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
