"""Made-up replies: an instance of a JSON schema, about as long as wanted, every text in it marked.

plausible({"properties": {"why": {"type": "string"}}}, {}, str, 30) -> '{"why": "0 as one might put"}'
"""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import cast

from pydantic import JsonValue

from .backbone import Schema

# How many things are listed, where the schema sets no bound.
LISTED = 4
_FILLER = "as one might put it, "


def plausible(
    schema: Schema | None,
    example: Mapping[str, JsonValue],
    mark: Callable[[int], str],
    characters: int,
    seed: float | None = None,
) -> str:
    """JSON, or prose where there is no schema. What the `example` holds stands as it is, save empty texts.

    Without a seed it is the middle of what the schema admits, with one anything that it admits. A text begins
    with the `mark` of its number.
    """
    if schema is None:
        return _text(mark(0), characters)
    shortest = _Instance(mark, 0, seed)
    length = len(json.dumps(shortest.of(schema, example)))
    longer = (characters - length) // max(1, shortest.texts)
    return json.dumps(_Instance(mark, longer, seed).of(schema, example))


class _Instance:
    """Each text is `longer` than its mark by so many characters."""

    def __init__(self, mark: Callable[[int], str], longer: int, seed: float | None) -> None:
        self._mark = mark
        self._longer = longer
        self._chance = None if seed is None else Random(seed)
        self.texts = 0

    def of(self, schema: Schema, example: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        properties = cast("dict[str, Schema]", schema.get("properties", {}))
        return {
            name: self._completed(example[name]) if name in example else self._value(inner)
            for name, inner in properties.items()
        }

    def _completed(self, value: JsonValue) -> JsonValue:
        match value:
            case "":
                return self._words({})
            case list():
                return [self._completed(each) for each in value]
            case dict():
                return {name: self._completed(each) for name, each in value.items()}
            case _:
                return value

    def _value(self, schema: Schema) -> JsonValue:
        match schema:
            case {"const": value}:
                return value
            case {"enum": list(choices)} | {"anyOf": list(choices)} | {"oneOf": list(choices)}:
                choice = self._chance.choice(choices) if self._chance else choices[0]
                return choice if "enum" in schema else self._value(cast(Schema, choice))
            case {"allOf": list(parts)}:
                return self._value(
                    {name: value for part in parts for name, value in cast(Schema, part).items()}
                )
            case {"type": "object"}:
                return self.of(schema, {})
            case {"type": "array"}:
                return self._list(schema)
            case {"type": "string"}:
                return self._words(schema)
            case {"type": "boolean"}:
                return self._chance.random() < 0.5 if self._chance else True
            case {"type": "integer"}:
                return round(self._number(schema))
            case {"type": "number"}:
                return self._number(schema)
            case _:
                return None

    def _list(self, schema: Schema) -> list[JsonValue]:
        if "prefixItems" in schema:
            return [
                self._value(cast(Schema, inner)) for inner in cast("list[JsonValue]", schema["prefixItems"])
            ]
        least = cast(int, schema.get("minItems", 0))
        most = cast(int, schema.get("maxItems", max(least, LISTED)))
        count = self._chance.randint(least, most) if self._chance else (least + most + 1) // 2
        inner = cast(Schema, schema.get("items", {"type": "string"}))
        return [self._value(inner) for _ in range(count)]

    def _number(self, schema: Schema) -> float:
        low = cast(float, schema.get("minimum", schema.get("exclusiveMinimum", 0)))
        high = cast(float, schema.get("maximum", schema.get("exclusiveMaximum", low + 10)))
        return self._chance.uniform(low, high) if self._chance else (low + high) / 2

    def _words(self, schema: Schema) -> str:
        mark = self._mark(self.texts)
        self.texts += 1
        return _text(mark, len(mark) + self._longer)[: cast("int | None", schema.get("maxLength"))]


def _text(mark: str, characters: int) -> str:
    filler = " " + _FILLER * (characters // len(_FILLER) + 1)
    return (mark + filler)[: max(len(mark), characters)].rstrip()
