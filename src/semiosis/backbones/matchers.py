"""Models that look at a picture and a text together, and give one number: computed once for each two.

    matcher = matcher_of(BlipReward(Weights("THUDM/ImageReward", ...)))
    await matcher.number(artifact, "two cats")

A picture is looked at once for all its texts, as long as it is among the latest.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..core.sign import Artifact
from .batcher import Batcher
from .embeddings import Embeddings, key_of
from .kept_models import BATCH, KeptModel, WeightSource, kept_in
from .pictures import seen_whole
from .torch_models import TorchModel, shared

if TYPE_CHECKING:
    from PIL.Image import Image

    from .embeddings import Vector

# What a model sees in a picture is a megabyte and more, so few are held.
GLANCES = 32

Glance = Any
Arrays = Mapping[str, Any]


@runtime_checkable
class Matcher(Protocol):
    """Whatever gives a number to a picture and a text."""

    @property
    def name(self) -> str:
        """What it is called in configurations: the hub id, or the folder's name."""
        ...

    @property
    def revision(self) -> str:
        """What tells it from others of that name; empty where that is not known."""
        ...

    async def number(self, artifact: Artifact, text: str) -> float: ...

    def require(self) -> None:
        """Raise one sentence that names all that is missing."""
        ...


@dataclass(frozen=True)
class MatchParts:
    """A loaded model of two halves.

    modules     all that has weights
    seen        what it takes of one picture
    look        what it sees in pictures, from a tensor of them: a tensor each
    judge       the numbers for tensors of what it saw, and as many texts
    """

    modules: Any
    seen: "Callable[[Image], Arrays]"
    look: Callable[[Any], Any]
    judge: Callable[[Any, list[str]], Any]


class MatchSource(WeightSource, Protocol):
    """Where such a model comes from."""

    @property
    def dtype(self) -> str:
        """What it computes in, as torch names it."""
        ...

    def load(self) -> MatchParts:
        """In this process, wherever torch puts new tensors."""
        ...


class MatchModel:
    """A source loaded on a device, what waits for it, and the pictures it looked at last."""

    def __init__(self, source: MatchSource, device: str | None) -> None:
        def load(device: str) -> MatchParts:
            import torch

            parts = source.load()
            parts.modules.to(device=device, dtype=getattr(torch, source.dtype)).eval()
            return parts

        self._source = source
        self.loaded = TorchModel(source.weights.label, load, device)
        self.pictures: Batcher[Arrays, Glance] = Batcher(self._look)
        self.pairs: Batcher[tuple[Glance, str], Vector] = Batcher(self._judge)
        self._glances = Embeddings(None, GLANCES)

    async def match(self, artifact: Artifact, text: str, batch: int) -> "Vector":
        """The number, alone in a vector."""

        async def prepared() -> Arrays:
            parts = await asyncio.to_thread(self.loaded.parts)
            return await seen_whole(artifact, parts.seen)

        async def looked() -> tuple[Glance, str]:
            glance = await self._glances.get(
                key_of(artifact.sha256), lambda: self.pictures.do(prepared, batch)
            )
            return glance, text

        return await self.pairs.do(looked, batch)

    def _look(self, pictures: list[Arrays]) -> Sequence[Glance]:
        def see(parts: MatchParts, device: str) -> Sequence[Glance]:
            import numpy as np
            import torch

            pixels = np.concatenate([each["pixel_values"] for each in pictures])
            return list(parts.look(torch.as_tensor(pixels).to(device, self._dtype())).cpu())

        return self.loaded.run(see)

    def _judge(self, pairs: "list[tuple[Glance, str]]") -> "Sequence[Vector]":
        def compare(parts: MatchParts, device: str) -> "Sequence[Vector]":
            import torch

            glances = torch.stack([glance for glance, _ in pairs]).to(device)
            numbers = parts.judge(glances, [text for _, text in pairs])
            return list(numbers.float().cpu().numpy().reshape(len(pairs), 1))

        return self.loaded.run(compare)

    def _dtype(self) -> Any:
        import torch

        return getattr(torch, self._source.dtype)


class KeptMatcher(KeptModel):
    """A matcher whose numbers are kept."""

    def __init__(self, source: MatchSource, model: MatchModel, embeddings: Embeddings, batch: int) -> None:
        super().__init__(source, embeddings, batch)
        self.model = model

    async def number(self, artifact: Artifact, text: str) -> float:
        key = ("pair", artifact.sha256, text)
        (number,) = await self.kept(key, lambda: self.model.match(artifact, text, self._batch))
        return float(number)


def matcher_of(
    source: MatchSource, *, device: str | None = None, batch: int = BATCH, cache: bool = True
) -> KeptMatcher:
    """The matcher of a source: those of equal sources share one model, and the numbers they kept."""
    model = shared((source, device), lambda: MatchModel(source, device))
    return KeptMatcher(source, model, kept_in(cache), batch)


class RehearsedMatcher:
    """Stands in for a matcher in a rehearsal: numbers that differ with what they are of, and mean nothing."""

    name = "rehearsed"
    revision = ""

    async def number(self, artifact: Artifact, text: str) -> float:
        return Random(f"{artifact.sha256} {text}").random()

    def require(self) -> None:
        """Nothing is needed."""
