"""A prompt, the pictures made of it one from the other, and how each was read."""

from typing import Literal, Self

from pydantic import model_validator

from ..cascade import Cascade, SemiosisGap, mismatches
from ..errors import BadGraph
from ..outcome import Finding, Outcome, Provenance
from ..sign import Artifact, Prompt
from . import kind


@kind
class CascadeReading(Outcome):
    """A prompt and the pictures made of it round by round, each read without the prompt (equation 2).

    prompt      what the first picture was made from
    artifacts   the pictures, one for each round that reads a picture, in that order
    cascade     how each was read, who made it and from which round
    gaps        of each round after the first to the first; empty where nothing measured them
    provenance  where it came from, call by call
    """

    headline = ("object", "interpretant", "gap", "unverified")
    kind: Literal["cascade"] = "cascade"
    prompt: Prompt
    artifacts: tuple[Artifact, ...]
    cascade: Cascade
    gaps: tuple[SemiosisGap, ...] = ()
    provenance: Provenance

    @model_validator(mode="after")
    def _complete(self) -> Self:
        pictured = sum(reading.pictured for reading in self.cascade.rounds)
        if len(self.artifacts) != pictured:
            raise BadGraph(f"{pictured} rounds of the cascade read a picture, not {len(self.artifacts)}.")
        later = len(self.cascade.rounds) - 1
        if self.gaps and len(self.gaps) != later:
            raise BadGraph(f"A cascade with {later} rounds after the first has no {len(self.gaps)} gaps.")
        return self

    @property
    def object(self) -> str:
        """What the last sign stands for."""
        return self.cascade.rounds[-1].graph.root.object

    @property
    def interpretant(self) -> str:
        """What the last sign leaves in a viewer."""
        return self.cascade.rounds[-1].graph.root.interpretant

    @property
    def gap(self) -> float | None:
        """How far the last object lies from the first (equation 4); None where it was not measured."""
        return self.gaps[-1].distance if self.gaps else None

    @property
    def mismatches(self) -> tuple[float | None, ...]:
        """Of each round after the first with the one it was made from (Proposition 1)."""
        return mismatches(self.cascade)

    @property
    def unverified(self) -> int:
        """Boxes and spans that did not check out."""
        return sum(reading.graph.unverified for reading in self.cascade.rounds)

    @property
    def finding(self) -> Finding:
        """The negated gap as its value, as the paper's quality measure has it."""
        return Finding(value=self.gaps[-1].score if self.gaps else None, unverified=self.unverified)
