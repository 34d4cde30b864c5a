"""An item before it is one: enough to know its key, built into an item when it is wanted."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from ..core.errors import BadPicture, BadPrompt, BadRecord
from ..core.item import Candidate, Item, Labels, LabelsBy, key_of
from ..core.kinds.pair import PairItem
from ..core.kinds.question import QuestionItem, question_identity
from ..core.kinds.rating import RatingItem
from ..core.sign import MAX_PROMPT_CHARACTERS, Pair, Prompt, Question
from .pictures import LocatedPicture

NOT_TEXT = "holds bytes that are not text (a NUL, or not valid UTF-8)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(ABC):
    where: str
    id: str
    labels: Labels = field(default_factory=Labels)
    labels_by: LabelsBy = "unknown"

    @abstractmethod
    def candidate(self) -> Candidate:
        """Raises InputError where there can be no item."""

    @abstractmethod
    def item(self) -> Item: ...

    def _check_texts(self) -> None:
        if not _is_text(self.id):
            raise BadRecord(f"The id {NOT_TEXT}.")
        for name, label in self.labels.items():
            if not _is_text(name) or (isinstance(label, str) and not _is_text(label)):
                raise BadRecord(f"The column {name!a} {NOT_TEXT}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedDraft(Draft):
    """Of something that was made from a prompt."""

    prompt: str
    references: tuple[LocatedPicture, ...] = ()

    def _check_prompt(self) -> None:
        if not _is_text(self.prompt):
            raise BadPrompt(f"The prompt {NOT_TEXT}.")
        if not self.prompt.strip() or len(self.prompt) > MAX_PROMPT_CHARACTERS:
            Prompt(text=self.prompt)  # raises the sentence for it

    def _sign(self) -> Prompt:
        return Prompt(text=self.prompt, references=tuple(each.artifact() for each in self.references))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDraft(PromptedDraft):
    a: LocatedPicture
    b: LocatedPicture

    def candidate(self) -> Candidate:
        self._check_prompt()
        self._check_texts()
        if self.a.sha256 == self.b.sha256:
            raise BadPicture("A and B are the same picture: there is nothing to compare.")
        references = (each.sha256 for each in self.references)
        key = key_of("pair", self.id, self.prompt, *references, self.a.sha256, self.b.sha256)
        return Candidate(key, self.where, self.item, "pair")

    def item(self) -> PairItem:
        pair = Pair(prompt=self._sign(), a=self.a.artifact(), b=self.b.artifact())
        return PairItem(id=self.id, pair=pair, labels=self.labels, labels_by=self.labels_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingDraft(PromptedDraft):
    picture: LocatedPicture

    def candidate(self) -> Candidate:
        self._check_prompt()
        self._check_texts()
        references = (each.sha256 for each in self.references)
        key = key_of("rating", self.id, self.prompt, *references, self.picture.sha256)
        return Candidate(key, self.where, self.item, "rating")

    def item(self) -> RatingItem:
        artifact = self.picture.artifact()
        return RatingItem(
            id=self.id, prompt=self._sign(), artifact=artifact, labels=self.labels, labels_by=self.labels_by
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDraft(Draft):
    question: Question
    pictures: tuple[LocatedPicture, ...]

    def candidate(self) -> Candidate:
        self._check_texts()
        identity = question_identity(self.question, (each.sha256 for each in self.pictures))
        key = key_of("question", self.id, *identity)
        return Candidate(key, self.where, self.item, "question")

    def item(self) -> QuestionItem:
        artifacts = tuple(each.artifact() for each in self.pictures)
        return QuestionItem(
            id=self.id,
            question=self.question,
            artifacts=artifacts,
            labels=self.labels,
            labels_by=self.labels_by,
        )


def _is_text(text: str) -> bool:
    """Whether it can be sent and stored: half a surrogate pair or a NUL cannot."""
    if text.isascii():
        return "\x00" not in text
    try:
        return b"\x00" not in text.encode()
    except UnicodeEncodeError:
        return False
