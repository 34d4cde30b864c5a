"""An exported run as a store again: `exports.export` backwards.

    import_run(Path("first.jsonl"), Path("semiosis-runs/again.sqlite"))

What is computed from a record is computed anew, whatever the file says.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..backbones.backbone import REPLY
from ..backbones.stored_replies import CALL_COLUMNS, FIGURES, StoredReply
from ..core.errors import BadRecord, InputError, StoreError, UnknownName
from ..core.item import BadRow
from ..core.kinds import item_kind
from ..core.outcome import Exchange, Outcome
from ..core.records import load
from ..core.text import brief
from ..core.value import first_fault
from ..sources.arrow import parquet
from ..sources.files import read
from ..sources.rows import Rows
from .exports import NESTED, ROWS_AT_ONCE, ExportedCall, ExportedRow, by_suffix
from .rows import item_row, outcome_row
from .store import NOTE_ITEM, NOTE_OUTCOME, Store


def import_run(path: Path, to: Path) -> int:
    """A new store from an export, whole or not at all; returns the number of its items."""
    if to.exists():
        raise StoreError(f"The run {to.stem} exists: give another --name.")
    if not path.is_file():
        raise BadRecord(f"There is no file {path}.")
    rows = by_suffix(path, read, _read_table)(path)
    to.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=to.parent, prefix=".import-") as folder:
        draft = Path(folder) / to.name
        count = _write_draft(_parsed(rows), path.name, draft)
        # A log left by a run that was deleted would be played into this one.
        for suffix in ("-wal", "-shm"):
            to.with_name(to.name + suffix).unlink(missing_ok=True)
        os.replace(draft, to)
    return count


def _read_table(path: Path) -> Rows:
    return parquet([path])


def _write_draft(rows: Iterator[tuple[str, ExportedRow]], file: str, draft: Path) -> int:
    first = next(rows, None)
    if first is None:
        raise BadRecord(brief(f"{file} holds no rows of a run."))
    run = first[1].run
    count = 0
    with Store.create(draft, replace(run, name=draft.stem)) as store:
        store.execute("begin")
        for where, row in chain((first,), rows):
            if row.run != run:
                raise _bad(where, f"it is of the run {row.run.name}, the rows before of {run.name}")
            if store.settled([row.key]):
                raise _bad(where, f"the item {row.id} is there twice")
            try:
                _store(store, row)
            except (InputError, UnknownName, ValueError, OverflowError) as error:
                raise _bad(where, _reason(error)) from None
            count += 1
            if count % ROWS_AT_ONCE == 0:
                store.execute("commit")
                store.execute("begin")
        store.execute("commit")
        store.begin(count)
        store.end("imported")
    return count


def _parsed(rows: Rows) -> Iterator[tuple[str, ExportedRow]]:
    for row in rows:
        if isinstance(row, BadRow):
            raise _bad(row.where, row.reason)
        try:
            texts = {name: row.cells.get(name) for name in NESTED}
            nested = {name: json.loads(text) for name, text in texts.items() if isinstance(text, str)}
            yield row.where, ExportedRow.model_validate(row.cells | nested)
        except (InputError, ValueError, RecursionError) as error:
            raise _bad(row.where, _reason(error)) from None


def _store(store: Store, row: ExportedRow) -> None:
    item = item_kind(str(row.item.get("kind"))).model_validate(row.item)
    if item.key != row.key:
        raise BadRecord(f"its key is not that of its item {row.id}")
    outcome = load(json.dumps(row.record))
    store.execute(NOTE_ITEM, item_row(row.position, item))
    store.execute(NOTE_OUTCOME, outcome_row(item, outcome, row.finished_at))
    exchanges = _exchanges(outcome)
    for call in row.calls:
        if call.key not in exchanges:
            raise BadRecord(f"its record has no exchange for the call {call.key}")
        cells = _call_row(call, exchanges[call.key])
        store.execute(
            f"insert into calls ({CALL_COLUMNS}, useless, retired)"
            f" select {', '.join('?' * len(cells))}, ?, ?"
            " where not exists (select 1 from calls where key = ? and retired)"
            " and not exists (select 1 from calls where key = ? and not retired)",
            (*cells, call.useless, call.retired, call.key, call.key),
        )


def _exchanges(outcome: Outcome) -> dict[str, Exchange]:
    return {each.call: each for each in outcome.provenance.exchanges} if outcome.provenance else {}


def _call_row(call: ExportedCall, exchange: Exchange) -> tuple[Any, ...]:
    figures = exchange.model_dump(include={*FIGURES})
    return StoredReply(
        key=call.key,
        model=call.model,
        task=call.task,
        subject=call.subject,
        reply=REPLY.validate_python({"text": exchange.reply} | call.reply | figures),
        pictures=exchange.pictures,
        sent=exchange.sent if call.sent is None else call.sent,
    ).row


def _bad(where: str, reason: str) -> BadRecord:
    return BadRecord(brief(f"{where} is no row of an exported run: {reason.rstrip('.')}."))


def _reason(error: Exception) -> str:
    return first_fault(error) if isinstance(error, ValidationError) else str(error)
