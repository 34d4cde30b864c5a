"""A run's store: one SQLite file a person can open, pictures once by hash in the folder beside it.

    with Store.create(Path("semiosis-runs/first.sqlite"), about) as store: ...
    with Store.resume(path) as store: ...       the one writer; readers may look while it writes
    with Store.look(path) as store: ...         reads only

A reply is written as soon as it arrives. What a call returned is kept once, in `calls`; an outcome names the
calls it was made from.
"""

import json
import os
import tempfile
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Self

from ..backbones.backbone import Reply, Request
from ..backbones.stored_replies import StoredReply, find, insert
from ..core.errors import BackboneError, StoreError
from ..core.item import BadRow, Item
from ..core.outcome import Outcome
from ..core.sign import Artifact
from .costs import Spent
from .database import GO_ON, Database
from .rows import item_row, outcome_row

SUFFIX = ".sqlite"
PICTURES = "pictures"
SCALE = "scale"
ITEMS = "items_version"
_KNOWN_AT_ONCE = 500


@dataclass(frozen=True)
class About:
    """What a run is: the same for every session of it.

    `source` is what its items are read from, `benchmark` the one that sums it up, if any; `models` are those
    it asks, by what for.
    """

    name: str
    source: str
    method: str
    method_version: str
    package_version: str
    configuration: dict[str, str | int | float | bool | None]
    models: dict[str, str] = field(default_factory=dict[str, str])
    benchmark: str = ""

    def check_same(self, other: "About") -> None:
        """A run goes on with what it began with; raises where that would mix two things in one store."""
        ours, theirs = self._decisive(), other._decisive()
        for name, value in ours.items():
            if theirs.get(name) != value:
                raise StoreError(
                    f"The run {self.name} was begun with {name.replace('_', ' ')} {value}, "
                    f"not {theirs.get(name)}: "
                    "go on as it was begun, or give another --name."
                )

    def _decisive(self) -> dict[str, str | int | float | bool | None]:
        return {
            "items from": self.source,
            "method": self.method,
            "method version": self.method_version,
            # A run of pictures as they are says nothing of it.
            SCALE: "none",
            # One of items that were never changed neither.
            ITEMS: "1",
            **self.configuration,
        }


