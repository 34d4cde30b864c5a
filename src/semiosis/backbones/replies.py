"""From a reply's text to a value: parsed as it stands, else found inside prose, else repaired.

read('```json\\n{"winner": "A"}\\n```', Verdict) -> ParsedReply(Verdict(winner="A"), ("found in prose",))
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from ..core.errors import BackboneError

T = TypeVar("T", bound=BaseModel)

_TWICE = "The reply gives one name two values that differ."
MAX_REPLY_CHARACTERS = 400_000
MAX_REPAIRED_CHARACTERS = 60_000
MAX_DEPTH = 32
MAX_ESCAPES = 2_000
_MAX_STARTS = 64
_JSON_MARKS = re.compile(r"[\[\]{}]|\"\s*:")
_BRACKETS = re.compile(r"[\[\](){}]")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# A form that was handed back: {"score": 1 | 2 | 3}, {"score": 3 or 4}, {"winner": "A" | "B"}.
_OFFER = re.compile(
    r"[\w\"]\s*\|\s*[\w\"]|[:\[,]\s*(?:\"\"|-?\d[\d.]*|true|false|null)\s+\(?(?:or|to|and|through)\s+[\"\d]",
    re.I,
)
# {"winner": "A", "B"}, {"winner": "A", or "B"}
_SECOND_STRING = re.compile(r':\s*"[^"]{0,80}"\s*,?\s*(?:or|and|/)?\s*"[^"]{0,80}"\s*[},]')
# {"score": 5 to eight}, {"score": <7}, {"winner": !"A"}
_HEDGED = re.compile(r":\s*(?:[!<>~≤≥≈]|-?\d[\d.]*\s+[A-Za-z–—-])")
_NAMED_TWICE = re.compile(r"""["'](\w{1,80})["']\s*:[^{}]{0,4000}?["']\1["']\s*:""")
_DIGITS = re.compile(r"\d+")
# What holds digits and is no number: \u00e9, the _ of 1_000, quotes in a bare word.
_NO_NUMBER = re.compile(r'\\u[0-9a-fA-F]{4}|(?<=\d)_(?=\d)|(?<=[:,])\s*[A-Za-z]\w*"[^"]*"')
_THINKING = re.compile(r"^\s*<(think|thinking|thought)>.*?</\1>", re.S)
_REFUSAL = re.compile(
    r"^\W*(?:i['’]?m sorry|sorry|i apologi[sz]e|unfortunately)?\W*(?:but )?(?:as an ai[^.]*, )?"
    r"i(?:['’]m| am)? (?:can(?:no|['’])t|unable to|not able to|won['’]t|will not)\b",
    re.I,
)


@dataclass(frozen=True)
class ParsedReply(Generic[T]):
    """A validated value and what had to be done to get it."""

    value: T
    repairs: tuple[str, ...]


def read(text: str, model: type[T]) -> ParsedReply[T]:
    """The first candidate that validates. Raises BackboneError: refused, unparsable or invalid.

    Only an object or a list can be an answer that does not fit: of mere prose a repairer makes a word or a
    number, each release another.
    """
    if len(text) > MAX_REPLY_CHARACTERS:
        raise BackboneError("unparsable", f"The reply has {len(text):,} characters; that is not an answer.")
    invalid: ValidationError | None = None
    speech = _THINKING.sub("", text)
    for value, repairs in _candidates(text, speech):
        try:
            answer = model.model_validate(value)
        except ValidationError as error:
            invalid = invalid or (error if isinstance(value, dict | list) else None)
            continue
        if "repaired" in repairs and _offers(speech, value):
            raise BackboneError("unparsable", "The reply offers several values for one.", reply=text)
        if repairs and declines(text):
            raise BackboneError("refused", "The model declined to answer.", reply=text)
        if repairs and isinstance(value, dict) and _rivals(speech, model, value):
            raise BackboneError("unparsable", "The reply holds several answers that differ.", reply=text)
        return ParsedReply(answer, repairs)
    if invalid is None:
        if declines(text):
            raise BackboneError("refused", "The model declined to answer.", reply=text)
        raise BackboneError("unparsable", "The reply holds no JSON object.", reply=text)
    raise BackboneError("invalid", f"The reply does not fit: {_complaint(invalid)}.", reply=text)


