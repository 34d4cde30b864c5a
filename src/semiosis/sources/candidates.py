"""An item before it is one: its key is known, and it is built when it is wanted.

Each function raises InputError where there can be no item.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from ..core.errors import BadPicture, BadPrompt, BadRecord
from ..core.item import Candidate, Item, Labels, LabelsBy
from ..core.kinds.pair import PairItem
from ..core.kinds.question import QuestionItem
from ..core.kinds.rating import RatingItem
from ..core.sign import MAX_PROMPT_CHARACTERS, Artifact, Pair, Prompt, Question
from .pictures import LocatedPicture

NOT_TEXT = "holds bytes that are not text (a NUL, or not valid UTF-8)"

References = tuple[LocatedPicture, ...]


@dataclass(frozen=True, slots=True)
class Caption:
    """What an item of any kind is called, where it stands, and what is said of it."""

    where: str
    id: str
    labels: Labels = field(default_factory=Labels)
    labels_by: LabelsBy = "unknown"

    def candidate(self, kind: str, identity: tuple[str, ...], make: Callable[[], Item]) -> Candidate:
        if not _is_text(self.id):
            raise BadRecord(f"The id {NOT_TEXT}.")
        for name, label in self.labels.items():
            if not _is_text(name) or (isinstance(label, str) and not _is_text(label)):
                raise BadRecord(f"The column {name!a} {NOT_TEXT}.")
        return Candidate(kind, self.id, identity, self.where, make)


@dataclass(frozen=True, slots=True)
class LocatedPrompt:
    """What a `Prompt` will be of: its words, and where its pictures are."""

    text: str
    references: References = ()
    style: str | None = None

    @classmethod
    def stylization(cls, style: str, content: LocatedPicture | None) -> Self:
        """As `Prompt.stylization` words it."""
        known = None if content is None else Artifact(sha256=content.sha256)
        text = Prompt.stylization(style, known).text
        return cls(text, () if content is None else (content,), style)

    def prompt(self) -> Prompt:
        references = tuple(each.artifact() for each in self.references)
        return Prompt(text=self.text, references=references, style=self.style)


def pair_candidate(
    caption: Caption, prompt: LocatedPrompt, a: LocatedPicture, b: LocatedPicture
) -> Candidate:
    def make() -> PairItem:
        pair = Pair(prompt=prompt.prompt(), a=a.artifact(), b=b.artifact())
        return PairItem(id=caption.id, pair=pair, labels=caption.labels, labels_by=caption.labels_by)

    _check_prompt(prompt.text)
    candidate = caption.candidate("pair", PairItem.identity_of(prompt.text, prompt.references, a, b), make)
    if a.sha256 == b.sha256:
        raise BadPicture("A and B are the same picture: there is nothing to compare.")
    return candidate


def rating_candidate(caption: Caption, prompt: LocatedPrompt, picture: LocatedPicture) -> Candidate:
    def make() -> RatingItem:
        return RatingItem(
            id=caption.id,
            prompt=prompt.prompt(),
            artifact=picture.artifact(),
            labels=caption.labels,
            labels_by=caption.labels_by,
        )

    _check_prompt(prompt.text)
    identity = RatingItem.identity_of(prompt.text, prompt.references, picture)
    return caption.candidate("rating", identity, make)


def question_candidate(
    caption: Caption, question: Question, pictures: tuple[LocatedPicture, ...]
) -> Candidate:
    def make() -> QuestionItem:
        return QuestionItem(
            id=caption.id,
            question=question,
            artifacts=tuple(each.artifact() for each in pictures),
            labels=caption.labels,
            labels_by=caption.labels_by,
        )

    return caption.candidate("question", QuestionItem.identity_of(question, pictures), make)


def _check_prompt(prompt: str) -> None:
    if not _is_text(prompt):
        raise BadPrompt(f"The prompt {NOT_TEXT}.")
    if not prompt.strip() or len(prompt) > MAX_PROMPT_CHARACTERS:
        Prompt(text=prompt)  # raises the sentence for it


def _is_text(text: str) -> bool:
    """Whether it can be sent and stored: half a surrogate pair or a NUL cannot."""
    if text.isascii():
        return "\x00" not in text
    try:
        return b"\x00" not in text.encode()
    except UnicodeEncodeError:
        return False
