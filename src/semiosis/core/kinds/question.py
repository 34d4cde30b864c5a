"""A question over pictures, and its answer."""

import json
from collections.abc import Iterable
from typing import Any, Literal, Self

from pydantic import model_validator

from ..cascade import Reading
from ..errors import BadPrompt
from ..item import Item, Label
from ..outcome import Failure, Finding, Outcome, Provenance
from ..settled import UNDECIDED
from ..sign import Artifact, Hashed, Picture, Question, hashes
from ..vote import Evidence
from . import kind


@kind
class QuestionItem(Item):
    """A question over any number of pictures, to be answered without the prompt."""

    capability = "answer"
    kind: Literal["question"] = "question"
    question: Question
    artifacts: tuple[Picture, ...]

    @model_validator(mode="after")
    def _choices_are_choices(self) -> Self:
        if UNDECIDED in self.question.choices:
            raise BadPrompt(f"{UNDECIDED} is the verdict of who does not choose: call the choice otherwise.")
        return self

    @property
    def identity(self) -> tuple[str, ...]:
        return self.identity_of(self.question, self.artifacts)

    @staticmethod
    def identity_of(question: Question, pictures: Iterable[Hashed]) -> tuple[str, ...]:
        """The answer is no part of it: a question is the same whether its answer is known or not."""
        return (json.dumps([question.question, question.choices, question.boxes]), *hashes(*pictures))

    @property
    def arguments(self) -> tuple[Any, ...]:
        return (self.question, *self.artifacts)

    @property
    def pictures(self) -> tuple[Artifact, ...]:
        return self.artifacts

    @property
    def words(self) -> str:
        return self.question.question

    @property
    def label(self) -> Label:
        return self.question.answer


@kind
class Answer(Outcome):
    """A choice, given without the prompt: from graphs, where the method reads pictures first.

    question    what was asked
    artifacts   the pictures it was asked of
    choice      the key of the choice that most votes made, and of several the first
    reasoning   why, in the words of its first vote
    evidence    the nodes it cites
    readings    how each picture was read
    votes       the choices of the repeats
    certainty   how sure the votes say they are, 1 (a guess) to 5 (beyond doubt), as a mean
    failures    repeats that gave none
    provenance  where it came from, call by call
    """

    headline = ("choice", "correct")
    kind: Literal["answer"] = "answer"
    question: Question
    artifacts: tuple[Artifact, ...]
    choice: str
    reasoning: str
    evidence: tuple[Evidence, ...] = ()
    readings: tuple[Reading, ...] = ()
    votes: tuple[str, ...] = ()
    certainty: float | None = None
    failures: tuple[Failure, ...] = ()
    provenance: Provenance

    @property
    def correct(self) -> bool | None:
        """Whether it is the right one; None where that is not known."""
        return None if self.question.answer is None else self.choice == self.question.answer

    @property
    def unverified(self) -> int:
        """Citations and boxes that did not check out."""
        cited = sum(not item.verified for item in self.evidence)
        return cited + sum(reading.graph.unverified for reading in self.readings)

    @property
    def rationales(self) -> tuple[str, ...]:
        """Its reasoning, and why it cites what."""
        return tuple(filter(None, (self.reasoning, *(item.rationale for item in self.evidence))))

    @property
    def finding(self) -> Finding:
        """The choice as its verdict."""
        return Finding(
            verdict=self.choice,
            certainty=self.certainty,
            unverified=self.unverified,
            failures=self.failures,
        )
