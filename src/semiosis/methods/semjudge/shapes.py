"""The shape of each reply, as it is asked of a model; from here to the values of `core`.

How many parts there are and how long a text may be follows from the size, and is said in the prompt too
(prompts/size-*.txt). Table 7 and 8 ask for three to five parts, section C.2 allows at most three for standard
graphs: those are asked for three, complex ones for three to five.
"""

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, create_model

from ...core.graph import GROUND_TYPES, GroundType
from ..boxes import Boxes
from ..verdict import MOST_EVIDENCE, CertaintyShape, LongWords, NodeName, Rationale, Words
from .settings import Size

T = TypeVar("T", bound=BaseModel)


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


class GroundShape(BaseModel):
    type: Annotated[GroundType, BeforeValidator(_lower)]
    reason: Words


class Triad(BaseModel):
    label: Words
    sign: Words
    object: Words
    interpretant: Words
    grounds: Annotated[
        list[GroundShape], Field(min_length=1, json_schema_extra={"maxItems": len(GROUND_TYPES)})
    ]


class PromptPart(Triad):
    quote: Annotated[str, Field(json_schema_extra={"maxLength": 300})] | None
    relation: Words


class PicturePart(Triad):
    relation: Words
    absent: bool = False
    boxes: Boxes = []


class PromptGraph(Triad):
    children: list[PromptPart]


class PictureGraph(Triad):
    children: list[PicturePart]


class PictureGraphs(BaseModel, frozen=True):
    a: PictureGraph
    b: PictureGraph


@dataclass(frozen=True)
class Room:
    """Characters for each field of the whole and of a part, and for a reason; and how many parts."""

    whole: int
    part: int
    reason: int
    fewest: int
    most: int


LABEL = 80
ROOMS: dict[Size, Room] = {
    "standard": Room(whole=300, part=200, reason=120, fewest=1, most=3),
    "complex": Room(whole=900, part=600, reason=300, fewest=3, most=5),
}


def _within(most: int) -> Any:
    return Annotated[Words, Field(json_schema_extra={"maxLength": most})]


def _bounded(shape: type[T], size: Size, characters: int, **more: Any) -> type[T]:
    """The shape with its texts bounded: the same fields, so that order and meaning are those of `shape`."""
    reasoned = create_model(
        f"{size.title()}Ground", __base__=GroundShape, reason=(_within(ROOMS[size].reason), ...)
    )
    texts = {
        name: (_within(LABEL if name == "label" else characters), ...)
        for name in ("label", "sign", "object", "interpretant", "relation")
        if name in shape.model_fields
    }
    grounds = (
        Annotated[
            list[reasoned],  # pyright: ignore[reportInvalidTypeForm] - made just above
            Field(min_length=1, json_schema_extra={"maxItems": len(GROUND_TYPES)}),
        ],
        ...,
    )
    fields: dict[str, Any] = {**texts, "grounds": grounds, **more}
    return create_model(f"{size.title()}{shape.__name__}", __base__=shape, **fields)


def _graph(graph: type[T], part: type[BaseModel], size: Size) -> type[T]:
    room = ROOMS[size]
    bounded: Any = _bounded(part, size, room.part)
    children = (list[bounded], Field(min_length=room.fewest, max_length=room.most))
    return _bounded(graph, size, room.whole, children=children)


PROMPT_GRAPH: dict[Size, type[PromptGraph]] = {size: _graph(PromptGraph, PromptPart, size) for size in ROOMS}
PICTURE_GRAPH: dict[Size, type[PictureGraph]] = {
    size: _graph(PictureGraph, PicturePart, size) for size in ROOMS
}
PICTURE_GRAPHS: dict[Size, type[PictureGraphs]] = {
    size: create_model(f"{size.title()}PictureGraphs", __base__=PictureGraphs, a=graph, b=graph)
    for size, graph in PICTURE_GRAPH.items()
}


class CitationShape(BaseModel):
    node: NodeName
    rationale: Rationale


class AnswerShape(BaseModel):
    reasoning: LongWords
    evidence: Annotated[list[CitationShape], Field(json_schema_extra={"maxItems": MOST_EVIDENCE})] = []
    answer: Words
    certainty: CertaintyShape = None
