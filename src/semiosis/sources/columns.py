"""Which column is which, and so what a row is: the usual schemas, and names given by hand.

A pair has a prompt and two pictures, a rating a prompt and one, a question its choices and any number.

| pairs of     | pictures                      | winner                                         |
| ours         | a, b                          | winner: a, b, tie                              |
| GenAI-Bench  | left_image, right_image       | vote_type: leftvote, tievote, bothbad_vote ... |
| arena        | image_a, image_b              | winner: model_a, model_b, tie, tie (bothbad)   |
| evalica      | left, right                   | winner: left, right, tie, or X, Y, Draw        |
| FineArtBench | by method_left, method_right  | winner: left, right                            |
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..core.errors import BadSetting

PROMPTS = ("prompt", "style_prompt", "text_prompt", "caption")
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
    a: str | None = None
    b: str | None = None
    winner: str | None = None
    id: str | None = None
    picture: str | None = None
    score: str | None = None
    question: str | None = None
    choices: str | None = None
    answer: str | None = None


@dataclass(frozen=True)
class PairLayout:
    """The columns of a pair. A painted row names methods, and pictures only through them."""

    prompt: str
    a: str
    b: str
    winner: str | None
    id: str | None
    references: str | None
    models: tuple[str, str] | None
    painted: bool


@dataclass(frozen=True)
class RatingLayout:
    prompt: str
    picture: str
    score: str | None
    id: str | None
    references: str | None


@dataclass(frozen=True)
class QuestionLayout:
    """`pictures` are columns of one picture each, or one column of several."""

    question: str
    choices: str
    pictures: tuple[str, ...]
    answer: str | None
    boxes: str | None
    id: str | None


Layout = PairLayout | RatingLayout | QuestionLayout


def in_our_names(cells: Mapping[str, object]) -> dict[str, object]:
    """With the two sides as a and b."""
    return {_OURS.get(name, name): cell for name, cell in cells.items()}


def recognise(columns: Columns, names: tuple[str, ...], subject: str) -> Layout:
    for option, name in vars(columns).items():
        if name is not None and name not in names:
            raise BadSetting(
                f"{subject} has no column {name!r} (--{option}-column); it has {_listed(names)}."
            )
    header = _Header(columns, names)
    layout = header.question() or header.pair() or header.rating()
    if layout is None:
        raise BadSetting(
            f"{subject} has the columns {_listed(names)}, which make no item: {header.lacking}; "
            "say what is called otherwise, as in --prompt-column."
        )
    if isinstance(layout, PairLayout):
        _check_sides(layout.a, layout.b)
    return layout


class _Header:
    """The names of the columns; each kind of item there could be is found in them, or None."""

    def __init__(self, columns: Columns, names: tuple[str, ...]) -> None:
        self._columns = columns
        self._plain = {name.strip().lower(): name for name in reversed(names)}
        self._prompt = columns.prompt or self._first(PROMPTS)
        self._picture = columns.picture or self._first(PICTURE)
        self._question = columns.question or self._first(["question"])
        self._choices = columns.choices or self._first(CHOICES)
        self._id = columns.id or self._first(IDS)
        sides = self._both(PICTURES)
        self._methods = None if sides or columns.a or columns.b else self._both([METHODS])
        a, b = sides or self._methods or (None, None)
        self._a, self._b = columns.a or a, columns.b or b

    def pair(self) -> PairLayout | None:
        if not (self._prompt and self._a and self._b) or self._columns.picture:
            return None
        return PairLayout(
            prompt=self._prompt,
            a=self._a,
            b=self._b,
            winner=self._columns.winner or self._first(WINNERS),
            id=self._id,
            references=self._first(["references"]),
            models=self._both(MODELS),
            painted=self._methods is not None,
        )

    def rating(self) -> RatingLayout | None:
        if not (self._prompt and self._picture) or self._columns.a or self._columns.b:
            return None
        score = self._columns.score or self._first(SCORES)
        return RatingLayout(self._prompt, self._picture, score, self._id, self._first(["references"]))

    def question(self) -> QuestionLayout | None:
        pictures = self._pictures
        if not (self._question and self._choices and pictures):
            return None
        answer = self._columns.answer or self._first(["answer"])
        boxes = self._first(["boxes"])
        return QuestionLayout(self._question, self._choices, pictures, answer, boxes, self._id)

    @property
    def lacking(self) -> str:
        """What each kind of item needs, and which of it is not there."""
        needs = {
            "a pair needs prompt, a and b": {"prompt": self._prompt, "a": self._a, "b": self._b},
            "a rating prompt and picture": {"prompt": self._prompt, "picture": self._picture},
            "a question question, choices and picture": {
                "question": self._question,
                "choices": self._choices,
                "picture": self._pictures,
            },
        }
        return ", ".join(
            f"{need} (here without {' and '.join(name for name, there in parts.items() if not there)})"
            for need, parts in needs.items()
        )

    @property
    def _pictures(self) -> tuple[str, ...]:
        if self._columns.picture is None and (several := self._first(SEVERAL)):
            return (several,)
        if self._picture:
            return (self._picture,)
        return () if self._methods else tuple(side for side in (self._a, self._b) if side)

    def _first(self, usual: Iterable[str]) -> str | None:
        return next((self._plain[name] for name in usual if name in self._plain), None)

    def _both(self, usual: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
        plain = self._plain
        return next(((plain[a], plain[b]) for a, b in usual if a in plain and b in plain), None)


def _check_sides(a: str, b: str) -> None:
    if (b.lower(), a.lower()) in PICTURES or a == b:
        raise BadSetting(
            f"Picture A is to be column {a!r} and picture B column {b!r}: "
            "keep the sides that the file has, or its winners would be read the wrong way round."
        )


def _listed(names: tuple[str, ...], most: int = 20) -> str:
    more = len(names) - most
    text = ", ".join(name[:40] for name in names[:most]) or "none"
    return f"{text} and {more} more" if more > 0 else text
