"""Scorers that stand on weights in this process: which ones, where they run, what is missing and recorded.

`EncodedScorer` (encoding.py) and `MatchingScorer` (matching.py) say which kind of model they ask.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Protocol

from ..backbones.kept_models import BATCH
from ..backbones.weights import Files, Weights, check
from ..core.errors import BackboneError
from ..core.outcome import Exchange, Failure
from ..core.settings import COUNT
from ..core.sign import Artifact, Prompt
from .scorer import Scorer

# What says where and how fast a number is computed, and not which; and what is given instead of weights.
_UNRECORDED = frozenset({"device", "batch", "cache", "encoder", "matcher"})


class Known(Protocol):
    """A model that is known by its name, and by what tells it from others of that name."""

    @property
    def name(self) -> str: ...

    @property
    def revision(self) -> str: ...

    def require(self) -> None: ...


@dataclass(frozen=True)
class WeightedScorer(Scorer):
    """What such scorers share; a subclass says in `usual` which weights are taken if none are named.

    weights     a hub id or a folder; weights that are named are downloaded where they are missing
    device      as torch names it; a graphics card if left out, where there is one
    batch       how many go through the model at once, at most
    cache       whether what was computed is kept on disk, for other runs and methods
    """

    usual: ClassVar[str]
    weights: str | None = None
    device: str | None = None
    batch: Annotated[int, COUNT] = BATCH
    cache: bool = True

    @cached_property
    @abstractmethod
    def model(self) -> Known:
        """The model that was given, or that of the weights; held as long as the method is."""

    @abstractmethod
    def wanted(self) -> tuple[Weights, ...]:
        """All that must be on this machine; nothing where a model is given."""

    @abstractmethod
    async def number(self, prompt: Prompt, artifact: Artifact) -> float:
        """The number for `artifact` under `prompt`; raises BackboneError where the model breaks."""

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        try:
            return await self.number(prompt, artifact)
        except BackboneError as error:
            return Failure.of(error, "computing")

    def named(self, files: Files) -> Weights:
        """The weights that were named, else the usual ones, with the files they must have."""
        return Weights(self.weights or self.usual, files, named=self.weights is not None)

    def require(self) -> None:
        super().require()
        wanted = self.wanted()
        if wanted:
            check(self.label, *wanted)
        else:
            self.model.require()

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        settings = super().configuration()
        known = {"weights": self.model.name, "revision": self.model.revision[:16] or None}
        return {name: settings[name] for name in settings.keys() - _UNRECORDED} | known
