"""Which column is which: the usual schemas of pair files, and names given by hand.

| schema       | pictures                      | winner                                         |
| ours         | a, b                          | winner: a, b, tie                              |
| GenAI-Bench  | left_image, right_image       | vote_type: leftvote, tievote, bothbad_vote ... |
| arena        | image_a, image_b              | winner: model_a, model_b, tie, tie (bothbad)   |
| evalica      | left, right                   | winner: left, right, tie, or X, Y, Draw        |
| FineArtBench | by method_left, method_right  | winner: left, right                            |
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ...core.errors import BadSetting

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
METHODS = ("method_left", "method_right")
MODELS = (("model_a", "model_b"), METHODS, ("left_model", "right_model"), ("model_left", "model_right"))
WINNERS = ("winner", "vote_type", "human_vote")
IDS = ("id", "uid", "pair_id", "question_id", "item_id", "idx")

_WORDS = {"prompt": "the prompt", "a": "picture A", "b": "picture B"}


@dataclass(frozen=True)
class Columns:
    """Names of columns where a file has others than the usual; what is None is recognised."""

    prompt: str | None = None
    a: str | None = None
    b: str | None = None
    winner: str | None = None
    id: str | None = None


@dataclass(frozen=True)
class Layout:
    """The columns of a row by what they mean. A painted row names methods, and pictures only through them."""

    prompt: str
    a: str
    b: str
    winner: str | None
    id: str | None
    references: str | None
    models: tuple[str, str] | None
    painted: bool


def recognise(given: Columns, names: tuple[str, ...], subject: str) -> Layout:
    for option, name in vars(given).items():
        if name is not None and name not in names:
            raise BadSetting(
                f"{subject} has no column {name!r} (--{option}-column); it has {_listed(names)}."
            )
    plain = {name.strip().lower(): name for name in reversed(names)}

    def first(usual: Iterable[str]) -> str | None:
        return next((plain[name] for name in usual if name in plain), None)

    def both(usual: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
        return next(((plain[a], plain[b]) for a, b in usual if a in plain and b in plain), None)

    pictures = both(PICTURES)
    methods = None if pictures or given.a or given.b else both([METHODS])
    side_a, side_b = pictures or methods or (None, None)
    prompt, a, b = given.prompt or first(PROMPTS), given.a or side_a, given.b or side_b
    if prompt is None or a is None or b is None:
        columns = {"prompt": prompt, "a": a, "b": b}
        lacking = [what for what, column in columns.items() if column is None]
        raise BadSetting(
            f"{subject} has no column known as {', '.join(_WORDS[what] for what in lacking)}; it has "
            f"{_listed(names)}: say which with {', '.join(f'--{what}-column' for what in lacking)}."
        )
    if (b.lower(), a.lower()) in PICTURES or a == b:
        raise BadSetting(
            f"Picture A is to be column {a!r} and picture B column {b!r}: "
            "keep the sides that the file has, or its winners would be read the wrong way round."
        )
    return Layout(
        prompt=prompt,
        a=a,
        b=b,
        winner=given.winner or first(WINNERS),
        id=given.id or first(IDS),
        references=first(["references"]),
        models=both(MODELS),
        painted=methods is not None,
    )


def _listed(names: tuple[str, ...], most: int = 20) -> str:
    more = len(names) - most
    shown = ", ".join(name[:40] for name in names[:most]) or "none"
    return f"{shown} and {more} more" if more > 0 else shown
