"""Step 4: which styles each content is to be painted in, by seed.

Styles are dealt like cards: all of them once, in a random order, before any comes again. FineArtBench's own
list looks drawn at random instead, and leaves 57 of its 999 styles unused.
"""

import random
from collections.abc import Mapping
from typing import Any

from ....core.errors import BadSetting
from ....core.value import Value
from .contents import Contents
from .styles import Styles

PER_CONTENT = 3


class Combination(Value):
    """The styles of each content by index, in the order of its paintings' files."""

    per_content: int
    styles: dict[int, tuple[int, ...]]

    @property
    def instances(self) -> list[tuple[int, int, int]]:
        """(content, style, the style's place among those of its content, from 1)."""
        return [
            (content, style, place)
            for content, styles in self.styles.items()
            for place, style in enumerate(styles, 1)
        ]

    def published(self) -> dict[str, list[int]]:
        return {str(content): list(styles) for content, styles in self.styles.items()}


def check_enough(styles: int, per_content: int | None) -> int:
    """How many styles each content is painted in; refused where there are not so many."""
    wanted = PER_CONTENT if per_content is None else per_content
    if wanted > styles:
        raise BadSetting(
            f"There are {styles} styles, and each content is to be painted in {wanted} different ones: "
            "lower --per-content, or make more styles first."
        )
    return wanted


def combine(contents: int, styles: int, per_content: int | None, seed: int) -> Combination:
    per_content = check_enough(styles, per_content)
    chance = random.Random(f"{seed} combination")
    deck: list[int] = []
    dealt: dict[int, tuple[int, ...]] = {}
    for content in range(1, contents + 1):
        hand: list[int] = []
        while len(hand) < per_content:
            deck = deck or chance.sample(range(1, styles + 1), styles)
            card = next(style for style in deck if style not in hand)
            deck.remove(card)
            hand.append(card)
        dealt[content] = tuple(hand)
    return Combination(per_content=per_content, styles=dealt)


def to_paint(
    combination: Combination, contents: Contents, styles: Styles, captions: Mapping[str, str | None]
) -> list[dict[str, Any]]:
    """A line for each picture that a stylizer has to make."""
    pictures = {each.index: each for each in contents.contents}
    prompts = {each.index: each.prompt for each in styles.styles}
    rows: list[dict[str, Any]] = []
    for content, style, place in combination.instances:
        picture = pictures[content]
        rows.append(
            {
                "file": painting_name(content, place),
                "content_index": content,
                "style_index": style,
                "content": f"base/{picture.path}",
                "content_prompt": captions[picture.sha256],
                "style_prompt": prompts[style],
            }
        )
    return rows


def painting_name(content: int, place: int) -> str:
    return f"content_{content}_style_{place}.jpg"
