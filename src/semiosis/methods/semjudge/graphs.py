"""Between a reply's shape, a graph, and the text in which a graph is shown to a judge."""

from typing import TypedDict

from ...backbones.backbone import Traits
from ...backbones.boxes import read_boxes
from ...core.errors import BadGraph
from ...core.graph import HSG, MAX_BOXES, Ground, Semiosis, SubSemiosis
from ...core.grounding import find_span
from ...core.sign import Prompt
from ..boxes import corners
from .shapes import PictureGraph, PromptGraph, Triad


class _Triad(TypedDict):
    sign: str
    object: str
    interpretant: str
    grounds: tuple[Ground, ...]


def graph_of_prompt(shape: PromptGraph, prompt: Prompt) -> HSG:
    """Each quotation is looked up in the prompt's text."""
    children = tuple(
        SubSemiosis(
            **_triad(child),
            id=str(number),
            label=child.label,
            relation=child.relation,
            span=find_span(prompt.text, child.quote) if child.quote and child.quote.strip() else None,
        )
        for number, child in enumerate(shape.children, 1)
    )
    return HSG(label=shape.label, root=Semiosis(**_triad(shape)), children=children)


def graph_of_picture(shape: PictureGraph, traits: Traits, sent_size: tuple[int, int]) -> HSG:
    """Boxes are brought to shares of the picture, all of one picture together.

    Models told to give at most three sometimes give more: the first three are kept, see `surplus_boxes`.
    """
    boxes = iter(read_boxes([box.raw for child in shape.children for box in child.boxes], traits, sent_size))
    children = tuple(
        SubSemiosis(
            **_triad(child),
            id=str(number),
            label=child.label,
            relation=child.relation,
            boxes=tuple([next(boxes) for _ in child.boxes][:MAX_BOXES]),
            absent=child.absent,
        )
        for number, child in enumerate(shape.children, 1)
    )
    return HSG(label=shape.label, root=Semiosis(**_triad(shape)), children=children)


def checked(graph: HSG, prompt: Prompt) -> HSG:
    """A prompt's graph written elsewhere, each quotation looked up in this prompt."""
    children: list[SubSemiosis] = []
    for child in graph.children:
        if child.boxes:
            raise BadGraph(f"Node {child.id!r} has boxes, but this is the graph of a prompt.")
        span = find_span(prompt.text, child.span.quote) if child.span else None
        children.append(child.model_copy(update={"span": span}))
    return graph.model_copy(update={"children": tuple(children)})


def surplus_boxes(shape: PictureGraph) -> int:
    return sum(max(0, len(child.boxes) - MAX_BOXES) for child in shape.children)


def _triad(shape: Triad) -> _Triad:
    return {
        "sign": shape.sign,
        "object": shape.object,
        "interpretant": shape.interpretant,
        "grounds": tuple(Ground(type=ground.type, reason=ground.reason) for ground in shape.grounds),
    }


def describe(graph: HSG, name: str) -> str:
    """The graph as text, each node with the id it is cited by."""
    lines = [f"[{name}] {graph.label}", *_lines(graph.root)]
    for child in graph.children:
        lines += [
            f"[{name}.{child.id}] {child.label}{' (absent: it is missing)' if child.absent else ''}",
            *_lines(child),
            f"  relation to the whole: {child.relation}",
        ]
        if child.span is not None:
            lines.append(f'  words: "{child.span.quote}"')
        if child.boxes:
            where = "where it should be" if child.absent else "where"
            lines.append(f"  {where}: {'; '.join(map(corners, child.boxes))}")
    return "\n".join(lines)


def _lines(semiosis: Semiosis) -> list[str]:
    grounds = "; ".join(f"{ground.type} ({ground.reason})" for ground in semiosis.grounds)
    return [
        f"  sign: {semiosis.sign}",
        f"  object: {semiosis.object}",
        f"  interpretant: {semiosis.interpretant}",
        f"  grounds: {grounds}",
    ]
