"""One sign read alone."""

from typing import Literal, Self

from pydantic import model_validator

from ..cascade import Reading
from ..errors import BadRecord
from ..outcome import Finding, Outcome, Provenance
from ..sign import Artifact, Prompt
from ..value import Value
from . import kind


class Passage(Value):
    """Some of what was written of a sign, and what it is about."""

    title: str
    text: str


@kind
class Interpretation(Outcome):
    """One sign read alone: as a graph, or in prose.

    prompt      the prompt that was read, or None
    artifact    the picture that was read, or None
    reading     its graph, and who read it; None where it was read in prose
    passages    what was written of it, in order, where it was read in prose
    provenance  where it came from, call by call
    """

    headline = ("object", "interpretant", "unverified", "words")
    kind: Literal["interpretation"] = "interpretation"
    prompt: Prompt | None = None
    artifact: Artifact | None = None
    reading: Reading | None = None
    passages: tuple[Passage, ...] = ()
    provenance: Provenance

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.reading is None and not self.passages:
            raise BadRecord("An interpretation holds a graph or prose, and here is neither.")
        return self

    @property
    def object(self) -> str | None:
        """What the whole sign stands for; None where no graph says."""
        return self.reading and self.reading.graph.root.object

    @property
    def interpretant(self) -> str | None:
        """What it leaves in a viewer; None where no graph says."""
        return self.reading and self.reading.graph.root.interpretant

    @property
    def unverified(self) -> int:
        """Boxes and spans that did not check out."""
        return self.reading.graph.unverified if self.reading else 0

    @property
    def words(self) -> int:
        """How many words of prose there are."""
        return sum(len(passage.text.split()) for passage in self.passages)

    @property
    def rationales(self) -> tuple[str, ...]:
        """What was written of it in prose."""
        return tuple(passage.text for passage in self.passages)

    @property
    def finding(self) -> Finding:
        """What did not check out."""
        return Finding(unverified=self.unverified)
