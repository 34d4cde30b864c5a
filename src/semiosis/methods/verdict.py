"""The shape of a verdict between two pictures, as it is asked of any judge."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, StringConstraints, WithJsonSchema

from ..core.certainty import CERTAINTIES, Certainty

# With room for models that think before they answer: their thoughts count.
MAX_VERDICT_TOKENS = 6000
MOST_EVIDENCE = 6

_SIDES = {"a": "A", "b": "B"}
_SUPPORTS = _SIDES | {
    "both ways": "both ways",
    "both-ways": "both ways",
    "both": "both ways",
    "both lack": "both lack",
    "both-lack": "both lack",
    "nothing": "nothing",
    "neither": "nothing",
    "none": "nothing",
}


def _word(value: str) -> str:
    word = value.strip().strip("[]().\"'").strip().casefold()
    for prefix in ("picture ", "image ", "option "):
        word = word.removeprefix(prefix)
    return word


def _side(value: Any) -> Any:
    """'Picture A', '[[A]]' and 'a' are all A; anything else is left to fail."""
    return _SIDES.get(_word(value), value) if isinstance(value, str) else value


def _support(value: Any) -> Any:
    return _SUPPORTS.get(_word(value), value) if isinstance(value, str) else value


def _level(value: Any) -> Any:
    """Models write numbers as text; 4.5 or "high" is left to fail."""
    word = value.strip() if isinstance(value, str) else value
    if isinstance(word, bool):
        return str(word)
    return next((level for level in CERTAINTIES if word in (level, str(level), float(level))), value)


def _says_something(value: str) -> str:
    if not any(character.isalnum() for character in value):
        raise ValueError("must hold words, not a placeholder")
    return value


Words = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_says_something)
]
LongWords = Annotated[Words, Field(json_schema_extra={"maxLength": 1600})]
Rationale = Annotated[Words, Field(json_schema_extra={"maxLength": 300})]
NodeName = Annotated[Words, Field(json_schema_extra={"maxLength": 80})]
SideShape = Annotated[Literal["A", "B"], BeforeValidator(_side)]
# Asked for, and asked for once more where it is missing; a verdict without it is still one.
CertaintyShape = Annotated[
    Certainty | None, BeforeValidator(_level), WithJsonSchema({"type": "integer", "enum": list(CERTAINTIES)})
]


class EvidenceShape(BaseModel):
    node: NodeName
    rationale: Rationale
    supports: Annotated[Literal["A", "B", "both ways", "both lack", "nothing"], BeforeValidator(_support)] = (
        "nothing"
    )


class VerdictShape(BaseModel):
    discussion: LongWords
    evidence: Annotated[list[EvidenceShape], Field(json_schema_extra={"maxItems": MOST_EVIDENCE})]
    winner: SideShape
    certainty: CertaintyShape = None


class Verdict(Protocol):
    """What any judge's reply holds, whatever else it holds."""

    @property
    def discussion(self) -> str: ...
    @property
    def evidence(self) -> Sequence[EvidenceShape]: ...
    @property
    def winner(self) -> Literal["A", "B"]: ...
    @property
    def certainty(self) -> Certainty | None: ...


def oddity(verdict: Verdict) -> str | None:
    """What is to be thought over: no certainty, no evidence, or all of it for the picture that loses."""
    if verdict.certainty is None:
        return "certainty is missing; say how sure you are, from 1 to 5"
    if not verdict.evidence:
        return "evidence is empty; cite what decides"
    loser = "B" if verdict.winner == "A" else "A"
    if all(item.supports == loser for item in verdict.evidence):
        return (
            f"all evidence supports {loser}, and the winner is {verdict.winner}; mend the one or the other, "
            "or cite what speaks for the winner"
        )
    return None
