"""The prompt cut at the ends of its spans, so that overlapping spans stay readable and escapable."""

from dataclasses import dataclass
from itertools import pairwise

from ...core.graph import HSG
from .marks import Mark


@dataclass(frozen=True)
class Stretch:
    """A run of the prompt and the parts that quote it, the shortest quotation first."""

    text: str
    marks: tuple[Mark, ...] = ()
    closes: tuple[Mark, ...] = ()

    @property
    def keys(self) -> str:
        return " ".join(mark.key for mark in self.marks)


def stretches(text: str, graph: HSG | None, marks: tuple[Mark, ...]) -> tuple[Stretch, ...]:
    spans = [
        (child.span.start, min(child.span.end, len(text)), mark)
        for child, mark in zip(graph.children if graph else (), marks[1:], strict=True)
        if child.span
        and child.span.start is not None
        and child.span.end is not None
        and 0 <= child.span.start < min(child.span.end, len(text))
    ]
    cuts = sorted({0, len(text), *(edge for start, end, _ in spans for edge in (start, end))})
    parts: list[Stretch] = []
    for start, end in pairwise(cuts):
        over = sorted(
            (span for span in spans if span[0] <= start and end <= span[1]),
            key=lambda span: span[1] - span[0],
        )
        closes = tuple(mark for _, e, mark in over if e == end)
        parts.append(Stretch(text=text[start:end], marks=tuple(mark for *_, mark in over), closes=closes))
    return tuple(parts)


def not_found(graph: HSG | None, marks: tuple[Mark, ...]) -> tuple[tuple[Mark, str], ...]:
    """Quotations that do not stand in the prompt, with the part that claims them."""
    return tuple(
        (mark, child.span.quote)
        for child, mark in zip(graph.children if graph else (), marks[1:], strict=True)
        if child.span and not child.span.verified
    )
