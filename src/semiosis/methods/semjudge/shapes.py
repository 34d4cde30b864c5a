"""The shape of each reply, as it is asked of a model; from here to the values of `core`.

Named corners leave no doubt about the order of a box; bare lists are understood too, by the family's habit.
"""

from typing import Annotated, Any, Self, TypeVar, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    create_model,
    model_validator,
)

from ...backbones.boxes import RawBox
from ...core.graph import MAX_BOXES, GroundType
from ..verdict import LongWords, Words
from .settings import Size

G = TypeVar("G", bound="Triad")


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


Coordinate = Annotated[
    float, Field(allow_inf_nan=False), WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 1000})
]

_CORNERS = (("x0", "y0", "x1", "y1"), ("x_min", "y_min", "x_max", "y_max"), ("xmin", "ymin", "xmax", "ymax"))


class GroundShape(BaseModel):
    type: Annotated[GroundType, BeforeValidator(_lower)]
    reason: Words


class BoxShape(BaseModel):
    x0: Coordinate
    y0: Coordinate
    x1: Coordinate
    y1: Coordinate
    _named: bool = PrivateAttr(default=True)
    _y_first: bool = PrivateAttr(default=False)

    @model_validator(mode="wrap")
    @classmethod
    def _any_form(cls, value: Any, handler: ValidatorFunctionWrapHandler) -> Self:
        named, y_first = True, False
        if isinstance(value, dict):
            keyed = cast(dict[str, Any], value)
            for key, order in (("box_2d", True), ("bbox_2d", False), ("bbox", False), ("box", False)):
                if key in keyed:
                    value, named, y_first = keyed[key], False, order
            for corners in _CORNERS[1:]:
                if all(corner in keyed for corner in corners):
                    value = dict(zip(_CORNERS[0], (keyed[corner] for corner in corners), strict=True))
        if isinstance(value, list | tuple):
            numbers = list(cast(list[Any], value))
            named = False
            if len(numbers) == 4:
                value = dict(zip(_CORNERS[0], numbers, strict=True))
        shape = handler(value)
        shape._named, shape._y_first = named, y_first
        return shape

    @property
    def raw(self) -> RawBox:
        return RawBox((self.x0, self.y0, self.x1, self.y1), named=self._named, y_first=self._y_first)


class Triad(BaseModel):
    label: Words
    sign: Words
    object: Words
    interpretant: Words
    grounds: Annotated[list[GroundShape], Field(min_length=1, json_schema_extra={"maxItems": 4})]


class PromptPart(Triad):
    quote: str | None
    relation: Words


class PicturePart(Triad):
    relation: Words
    boxes: Annotated[list[BoxShape], Field(json_schema_extra={"maxItems": MAX_BOXES})] = []


class PromptGraph(Triad):
    children: list[PromptPart]


class PictureGraph(Triad):
    children: list[PicturePart]


class PictureGraphs(BaseModel, frozen=True):
    a: PictureGraph
    b: PictureGraph


_PARTS: dict[Size, Any] = {"standard": Field(max_length=3), "complex": Field(min_length=3, max_length=5)}


def _sized(graph: type[G], children: Any) -> dict[Size, type[G]]:
    return {
        size: create_model(f"{size.title()}{graph.__name__}", __base__=graph, children=(children, bounds))
        for size, bounds in _PARTS.items()
    }


PROMPT_GRAPH = _sized(PromptGraph, list[PromptPart])
PICTURE_GRAPH = _sized(PictureGraph, list[PicturePart])
PICTURE_GRAPHS: dict[Size, type[PictureGraphs]] = {
    size: create_model(f"{size.title()}PictureGraphs", __base__=PictureGraphs, a=graph, b=graph)
    for size, graph in PICTURE_GRAPH.items()
}


class CitationShape(BaseModel):
    node: Words
    rationale: Words


class AnswerShape(BaseModel):
    reasoning: LongWords
    evidence: Annotated[list[CitationShape], Field(json_schema_extra={"maxItems": 8})] = []
    answer: Words
