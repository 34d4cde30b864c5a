"""Whole outcomes again, one at a time: the record, the calls it was made from, the pictures' bytes.

for row, outcome in outcomes(store):
    print(row.id, outcome.kind)
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ..backbones.stored_replies import CALL_COLUMNS
from ..core.errors import BadPicture
from ..core.item import Item, read_item
from ..core.outcome import Outcome
from ..core.settled import Settled
from ..core.sign import Artifact, with_artifacts
from ..core.value import Value
from .rows import outcome_of
from .store import Store

V = TypeVar("V", bound=Value)

_SETTLED = (
    "key, position, id, items.kind, labels, label, labels_by, outcomes.kind, verdict, value, graded,"
    " certainty, flipped, unverified, agrees, reason"
)
_JOINED = "from items join outcomes on outcomes.item = items.key"


@dataclass(frozen=True)
class StoredOutcome:
    """An item and its outcome in parts, as they are stored. `calls` are rows of `CALL_COLUMNS`, by key."""

    row: Settled
    finished_at: str
    item: str
    record: str
    links: str
    calls: dict[str, tuple[Any, ...]]

    @property
    def outcome(self) -> Outcome:
        return outcome_of(self.record, self.links, self.calls)


def outcomes(
    store: Store, *, item: str | None = None, pictures: bool = False
) -> Iterator[tuple[Settled, Outcome]]:
    """Items with their outcomes, in the benchmark's order.

    store       the run's
    item        of this item only, by its id or key
    pictures    whether the outcomes' pictures have their bytes, where the store holds them
    """
    for each in stored(store, item=item):
        outcome = each.outcome
        yield each.row, with_pictures(outcome, store) if pictures else outcome


def settled(store: Store) -> Iterator[Settled]:
    """What became of each item, in the benchmark's order, by the columns that every kind has."""
    for columns in store.rows(f"select {_SETTLED} {_JOINED} order by position"):
        yield _settled(columns)


def items(store: Store) -> Iterator[Item]:
    """The items that have an outcome, in the benchmark's order."""
    for (text,) in store.rows(f"select items.item {_JOINED} order by position"):
        yield read_item(text)


def stored(store: Store, *, item: str | None = None, columns: str = CALL_COLUMNS) -> Iterator[StoredOutcome]:
    """As `outcomes`, in parts; `columns` begin with `CALL_COLUMNS`."""
    wanted, values = ("where id = ? or key = ?", (item, item)) if item is not None else ("", ())
    for text, record, links, finished_at, *row in store.rows(
        f"select items.item, record, calls, finished_at, {_SETTLED} {_JOINED} {wanted} order by position",
        values,
    ):
        named = {link["call"] for link in json.loads(links) if "call" in link}
        calls = _calls(store, sorted(named), columns)
        yield StoredOutcome(_settled(row), finished_at, text, record, links, calls)


def _settled(columns: Sequence[Any]) -> Settled:
    row = Settled(*columns)
    return replace(row, labels=json.loads(columns[4]), flipped=_flag(row.flipped), agrees=_flag(row.agrees))


def _flag(column: int | None) -> bool | None:
    return None if column is None else bool(column)


def _calls(store: Store, keys: Sequence[str], columns: str) -> dict[str, tuple[Any, ...]]:
    """The reply in use for each key, else the last one that was retired."""
    calls: dict[str, tuple[Any, ...]] = {}
    at = columns.split(", ").index("key")
    for which in ("retired", "not retired"):
        marks = ",".join("?" * len(keys))
        query = f"select {columns} from calls where key in ({marks}) and {which} order by id"
        calls |= {row[at]: row for row in store.rows(query, keys)}
    return calls


def with_pictures(value: V, store: Store) -> V:
    """An outcome or item, its pictures with their bytes, unless a file is missing or another than it was."""

    def restored(artifact: Artifact) -> Artifact:
        try:
            file = Artifact.of(store.picture(artifact.sha256))
        except BadPicture:
            return artifact
        return artifact.with_bytes(file.read) if file.sha256 == artifact.sha256 else artifact

    return with_artifacts(value, restored)