def _offers(text: str, repaired: JsonValue) -> bool:
    """Whether it has several values where one belongs, of which a repairer takes the one it likes."""
    bare = _STRING.sub('""', text)
    if _OFFER.search(bare) or _HEDGED.search(bare) or _SECOND_STRING.search(text):
        return True
    start, end = text.find("{"), text.rfind("}") + 1
    written = _NO_NUMBER.sub("", text[start : end or None])
    kept = json.dumps(repaired, ensure_ascii=False)
    if len(_DIGITS.findall(written)) > len(_DIGITS.findall(kept)):
        return True
    twice = _NAMED_TWICE.search(written)
    return twice is not None and kept.count(f'"{twice[1]}":') < 2


def declines(text: str) -> bool:
    """Whether it begins as a refusal does."""
    return _REFUSAL.match(text[:200]) is not None


def _repair(text: str) -> JsonValue:
    import json_repair

    # The repairer's time grows with the square of escapes and explodes with depth; no answer needs that many.
    too_long = len(text) > MAX_REPAIRED_CHARACTERS or text.count("\\") > MAX_ESCAPES
    if too_long or _depth(text) > MAX_DEPTH:
        return ""
    try:
        return json_repair.loads(text)  # pyright: ignore[reportReturnType]
    except (ValueError, RecursionError, IndexError, AttributeError, TypeError):
        return ""


def _depth(text: str) -> int:
    """How deep brackets nest at the most."""
    depth = deepest = 0
    for bracket in _BRACKETS.findall(text):
        depth += 1 if bracket in "[{(" else -1
        deepest = max(deepest, depth)
    return deepest


def _candidates(text: str, speech: str) -> Iterator[tuple[JsonValue, tuple[str, ...]]]:
    """Values the text may mean, the least guessed first."""
    try:
        yield json.loads(text, object_pairs_hook=_once), ()
        return
    except _SaidTwice:
        raise BackboneError("unparsable", _TWICE, reply=text) from None
    except (ValueError, RecursionError):
        pass
    embedded = _embedded(speech)
    if len(embedded) == 1 and _bare(speech, embedded[0]):
        yield embedded[0].value, ("found in prose",)
    yield _repair(speech), ("repaired",)
    for item in embedded:
        yield item.value, ("found in prose",)


class _SaidTwice(Exception):
    """An object has one name with two values that differ."""


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    once = dict(pairs)
    if len(once) < len(pairs) and any(once[name] != value for name, value in pairs):
        raise _SaidTwice
    return once


def _bare(text: str, item: "Embedded") -> bool:
    """Whether what stands around the object is prose, not the rest of some larger JSON."""
    return not _JSON_MARKS.search(text[: item.start] + text[item.end :])


def _rivals(text: str, model: type[T], chosen: JsonValue) -> bool:
    """Whether the text holds another answer that fits and is no part of the chosen one."""
    for item in _embedded(text):
        try:
            model.model_validate(item.value)
        except ValidationError:
            continue
        if not _part_of(item.value, chosen):
            return True
    return False


def _part_of(part: JsonValue, whole: JsonValue) -> bool:
    if part == whole:
        return True
    if isinstance(whole, list):
        return any(_part_of(part, each) for each in whole)
    if isinstance(whole, dict):
        within = isinstance(part, dict) and all(
            key in whole and whole[key] == value for key, value in part.items()
        )
        return within or any(_part_of(part, each) for each in whole.values())
    return False


@dataclass(frozen=True)
class Embedded:
    value: JsonValue
    start: int
    end: int


def _embedded(text: str) -> list[Embedded]:
    """Complete JSON objects standing in the text."""
    decoder = json.JSONDecoder(object_pairs_hook=_once)
    objects: list[Embedded] = []
    at = text.find("{")
    for _ in range(_MAX_STARTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
            objects.append(Embedded(value, at, end))
            at = text.find("{", end)
        except _SaidTwice:
            raise BackboneError("unparsable", _TWICE, reply=text) from None
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
    return objects


def _complaint(error: ValidationError) -> str:
    """What was wrong, short enough to be sent back."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)[:5]
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}" for fault in faults)
