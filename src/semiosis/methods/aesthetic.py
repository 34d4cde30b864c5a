"""LAION's aesthetic predictor: how much people liked pictures that CLIP sees alike. The prompt plays no part.

score = await Aesthetic().score(prompt, artifact)
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from ..backbones.backbone import Backbone
from ..backbones.checkpoints import tensors_of
from ..backbones.encoders import Encoder
from ..backbones.heads import Head
from ..backbones.kept_models import kept_in
from ..backbones.weights import Weights, at_hand, fingerprint, found
from ..core.sign import Artifact, Prompt
from .card import Card
from .contract import method
from .encoding import OPENAI_CLIP, EncodedScorer

USUAL_HEAD = "trl-lib/ddpo-aesthetic-predictor"
HEADS = (
    "aesthetic-model.pth",
    "sac+logos+ava1-l14-linearMSE.pth",
    "ava+logos-l14-linearMSE.pth",
    "ava+logos-l14-reluMSE.pth",
    "sa_0_4_vit_l_14_linear.pth",
    "model.safetensors",
    "pytorch_model.bin",
)


@method("aesthetic")
@dataclass(frozen=True)
class Aesthetic(EncodedScorer):
    """A small head on the picture's vector of length 1, whose number is about a rating from 1 to 10.

    head        a file, a folder or a hub id, or a function of a vector; the improved predictor if left out
    weights     the CLIP it was trained on: openai/clip-vit-large-patch14 if left out
    device      as torch names it; a graphics card if left out, where there is one
    batch       how many pictures go through the model at once, at most
    cache       whether vectors are kept on disk, for other runs and methods
    encoder     gives the vectors instead
    """

    card = Card(
        paper="Schuhmann and others 2022, LAION-5B, NeurIPS, arXiv:2210.08402; "
        "github.com/christophschuhmann/improved-aesthetic-predictor",
        licence=f"none is stated with the head; CLIP {OPENAI_CLIP}",
        needs=f"the weights openai/clip-vit-large-patch14, the head {USUAL_HEAD} (or the authors' own .pth), "
        "and the extra transformers",
        scale="about 1 to 10, in practice 3 to 7; nothing keeps it there",
        sees_prompt=False,
        unverified="not run here on the published weights",
    )
    usual = "openai/clip-vit-large-patch14"
    head: str | Callable[[Any], float] | None = None

    def wanted(self) -> tuple[Weights, ...]:
        return super().wanted() if callable(self.head) else (*super().wanted(), self._place)

    async def measure(self, encoder: Encoder, prompt: Prompt, artifact: Artifact) -> float:
        head = self.head if callable(self.head) else await asyncio.to_thread(lambda: self._loaded)
        vector = await encoder.picture(artifact)
        length = float((vector * vector).sum()) ** 0.5
        return head(vector / length) if length else math.nan

    def with_models(self, stand_in: Callable[[Backbone], Backbone]) -> Self:
        return replace(super().with_models(stand_in), head=_first)

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        if callable(self.head):
            return super().configuration() | {"head": "given"}
        ((first, *others),) = self._place.files
        name = self._place.label if others else first
        return super().configuration() | {"head": name, "head_revision": self._head_revision}

    @property
    def _place(self) -> Weights:
        """Where the head is: a file is a folder with one choice."""
        named = self.head if isinstance(self.head, str) else None
        file = Path(named or "").expanduser()
        if named and file.is_file():
            return Weights(str(file.resolve().parent), ((file.name,),), option="head")
        return Weights(named or USUAL_HEAD, (HEADS,), named=named is not None, option="head")

    @cached_property
    def _head_revision(self) -> str | None:
        folder = found(self._place)
        return fingerprint(folder, self._place.files, kept_in(self.cache))[:16] if folder else None

    @cached_property
    def _loaded(self) -> Head:
        folder = at_hand(self._place)
        (names,) = self._place.files
        file = next(folder / name for name in names if (folder / name).is_file())
        return Head.of(tensors_of(file), source=file.name)


def _first(vector: Any) -> float:
    """Stands in for a head in a rehearsal."""
    return float(vector[0])
