"""A run as one file: a row an item, with its whole record. Pictures stay beside the store, known by hash.

export(store, Path("first.jsonl"))
"""

import json
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from pydantic import ConfigDict, JsonValue, model_validator

from ..backbones.stored_replies import CALL_COLUMNS, StoredReply
from ..core.errors import BadSetting, MissingExtra
from ..core.item import Labels, LabelsBy
from ..core.records import as_json, dump
from ..core.value import Value
from .outcomes import StoredOutcome, stored
from .store import Store

ROWS_AT_ONCE = 256
# Those that migrations/0003 knows as well.
EARLIER_BENCHMARKS = frozenset(
    {
        "samples",
        "samples/questions",
        "stylebench",
        "stylebench/instance",
        "stylebench/paper",
        "stylebench/paper-instance",
    }
)
T = TypeVar("T")


class ExportedCall(Value):
    """What the record's exchange does not say of its call; `sent` only where the exchange leaves it out."""

    key: str
    task: str
    model: str
    useless: bool
    retired: bool
    subject: tuple[str, ...]
    reply: dict[str, Any]
    sent: tuple[tuple[str, str], ...] | None = None


class ExportedRun(Value):
    name: str
    source: str
    method: str
    method_version: str
    package_version: str
    configuration: dict[str, str | int | float | bool | None]
    models: dict[str, str] = {}
    benchmark: str = ""

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_releases(cls, run: Any) -> Any:
        """They called the source a benchmark, whatever it was, and wrote "backbone at"."""
        if not isinstance(run, dict) or "source" in run:
            return cast("Any", run)
        cells = cast("dict[str, Any]", run)
        settings = {name.replace(" ", "_"): value for name, value in cells["configuration"].items()}
        source = cells["benchmark"]
        benchmark = source if source in EARLIER_BENCHMARKS else ""
        return {**cells, "source": source, "benchmark": benchmark, "configuration": settings}


class ExportedRow(Value):
    """One row of an export: `kind` is the item's, `outcome` the outcome's."""

    model_config = ConfigDict(extra="ignore")

    run: ExportedRun
    key: str
    position: int
    id: str
    kind: str
    labels: Labels
    label: str | None
    labels_by: LabelsBy = "unknown"
    outcome: str
    verdict: str | None = None
    value: float | None = None
    certainty: float | None = None
    flipped: bool | None = None
    unverified: int | None = None
    agrees: bool | None = None
    reason: str | None = None
    finished_at: str
    item: dict[str, Any]
    record: dict[str, Any]
    calls: tuple[ExportedCall, ...]


NESTED = ("run", "labels", "item", "record", "calls")
_TYPES = {
    "position": "int64",
    "value": "float64",
    "certainty": "float64",
    "flipped": "bool_",
    "unverified": "int64",
    "agrees": "bool_",
}


def export(store: Store, path: Path) -> int:
    """Write the file, whole or not at all; returns the number of rows."""
    write = by_suffix(path, _write_lines, _write_table)
    with _replacing(path) as file:
        return write(file, exported_rows(store))


def exported_rows(store: Store) -> Iterator[ExportedRow]:
    run = ExportedRun.model_validate(asdict(store.about))
    columns = f"{CALL_COLUMNS}, useless, retired"
    for each in stored(store, columns=columns):
        yield _row(run, each)


def _row(run: ExportedRun, each: StoredOutcome) -> ExportedRow:
    # From our own store: validation would only cost time.
    return ExportedRow.model_construct(
        run=run,
        **vars(each.row),
        finished_at=each.finished_at,
        item=json.loads(each.item),
        record=json.loads(dump(each.outcome)),
        calls=tuple(_call(call) for call in each.calls.values()),
    )


def _call(row: tuple[Any, ...]) -> ExportedCall:
    useless, retired = row[-2:]
    stored = StoredReply.of_row(row)
    words = stored.words
    del words["text"]
    return ExportedCall.model_construct(
        key=stored.key,
        task=stored.task,
        model=stored.model,
        useless=bool(useless),
        retired=bool(retired),
        subject=stored.subject,
        reply=words,
        sent=None if stored.reply.words_known else stored.sent,
    )


def _write_lines(file: IO[bytes], rows: Iterator[ExportedRow]) -> int:
    count = 0
    for row in rows:
        file.write(as_json(row.model_dump(mode="json")).encode() + b"\n")
        count += 1
    return count


def _write_table(file: IO[bytes], rows: Iterator[ExportedRow]) -> int:
    """What is nested is JSON text in its column."""
    try:
        import pyarrow
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise MissingExtra("Parquet", extra="tables") from None
    arrow = cast(Any, pyarrow)
    schema = arrow.schema(
        [(name, getattr(arrow, _TYPES.get(name, "string"))()) for name in ExportedRow.model_fields]
    )
    count = 0
    with cast(Any, ParquetWriter)(file, schema, compression="zstd") as writer:
        while some := list(islice(rows, ROWS_AT_ONCE)):
            writer.write_table(arrow.Table.from_pylist([_flat(row) for row in some], schema=schema))
            count += len(some)
    return count


def _flat(row: ExportedRow) -> dict[str, JsonValue]:
    cells = row.model_dump(mode="json")
    return cells | {name: as_json(cells[name]) for name in NESTED}


def by_suffix(path: Path, lines: T, table: T) -> T:
    """What fits the file's kind."""
    match path.suffix.lower():
        case ".jsonl":
            return lines
        case ".parquet":
            return table
        case _:
            raise BadSetting(f"An export is a .jsonl or a .parquet file, not {path.name}.")


@contextmanager
def _replacing(path: Path) -> Generator[IO[bytes]]:
    """A file that takes the place of `path` when it is whole."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("xb") as file:
            yield file
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
