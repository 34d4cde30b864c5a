"""A reading laid out as cards: the root, then its parts."""

from dataclasses import dataclass

from ...core.cascade import Reading
from ...core.graph import Ground, Semiosis, SubSemiosis
from ..words import count, doubts
from .marks import Mark

_ORIGINS = {"built": "built here", "given": "given, not built here", "recorded": "from a recording"}


@dataclass(frozen=True)
class Card:
    mark: Mark
    sign: str
    object: str
    interpretant: str
    grounds: tuple[Ground, ...]
    relation: str = ""
    quote: str = ""
    where: str = ""
    doubt: str = ""
    pointed: bool = False
    absent: bool = False


@dataclass(frozen=True)
class Laid:
    """One reading: who read, how the graph came to be, and its cards."""

    of: str
    interpreter: str
    origin: str
    how: str
    root: Card
    parts: tuple[Card, ...]


def lay(reading: Reading, marks: tuple[Mark, ...]) -> Laid:
    graph = reading.graph
    return Laid(
        of=reading.of,
        interpreter=reading.interpreter,
        origin=_ORIGINS[reading.made],
        how=reading.how,
        root=_card(graph.root, marks[0]),
        parts=tuple(
            _part(child, mark, reading.pictured)
            for child, mark in zip(graph.children, marks[1:], strict=True)
        ),
    )


def _card(semiosis: Semiosis, mark: Mark) -> Card:
    return Card(mark, semiosis.sign, semiosis.object, semiosis.interpretant, semiosis.grounds)


def _part(child: SubSemiosis, mark: Mark, pictured: bool) -> Card:
    mended = any("corners-swapped" in box.marks for box in child.boxes)
    places = count(len(child.boxes), "place") if child.boxes else "no single place"
    where = f"it should be in {places}" if child.absent else f"{places} in the picture"
    return Card(
        mark=mark,
        sign=child.sign,
        object=child.object,
        interpretant=child.interpretant,
        grounds=child.grounds,
        relation=child.relation,
        quote=child.span.quote if child.span else "",
        where=f"{where}{'; corners put in order' if mended else ''}"
        if pictured
        else ""
        if child.span
        else "no words of its own",
        doubt=doubts(child),
        pointed=child.localizable,
        absent=child.absent,
    )
