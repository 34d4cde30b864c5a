"""One verdict between two pictures, and what it cites."""

from typing import Literal, Self

from pydantic import model_validator

from .cascade import Cascade
from .certainty import Certainty, lean
from .contrast import Contrast
from .errors import BadRecord
from .sign import Side, other
from .value import Value

Order = Literal["ab", "ba"]
Supports = Literal["a", "b", "both-ways", "both-lack"]


class Evidence(Value):
    """A node, and why it speaks for a side.

    node        "prompt", "a", "b" or one of their parts, as "a.2"; a difference, as "contrast.1"
    rationale   why, in the judge's words
    supports    "a" or "b"; "both-ways" where it speaks for each in turn; "both-lack" for what neither picture
                has; None where it decides nothing
    verified    whether there is such a node
    respect     in which respect it was judged, where the method names it: "style", "content"
    """

    node: str
    rationale: str
    supports: Supports | None = None
    verified: bool = True
    respect: str = ""

    @property
    def reason(self) -> str:
        """Why, with the respect before it."""
        return f"{self.respect.capitalize()}: {self.rationale}" if self.respect else self.rationale


class Vote(Value):
    """One verdict. Sides are the pair's own, whatever order they were shown in.

    order       "ab" or "ba": which picture was shown first; None where a method measured each by itself
    repeat      0 for the first time this order was asked
    winner      "a" or "b", which a model must choose between; None where a method measured both as equal
    certainty   how sure the judge is, 1 to 5; None for a computed verdict, and where nobody asked
    discussion  the judge's words, in the labels of that order
    evidence    what it cites
    contrast    where the pictures differ, as seen for this vote
    cascade_a   how the prompt and picture A were read for this vote, where its graphs are its own
    cascade_b   the same for B
    """

    order: Order | None = None
    repeat: int = 0
    winner: Side | None
    certainty: Certainty | None = None
    discussion: str = ""
    evidence: tuple[Evidence, ...] = ()
    contrast: Contrast | None = None
    cascade_a: Cascade | None = None
    cascade_b: Cascade | None = None

    @property
    def rationales(self) -> tuple[str, ...]:
        """The judge's words: its discussion, and why it cites what."""
        return tuple(filter(None, (self.discussion, *(item.rationale for item in self.evidence))))

    def side_shown_as(self, label: Side) -> Side:
        """The pair's own side for the `label` the judge saw, as its discussion speaks of it."""
        return other(label) if self.order == "ba" else label

    @property
    def graded(self) -> float:
        """The preference for A: 1 for A and 0 for B where it is sure, 0.5 for a coin flip.

        0.5 + (certainty - 1) / 8 for the winner; without a certainty, as sure as a vote can be.
        """
        if self.winner is None:
            return 0.5
        return 0.5 + lean(self.certainty) * (1 if self.winner == "a" else -1)

    @property
    def supported(self) -> bool:
        """Whether it cites anything, and not only what speaks for the other side."""
        return any(self.winner is None or item.supports != other(self.winner) for item in self.evidence)

    @model_validator(mode="after")
    def _judged(self) -> Self:
        if self.certainty is not None and (self.order is None or self.winner is None):
            raise BadRecord("A vote that nobody cast, or that is for neither side, has no certainty.")
        return self
