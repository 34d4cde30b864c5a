"""The one reader and writer of stored records, and what they look like.

text = dump(judgment); load(text) == judgment
schema("judgment")                        the JSON Schema of such a text
"""

import json
from typing import Annotated, Any, get_args, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError

from .errors import BadRecord
from .outcome import Outcome, Shown

SCHEMA_VERSION = 1
KINDS: dict[str, type[Shown]] = {each.model_fields["kind"].default: each for each in get_args(Outcome)}

_ADAPTER: TypeAdapter[Outcome] = TypeAdapter(Annotated[Outcome, Field(discriminator="kind")])


def dump(outcome: Outcome, *, indent: int | None = None) -> str:
    """The whole of `outcome` as JSON, with `indent`, beginning with its headline."""
    record: dict[str, Any] = {"schema": SCHEMA_VERSION, "kind": outcome.kind}
    record |= {name: getattr(outcome, name) for name in outcome.headline}
    return as_json(record | outcome.model_dump(mode="json"), indent=indent)


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a kind's records."""
    cls = KINDS[kind]
    found = cls.model_json_schema(mode="serialization")
    computed = {
        name: TypeAdapter(get_type_hints(getattr(cls, name).fget)["return"]).json_schema()
        for name in _computed(cls)
    }
    found["properties"] = {"schema": {"const": SCHEMA_VERSION}, **computed, **found["properties"]}
    found["required"] = list(found["properties"])
    return found


def _computed(cls: type[Shown]) -> list[str]:
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
    try:
        record: dict[str, Any] = json.loads(text)
        version = record.pop("schema")
        # Where the headline was before.
        record.pop("summary", None)
        for name in _computed(KINDS.get(record.get("kind", ""), Shown)):
            record.pop(name, None)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadRecord("This is not a semiosis record: no JSON object with a schema version.") from None
    if version != SCHEMA_VERSION:
        raise BadRecord(f"The record has schema version {version!r}; this release reads {SCHEMA_VERSION}.")
    try:
        return _ADAPTER.validate_python(record)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadRecord(f"The record does not read: {where}: {first['msg']}.") from None
