"""From a reply's text to a value: parsed as it stands, else found inside prose, else repaired.

read('```json\\n{"winner": "A"}\\n```', Verdict) -> Read(Verdict(winner="A"), ("found in prose",))
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from ..core.errors import BackboneError

T = TypeVar("T", bound=BaseModel)

MAX_REPLY_CHARACTERS = 400_000
MAX_REPAIRED_CHARACTERS = 60_000
MAX_DEPTH = 32
MAX_ESCAPES = 2_000
_MAX_STARTS = 64
_BRACKETS = re.compile(r"[\[\](){}]")
_THINKING = re.compile(r"^\s*<(think|thinking|thought)>.*?</\1>", re.S)
_REFUSAL = re.compile(
    r"^\W*(?:i['’]?m sorry|sorry|i apologi[sz]e|unfortunately)?\W*(?:but )?(?:as an ai[^.]*, )?"
    r"i(?:['’]m| am)? (?:can(?:no|['’])t|unable to|not able to|won['’]t|will not)\b",
    re.I,
)


@dataclass(frozen=True)
class Read(Generic[T]):
    """A validated value and what had to be done to get it."""

    value: T
    repairs: tuple[str, ...]


def read(text: str, model: type[T]) -> Read[T]:
    """The first candidate that validates. Raises BackboneError: refused, unparsable or invalid."""
    if len(text) > MAX_REPLY_CHARACTERS:
        raise BackboneError("unparsable", f"The reply has {len(text):,} characters; that is not an answer.")
    invalid: ValidationError | None = None
    for candidates, repairs in _candidates(text):
        fitting: list[T] = []
        for value in candidates:
            try:
                fitting.append(model.model_validate(value))
            except ValidationError as error:
                invalid = invalid or error
        if any(other != fitting[0] for other in fitting[1:]):
            raise BackboneError("unparsable", "The reply holds several answers that differ.", reply=text)
        if fitting:
            if repairs and _REFUSAL.match(text[:200]):
                raise BackboneError("refused", "The model declined to answer.", reply=text)
            return Read(fitting[0], repairs)
    if invalid is None:
        if _REFUSAL.match(text[:200]):
            raise BackboneError("refused", "The model declined to answer.", reply=text)
        raise BackboneError("unparsable", "The reply holds no JSON object.", reply=text)
    raise BackboneError("invalid", f"The reply does not fit: {_complaint(invalid)}.", reply=text)


def recover(text: str) -> JsonValue:
    """The JSON value of a whole text, repaired where needed; the empty string where there is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _repair(text)


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


def _candidates(text: str) -> Iterator[tuple[list[JsonValue], tuple[str, ...]]]:
    """Objects the text may mean, the least guessed first."""
    try:
        whole = json.loads(text)
        if isinstance(whole, dict):
            yield [whole], ()
            return
    except (ValueError, RecursionError):
        pass
    spoken = _THINKING.sub("", text)
    yield _embedded(spoken), ("found in prose",)
    mended = _repair(spoken)
    items = mended if isinstance(mended, list) else [mended]
    yield [item for item in items if isinstance(item, dict) and item], ("repaired",)


def _embedded(text: str) -> list[JsonValue]:
    """Complete JSON objects standing in the text."""
    decoder = json.JSONDecoder()
    found: list[JsonValue] = []
    at = text.find("{")
    for _ in range(_MAX_STARTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
            found.append(value)
            at = text.find("{", end)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
    return found


def _complaint(error: ValidationError) -> str:
    """What was wrong, short enough to be sent back."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)[:5]
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}" for fault in faults)
