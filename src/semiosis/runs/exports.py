"""A run as one file: a row an item, with its whole record. Pictures stay beside the store, known by hash.

export(store, Path("first.jsonl"))
"""

import json
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from itertools import islice
from pathlib import Path
from typing import IO, Annotated, Any, TypeVar, cast

from pydantic import BeforeValidator, ConfigDict

from ..backbones.stored_replies import CALL_COLUMNS, StoredReply
from ..core.errors import BadSetting, MissingExtra
from ..core.records import as_json, dump
from ..core.settled import Settled
from ..core.value import Value
from .outcomes import stored
from .store import About, Store

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


def _of_earlier_releases(run: Any) -> Any:
    """They called the source a benchmark, whatever it was, and wrote "backbone at"."""
    match run:
        case {"benchmark": str(source), "configuration": dict()} if "source" not in run:
            settings = cast("dict[str, Any]", run["configuration"])
            return run | {
                "source": source,
                "benchmark": source if source in EARLIER_BENCHMARKS else "",
                "configuration": {name.replace(" ", "_"): value for name, value in settings.items()},
            }
        case _:
            return run


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


class ExportedRow(Value):
    """What is read of a row again. The columns of `Settled` beside it are computed anew."""

    model_config = ConfigDict(extra="ignore")

    run: Annotated[About, BeforeValidator(_of_earlier_releases)]
    key: str
    position: int
    id: str
    finished_at: str
    item: dict[str, Any]
    record: dict[str, Any]
    calls: tuple[ExportedCall, ...]


Cells = dict[str, Any]
COLUMNS = ("run", *(each.name for each in fields(Settled)), "finished_at", "item", "record", "calls")
NESTED = ("run", "labels", "item", "record", "calls")
_TYPES = {
    "position": "int64",
    "value": "float64",
    "graded": "float64",
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


def exported_rows(store: Store) -> Iterator[Cells]:
    """The cells of `COLUMNS`, in their order."""
    run = asdict(store.about)
    for each in stored(store, columns=f"{CALL_COLUMNS}, useless, retired"):
        yield {
            "run": run,
            **vars(each.row),
            "finished_at": each.finished_at,
            "item": json.loads(each.item),
            "record": json.loads(dump(each.outcome)),
            "calls": [_call(call) for call in each.calls.values()],
        }


def _call(row: tuple[Any, ...]) -> Cells:
    useless, retired = row[-2:]
    stored = StoredReply.of_row(row)
    words = stored.words
    del words["text"]
    return {
        "key": stored.key,
        "task": stored.task,
        "model": stored.model,
        "useless": bool(useless),
        "retired": bool(retired),
        "subject": stored.subject,
        "reply": words,
        "sent": None if stored.reply.words_known else stored.sent,
    }


def _write_lines(file: IO[bytes], rows: Iterator[Cells]) -> int:
    count = 0
    for row in rows:
        file.write(as_json(row).encode() + b"\n")
        count += 1
    return count


def _write_table(file: IO[bytes], rows: Iterator[Cells]) -> int:
    """What is nested is JSON text in its column."""
    try:
        import pyarrow
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise MissingExtra("Parquet", extra="tables") from None
    arrow = cast(Any, pyarrow)
    schema = arrow.schema([(name, getattr(arrow, _TYPES.get(name, "string"))()) for name in COLUMNS])
    count = 0
    with cast(Any, ParquetWriter)(file, schema, compression="zstd") as writer:
        while some := list(islice(rows, ROWS_AT_ONCE)):
            cells = [row | {name: as_json(row[name]) for name in NESTED} for row in some]
            writer.write_table(arrow.Table.from_pylist(cells, schema=schema))
            count += len(some)
    return count


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
