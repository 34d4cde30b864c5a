"""The signs of a pair, read: what the stages before a judgment hand on to it."""

from dataclasses import dataclass

from ...core.cascade import Cascade, Reading
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
    prompt: Reading
    a: Reading
    b: Reading

    @property
    def graphs(self) -> dict[str, HSG | None]:
        return {"prompt": self.prompt.graph, "a": self.a.graph, "b": self.b.graph}

    @property
    def cascade_a(self) -> Cascade:
        return Cascade(rounds=(self.prompt, self.a))

    @property
    def cascade_b(self) -> Cascade:
        return Cascade(rounds=(self.prompt, self.b))

    def ordered(self, order: Order) -> "Readings":
        """As shown in that order; taken twice, it is the pair's own again."""
        return self if order == "ab" else Readings(self.prompt, self.b, self.a)

    def roots(self) -> "Readings":
        return Readings(_root(self.prompt), _root(self.a), _root(self.b))


def _root(reading: Reading) -> Reading:
    return reading.model_copy(
        update={"graph": reading.graph.root_only(), "how": f"{reading.how}, root only".lstrip(", ")}
    )
