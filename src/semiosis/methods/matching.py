"""Scorers that ask a model which looks at picture and prompt together.

@method("imagereward")
@dataclass(frozen=True)
class ImageReward(MatchingScorer):
    usual = "THUDM/ImageReward"
    def source(self) -> MatchSource: ...
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from ..backbones.backbone import Backbone
from ..backbones.matchers import Matcher, MatchSource, RehearsedMatcher, matcher_of
from ..backbones.weights import Weights
from ..core.sign import Artifact, Prompt
from .weighted import WeightedScorer


@dataclass(frozen=True)
class MatchingScorer(WeightedScorer):
    """What such scorers share; a subclass says what its `source` is, and in `usual` the usual weights.

    weights, device, batch and cache are those of every WeightedScorer.
    matcher     gives the numbers instead
    """

    matcher: Matcher | None = None

    @abstractmethod
    def source(self) -> MatchSource:
        """What the matcher is made from, where none is given."""

    async def number(self, prompt: Prompt, artifact: Artifact) -> float:
        return await self.model.number(artifact, prompt.text)

    def wanted(self) -> tuple[Weights, ...]:
        return self.source().wanted if self.matcher is None else ()

    def with_models(self, stand_in: Callable[[Backbone], Backbone]) -> Self:
        return replace(super().with_models(stand_in), matcher=RehearsedMatcher())

    @cached_property
    def model(self) -> Matcher:
        if self.matcher is not None:
            return self.matcher
        return matcher_of(self.source(), device=self.device, batch=self.batch, cache=self.cache)
