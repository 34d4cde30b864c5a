"""A pair before it is an item: enough to know its key, built into an item when it is wanted."""

from dataclasses import dataclass, field

from ...core.errors import BadPicture, BadPrompt, BadRecord
from ...core.item import Candidate, Labels, PairItem, pair_key
from ...core.sign import MAX_PROMPT_CHARACTERS, Pair, Prompt
from .pictures import Found

NOT_TEXT = "holds bytes that are not text (a NUL, or not valid UTF-8)"


@dataclass(frozen=True, slots=True)
class Draft:
    where: str
    id: str
    prompt: str
    a: Found
    b: Found
    references: tuple[Found, ...] = ()
    labels: Labels = field(default_factory=Labels)

    def candidate(self) -> Candidate:
        """Raises InputError where there can be no item."""
        if not _is_text(self.prompt):
            raise BadPrompt(f"The prompt {NOT_TEXT}.")
        if not self.prompt.strip() or len(self.prompt) > MAX_PROMPT_CHARACTERS:
            Prompt(text=self.prompt)  # raises the sentence for it
        if not _is_text(self.id):
            raise BadRecord(f"The id {NOT_TEXT}.")
        for name, label in self.labels.items():
            if not _is_text(name) or (isinstance(label, str) and not _is_text(label)):
                raise BadRecord(f"The column {name!a} {NOT_TEXT}.")
        if self.a.sha256 == self.b.sha256:
            raise BadPicture("A and B are the same picture: there is nothing to compare.")
        references = [each.sha256 for each in self.references]
        key = pair_key(self.id, self.prompt, references, self.a.sha256, self.b.sha256)
        return Candidate(key, self.where, self.item)

    def item(self) -> PairItem:
        prompt = Prompt(text=self.prompt, references=tuple(each.artifact() for each in self.references))
        pair = Pair(prompt=prompt, a=self.a.artifact(), b=self.b.artifact())
        return PairItem(id=self.id, pair=pair, labels=self.labels)


def _is_text(text: str) -> bool:
    """Whether it can be sent and stored: half a surrogate pair or a NUL cannot."""
    if text.isascii():
        return "\x00" not in text
    try:
        return b"\x00" not in text.encode()
    except UnicodeEncodeError:
        return False
