"""The Hierarchical Semiosis Graph: a root semiosis and the sub-semioses that carry it (section 4.3).

Edges run from the root to each child and are labelled by the child's `relation`, so a graph is directed
and acyclic by its shape; ids are unique within it.
"""

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import model_validator

from .errors import BadGraph
from .grounding import Box, TextSpan
from .value import Value

GroundType = Literal["iconic", "indexical", "symbolic"]
GROUND_TYPES: tuple[GroundType, ...] = ("iconic", "indexical", "symbolic")
MAX_BOXES = 3


class Ground(Value):
    """Why a sign stands for its object.

    type        "iconic" (it resembles), "indexical" (a trace or pointer) or "symbolic" (a convention)
    reason      the link, in words
    """

    type: GroundType
    reason: str


class Semiosis(Value):
    """The triad: a sign stands for an object and produces an interpretant (equation 1).

    sign            what there is to perceive
    object          what it stands for
    interpretant    what it leaves in someone who looks
    grounds         by which links, one `Ground` each
    """

    sign: str
    object: str
    interpretant: str
    grounds: tuple[Ground, ...] = ()


class SubSemiosis(Semiosis):
    """A part of a sign, itself a sign with `sign`, `object`, `interpretant` and `grounds`.

    id          its name in the graph, as citations spell it: without dots or spaces
    label       a few words for it
    relation    how it carries the whole
    boxes       where it is in a picture, up to three; none for what has no single place
    span        the words of a prompt it quotes; a part has boxes or a span, not both
    absent      whether it is missing where one expects it: its boxes then say where it should be
    """

    id: str
    label: str
    relation: str
    boxes: tuple[Box, ...] = ()
    span: TextSpan | None = None
    absent: bool = False

    @property
    def localizable(self) -> bool:
        """Whether it points at a place."""
        return bool(self.boxes) or self.span is not None

    @property
    def unverified(self) -> int:
        """How many of its pointers do not check out."""
        spans = 0 if self.span is None or self.span.verified else 1
        return spans + sum(not box.verified for box in self.boxes)

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if len(self.boxes) > MAX_BOXES:
            raise BadGraph(f"Node {self.id!r} has {len(self.boxes)} boxes; at most {MAX_BOXES} are allowed.")
        if self.boxes and self.span:
            raise BadGraph(f"Node {self.id!r} has boxes and a text span; it can have one or the other.")
        if self.absent and self.span:
            raise BadGraph(f"Node {self.id!r} is absent and quotes the prompt; only a picture lacks a part.")
        return self


def check_ids(ids: Sequence[str]) -> None:
    """Refuse names that a citation could not spell, or that name two things."""
    for name in ids:
        if not name or "." in name or any(character.isspace() for character in name):
            raise BadGraph(f"Node id {name!r} must be non-empty, without dots or spaces.")
        if ids.count(name) > 1:
            raise BadGraph(f"Node id {name!r} is used {ids.count(name)} times in one graph.")


class HSG(Value):
    """The graph of one sign, prompt or picture: a root and the parts that carry it.

    label       a few words for the whole
    root        the sign as a whole
    children    its parts; their ids are unique
    """

    label: str
    root: Semiosis
    children: tuple[SubSemiosis, ...] = ()

    @model_validator(mode="after")
    def _ids(self) -> Self:
        check_ids([child.id for child in self.children])
        return self

    def node(self, id: str | None) -> Semiosis | None:
        """The root where `id` is None, else the child of that id; None where there is none."""
        if id is None:
            return self.root
        return next((child for child in self.children if child.id == id), None)

    @property
    def unverified(self) -> int:
        """How many pointers of its parts do not check out."""
        return sum(child.unverified for child in self.children)

    def root_only(self) -> Self:
        """The same reading without its parts."""
        return self.model_copy(update={"children": ()})
