"""The signs of a pair, read: what the stages before a judgment hand on to it."""

from dataclasses import dataclass

from ...core.cascade import Cascade, Reading
from ...core.contrast import Contrast
from ...core.graph import HSG
from ...core.vote import Order


@dataclass(frozen=True)
class Given:
    """Graphs written by a person or a stronger model, used instead of building them.

    prompt      the prompt's graph, or None to have it built
    `a`, `b`    the pictures' graphs, or None
    by          who gave them, for the record
    """

    prompt: HSG | None = None
    a: HSG | None = None
    b: HSG | None = None
    by: str = "given"


@dataclass(frozen=True)
class Readings:
    """Prompt and pictures, read; and, where that was asked, in what the pictures differ."""

    prompt: Reading
    a: Reading
    b: Reading
    contrast: Contrast | None = None

    @property
    def citable(self) -> dict[str, HSG | Contrast | None]:
        signs = {"prompt": self.prompt.graph, "a": self.a.graph, "b": self.b.graph}
        return {**signs, **({"contrast": self.contrast} if self.contrast else {})}

    @property
    def cascade_a(self) -> Cascade:
        return Cascade(rounds=(self.prompt, self.a))

    @property
    def cascade_b(self) -> Cascade:
        return Cascade(rounds=(self.prompt, self.b))

    def ordered(self, order: Order) -> "Readings":
        """As shown in that order; taken twice, it is the pair's own again."""
        if order == "ab":
            return self
        return Readings(self.prompt, self.b, self.a, self.contrast and self.contrast.exchanged())

    def roots(self) -> "Readings":
        """Without the parts of the pictures; the prompt keeps its own (figure 4)."""
        return Readings(self.prompt, root_of(self.a), root_of(self.b), self.contrast)


def root_of(reading: Reading) -> Reading:
    """The same reading without its parts."""
    return reading.model_copy(
        update={"graph": reading.graph.root_only(), "how": f"{reading.how}, root only".lstrip(", ")}
    )
