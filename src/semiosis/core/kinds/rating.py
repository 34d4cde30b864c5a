"""One picture of a prompt, and its score."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from ..cascade import Cascade, SemiosisGap
from ..item import Item, Label
from ..outcome import Finding, Outcome, Provenance
from ..sign import Artifact, Hashed, Picture, Prompt, hashes
from . import kind


@kind
class RatingItem(Item):
    """One picture of a prompt, to be scored. The label `rating` is a number."""

    capability = "score"
    kind: Literal["rating"] = "rating"
    prompt: Prompt
    artifact: Picture

    @property
    def identity(self) -> tuple[str, ...]:
        return self.identity_of(self.prompt.text, self.prompt.references, self.artifact)

    @staticmethod
    def identity_of(prompt: str, references: Iterable[Hashed], artifact: Hashed) -> tuple[str, ...]:
        return (prompt, *hashes(*references, artifact))

    @property
    def arguments(self) -> tuple[Prompt, Artifact]:
        return (self.prompt, self.artifact)

    @property
    def pictures(self) -> tuple[Artifact, ...]:
        return (*self.prompt.references, self.artifact)

    @property
    def words(self) -> str:
        return self.prompt.text

    @property
    def label(self) -> Label:
        return self.labels.get("rating")


@kind
class Score(Outcome):
    """An absolute number for one picture; higher is better.

    prompt      what the picture was made from
    artifact    the picture
    value       the number
    gap         the gap it comes from, if it does
    cascade     how prompt and picture were read, if they were
    provenance  where it came from, call by call
    """

    headline = ("value",)
    kind: Literal["score"] = "score"
    prompt: Prompt
    artifact: Artifact
    value: Annotated[float, Field(allow_inf_nan=False)]
    gap: SemiosisGap | None = None
    cascade: Cascade | None = None
    provenance: Provenance

    @property
    def finding(self) -> Finding:
        """Its value."""
        return Finding(value=self.value)
