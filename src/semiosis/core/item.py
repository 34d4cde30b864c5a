"""Items: what a run asks a method about, whatever supplied them.

    item = PairItem(id="vanitas/1", pair=Pair(prompt="...", a="a.png", b="b.png"), labels={"winner": "a"})

A benchmark yields candidates: an item's key is known before the item is built, so that a run which has its
outcome already passes over it for the price of a hash.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from .sign import Artifact, Pair, Picture, Prompt, Question
from .value import Value

Kind = Literal["pair", "rating", "question"]
Label = str | int | float | bool | None
Labels = dict[str, Label]
LabelsBy = Literal["people", "makers", "unknown"]


class PairItem(Value):
    """Two pictures of one prompt, to be judged. The label `winner` is "a", "b" or "tie"."""

    kind: Literal["pair"] = "pair"
    id: str
    pair: Pair
    labels: Labels = {}
    labels_by: LabelsBy = "unknown"

    @property
    def key(self) -> str:
        prompt = self.pair.prompt
        references = [each.sha256 for each in prompt.references]
        return pair_key(self.id, prompt.text, references, self.pair.a.sha256, self.pair.b.sha256)

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        return (*self.pair.prompt.references, self.pair.a, self.pair.b)

    @property
    def label(self) -> Label:
        """The right verdict, by `labels_by`."""
        return self.labels.get("winner")


class RatingItem(Value):
    """One picture of a prompt, to be scored. The label `rating` is a number."""

    kind: Literal["rating"] = "rating"
    id: str
    prompt: Prompt
    artifact: Picture
    labels: Labels = {}
    labels_by: LabelsBy = "unknown"

    @property
    def key(self) -> str:
        references = [each.sha256 for each in self.prompt.references]
        return rating_key(self.id, self.prompt.text, references, self.artifact.sha256)

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        return (*self.prompt.references, self.artifact)

    @property
    def label(self) -> Label:
        return self.labels.get("rating")


class QuestionItem(Value):
    """A question over one or two pictures, to be answered without the prompt."""

    kind: Literal["question"] = "question"
    id: str
    question: Question
    artifacts: tuple[Picture, ...]
    labels: Labels = {}
    labels_by: LabelsBy = "unknown"

    @property
    def key(self) -> str:
        return question_key(self.id, self.question, (artifact.sha256 for artifact in self.artifacts))

    @property
    def label(self) -> Label:
        return self.question.answer


Item = PairItem | RatingItem | QuestionItem


def asked_of(item: Item) -> str:
    """The words an item is about: its prompt, or its question."""
    match item:
        case PairItem():
            return item.pair.prompt.text
        case RatingItem():
            return item.prompt.text
        case QuestionItem():
            return item.question.question


def pair_key(id: str, prompt: str, references: Iterable[str], a: str, b: str) -> str:
    """The key of a pair from its parts: pictures by content hash."""
    return _key("pair", id, prompt, *references, a, b)


def rating_key(id: str, prompt: str, references: Iterable[str], picture: str) -> str:
    return _key("rating", id, prompt, *references, picture)


def question_key(id: str, question: Question, pictures: Iterable[str]) -> str:
    """The answer is no part of it: a question is the same whether its answer is known or not."""
    asked = json.dumps([question.question, question.choices, question.boxes])
    return _key("question", id, asked, *pictures)


def _key(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Candidate:
    """An item to be: its key and kind, and how to build it. `make` may raise InputError."""

    key: str
    where: str
    make: Callable[[], Item]
    kind: Kind


@dataclass(frozen=True)
class BadRow:
    """A row that is no item, and why."""

    where: str
    reason: str


class Benchmark(Protocol):
    """Whatever supplies items: a registered benchmark, a file of rows, a folder of pictures."""

    @property
    def name(self) -> str: ...

    def candidates(self) -> Iterator[Candidate | BadRow]:
        """Every item, in the same order each time; nothing is held that was passed on."""
        ...


def candidate(item: Item) -> Candidate:
    return Candidate(item.key, item.id, lambda: item, item.kind)
