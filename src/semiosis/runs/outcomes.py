"""Whole outcomes again, one at a time: the record, the calls it was made from, the pictures' bytes.

for row, outcome in outcomes(store):
    print(row.id, outcome.kind)
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast

from pydantic import Field, TypeAdapter

from ..backbones.stored_replies import CALL_COLUMNS
from ..core.errors import BadPicture
from ..core.item import Item, Labels
from ..core.outcome import Outcome
from ..core.sign import Artifact, Pair, Prompt
from .rows import outcome_of
from .store import Store

ITEM: TypeAdapter[Item] = TypeAdapter(Annotated[Item, Field(discriminator="kind")])
OUTCOME_COLUMNS = (
    "outcomes.kind, winner, preference, flipped, unverified, value, choice, reason, label, finished_at"
)
_SIGNS = ("pair", "prompt", "artifact", "artifacts")


@dataclass(frozen=True)
class ItemRow:
    """An item as the store holds it."""

    key: str
    position: int
    id: str
    kind: str
    labels: Labels
    item: Item


@dataclass(frozen=True)
class Settled:
    """An item and its outcome in parts, as they are stored.

    `columns` are those of `OUTCOME_COLUMNS`; `calls` are rows of `CALL_COLUMNS`, by key.
    """

    row: ItemRow
    columns: tuple[Any, ...]
    record: str
    links: str
    calls: dict[str, tuple[Any, ...]]

    @property
    def outcome(self) -> Outcome:
        return outcome_of(self.record, self.links, self.calls)


def outcomes(
    store: Store, *, item: str | None = None, pictures: bool = False
) -> Iterator[tuple[ItemRow, Outcome]]:
    """Items with their outcomes, in the benchmark's order.

    store       the run's
    item        of this item only, by its id or key
    pictures    whether the outcomes' pictures have their bytes, where the store holds them
    """
    for each in settled(store, item=item):
        outcome = each.outcome
        yield each.row, with_pictures(outcome, store) if pictures else outcome


def settled(store: Store, *, item: str | None = None, columns: str = CALL_COLUMNS) -> Iterator[Settled]:
    """As `outcomes`, in parts; `columns` begin with `CALL_COLUMNS`."""
    wanted, values = ("where id = ? or key = ?", (item, item)) if item is not None else ("", ())
    for key, position, id, kind, labels, text, record, links, *rest in store.rows(
        f"select key, position, id, items.kind, labels, items.item, record, calls, {OUTCOME_COLUMNS}"
        f" from items join outcomes on outcomes.item = items.key {wanted} order by position",
        values,
    ):
        row = ItemRow(key, position, id, kind, json.loads(labels), ITEM.validate_json(text))
        named = {link["call"] for link in json.loads(links) if "call" in link}
        yield Settled(row, tuple(rest), record, links, _calls(store, sorted(named), columns))


def _calls(store: Store, keys: Sequence[str], columns: str) -> dict[str, tuple[Any, ...]]:
    """The reply in use for each key, else the last one that was retired."""
    found: dict[str, tuple[Any, ...]] = {}
    at = columns.split(", ").index("key")
    for which in ("retired", "not retired"):
        marks = ",".join("?" * len(keys))
        query = f"select {columns} from calls where key in ({marks}) and {which} order by id"
        found |= {row[at]: row for row in store.rows(query, keys)}
    return found


def with_pictures(outcome: Outcome, store: Store) -> Outcome:
    signs = {name: getattr(outcome, name) for name in _SIGNS if hasattr(outcome, name)}
    return outcome.model_copy(update={name: _restored(sign, store) for name, sign in signs.items()})


def _restored(sign: Any, store: Store) -> Any:
    match sign:
        case Artifact():
            return _found(sign, store)
        case Prompt():
            return sign.model_copy(update={"references": _restored(sign.references, store)})
        case Pair():
            parts = {name: _restored(getattr(sign, name), store) for name in ("prompt", "a", "b")}
            return sign.model_copy(update=parts)
        case tuple():
            return tuple(_restored(each, store) for each in cast("tuple[Any, ...]", sign))
        case _:
            return sign


def _found(artifact: Artifact, store: Store) -> Artifact:
    """The artifact with its bytes, unless the file is missing or another than it was."""
    try:
        found = Artifact.of(store.picture(artifact.sha256))
    except BadPicture:
        return artifact
    if found.sha256 != artifact.sha256:
        return artifact
    return artifact.with_bytes(found.read)
