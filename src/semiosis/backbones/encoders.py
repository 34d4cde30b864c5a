"""Pictures and texts to vectors in one space: CLIP and its kin through transformers, computed once each.

    encoder = encoder_of(Pretrained(Weights("openai/clip-vit-base-patch32", DUAL)))
    await likeness(encoder, artifact, "two cats")           the cosine of their vectors, from -1 to 1

What is asked for at the same time goes through the model together, and equal weights are loaded once.
"""

import asyncio
import math
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..core.sign import Artifact
from .batcher import Batcher
from .dual_sources import Arrays, DualParts, DualSource
from .embeddings import Embeddings
from .kept_models import BATCH, KeptModel, kept_in
from .pictures import seen_whole
from .single_flight import together
from .torch_models import TorchModel, shared

if TYPE_CHECKING:
    from .embeddings import Vector

_SEEN = frozenset({"pixel_values", "pixel_attention_mask", "spatial_shapes"})


@runtime_checkable
class Encoder(Protocol):
    """Whatever gives vectors to pictures and texts; these need not have the length 1."""

    @property
    def name(self) -> str:
        """What it is called in configurations: the hub id, or the folder's name."""
        ...

    @property
    def revision(self) -> str:
        """What tells it from others of that name; empty where that is not known."""
        ...

    async def picture(self, artifact: Artifact) -> "Vector": ...

    async def text(self, text: str) -> "Vector": ...

    async def scaling(self) -> tuple[float, float]:
        """What the model itself multiplies a likeness by, and what it then adds."""
        ...

    def require(self) -> None:
        """Raise one sentence that names all that is missing."""
        ...


class DualModel:
    """A source loaded on a device, and what waits for it."""

    def __init__(self, source: DualSource, device: str | None) -> None:
        def load(device: str) -> DualParts:
            parts = source.load()
            parts.model.float().to(device).eval()
            return parts

        self.loaded = TorchModel(source.weights.label, load, device)
        self.pictures: Batcher[Arrays, Vector] = Batcher(self._seen)
        self.texts: Batcher[str, Vector] = Batcher(self._read)

    def scaling(self) -> "Vector":
        """The model's own scale and bias of a likeness."""
        import numpy as np

        model = self.loaded.parts().model
        bias = getattr(model, "logit_bias", None)
        scale = math.exp(model.logit_scale.item())
        return np.array([scale, 0.0 if bias is None else bias.item()], np.float32)

    def _seen(self, pictures: list[Arrays]) -> "Sequence[Vector]":
        def embed(parts: DualParts, device: str) -> "Sequence[Vector]":
            import numpy as np
            import torch

            names = _SEEN.intersection(pictures[0])
            stacked: Any = {name: np.concatenate([each[name] for each in pictures]) for name in names}
            tensors = {name: torch.as_tensor(array).to(device) for name, array in stacked.items()}
            return _rows(parts.model.get_image_features(**tensors))

        return self.loaded.run(embed)

    def _read(self, texts: list[str]) -> "Sequence[Vector]":
        def embed(parts: DualParts, device: str) -> "Sequence[Vector]":
            tensors = {name: tensor.to(device) for name, tensor in parts.read(texts).items()}
            return _rows(parts.model.get_text_features(**tensors))

        return self.loaded.run(embed)


def _rows(features: Any) -> "Sequence[Vector]":
    return list(features.pooler_output.float().cpu().numpy())


class DualEncoder(KeptModel):
    """An encoder whose vectors are kept."""

    def __init__(self, source: DualSource, model: DualModel, embeddings: Embeddings, batch: int) -> None:
        super().__init__(source, embeddings, batch)
        self.model = model

    async def picture(self, artifact: Artifact) -> "Vector":
        async def prepared() -> Arrays:
            parts = await asyncio.to_thread(self.model.loaded.parts)
            return await seen_whole(artifact, parts.seen)

        key = ("picture", artifact.sha256)
        return await self.kept(key, lambda: self.model.pictures.do(prepared, self._batch))

    async def text(self, text: str) -> "Vector":
        async def prepared() -> str:
            return text

        return await self.kept(("text", text), lambda: self.model.texts.do(prepared, self._batch))

    async def scaling(self) -> tuple[float, float]:
        scale, bias = await self.kept(("scaling",), lambda: asyncio.to_thread(self.model.scaling))
        return float(scale), float(bias)


def encoder_of(
    source: DualSource, *, device: str | None = None, batch: int = BATCH, cache: bool = True
) -> DualEncoder:
    """The encoder of a source: those of equal sources share one model, and the vectors they kept."""
    model = shared((source, device), lambda: DualModel(source, device))
    return DualEncoder(source, model, kept_in(cache), batch)


async def likeness(encoder: Encoder, artifact: Artifact, text: str) -> float:
    """The cosine between a picture and a text."""
    picture, words = await together(encoder.picture(artifact), encoder.text(text))
    return cosine(picture, words)


def cosine(a: "Vector", b: "Vector") -> float:
    """Of the angle between two vectors; not a number where one of them has no length."""
    import numpy as np

    one, other = a.astype(np.float64), b.astype(np.float64)
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths else math.nan


class RehearsedEncoder:
    """Stands in for an encoder in a rehearsal: vectors that differ with their content, and mean nothing."""

    name = "rehearsed"
    revision = ""

    async def picture(self, artifact: Artifact) -> "Vector":
        return _made_up(artifact.sha256)

    async def text(self, text: str) -> "Vector":
        return _made_up(text)

    async def scaling(self) -> tuple[float, float]:
        return 1.0, 0.0

    def require(self) -> None:
        """Nothing is needed."""


def _made_up(content: str) -> "Vector":
    import numpy as np

    chance = Random(content)
    return np.array([chance.gauss() for _ in range(8)], np.float32)
