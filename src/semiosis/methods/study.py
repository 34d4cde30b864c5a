"""Where graphs are made once, or taken as given, before anything is judged."""

from dataclasses import dataclass

from ..core.cascade import Reading
from ..core.graph import HSG
from ..core.outcome import Exchange, Failure
from ..core.sign import Artifact, Prompt
from .graphs import checked, subject_of
from .once import Once
from .reader import Reader


@dataclass(frozen=True)
class Study:
    """A reader that does not read the same sign twice in the same context."""

    reader: Reader
    once: Once

    async def prompt(
        self, prompt: Prompt, log: list[Exchange], given: HSG | None = None, by: str = "given"
    ) -> Reading | Failure:
        if given is not None:
            return Reading(of="prompt", graph=checked(given, prompt), interpreter=by, made="given")
        key = ("prompt", *subject_of(prompt))
        return await self.once.get(key, lambda own: self.reader.read_prompt(prompt, own), log)

    async def picture(
        self, prompt: Prompt, read: Reading, artifact: Artifact, log: list[Exchange]
    ) -> Reading | Failure:
        key = ("picture", *subject_of(prompt), artifact.sha256, read.graph)
        return await self.once.get(
            key, lambda own: self.reader.read_picture(prompt, artifact, read.graph, own), log
        )

    async def unprompted(self, artifact: Artifact, log: list[Exchange]) -> Reading | Failure:
        key = ("alone", artifact.sha256)
        return await self.once.get(key, lambda own: self.reader.read_unprompted(artifact, own), log)
