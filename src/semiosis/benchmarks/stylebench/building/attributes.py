"""Step 3: what contents and styles are like, by a fixed set of attributes (appendix A, figure 1).

The values are those in use in FineArtBench's own files; a reply with any other is no annotation. One that
failed stays a Failure: nothing stands in for it.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field

from ....building.asking import Ask
from ....building.reviews import Annotation
from ....core.sign import Artifact
from ....core.value import Value
from ....methods.template import prompt_file

Category = Literal[
    "Nature", "Animals", "Urban", "Architecture", "Interior", "Decoration", "Objects", "Technology",
    "Activities", "Crowds", "Portrait", "Art/Design", "Abstract", "Others",
]  # fmt: skip
Amount = Literal["Low", "High"]
Colours = Literal["Limited", "Diverse"]
Technique = Literal["General", "Wide-Angle", "Others"]
Composition = Literal["Object-Centric", "Non-Object-Centric"]
Kind = Literal[
    "artist", "artwork", "art movement", "genre", "medium", "technique", "color and tone", "sentiment",
    "mixed", "others",
]  # fmt: skip
Length = Literal["short", "medium", "long"]

# The cuts that agree with most of FineArtBench's own labels: 814 of 999.
SHORT_WORDS, MEDIUM_WORDS = 6, 25
MOST = 3


def _spelt(values: Any) -> Callable[[Any], Any]:
    """The value as it is written here, whatever its case; anything else is left to fail."""
    spellings = {value.casefold(): value for value in get_args(values)}

    def spelt(value: Any) -> Any:
        return spellings.get(value.strip().casefold(), value) if isinstance(value, str) else value

    return spelt


def _some(values: tuple[str, ...]) -> tuple[str, ...]:
    """Each once. Counted here, since a bound on the field would also count what a bad value leaves."""
    once = tuple(dict.fromkeys(values))
    if not 1 <= len(once) <= MOST:
        raise ValueError(f"must name 1 to {MOST} values, not {len(once)}")
    return once


_Category = Annotated[Category, BeforeValidator(_spelt(Category))]
_Amount = Annotated[Amount, BeforeValidator(_spelt(Amount))]
_Kind = Annotated[Kind, BeforeValidator(_spelt(Kind))]
_SOME = Field(json_schema_extra={"minItems": 1, "maxItems": MOST})


class ContentAttributes(Value):
    scene_categories: Annotated[tuple[_Category, ...], _SOME, AfterValidator(_some)]
    element_density: _Amount
    element_diversity: _Amount
    color_diversity: Annotated[Colours, BeforeValidator(_spelt(Colours))]
    shooting_technique: Annotated[Technique, BeforeValidator(_spelt(Technique))]
    composition_type: Annotated[Composition, BeforeValidator(_spelt(Composition))]

    def published(self) -> dict[str, Any]:
        """Nested, each value in a list, as the authors have it."""
        return {
            "scene_categories": list(self.scene_categories),
            "scene_complexity": {
                "element_density": [self.element_density],
                "element_diversity": [self.element_diversity],
                "color_diversity": [self.color_diversity],
            },
            "camera_setup": {
                "shooting_technique": [self.shooting_technique],
                "composition_type": [self.composition_type],
            },
        }


class StyleAttributes(Value):
    taxonomy: Annotated[tuple[_Kind, ...], _SOME, AfterValidator(_some)]


ContentAnnotation = Annotation[ContentAttributes]
StyleAnnotation = Annotation[StyleAttributes]


class Annotations(Value):
    """By what they are of, which no renumbering touches: a picture's SHA-256, a style's prompt."""

    contents: dict[str, ContentAnnotation] = {}
    styles: dict[str, StyleAnnotation] = {}


def length_of(prompt: str) -> Length:
    """Computed, not asked."""
    words = len(prompt.split())
    return "short" if words <= SHORT_WORDS else "medium" if words <= MEDIUM_WORDS else "long"


def content_ask(picture: Artifact, caption: str | None) -> Ask[ContentAttributes]:
    text = caption or "(it has none)"
    slots: dict[str, str | Artifact] = {"picture": picture, "caption": text}
    prompt = prompt_file("content-attributes", __file__)
    return Ask(prompt, ContentAttributes, slots, fenced=(text,), usual_tokens=90)


def style_ask(style: str) -> Ask[StyleAttributes]:
    prompt = prompt_file("style-attributes", __file__)
    return Ask(prompt, StyleAttributes, {"prompt": style}, fenced=(style,), usual_tokens=20)
