"""What a judge said of each row: "left", "right", "tie" where it was undecided, None where it failed.

    said = read("gemini_artcot_global.json", rows)      the authors' format: the same rows, `winner` filled in
    said = read("verdicts.csv", rows)                   columns id and winner
    said = read("semiosis-runs/first.sqlite", rows)     a run on this benchmark

An empty or null winner is a failure. A row that is not there was not asked, which is counted apart.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from ...core.errors import BadRecord, InputError
from ...core.item import BadRow, Labels
from ...runs.sources import files, tables, winners
from ...runs.sources.rows import Rows, printable
from ...runs.store import SUFFIX, Store
from .annotations import Comparison, comparison

Verdict = Literal["left", "right", "tie"]
Predictions = Mapping[str, Verdict | None]

_VERDICTS: dict[str | None, Verdict] = {"a": "left", "b": "right", "tie": "tie"}
_TURNED: dict[Verdict | None, Verdict] = {"left": "right", "right": "left", "tie": "tie"}


def read(where: str | Path, rows: Iterable[Comparison] = ()) -> dict[str, Verdict | None]:
    """By id. Where a row of the file names its methods, they are checked against `rows`, and a verdict on the
    same pair shown the other way round is turned."""
    if str(where).startswith("hf:"):
        return _of_rows(tables.hub(str(where).removeprefix("hf:")), rows)
    path = Path(where)
    if path.suffix == SUFFIX:
        return of_run(path, rows)
    if not path.is_file():
        raise BadRecord(f"There is no file of predictions {path}.")
    if path.suffix.lower() == ".parquet":
        return _of_rows(tables.parquet([path]), rows)
    if files.format_of(path) is None:
        raise BadRecord(
            f"{path.name} is in no format that predictions are read from: "
            f"save it as {', '.join(files.FORMATS)}, or name a run."
        )
    return _of_rows(files.read(path), rows)


def of_run(path: Path, rows: Iterable[Comparison] = ()) -> dict[str, Verdict | None]:
    """The judgments of a run; in a pair, a is the left. What is not settled yet was not asked."""
    by_id = {row.id: row for row in rows}
    said: dict[str, Verdict | None] = {}
    with Store.look(path) as store:
        for id, labels, kind, winner in store.rows(
            "select id, labels, outcomes.kind, winner from items join outcomes on outcomes.item = items.key"
            " where outcomes.kind in ('judgment', 'failure') and items.kind = 'pair' order by position"
        ):
            verdict = None if kind == "failure" else _VERDICTS.get(winner, "tie")
            said[id] = _turned(verdict, _cells(json.loads(labels)), by_id.get(id))
    if not said:
        raise BadRecord(f"The run {path.stem} has settled no pair.")
    return said


def _cells(labels: Labels) -> dict[str, object]:
    """The authors' columns from an item's labels, where it has them."""
    names = {
        "content_index": "content",
        "style_index": "style",
        "method_left": "model_a",
        "method_right": "model_b",
    }
    cells: dict[str, object] = {column: labels.get(name) for column, name in names.items()}
    cells |= {column: labels[column] for column in names if column in labels}
    return cells if all(cells.values()) else {}


def _of_rows(found: Rows, known: Iterable[Comparison]) -> dict[str, Verdict | None]:
    by_id = {row.id: row for row in known}
    said: dict[str, Verdict | None] = {}
    for row in found:
        if isinstance(row, BadRow):
            raise BadRecord(f"{row.where}: {row.reason}")
        cells = row.cells
        try:
            id = cells.get("id")
            if id is None or id == "" or "winner" not in cells:
                raise BadRecord("The row needs an id and a winner.")
            if str(id) in said:
                raise BadRecord(f"There is a second prediction for {str(id)[:40]!r}.")
            verdict = _VERDICTS.get(winners.winner(cells["winner"]))
            said[str(id)] = _turned(verdict, cells, by_id.get(str(id)))
        except InputError as error:
            raise BadRecord(printable(f"{row.where}: {error}")) from None
    return said


def _turned(verdict: Verdict | None, cells: Mapping[str, object], known: Comparison | None) -> Verdict | None:
    """A file of other rows with the same ids would otherwise give a score that means nothing."""
    if known is None or "method_left" not in cells:
        return verdict
    row = comparison({**cells, "winner": "", "skipped": False, "left_share": None}, 0)
    if (row.group, row.left, row.right) == (known.group, known.left, known.right):
        return verdict
    if (row.group, row.right, row.left) == (known.group, known.left, known.right):
        return _TURNED.get(verdict)
    raise BadRecord(
        f"The prediction {known.id} is on {_told(row)}, and people were asked about {_told(known)}: "
        "these are predictions for another file."
    )


def _told(row: Comparison) -> str:
    return f"{row.left} and {row.right} for content {row.content} in style {row.style}"
