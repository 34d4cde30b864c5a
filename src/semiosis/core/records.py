"""The one reader and writer of stored records.

text = dump(judgment); load(text) == judgment
"""

import json
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from .errors import BadRecord
from .outcome import Judgment, Outcome

SCHEMA_VERSION = 1
SUMMARY = ("winner", "preference", "flipped", "flips", "unverified")

_ADAPTER: TypeAdapter[Outcome] = TypeAdapter(Annotated[Outcome, Field(discriminator="kind")])


def dump(outcome: Outcome, *, indent: int | None = None) -> str:
    """The whole of `outcome` as JSON, with `indent`; a judgment begins with a summary of what is computed."""
    record: dict[str, Any] = {"schema": SCHEMA_VERSION, "kind": outcome.kind}
    if isinstance(outcome, Judgment):
        record["summary"] = {name: getattr(outcome, name) for name in SUMMARY}
    record |= outcome.model_dump(mode="json")
    return as_json(record, indent=indent)


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
        record.pop("summary", None)
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
