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
_FORMS = {
    "date": "2000-01-01",
    "date-time": "2000-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "duration": "P1D",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "uri": "https://example.org",
    "email": "one@example.org",
}


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
    # Texts that reach their bound leave the rest to the others: how long they may be is found by halving.
    least, most = 0, characters
    while least < most:
        longer = (least + most + 1) // 2
        fits = len(json.dumps(_Instance(mark, longer, seed).of(schema, example))) <= characters
        least, most = (longer, most) if fits else (least, longer - 1)
    return json.dumps(_Instance(mark, least, seed).of(schema, example))


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
            case {"type": "object", "additionalProperties": dict(inner)}:
                count = self._count(schema, "Properties")
                return {str(number): self._value(inner) for number in range(1, count + 1)}
            case {"type": "object"}:
                return self.of(schema, {})
            case {"type": "array"}:
                return self._list(schema)
            case {"type": "string"}:
                return self._words(schema)
            case {"type": "boolean"}:
                return self._chance.random() < 0.5 if self._chance else True
            case {"type": "integer"}:
                return self._integer(schema)
            case {"type": "number"}:
                return self._number(schema)
            case _:
                return None

    def _list(self, schema: Schema) -> list[JsonValue]:
        if "prefixItems" in schema:
            return [
                self._value(cast(Schema, inner)) for inner in cast("list[JsonValue]", schema["prefixItems"])
            ]
        inner = cast(Schema, schema.get("items", {"type": "string"}))
        count = self._count(schema, "Items")
        if schema.get("uniqueItems") and isinstance(choices := inner.get("enum"), list):
            some = min(count, len(choices))
            return self._chance.sample(choices, some) if self._chance else choices[:some]
        return [self._value(inner) for _ in range(count)]

    def _count(self, schema: Schema, what: str) -> int:
        least = cast(int, schema.get(f"min{what}", 0))
        most = cast(int, schema.get(f"max{what}", max(least, LISTED)))
        return self._chance.randint(least, most) if self._chance else (least + most + 1) // 2

    def _integer(self, schema: Schema) -> int:
        step = cast(int, schema.get("multipleOf", 1))
        low, high = (round(end) for end in self._ends(schema, step))
        first, last = -(-low // step), high // step
        return step * (self._chance.randint(first, max(first, last)) if self._chance else (first + last) // 2)

    def _number(self, schema: Schema) -> float:
        low, high = self._ends(schema, 1e-9)
        return self._chance.uniform(low, high) if self._chance else (low + high) / 2

    def _ends(self, schema: Schema, beyond: float) -> tuple[float, float]:
        """The least and the most it may be; `beyond` is what an end that is excluded is off by."""
        ends = cast("dict[str, float]", schema)
        low = ends.get("minimum", ends["exclusiveMinimum"] + beyond if "exclusiveMinimum" in ends else None)
        high = ends.get("maximum", ends["exclusiveMaximum"] - beyond if "exclusiveMaximum" in ends else None)
        if low is None:
            low = 0.0 if high is None or high > 0 else high - 10
        return low, low + 10 * max(beyond, 1) if high is None else high

    def _words(self, schema: Schema) -> str:
        if (form := schema.get("format")) in _FORMS:
            return _FORMS[str(form)]
        mark = self._mark(self.texts)
        self.texts += 1
        length = max(len(mark) + self._longer, cast(int, schema.get("minLength", 0)))
        return _text(mark, length)[: cast("int | None", schema.get("maxLength"))]


def _text(mark: str, characters: int) -> str:
    filler = " " + _FILLER * (characters // len(_FILLER) + 1)
    text = (mark + filler)[: max(len(mark), characters)]
    return text if not text.endswith(" ") else f"{text[:-1]}."
