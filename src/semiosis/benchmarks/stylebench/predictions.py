"""What a judge said of each row: "a", "b", "tie" where it was undecided, None where it failed.

    read("gemini_artcot_global.json", rows)         the authors' format: the same rows, `winner` filled in
    read("verdicts.csv", rows)                      columns id and winner, or id and reply (free text)
    read("semiosis-runs/first.sqlite", rows)        a run on this benchmark

An empty or null winner is a failure, and so is a reply that states no verdict. A row that is not there was
not asked, which is counted apart. Global and instance rows have the same ids: verdicts on the ones are
refused where the others are scored, by the methods that they name, by a column `kind`, by the benchmark of a
run, or else by which ids there are.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast, get_args

from ...building.alignment import Predictions
from ...building.votes import ForcedChoice, decided
from ...core.errors import BadRecord, InputError
from ...core.item import BadRow
from ...core.settled import UNDECIDED, Settled
from ...core.sign import other
from ...core.text import brief
from ...runs.outcomes import settled
from ...runs.store import SUFFIX, Store
from ...sources.opening import open_rows
from ...sources.rows import Rows
from ...sources.table import with_labels
from ...sources.verdicts import stated_verdict
from ...sources.winners import Ballot, Winner, spelling
from .annotations import COLUMNS
from .items import KIND_OF
from .layout import Kind

LABELS = ("content", "style", "model_a", "model_b")
"""What an item of this benchmark says of the comparison; the authors' columns are `COLUMNS.needed`."""


@dataclass(frozen=True)
class ScoredRows:
    """The rows that are scored, of which kind they are where that is known, and those of the other kind,
    whose ids are the same."""

    rows: Sequence[ForcedChoice] = ()
    kind: Kind | None = None
    others: Sequence[ForcedChoice] = ()


class _Prediction(NamedTuple):
    """A verdict where it stood, with what its row says of the comparison."""

    where: str
    id: str
    verdict: Winner | None
    cells: Mapping[str, object]


def read(
    where: str | Path,
    rows: Iterable[ForcedChoice] = (),
    *,
    kind: Kind | None = None,
    others: Iterable[ForcedChoice] = (),
) -> dict[str, Winner | None]:
    """By id. Where a row of the file names its methods, they are checked against `rows`, and a verdict on the
    same pair shown the other way round is turned. `kind` is that of `rows`; `others` are the rows of the
    other kind, which these verdicts might be on."""
    name, predictions = _predictions(where, kind)
    return _checked(name, predictions, ScoredRows(tuple(rows), kind, tuple(others)))


def _predictions(where: str | Path, kind: Kind | None) -> tuple[str, list[_Prediction]]:
    path = Path(where)
    if path.suffix == SUFFIX:
        return f"The run {path.stem}", _of_run(path, kind)
    source = open_rows(where)
    return source.name, _of_rows(source.read())


def _of_run(path: Path, kind: Kind | None) -> list[_Prediction]:
    """The judgments of a run. What is not settled yet was not asked."""
    with Store.look(path) as store:
        of_run = KIND_OF.get(store.about.benchmark)
        if kind and of_run and of_run != kind:
            raise _other_kind(
                f"The run {path.stem} is on {store.about.benchmark}, which has {of_run} rows", of_run, kind
            )
        of_kind = {"kind": of_run} if of_run else {}
        predictions = [
            _Prediction(f"{path.name} {row.id}", row.id, verdict, row.labels | of_kind)
            for row, verdict in verdicts(settled(store))
        ]
    if not predictions:
        raise BadRecord(f"The run {path.stem} has settled no pair.")
    return predictions


def verdicts(rows: Iterable[Settled]) -> Iterator[tuple[Settled, Winner | None]]:
    """What a run says of its pairs. One with neither a verdict nor a failure was not asked."""
    for row in rows:
        if row.item_kind != "pair":
            continue
        if row.reason is not None:
            yield row, None
        elif row.verdict == UNDECIDED:
            yield row, "tie"
        elif row.verdict in ("a", "b"):
            yield row, row.verdict


def _of_rows(source: Rows) -> list[_Prediction]:
    rows: list[tuple[str, Ballot, Mapping[str, object]]] = []
    ids = set[str]()
    for bare in source:
        if isinstance(bare, BadRow):
            raise BadRecord(f"{bare.where}: {bare.reason}")
        id = bare.cells.get("id")
        if id is None or id == "" or not {"winner", "verdict", "reply"} & bare.cells.keys():
            raise BadRecord(f"{bare.where}: The row needs an id and a winner, or a reply.")
        row = with_labels(bare)
        if str(id) in ids:
            raise BadRecord(brief(f"{row.where}: There is a second prediction for {str(id)[:40]!r}."))
        ids.add(str(id))
        authors = _authors(row.cells)
        cells = (_word(row.cells), authors.get(COLUMNS.a), authors.get(COLUMNS.b))
        ballot = Ballot(row.where, *(None if cell is None else str(cell) for cell in cells))
        rows.append((str(id), ballot, row.cells))
    try:
        winner_of = spelling(ballot for _, ballot, _ in rows)
    except BadRecord as error:
        raise BadRecord(brief(str(error))) from None
    return [_Prediction(ballot.where, id, winner_of(ballot), cells) for id, ballot, cells in rows]


