"""What the replies must look like: the tuples, what they depend on, their questions, and an answer."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from ..verdict import Words
from .propositions import MOST_PROPOSITIONS

# A grammar ends a list at its bound: with one more than can be asked, too many are seen to be too many.
_MANY = Field(json_schema_extra={"maxItems": MOST_PROPOSITIONS + 1})

Number = Annotated[int, Field(ge=0, le=9999)]


def _word(value: Any) -> Any:
    return value.strip().strip("\"'.").casefold() if isinstance(value, str) else value


def _writable(value: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError("must be text that can be written")
    return value


Sent = AfterValidator(_writable)


class TupleShape(BaseModel):
    kind: Annotated[Literal["entity", "attribute", "relation", "global"], BeforeValidator(_word)]
    terms: Annotated[Words, Sent, Field(json_schema_extra={"maxLength": 160})]


class TuplesShape(BaseModel):
    tuples: Annotated[list[TupleShape], _MANY]


class DependencyShape(BaseModel):
    id: Number
    needs: Annotated[list[Number], _MANY]


class DependenciesShape(BaseModel):
    dependencies: Annotated[list[DependencyShape], _MANY]


class QuestionShape(BaseModel):
    id: Number
    question: Annotated[str, Sent, Field(json_schema_extra={"maxLength": 240})]


class QuestionsShape(BaseModel):
    questions: Annotated[list[QuestionShape], _MANY]


class AnswerShape(BaseModel):
    reason: Annotated[Words, Field(json_schema_extra={"maxLength": 300})]
    answer: Annotated[Literal["yes", "no"], BeforeValidator(_word)]
