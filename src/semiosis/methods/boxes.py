"""Boxes as they are asked of a model, and as they are shown to one.

Named corners leave no doubt about the order of a box; bare lists are understood too, by the family's habit.
"""

from typing import Annotated, Any, Self, cast

from pydantic import (
    BaseModel,
    Field,
    PrivateAttr,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    model_validator,
)

from ..backbones.boxes import RawBox
from ..core.graph import MAX_BOXES
from ..core.grounding import Box

Coordinate = Annotated[
    float, Field(allow_inf_nan=False), WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 1000})
]

_CORNERS = (("x0", "y0", "x1", "y1"), ("x_min", "y_min", "x_max", "y_max"), ("xmin", "ymin", "xmax", "ymax"))


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


Boxes = Annotated[list[BoxShape], Field(json_schema_extra={"maxItems": MAX_BOXES})]


def corners(box: Box) -> str:
    """As a judge is shown it, in the scale that is asked for."""
    values = (round(1000 * value) for value in (box.x0, box.y0, box.x1, box.y1))
    return "x0 {} y0 {} x1 {} y1 {}".format(*values)
