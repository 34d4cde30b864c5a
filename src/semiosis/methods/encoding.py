"""Scorers that look at the vectors of an encoder.

    @method("clipscore")
    @dataclass(frozen=True)
    class ClipScore(EncodedScorer):
        usual = "openai/clip-vit-base-patch32"
        async def measure(self, encoder: Encoder, prompt: Prompt, artifact: Artifact) -> float: ...

Those that use the same weights share one model, and the vectors it gave.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from ..backbones.backbone import Backbone
from ..backbones.dual_sources import DUAL, DualSource, Pretrained
from ..backbones.encoders import Encoder, RehearsedEncoder, encoder_of
from ..backbones.weights import Weights
from ..core.sign import Artifact, Prompt
from .weighted import WeightedScorer

OPENAI_CLIP = "MIT; its model card asks for tests of its own before any use in public"
LAION_CLIP_H = "laion/CLIP-ViT-H-14-laion2B-s32B-b79K"


@dataclass(frozen=True)
class EncodedScorer(WeightedScorer):
    """What such scorers share; a subclass writes `measure`, and in `usual` the weights if none are named.

    weights, device, batch and cache are those of every WeightedScorer.
    encoder     gives the vectors instead
    """

    encoder: Encoder | None = None

    @abstractmethod
    async def measure(self, encoder: Encoder, prompt: Prompt, artifact: Artifact) -> float:
        """The number for `artifact` under `prompt`."""

    async def number(self, prompt: Prompt, artifact: Artifact) -> float:
        return await self.measure(self.model, prompt, artifact)

    def source(self) -> DualSource:
        """What the encoder is made from, where none is given."""
        return Pretrained(self.named(DUAL))

    def wanted(self) -> tuple[Weights, ...]:
        return self.source().wanted if self.encoder is None else ()

    def with_models(self, stand_in: Callable[[Backbone], Backbone]) -> Self:
        return replace(super().with_models(stand_in), encoder=RehearsedEncoder())

    @cached_property
    def model(self) -> Encoder:
        if self.encoder is not None:
            return self.encoder
        return encoder_of(self.source(), device=self.device, batch=self.batch, cache=self.cache)
