"""Models whose results are kept, known by their weights, and loaded when a result is not there yet.

class DualEncoder(KeptModel):
    async def text(self, text: str) -> Vector:
        return await self.kept(("text", text), lambda: ...)
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING, Protocol

from .embeddings import Embeddings, embeddings_file, key_of, shared_embeddings
from .weights import Weights, at_hand, check, fingerprint, found

if TYPE_CHECKING:
    from .embeddings import Vector

BATCH = 32
# Of what happens to a picture or a text here before a processor gets it: another one, other results.
PREPARATION = "1"


class WeightSource(Protocol):
    """What a model is loaded from. It is hashable: equal ones are loaded once."""

    @property
    def weights(self) -> Weights:
        """What names it."""
        ...

    @property
    def wanted(self) -> tuple[Weights, ...]:
        """All that must be on this machine."""
        ...

    @property
    def manner(self) -> str:
        """How it is read, as far as the files do not say."""
        ...


class KeptModel:
    """A model by its source; its results are kept in `embeddings`, and at most `batch` computed at once."""

    def __init__(self, source: WeightSource, embeddings: Embeddings, batch: int) -> None:
        self._source = source
        self._embeddings = embeddings
        self._batch = batch
        self._revision = ""

    @property
    def name(self) -> str:
        """The hub id of its weights, or the name of their folder."""
        return self._source.weights.label

    @property
    def revision(self) -> str:
        """A hash of the weights and of all that prepares what they see; empty where they are not here."""
        if not self._revision:
            folders = [(each, found(each)) for each in self._source.wanted]
            if all(folder for _, folder in folders):
                marks = [
                    fingerprint(folder, each.files, self._embeddings) for each, folder in folders if folder
                ]
                settings = [self._source.manner, version("transformers"), PREPARATION]
                self._revision = sha256(json.dumps([*marks, *settings]).encode()).hexdigest()
        return self._revision

    def require(self) -> None:
        """Raise one sentence that names all that is missing."""
        check(self.name, *self._source.wanted)

    async def kept(self, parts: tuple[str, ...], compute: "Callable[[], Awaitable[Vector]]") -> "Vector":
        """What is kept of these weights under `parts`, else what `compute` gives."""
        if not self._revision:
            await asyncio.to_thread(self._identify)
        return await self._embeddings.get(key_of(self._revision, *parts), compute)

    def _identify(self) -> None:
        for each in self._source.wanted:
            at_hand(each)
        _ = self.revision


def kept_in(cache: bool) -> Embeddings:
    """Where results are kept: in the file beside the cache of replies, or in memory only."""
    return shared_embeddings(embeddings_file() if cache else None)
