"""`semiosis schema`: what `--json` prints, as JSON Schema."""

import json
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from ..core import records
from ..core.errors import UnknownName
from ..core.kinds import outcome_kind, outcome_kinds
from .commands import modules, plugins

COMMANDS = {"schema": "schema"}

ITEM = "runs show --item"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(
    kind: Annotated[
        str | None, typer.Argument(metavar="KIND", help="What to describe; all kinds are listed without.")
    ] = None,
) -> None:
    """Print the JSON Schema of what --json prints.

    Example:

      semiosis schema

      semiosis schema judgment > judgment.schema.json
    """
    if kind is None:
        for name, (_, commands) in kinds().items():
            print(f"{name:<15} {commands}")
        return
    print(json.dumps(published(kind), indent=2))


def kinds() -> dict[str, tuple[Any, str]]:
    """What is printed, and by which commands: outcomes, and what modules of commands have in `SCHEMAS`."""
    outcomes = {kind: (outcome_kind(kind), ITEM) for kind in outcome_kinds()}
    return outcomes | {
        kind: (printed, f"{commands}; {ITEM}" if kind in outcomes else commands)
        for module in _modules()
        for kind, (printed, commands) in getattr(module, "SCHEMAS", {}).items()
    }


def published(kind: str) -> dict[str, Any]:
    """The schema of a kind, which the JSON that is printed for it is valid by."""
    entries = kinds()
    if kind not in entries:
        raise UnknownName.among("kind of JSON", kind, entries)
    described = records.schema(kind) if kind in outcome_kinds() else _of_type(entries[kind][0])
    return {"$schema": DIALECT} | described | {"title": kind}


def _modules() -> Iterator[ModuleType]:
    for module in modules():
        yield import_module(module.name)
    for entry in plugins():
        # Whatever another package does as it is imported: its commands say so, when they are named.
        with suppress(Exception):
            yield import_module(entry.module)


class AsPrinted(GenerateJsonSchema):
    """A number that is not finite is printed as null: JSON has none. No key is printed but those named."""

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        return {"anyOf": [super().float_schema(schema), {"type": "null"}]}

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return super().dataclass_schema(schema) | {"additionalProperties": False}


def _of_type(printed: Any) -> dict[str, Any]:
    return TypeAdapter(printed).json_schema(mode="serialization", schema_generator=AsPrinted)
