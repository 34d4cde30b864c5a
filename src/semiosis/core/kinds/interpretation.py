"""One sign read alone."""

from typing import Literal

from ..cascade import Reading
from ..outcome import Finding, Outcome, Provenance
from ..sign import Artifact, Prompt
from . import kind


@kind
class Interpretation(Outcome):
    """One sign read alone.

    prompt      the prompt that was read, or None
    artifact    the picture that was read, or None
    reading     its graph, and who read it
    provenance  where it came from, call by call
    """

    headline = ("object", "interpretant", "unverified")
    kind: Literal["interpretation"] = "interpretation"
    prompt: Prompt | None = None
    artifact: Artifact | None = None
    reading: Reading
    provenance: Provenance

    @property
    def object(self) -> str:
        """What the whole sign stands for."""
        return self.reading.graph.root.object

    @property
    def interpretant(self) -> str:
        """What it leaves in a viewer."""
        return self.reading.graph.root.interpretant

    @property
    def unverified(self) -> int:
        """Boxes and spans that did not check out."""
        return self.reading.graph.unverified

    @property
    def finding(self) -> Finding:
        """What did not check out."""
        return Finding(unverified=self.unverified)
