"""One reply schema, spoken in each server's dialect.

*strict* is what OpenAI's structured outputs and most hosted servers take: every property required, nothing
additional, no bounds. *bounded* sets lengths and counts, without which llama.cpp's grammar lets a small
model write one string until it runs out of room.
"""

import json
from functools import cache
from typing import Literal, cast

from pydantic import BaseModel, JsonValue

from .backbone import Schema

Dialect = Literal["strict", "bounded"]

# What a string and a list may grow to under a grammar, where the shape itself says nothing.
STRING_BOUND = 200
LIST_BOUND = 8

_BOUNDS = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum",
     "exclusiveMaximum", "pattern", "format", "uniqueItems"}
)  # fmt: skip
_NOISE = frozenset({"title", "default"})
_MAX_TRANSLATIONS = 64
_translations: dict[tuple[int, Dialect], tuple[Schema, Schema]] = {}


@cache
def schema_of(model: type[BaseModel]) -> Schema:
    """The model's JSON schema with references resolved in place."""
    whole = cast(Schema, model.model_json_schema())
    definitions = cast(dict[str, JsonValue], whole.pop("$defs", {}))
    return cast(Schema, _inline(whole, definitions))


def speak(schema: Schema, dialect: Dialect) -> Schema:
    """The schema in that dialect. The last few are remembered by identity, so none may be changed."""
    key = (id(schema), dialect)
    pair = _translations.get(key)
    # The schema is kept with its translation, so its id cannot come to mean another one.
    if pair is None or pair[0] is not schema:
        if len(_translations) >= _MAX_TRANSLATIONS:
            _translations.clear()
        pair = _translations[key] = (schema, cast(Schema, _speak(schema, dialect)))
    return pair[1]


def full_text(reply: str, schema: Schema) -> str:
    """Which text of a reply has all the characters that the bounded schema gives it; empty for none.

    A grammar ends a text at its bound, in the middle of a word: what looks whole may be cut. A longer text
    shows that the server keeps to no bounds.
    """
    try:
        return _full(json.loads(reply), speak(schema, "bounded"), "")
    except (ValueError, RecursionError):
        return ""


def _full(value: JsonValue, schema: JsonValue, where: str) -> str:
    match value, schema:
        case str(), {"maxLength": int(most)} if len(value) == most:
            return f"{where.lstrip('.') or 'the reply'} has all of its {most} characters; say it in fewer"
        case dict(), {"properties": dict(properties)}:
            inner = ((each, properties.get(name), f"{where}.{name}") for name, each in value.items())
        case list(), {"items": items}:
            inner = ((each, items, f"{where}.{number}") for number, each in enumerate(value, 1))
        case _, {"anyOf": list(choices)}:
            inner = ((value, choice, where) for choice in choices)
        case _:
            return ""
    return next(filter(None, (_full(*each) for each in inner)), "")


def _inline(node: JsonValue, definitions: dict[str, JsonValue]) -> JsonValue:
    match node:
        case {"$ref": str(name), **rest}:
            target = _inline(definitions[name.rsplit("/", 1)[-1]], definitions)
            return {**cast(Schema, target), **rest}
        case dict():
            return {key: _inline(value, definitions) for key, value in node.items()}
        case list():
            return [_inline(value, definitions) for value in node]
        case _:
            return node


def _speak(node: JsonValue, dialect: Dialect) -> JsonValue:
    match node:
        case dict():
            drop = _NOISE | _BOUNDS if dialect == "strict" else _NOISE
            translation: dict[str, JsonValue] = {}
            for key, value in node.items():
                if key == "properties":
                    named = cast(dict[str, JsonValue], value)
                    translation[key] = {name: _speak(inner, dialect) for name, inner in named.items()}
                elif key not in drop:
                    translation[key] = _speak(value, dialect)
            if dialect == "bounded" and translation.get("type") == "string" and "enum" not in translation:
                translation.setdefault("maxLength", STRING_BOUND)
            if dialect == "bounded" and translation.get("type") == "array":
                translation.setdefault("maxItems", LIST_BOUND)
            if "properties" in translation:
                translation["required"] = list(cast(dict[str, JsonValue], translation["properties"]))
                translation["additionalProperties"] = False
            return translation
        case list():
            return [_speak(value, dialect) for value in node]
        case _:
            return node