class Store(Database):
    """A run's file. Opened by `create`, `resume` or `look`, not by hand.

    path        the file
    connection  to it
    lock        held by the one who writes; None for a reader
    address     what a reader's other connections read it by
    """

    _session: int | None = None

    @classmethod
    def create(cls, path: Path, about: About) -> Self:
        """A new run at `path`; raises StoreError where one exists that holds anything."""
        store = cls.writing(path)
        try:
            store.check_unbegun()
        except StoreError:
            store.close()
            raise
        cells = vars(about) | {
            "configuration": json.dumps(about.configuration),
            "models": json.dumps(about.models),
            "created_at": now(),
        }
        with store.writes() as connection:
            for table in ("run", "sessions", "bad_rows", "errors"):
                connection.execute(f"delete from {table}")
            connection.execute(
                f"insert into run ({', '.join(cells)}) values ({', '.join('?' * len(cells))})",
                tuple(cells.values()),
            )
        return store

    @property
    def is_unbegun(self) -> bool:
        """Whether nothing came yet: what was killed or refused as it began holds nothing to lose."""
        begun = (
            "select 1 from calls union all select 1 from outcomes union all select 1 from batches"
            " union all select 1 from errors where charged_usd > 0 limit 1"
        )
        return next(self.rows(begun), None) is None

    def check_unbegun(self) -> None:
        """Raise StoreError where something came: a run is not begun twice."""
        if not self.is_unbegun:
            raise StoreError(f"The run {self.path.stem} exists: go on with --resume, or give another --name.")

    @cached_property
    def spent(self) -> Spent:
        """Counted once, then kept up to date by this process."""
        return Spent.of(self)

    def discard(self) -> None:
        self._session = None
        super().discard()

    def close(self) -> None:
        """Note that the session is over, and close the file."""
        if self._session is not None:
            with suppress(StoreError):
                self.execute(
                    "update sessions set ended_at = ? where id = ? and ended_at is null",
                    (now(), self._session),
                )
        super().close()

    @property
    def about(self) -> About:
        """What the run is: its name, items, method and settings."""
        for row in self.rows(f"select {', '.join(each.name for each in fields(About))} from run"):
            about = About(*row)
            return replace(about, configuration=json.loads(row[5]), models=json.loads(row[6]))
        raise StoreError(f"{self.path} holds no run.")

    def begin(self, items: int | None) -> None:
        """Note that a session begins, over so many `items`."""
        with self.writes() as connection:
            cursor = connection.execute(
                "insert into sessions (started_at, items) values (?, ?)", (now(), items)
            )
            self._session = cursor.lastrowid

    def end(self, how: str, items: int | None = None) -> None:
        """How it ended, and how many items there were where rows turned out to be none."""
        self.execute(
            "update sessions set ended_at = ?, ended = ?, items = ifnull(?, items) where id = ?",
            (now(), how, items, self._session),
        )

    def reply(self, key: str) -> Reply | None:
        """The reply that is kept for a call, if there is one."""
        stored = self._stored(key)
        return stored and stored.reply

    def _stored(self, key: str) -> StoredReply | None:
        with self._turn, self._saying("read"):
            return find(self.connection, key)

    def keep(self, key: str, model: str, request: Request, reply: Reply) -> None:
        """Keep the reply to a call, and count what it took."""
        spent = self.spent
        with self.writes() as connection:
            insert(connection, StoredReply.of(key, model, request, reply))
        spent.add(reply)

    def copy_reply(self, key: str, other: "Store") -> bool:
        """Keep the reply that another store has for a call, as one that cost nothing; whether it has one.

        Where the call is made anew because its reply was of no use, one of no use is not taken.
        """
        stored = other._stored(key)
        if stored is None or (self._is_retired(key) and other._is_useless(key)):
            return False
        with self.writes() as connection:
            insert(connection, stored.as_copy)
        return True

    def _is_retired(self, key: str) -> bool:
        return next(self.rows("select 1 from calls where key = ? and retired", (key,)), None) is not None

    def _is_useless(self, key: str) -> bool:
        query = "select 1 from calls where key = ? and useless and not retired"
        return next(self.rows(query, (key,)), None) is not None

    def mark_useless(self, key: str) -> None:
        """Note that the reply of that `key` could not be read."""
        self.execute("update calls set useless = 1 where key = ? and not retired", (key,))

    def note_error(self, key: str, model: str, request: Request, error: BackboneError) -> None:
        """Keep what went wrong with a call, and what it may have cost."""
        self.execute(
            "insert into errors (key, task, model, kind, charged_usd, message, at)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            (key, request.task, model, error.kind, error.charged_usd, str(error), now()),
        )

    @property
    def charged_usd(self) -> float:
        """What a budget has to count: what calls cost, or the most they can have cost where nobody said."""
        query = (
            "select (select ifnull(sum(ifnull(charged_usd, ifnull(cost_usd, 0.0))), 0.0) from calls)"
            " + (select ifnull(sum(charged_usd), 0.0) from errors)"
        )
        return next(row[0] for row in self.rows(query))

    def retire(self, calls: Iterable[str]) -> None:
        """Make room to ask again what came to nothing; replies that were of use stay."""
        with self.writes() as connection:
            connection.executemany(
                "update calls set retired = 1 where key = ? and useless and not retired",
                ((call,) for call in calls),
            )

    def retire_failed(self, within: Collection[str] | None = None) -> int:
        """Make room to ask again what failed, whole items and single votes; the rest is not paid for again.

        Of all items, or of those `within`, by key. A reply of no use is retired where its stage came to
        nothing: not where the next one mended it, nor where an outcome that stays rests on it.
        """
        failed = "failures > 0"
        if within is not None:
            failed += " and item in (select value from temp.retried)"
            self._remember(within)
        useless = {row[0] for row in self.rows("select key from calls where useless and not retired")}
        due: set[str] = set()
        for (calls,) in self.rows(f"select calls from outcomes where {failed}"):
            due |= _came_to_nothing(json.loads(calls), useless)
        staying = self.rows(
            "select distinct json_extract(each.value, '$.call') from outcomes, json_each(outcomes.calls) each"
            f" where not ({failed})"
        )
        due -= {row[0] for row in staying}
        with self.writes() as connection:
            connection.executemany(
                "update calls set retired = 1 where key = ? and not retired", [(key,) for key in due]
            )
            return connection.execute(f"delete from outcomes where {failed}").rowcount

    def _remember(self, keys: Collection[str]) -> None:
        with self.writes() as connection:
            connection.execute("create temp table if not exists retried (value text primary key)")
            connection.execute("delete from temp.retried")
            connection.executemany("insert into temp.retried values (?)", [(key,) for key in keys])

    def settled(self, keys: Sequence[str], *, without_failures: bool = False) -> set[str]:
        """Those of the items that have an outcome, or one in which nothing failed."""
        sound = " and failures = 0" if without_failures else ""
        items: set[str] = set()
        for at in range(0, len(keys), _KNOWN_AT_ONCE):
            some = keys[at : at + _KNOWN_AT_ONCE]
            marks = ",".join("?" * len(some))
            items.update(
                row[0] for row in self.rows(f"select item from outcomes where item in ({marks}){sound}", some)
            )
        return items

    def settle(self, position: int, item: Item, outcome: Outcome) -> None:
        """An item and its outcome, together."""
        with self.writes() as connection:
            connection.execute(NOTE_ITEM, item_row(position, item))
            connection.execute(NOTE_OUTCOME, outcome_row(item, outcome, now()))

    def note_item(self, position: int, item: Item) -> None:
        """An item that is to be asked about."""
        self.execute(NOTE_ITEM, item_row(position, item))

    @property
    def outcome_count(self) -> int:
        """How many items have an outcome."""
        return next(row[0] for row in self.rows("select count(*) from outcomes"))

    def forget_bad(self) -> None:
        """Before the rows are looked at anew."""
        self.execute("delete from bad_rows")

    def note_bad(self, rows: Iterable[BadRow]) -> None:
        """Keep rows that are no items, and why."""
        with self.writes() as connection:
            connection.executemany(
                "insert or ignore into bad_rows values (?, ?)", [(row.where, row.reason) for row in rows]
            )

    def keep_picture(self, artifact: Artifact) -> Path:
        """The picture's file beside the store, written once."""
        path = self.picture(artifact.sha256)
        if path.exists():
            return path
        data = artifact.read()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                try:
                    file.write(data)
                    file.close()
                    os.replace(file.name, path)
                except BaseException:
                    os.unlink(file.name)
                    raise
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror or error}. {GO_ON}") from None
        return path

    def picture(self, sha256: str) -> Path:
        """Where the picture of that `sha256` is kept, whether or not it is there."""
        return self.path.parent / PICTURES / sha256[:2] / sha256


NOTE_ITEM = (
    "insert into items (key, position, id, kind, labels, item, generators)"
    " values (?, ?, ?, ?, ?, ?, ?) on conflict (key) do nothing"
)
NOTE_OUTCOME = (
    "insert or replace into outcomes (item, kind, verdict, value, graded, certainty, flipped, unverified,"
    " failures, reason, label, labels_by, agrees, finished_at, calls, record)"
    f" values ({', '.join('?' * 16)})"
)


def _came_to_nothing(links: list[dict[str, str]], useless: set[str]) -> set[str]:
    """The useless calls of stages that end with one."""
    stages: dict[str, list[str]] = {}
    for link in links:
        stages.setdefault(link["stage"], []).append(link.get("call", ""))
    ended = (calls for calls in stages.values() if calls[-1] in useless)
    return {call for calls in ended for call in calls if call in useless}


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