def _word(cells: Mapping[str, object]) -> object:
    """The winner as it is spelled there, else the one that the reply states."""
    for column in ("verdict", "winner"):
        if column in cells:
            return cells[column]
    reply = cells["reply"]
    stated = stated_verdict(reply if isinstance(reply, str) else json.dumps(reply))
    return "tie" if stated in ("both-good", "both-bad") else stated


def _authors(cells: Mapping[str, object]) -> dict[str, object]:
    """What is there of the authors' columns, by their names."""
    names = zip(COLUMNS.needed, LABELS, strict=True)
    authors = {column: cells.get(column, cells.get(label)) for column, label in names}
    return {column: cell for column, cell in authors.items() if cell not in (None, "")}


def _checked(name: str, predictions: Sequence[_Prediction], scored: ScoredRows) -> dict[str, Winner | None]:
    by_id = {row.id: row for row in scored.rows}
    unknown: list[str] = []
    by_row: dict[str, Winner | None] = {}
    for each in predictions:
        try:
            kind = _kind(each, scored.kind)
            by_row[each.id], named = _turned(each, by_id.get(each.id))
        except InputError as error:
            raise BadRecord(brief(f"{each.where}: {error}")) from None
        if not (kind or named):
            unknown.append(each.id)
    if unknown:
        _check_ids(name, unknown, scored)
    _check_usable(name, by_row, decided(scored.rows))
    return by_row


def _check_usable(name: str, verdicts: Predictions, rows: Sequence[ForcedChoice]) -> None:
    if not rows or any(verdicts.get(row.id) for row in rows):
        return
    failed = sum(row.id in verdicts for row in rows)
    raise BadRecord(
        f"{name} holds no usable verdict on the {len(rows):,} rows that people decided: "
        + (
            f"{failed:,} of them failed and the rest were not asked."
            if failed
            else "it has none of their ids."
        )
    )


def _kind(prediction: _Prediction, scored: Kind | None) -> bool:
    """Whether the row says that it is of the kind that is scored; one that says the other is refused."""
    kind = str(prediction.cells.get("kind") or "").strip().lower()
    # Exported runs have a column of that name, which says that an item is a pair.
    if scored is None or kind not in get_args(Kind):
        return False
    if kind != scored:
        raise _other_kind(f"By its column `kind` the row is {kind}", cast("Kind", kind), scored)
    return True


def _turned(prediction: _Prediction, choice: ForcedChoice | None) -> tuple[Winner | None, bool]:
    """The verdict on the row as people saw it, and whether the row of the file names its methods. A file of
    other rows with the same ids would otherwise give a score that means nothing."""
    cells = _authors(prediction.cells)
    if choice is None or not {COLUMNS.a, COLUMNS.b} <= cells.keys():
        return prediction.verdict, False
    labels = zip(COLUMNS.group, choice.group, strict=True)
    row = choice.model_copy(
        update={
            "group": tuple(str(cells.get(column, label)) for column, label in labels),
            "a": str(cells[COLUMNS.a]),
            "b": str(cells[COLUMNS.b]),
        }
    )
    winner = prediction.verdict
    if row == choice:
        return winner, True
    if (row.group, row.b, row.a) == (choice.group, choice.a, choice.b):
        return other(winner) if winner in ("a", "b") else winner, True
    raise BadRecord(
        f"The prediction {choice.id} is on {_named(row)}, and people were asked about {_named(choice)}: "
        "these are predictions for another file."
    )


def _check_ids(name: str, ids: Iterable[str], scored: ScoredRows) -> None:
    """Ids alone tell the kind where all of them are of rows that people decided in the one kind, which is
    what a judge is asked about, and not all of them in the other."""
    if scored.kind is None:
        return
    named = set(ids)
    here = named <= {row.id for row in decided(scored.rows)}
    there = bool(scored.others) and named <= {row.id for row in decided(scored.others)}
    if here and not there:
        return
    add = f"add a column `kind` with {scored.kind} in it, or the columns {', '.join(COLUMNS.needed)}."
    if here or not there:
        raise BadRecord(f"{name} does not say whether its ids are those of global or of instance rows: {add}")
    elsewhere: Kind = "instance" if scored.kind == "global" else "global"
    by = f"By its ids {name} is on {elsewhere} rows: people decided all of them there, and not here"
    raise BadRecord(f"{_other_kind(by, elsewhere, scored.kind)} If it is on {scored.kind} rows, {add}")


def _other_kind(by: str, elsewhere: Kind, scored: Kind) -> BadRecord:
    return BadRecord(f"{by}; {scored} rows are scored, so give {elsewhere} ones (--kind {elsewhere}).")


def _named(row: ForcedChoice) -> str:
    content, style = row.group
    return f"{row.a} and {row.b} for content {content} in style {style}"
