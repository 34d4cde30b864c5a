"""What items of one shape ask for: one of them is rehearsed, the calls of the others are counted.

    marked = Marked.of(item)
    script = Script.of(await rehearse_item(method, marked.item), marked)
    script.calls_for(identity)      of another item, whose signs are set in place; nothing is run

The item of the rehearsal has marks for texts, so a request such as "Judge zs0z by: zr0p1z." is seen to show
the item's first text and to quote the second text of the reply to the first call. What remains of it is the
same for every item: two calls are one where that, the signs shown and the calls quoted are the same.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

from ..backbones.budget import input_tokens, text_tokens
from ..backbones.marks import MARK, sign_mark
from ..backbones.pictures import Prepared
from ..backbones.rehearsal import RehearsedCall
from ..core.errors import SemiosisError
from ..core.item import Item
from ..core.sign import Artifact
from ..core.value import Value
from ..methods.template import FENCE
from .rehearsal import PlannedCall

V = TypeVar("V", bound=Value)


@dataclass(frozen=True)
class Marked:
    """An item with marks for texts: `places` says which entry of the identity each mark stands for.

    One without places has its own texts.
    """

    item: Item
    places: Mapping[int, int] = field(default_factory=dict[int, int])

    def first(self, place: int) -> int:
        """The first of the texts that an entry of the identity holds."""
        return min(text for text, each in self.places.items() if each == place)

    @classmethod
    def of(cls, item: Item) -> "Marked":
        texts = 0

        def walked(part: Any, annotation: Any) -> Any:
            nonlocal texts
            match part:
                case str() if _is_free(annotation):
                    texts += 1
                    return sign_mark(texts - 1)
                case Value() if not isinstance(part, Artifact):
                    return filled(part, type(part).model_fields)
                case tuple() | list():
                    every = cast("tuple[Any, ...] | list[Any]", part)
                    return type(every)(walked(each, annotation) for each in every)
                case dict():
                    named = cast("dict[Any, Any]", part)
                    return {name: walked(each, annotation) for name, each in named.items()}
                case _:
                    return part

        def filled(value: V, names: Iterable[str]) -> V:
            for name in names:
                part = walked(getattr(value, name), type(value).model_fields[name].annotation)
                marked = value.model_copy(update={name: part})
                # What a value holds may have to fit the rest of it, as an answer its choices.
                with suppress(ValueError, SemiosisError):
                    type(value).model_validate(marked)
                    value = marked
            return value

        stand_in = filled(item, (name for name in type(item).model_fields if name not in Item.model_fields))
        places: dict[int, int] = {}
        for place, entry in enumerate(stand_in.identity):
            for mark in MARK.finditer(entry):
                places.setdefault(int(mark[1]), place)
        return cls(stand_in, places)


@cache
def _is_free(annotation: Any) -> bool:
    """Whether the texts of such a field are anybody's, not some of a few that a method may go by."""
    if annotation is str:
        return True
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is dict:
        parts = parts[1:]
    return origin is not Literal and any(map(_is_free, parts))


@dataclass(frozen=True)
class ScriptedCall:
    """A call of every item of the shape.

    rest            a hash of what is the same for all of them
    signs           entries of an item's identity that it shows, in the order in which it does
    quotes          the earlier calls whose replies it quotes
    texts           of the signs, those that are written out, and how often
    input_tokens    without these
    """

    stage: str
    model: str
    rest: int
    signs: tuple[int, ...]
    quotes: tuple[int, ...]
    texts: tuple[tuple[int, int], ...]
    input_tokens: float
    output_tokens: int


@dataclass(frozen=True)
class Script:
    """The calls of all items of one shape."""

    calls: tuple[ScriptedCall, ...]

    @classmethod
    def of(cls, calls: Iterable[RehearsedCall], marked: Marked) -> "Script":
        return cls(tuple(_scripted(number, call, marked) for number, call in enumerate(calls)))

    def calls_for(self, identity: tuple[str, ...]) -> Iterator[PlannedCall]:
        nodes: list[int] = []
        for call in self.calls:
            signs = [identity[place] for place in call.signs]
            node = hash((call.rest, *signs, *[nodes[number] for number in call.quotes]))
            nodes.append(node)
            tokens = call.input_tokens
            for place, times in call.texts:
                tokens += times * text_tokens(identity[place])
            yield PlannedCall(call.stage, call.model, node, tokens, call.output_tokens)


def _scripted(number: int, call: RehearsedCall, marked: Marked) -> ScriptedCall:
    request, identity = call.request, marked.item.identity
    signs: dict[int, int] = {}
    quotes: dict[int, int] = {}

    def sign(place: int) -> str:
        return f"<sign {signs.setdefault(place, len(signs))}>"

    def unmarked(mark: re.Match[str]) -> str:
        # A text from outside may look like a mark.
        if mark[1] is None and int(mark[2]) < number:
            return f"<reply {quotes.setdefault(int(mark[2]), len(quotes))}, text {mark[3]}>"
        text = int(mark[1] or -1)
        place = marked.places.get(text)
        return mark[0] if place is None else f"{sign(place)}, text {text - marked.first(place)}"

    def shown(picture: Prepared) -> str:
        return sign(identity.index(picture.sha256)) if picture.sha256 in identity else picture.sha256

    # What fences texts from outside is made from their hash, and so says nothing that they don't.
    rest = MARK.sub(unmarked, FENCE.sub("", json.dumps(request.decisive(shown))))
    written = Counter(mark[1] for mark in MARK.finditer(request.text) if mark[1])
    texts: dict[int, int] = {}
    marks = 0.0
    for text, times in written.items():
        place = marked.places.get(int(text))
        if place is not None:
            marks += times * text_tokens(sign_mark(int(text)))
            # One entry may be several texts, as a question and its choices: it is written out once with them.
            texts[place] = max(texts.get(place, 0), times)
    return ScriptedCall(
        stage=request.task,
        model=call.model,
        rest=hash((call.model, rest)),
        signs=tuple(signs),
        quotes=tuple(quotes),
        texts=tuple(texts.items()),
        input_tokens=input_tokens(request) - marks,
        output_tokens=call.output_tokens,
    )
