"""In what two pictures differ, as it is asked of a model, and as a judge is shown it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from ..backbones.backbone import Traits
from ..backbones.boxes import RawBox, read_boxes
from ..backbones.pictures import Prepared
from ..core.contrast import Contrast, Difference, Meaning, Version
from ..core.graph import MAX_BOXES
from ..core.grounding import Box
from .boxes import Boxes, corners
from .template import Template, prompt_file
from .verdict import Words

MOST_DIFFERENCES = 8

Keeps = Literal["A", "B", "both", "neither", "indifferent"]
_KEEPS: dict[Keeps, tuple[Meaning, Meaning]] = {
    "A": ("keeps", "breaks"),
    "B": ("breaks", "keeps"),
    "both": ("keeps", "keeps"),
    "neither": ("breaks", "breaks"),
    "indifferent": ("indifferent", "indifferent"),
}


def _keeps(value: Any) -> Any:
    word = value.strip().casefold() if isinstance(value, str) else value
    return next((each for each in _KEEPS if word == each.casefold()), value)


Said = Annotated[Words, Field(json_schema_extra={"maxLength": 300})]


class DifferenceShape(BaseModel):
    label: Annotated[Words, Field(json_schema_extra={"maxLength": 80})]
    a: Said
    boxes_a: Boxes = []
    b: Said
    boxes_b: Boxes = []
    keeps: Annotated[Keeps, BeforeValidator(_keeps)]


Differences = Annotated[list[DifferenceShape], Field(json_schema_extra={"maxItems": MOST_DIFFERENCES})]


class ContrastShape(BaseModel):
    differences: Differences


def listing() -> Template:
    """How differences are to be listed, in words."""
    return prompt_file("differences", __file__)


def contrast_of(
    shapes: list[DifferenceShape], traits: Traits, pictures: tuple[Prepared, Prepared]
) -> Contrast:
    """Boxes are brought to shares of each picture; the first three of a version count."""
    a, b = (
        iter(read_boxes(raw, traits, (picture.width, picture.height)))
        for raw, picture in zip(_raw(shapes), pictures, strict=True)
    )
    return Contrast(
        differences=tuple(
            Difference(
                id=str(number),
                label=shape.label,
                a=_version(shape.a, _KEEPS[shape.keeps][0], [next(a) for _ in shape.boxes_a]),
                b=_version(shape.b, _KEEPS[shape.keeps][1], [next(b) for _ in shape.boxes_b]),
            )
            for number, shape in enumerate(shapes, 1)
        )
    )


def _raw(shapes: list[DifferenceShape]) -> tuple[list[RawBox], list[RawBox]]:
    return (
        [box.raw for shape in shapes for box in shape.boxes_a],
        [box.raw for shape in shapes for box in shape.boxes_b],
    )


def _version(says: str, meaning: Meaning, boxes: list[Box]) -> Version:
    return Version(says=says, meaning=meaning, boxes=tuple(boxes[:MAX_BOXES]))


_EFFECTS: dict[Meaning, str] = {
    "keeps": "keeps what the prompt means",
    "breaks": "breaks what the prompt means",
    "indifferent": "does not matter for it",
}


def describe_contrast(contrast: Contrast) -> str:
    """As text, each difference with the id it is cited by."""
    lines: list[str] = []
    for each in contrast.differences:
        lines.append(f"[contrast.{each.id}] {each.label}")
        for name, version in (("A", each.a), ("B", each.b)):
            lines.append(f"  {name}: {version.says} ({_EFFECTS[version.meaning]})")
            if version.boxes:
                lines.append(f"  where in {name}: {'; '.join(map(corners, version.boxes))}")
    return "\n".join(lines) or "No difference was found."
