"""What a citation points at: each node's printed name, its safe key in the page, and its colour.

Node ids come from a model and may hold anything but dots and spaces, so the page is keyed by position.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...core.contrast import Contrast
from ...core.graph import HSG
from ..palette import hue_of


@dataclass(frozen=True)
class Mark:
    """One node as the page refers to it."""

    node: str
    key: str
    name: str
    short: str
    label: str
    sign: str
    hue: int
    carded: bool
    linked: bool = True

    @property
    def anchor(self) -> str:
        return f"node-{self.key}" if self.carded else f"plate-{self.sign}"


def marks_of(sign: str, graph: HSG | None) -> tuple[Mark, ...]:
    """The root's mark, then its parts'. A sign without a graph still has a root to point at."""
    name = sign if sign in ("prompt", "region") else sign.upper()
    whole = "the prompt" if sign == "prompt" else f"picture {name}"
    root = Mark(
        node=sign,
        key=sign,
        name=name,
        short=name,
        label=graph.label if graph else whole,
        sign=sign,
        hue=0,
        carded=graph is not None,
    )
    parts = [
        Mark(
            node=f"{sign}.{child.id}",
            key=f"{sign}-{position}",
            name=f"{name}.{child.id}",
            short=child.id if len(child.id) <= 3 else str(position),
            label=child.label,
            sign=sign,
            hue=hue_of(position),
            carded=True,
        )
        for position, child in enumerate(graph.children if graph else (), start=1)
    ]
    return (root, *parts)


def marks_of_contrast(contrast: Contrast | None) -> tuple[Mark, ...]:
    """One for each difference; it stands in both pictures."""
    return tuple(
        Mark(
            node=f"contrast.{each.id}",
            key=f"contrast-{position}",
            name=f"contrast.{each.id}",
            short=f"≠{each.id if len(each.id) <= 3 else position}",
            label=each.label,
            sign="contrast",
            hue=hue_of(position),
            carded=True,
        )
        for position, each in enumerate(contrast.differences if contrast else (), start=1)
    )


Marks = Mapping[str, Mark]


def register(groups: Iterable[tuple[Mark, ...]]) -> Marks:
    """Marks by node name, as citations spell it."""
    return {mark.node: mark for group in groups for mark in group}
