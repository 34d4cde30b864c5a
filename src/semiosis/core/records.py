"""The one reader and writer of stored records, and what they look like.

text = dump(judgment); load(text) == judgment
schema("judgment")                        the JSON Schema of such a text
"""

import json
from typing import Any, cast, get_type_hints

from pydantic import TypeAdapter, ValidationError

from .errors import BadRecord, UnknownName
from .kinds import outcome_kind
from .outcome import ForeignOutcome, Outcome
from .value import first_fault

SCHEMA_VERSION = 1


def dump(outcome: Outcome, *, indent: int | None = None) -> str:
    """The whole of `outcome` as JSON, with `indent`, beginning with its headline."""
    record: dict[str, Any] = {"schema": SCHEMA_VERSION, "kind": outcome.kind}
    return as_json(record | outcome.cells | outcome.model_dump(mode="json"), indent=indent)


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a kind's records."""
    cls = outcome_kind(kind)
    described = cls.model_json_schema(mode="serialization")
    computed = {
        name: TypeAdapter(get_type_hints(getattr(cls, name).fget)["return"]).json_schema()
        for name in _computed(cls)
    }
    described["properties"] = {"schema": {"const": SCHEMA_VERSION}, **computed, **described["properties"]}
    described["required"] = list(described["properties"])
    return described


def _computed(cls: type[Outcome]) -> list[str]:
    return [name for name in cls.headline if name not in cls.model_fields]


def as_json(value: Any, *, indent: int | None = None) -> str:
    """Text as it is read, unless half a surrogate pair is in it, which can only be written as an escape."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


def load(text: str | bytes) -> Outcome:
    """The outcome that `dump` wrote as `text`; pictures come back without their bytes."""
    return _read(text, outcome_kind)


def load_any(text: str | bytes) -> Outcome:
    """As `load`; of a kind that is not installed here, a ForeignOutcome."""

    def installed(name: str) -> type[Outcome]:
        try:
            return outcome_kind(name)
        except UnknownName:
            return ForeignOutcome

    return _read(text, installed)


def _read(text: str | bytes, cls_of: Any) -> Outcome:
    try:
        record = cast("dict[str, Any]", json.loads(text))
        version, kind = record.pop("schema"), record.get("kind", "")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadRecord("This is not a semiosis record: no JSON object with a schema version.") from None
    if version != SCHEMA_VERSION:
        raise BadRecord(f"The record has schema version {version!r}; this release reads {SCHEMA_VERSION}.")
    try:
        cls: type[Outcome] = cls_of(str(kind))
    except UnknownName as error:
        raise BadRecord(f"The record does not read: {error}") from None
    for name in _computed(cls):
        record.pop(name, None)
    if "summary" not in cls.model_fields and cls is not ForeignOutcome:
        # Where the headline was before.
        record.pop("summary", None)
    try:
        return cls.model_validate(record)
    except ValidationError as error:
        raise BadRecord(f"The record does not read: {first_fault(error)}.") from None
