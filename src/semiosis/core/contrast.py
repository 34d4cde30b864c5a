"""Where two pictures of one prompt part: each sign that differs, in both, and what that does to the meaning.

A contrast is ours, not the paper's: between reading and verdict it asks for what tells the pictures apart.
"""

from typing import Literal, Self

from pydantic import model_validator

from .errors import BadGraph
from .graph import MAX_BOXES, check_ids
from .grounding import Box
from .value import Value

Meaning = Literal["keeps", "breaks", "indifferent"]


class Version(Value):
    """A sign as one of the pictures has it.

    says        what it says there
    meaning     whether it keeps or breaks what the prompt means, or does not matter for it
    boxes       where it is, or where it is missing; none for what has no single place
    """

    says: str
    meaning: Meaning
    boxes: tuple[Box, ...] = ()

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if len(self.boxes) > MAX_BOXES:
            raise BadGraph(f"A version has {len(self.boxes)} boxes; at most {MAX_BOXES} are allowed.")
        return self


class Difference(Value):
    """A sign in which the pictures differ. What matters in one of them matters in the other.

    id          its name in the contrast, as citations spell it: without dots or spaces
    label       a few words for the sign
    a           as picture A has it
    b           as picture B has it
    """

    id: str
    label: str
    a: Version
    b: Version

    @property
    def matters(self) -> bool:
        """Whether it touches what the prompt means."""
        return self.a.meaning != "indifferent"

    @property
    def unverified(self) -> int:
        """How many of its boxes do not check out."""
        return sum(not box.verified for version in (self.a, self.b) for box in version.boxes)

    @model_validator(mode="after")
    def _alike(self) -> Self:
        if (self.a.meaning == "indifferent") != (self.b.meaning == "indifferent"):
            raise BadGraph(
                f"Difference {self.id!r} {self.a.meaning} the meaning in A and is {self.b.meaning} in B: "
                "it matters in both or in neither."
            )
        return self


class Contrast(Value):
    """Every sign in which two pictures differ, what decides first; none where they say the same."""

    differences: tuple[Difference, ...] = ()

    @model_validator(mode="after")
    def _ids(self) -> Self:
        check_ids([difference.id for difference in self.differences])
        return self

    def difference(self, id: str) -> Difference | None:
        """The one of that id; None where there is none."""
        return next((each for each in self.differences if each.id == id), None)

    @property
    def unverified(self) -> int:
        """How many boxes do not check out."""
        return sum(each.unverified for each in self.differences)

    def exchanged(self) -> Self:
        """The same with the pictures' names exchanged."""
        return self.model_copy(
            update={
                "differences": tuple(
                    each.model_copy(update={"a": each.b, "b": each.a}) for each in self.differences
                )
            }
        )
