"""What one item asks for, found by rehearsing its method; and what others of its shape ask for, by counting.

script = Script.of(await rehearse_item(method, marked.item), marked)
script.calls_for(identity)      of another item: its signs set in place, nothing run

A call is known by the signs it shows and the replies it quotes. Both carry marks in a rehearsal.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

from ..backbones.budget import input_tokens, text_tokens
from ..backbones.pictures import Prepared
from ..backbones.rehearsal import Rehearsal, RehearsedCall
from ..core.errors import BadSetting, SemiosisError
from ..core.item import Item
from ..core.outcome import Failure, Outcome
from ..core.sign import Artifact
from ..core.value import Value
from ..methods.contract import Method, check_takes

M = TypeVar("M", bound=Method)
V = TypeVar("V", bound=Value)

# Of one item: a method that asks for more may never end, since no made-up reply tells it to.
MOST_CALLS = 10_000

_MARK = re.compile(r"z(?:s(\d+)|r(\d+)p(\d+))z", re.I)
# What fences texts from outside is made from their hash, and so says nothing that they don't.
_FENCE = re.compile(r"data-[0-9a-f]{10}")


async def rehearse(
    method: M, performance: Callable[[M], Coroutine[Any, Any, Outcome]], chance: Random | None = None
) -> list[RehearsedCall]:
    """The calls that the method makes when it is asked for nothing but this."""
    calls: list[RehearsedCall] = []
    rehearsed = method.rehearsed(lambda backbone: Rehearsal(backbone, calls, chance, MOST_CALLS))
    outcome = await performance(rehearsed)
    if isinstance(outcome, Failure):
        raise BadSetting(f"{method.label} could not be rehearsed: {outcome.message}")
    return calls


async def rehearse_item(method: Method, item: Item, chance: Random | None = None) -> list[RehearsedCall]:
    """The calls that the method makes for this item alone."""
    check_takes(type(method), method.label, item.kind, item.id)
    return await rehearse(method, lambda each: getattr(each, item.capability)(*item.arguments), chance)


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call that will be made. Calls of one node are one call, whatever items need them."""

    stage: str
    model: str
    node: int
    input_tokens: float
    output_tokens: int


def whole(call: RehearsedCall) -> PlannedCall:
    """A call as it was rehearsed, known by its request."""
    request = call.request
    node = hash((call.model, request.sha256))
    return PlannedCall(request.task, call.model, node, input_tokens(request), call.output_tokens)


@dataclass(frozen=True)
class Marked:
    """An item with marks for texts: `places` says which entry of the identity each mark stands for."""

    item: Item
    places: Mapping[int, int]

    @classmethod
    def of(cls, item: Item) -> "Marked":
        texts = 0

        def walked(part: Any, annotation: Any) -> Any:
            nonlocal texts
            match part:
                case str() if _is_free(annotation):
                    texts += 1
                    return f"zs{texts - 1}z"
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
            for mark in _MARK.finditer(entry):
                places.setdefault(int(mark[1]), place)
        return cls(stand_in, places)


@cache
def _is_free(annotation: Any) -> bool:
    """Whether the texts of such a field are anybody's, not some of a few that a method may go by."""
    if annotation is str:
        return True
    return get_origin(annotation) is not Literal and any(_is_free(each) for each in get_args(annotation))


@dataclass(frozen=True)
class ScriptedCall:
    """`signs` are entries of an item's identity, `quotes` earlier calls, `texts` signs by how often they are
    written; the rest is the same for every item of the shape."""

    stage: str
    model: str
    words: int
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
    def of(cls, calls: list[RehearsedCall], marked: Marked) -> "Script":
        return cls(tuple(_scripted(call, marked) for call in calls))

    def calls_for(self, identity: tuple[str, ...]) -> Iterator[PlannedCall]:
        nodes: list[int] = []
        for call in self.calls:
            signs = [identity[place] for place in call.signs]
            node = hash((call.words, *signs, *[nodes[number] for number in call.quotes]))
            nodes.append(node)
            tokens = call.input_tokens
            for place, times in call.texts:
                tokens += times * text_tokens(identity[place])
            yield PlannedCall(call.stage, call.model, node, tokens, call.output_tokens)


def _scripted(call: RehearsedCall, marked: Marked) -> ScriptedCall:
    request, identity = call.request, marked.item.identity
    signs: dict[int, int] = {}
    quotes: dict[int, int] = {}

    def sign(place: int) -> str:
        return f"<sign {signs.setdefault(place, len(signs))}>"

    def unmarked(mark: re.Match[str]) -> str:
        if mark[1] is None:
            return f"<reply {quotes.setdefault(int(mark[2]), len(quotes))}, text {mark[3]}>"
        place = marked.places.get(int(mark[1]))
        return mark[0] if place is None else sign(place)

    def shown(picture: Prepared) -> str:
        return sign(identity.index(picture.sha256)) if picture.sha256 in identity else picture.sha256

    parts = [
        [message.role, *(shown(part) if isinstance(part, Prepared) else part for part in message.parts)]
        for message in request.messages
    ]
    settings = [request.schema, request.max_tokens, request.temperature, request.seed, request.logprobs]
    words = _MARK.sub(unmarked, _FENCE.sub("", json.dumps([parts, *settings, request.repeat])))
    times = Counter(int(mark[1]) for mark in _MARK.finditer(request.text) if mark[1])
    texts: dict[int, int] = {}
    for mark, count in times.items():
        if mark in marked.places:
            place = marked.places[mark]
            texts[place] = max(texts.get(place, 0), count)
    own = sum(count * text_tokens(f"zs{mark}z") for mark, count in times.items() if mark in marked.places)
    return ScriptedCall(
        stage=request.task,
        model=call.model,
        words=hash((call.model, words)),
        signs=tuple(signs),
        quotes=tuple(quotes),
        texts=tuple(texts.items()),
        input_tokens=input_tokens(request) - own,
        output_tokens=call.output_tokens,
    )
