"""One verdict between two pictures, and what it cites."""

from typing import Literal

from .cascade import Cascade
from .sign import Side, other
from .value import Value

Order = Literal["ab", "ba"]


class Evidence(Value):
    """A node, and why it speaks for a side.

    node        "prompt", "a", "b" or one of their parts, as "a.2"
    rationale   why, in the judge's words
    supports    "a", "b", or None for neither
    verified    whether there is such a node
    """

    node: str
    rationale: str
    supports: Side | None = None
    verified: bool = True


class Vote(Value):
    """One verdict. Sides are the pair's own, whatever order they were shown in.

    order       "ab" or "ba": which picture was shown first; None where a method measured each by itself
    repeat      0 for the first time this order was asked
    winner      "a" or "b", which a model must choose between; None where a method measured both as equal
    discussion  the judge's words, in the labels of that order
    evidence    what it cites
    cascade_a   how the prompt and picture A were read for this vote, where its graphs are its own
    cascade_b   the same for B
    """

    order: Order | None = None
    repeat: int = 0
    winner: Side | None
    discussion: str = ""
    evidence: tuple[Evidence, ...] = ()
    cascade_a: Cascade | None = None
    cascade_b: Cascade | None = None

    def side_shown_as(self, label: Side) -> Side:
        """The pair's own side for the `label` the judge saw, as its discussion speaks of it."""
        return other(label) if self.order == "ba" else label
