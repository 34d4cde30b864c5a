"""Which column is which: the usual schemas, and names given by hand.

A pair has a prompt and two pictures, a rating a prompt and one, a question its choices and any number. In
place of a prompt stand a style and the content picture that was to be painted in it.

| pairs of     | pictures                      | winner                                         |
| ours         | a, b                          | winner: a, b, tie                              |
| GenAI-Bench  | left_image, right_image       | vote_type: leftvote, tievote, bothbad_vote ... |
| arena        | image_a, image_b              | winner: model_a, model_b, tie, tie (bothbad)   |
| evalica      | left, right                   | winner: left, right, tie, or X, Y, Draw        |
| FineArtBench | by method_left, method_right  | winner: left, right                            |

FineArtBench says the style in style_prompt, and its content picture by content_index.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..core.text import brief

PROMPTS = ("prompt", "text_prompt", "caption")
STYLES = ("style", "style_prompt")
PICTURES = (
    ("a", "b"),
    ("left_image", "right_image"),
    ("image_left", "image_right"),
    ("image_a", "image_b"),
    ("picture_a", "picture_b"),
    ("image_1", "image_2"),
    ("image1", "image2"),
    ("left", "right"),
)
PICTURE = ("picture", "image", "artifact", "image_path", "file_name")
SEVERAL = ("pictures", "images", "artifacts")
METHODS = ("method_left", "method_right")
MODELS = (("model_a", "model_b"), METHODS, ("left_model", "right_model"), ("model_left", "model_right"))
WINNERS = ("winner", "vote_type", "human_vote")
SCORES = ("rating", "score", "human_score", "mos")
CHOICES = ("choices", "options")
# Of the two sides of a choice, what others and earlier releases call ours.
_OURS = {
    "left": "a",
    "right": "b",
    "left_share": "share_a",
    "votes_left": "votes_a",
    "votes_right": "votes_b",
}
IDS = ("id", "uid", "pair_id", "question_id", "item_id", "idx")


@dataclass(frozen=True)
class Columns:
    """Names of columns where a file has others than the usual; what is None is recognised."""

    prompt: str | None = None
    style: str | None = None
    content: str | None = None
    a: str | None = None
    b: str | None = None
    winner: str | None = None
    id: str | None = None
    picture: str | None = None
    score: str | None = None
    question: str | None = None
    choices: str | None = None
    answer: str | None = None


def in_our_names(cells: Mapping[str, object]) -> dict[str, object]:
    """With the two sides as a and b."""
    return {_OURS.get(name, name): cell for name, cell in cells.items()}


class Header:
    """The names of a source's columns: which of them is what, by the usual names and those given by hand."""

    def __init__(self, columns: Columns, names: tuple[str, ...]) -> None:
        self.columns = columns
        self._plain = {name.strip().lower(): name for name in reversed(names)}
        self.prompt = columns.prompt or (None if self._stylized else self.first(PROMPTS))
        self.style = columns.style or (None if self.prompt else self.first(STYLES))
        self.content = columns.content or self.first(["content"])
        self.picture = columns.picture or self.first(PICTURE)
        self.question = columns.question or self.first(["question"])
        self.choices = columns.choices or self.first(CHOICES)
        self.id = columns.id or self.first(IDS)
        sides = self.both(PICTURES)
        self.methods = None if sides or columns.a or columns.b else self.both([METHODS])
        a, b = sides or self.methods or (None, None)
        self.a, self.b = columns.a or a, columns.b or b

    @property
    def _stylized(self) -> bool:
        """Whether that was said by hand: else a style beside a prompt is a label."""
        return bool(self.columns.style or self.columns.content)

    @property
    def says_task(self) -> bool:
        """Whether it tells what the pictures were made from: a prompt, or a style and its content."""
        return bool(self.prompt or (self.style and (self.content or self.methods)))

    @property
    def pictures(self) -> tuple[str, ...]:
        """The columns of a question's pictures."""
        if self.columns.picture is None and (several := self.first(SEVERAL)):
            return (several,)
        if self.picture:
            return (self.picture,)
        return () if self.methods else tuple(side for side in (self.a, self.b) if side)

    def first(self, usual: Iterable[str]) -> str | None:
        return next((self._plain[name] for name in usual if name in self._plain), None)

    def both(self, usual: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
        plain = self._plain
        return next(((plain[a], plain[b]) for a, b in usual if a in plain and b in plain), None)


def listed(names: tuple[str, ...], most: int = 20) -> str:
    more = len(names) - most
    text = ", ".join(brief(name)[:40] for name in names[:most]) or "none"
    return f"{text} and {more} more" if more > 0 else text
