"""One picture of a prompt, and its score."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from ..cascade import Cascade, SemiosisGap
from ..item import Item, Label
from ..outcome import Finding, Outcome, Provenance
from ..sign import Artifact, Hashed, Picture, Prompt, hashes
from ..value import Value
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
    def subject(self) -> tuple[str, ...]:
        return self.prompt.identity

    @property
    def label(self) -> Label:
        return self.labels.get("rating")


class ScorePart(Value):
    """One of the parts that a number is made of.

    id          its name among the parts
    about       what it measures, or the question it asks
    value       its number; None where it has none of its own
    reason      why, in the words of whoever gave it
    needs       the parts that must hold before it can
    asked       whether anybody was asked; one whose `needs` failed is not
    yes_no      whether its number is an answer: 1 for yes, 0 for no
    """

    id: str
    about: str
    value: Annotated[float, Field(allow_inf_nan=False)] | None = None
    reason: str = ""
    needs: tuple[str, ...] = ()
    asked: bool = True
    yes_no: bool = False


class Measurement(Value):
    """A number for one picture, and the parts it is made of where it is made of parts."""

    value: Annotated[float, Field(allow_inf_nan=False)]
    parts: tuple[ScorePart, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why, in the words of whoever was asked; a reason for several parts stands once."""
        return tuple(dict.fromkeys(part.reason for part in self.parts if part.reason))


@kind
class Score(Outcome):
    """An absolute number for one picture; higher is better.

    prompt      what the picture was made from
    artifact    the picture
    value       the number
    parts       what it is made of, where it is made of parts
    gap         the gap it comes from, if it does
    cascade     how prompt and picture were read, if they were
    provenance  where it came from, call by call
    """

    headline = ("value",)
    kind: Literal["score"] = "score"
    prompt: Prompt
    artifact: Artifact
    value: Annotated[float, Field(allow_inf_nan=False)]
    parts: tuple[ScorePart, ...] = ()
    gap: SemiosisGap | None = None
    cascade: Cascade | None = None
    provenance: Provenance

    @property
    def measurement(self) -> Measurement:
        """The number and its parts."""
        return Measurement(value=self.value, parts=self.parts)

    @property
    def rationales(self) -> tuple[str, ...]:
        """The reasons that were given for its parts, once each."""
        return self.measurement.reasons

    @property
    def finding(self) -> Finding:
        """Its value."""
        return Finding(value=self.value)
