"""A multiple-choice question as it is put to a model, and the letter that a reply names.

stated(question)            the question, its regions and its choices, as text
answer_shape(AnswerShape, question)     the shape whose `answer` is one of the letters on offer
"""

import json
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, create_model

from ..core.sign import Question

S = TypeVar("S", bound=BaseModel)


def stated(question: Question) -> str:
    """The question, its regions and its choices."""
    boxes = [f"{name}: {json.dumps(list(corners))}" for name, corners in question.boxes.items()]
    choices = [f"{letter}. {text}" for letter, text in question.choices.items()]
    return "\n".join([question.question, *boxes, *choices])


def answer_shape(base: type[S], question: Question) -> type[S]:
    """A reply to this question: the letter in its field `answer` is one of those on offer."""

    def named(value: Any) -> Any:
        letter = named_letter(value, question) if isinstance(value, str) else None
        return value if letter is None else letter

    letters = Literal[tuple(question.choices)]  # pyright: ignore[reportInvalidTypeForm] - as many as there are
    answer: Any = Annotated[letters, BeforeValidator(named)]
    return create_model("Answer", __base__=base, answer=(answer, ...))


def named_letter(answer: str, question: Question) -> str | None:
    """The choice that was named and nothing else: "B", "b", "(B)", "B." or "B. its own text"."""
    word = answer.strip().strip("()[]\"'").strip().casefold()
    for letter, text in question.choices.items():
        named = letter.casefold()
        if word in (named, f"{named}.", f"{named})", f"{named}:"):
            return letter
        if word.startswith(named) and word[len(named) :].strip(".):- ") == text.strip().casefold().rstrip(
            "."
        ):
            return letter
    return None
