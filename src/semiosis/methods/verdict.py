"""The shape of a verdict between two pictures, as it is asked of any judge."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, StringConstraints

# With room for models that think before they answer: their thoughts count.
MAX_VERDICT_TOKENS = 6000


def _choice(value: Any) -> Any:
    """'Picture A', '[[A]]' and 'a' are all A; anything else is left to fail."""
    if not isinstance(value, str):
        return value
    word = value.strip().strip("[]().\"'").strip().casefold()
    for prefix in ("picture ", "image ", "option "):
        word = word.removeprefix(prefix)
    return {"a": "A", "b": "B", "neither": "neither", "both": "neither"}.get(word, value)


def _says_something(value: str) -> str:
    if not any(character.isalnum() for character in value):
        raise ValueError("must hold words, not a placeholder")
    return value


Words = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_says_something)
]
LongWords = Annotated[Words, Field(json_schema_extra={"maxLength": 1600})]


class EvidenceShape(BaseModel):
    node: Words
    rationale: Words
    supports: Annotated[Literal["A", "B", "neither"], BeforeValidator(_choice)] = "neither"


class VerdictShape(BaseModel):
    discussion: LongWords
    evidence: Annotated[list[EvidenceShape], Field(json_schema_extra={"maxItems": 8})]
    winner: Annotated[Literal["A", "B"], BeforeValidator(_choice)]
