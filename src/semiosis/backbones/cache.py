"""The same request to the same model is paid for once: replies are kept in a file, without the words sent."""

import sqlite3
import threading
import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from ..core.errors import SetupError
from .backbone import REPLY, Backbone, Reply, Request, call_key
from .single_flight import SingleFlight
from .stored_replies import TABLE, StoredReply, find, insert
from .wrapper import Wrapper


class Cached(Wrapper):
    """The same request to the same model is paid for once.

    inner       the backbone to ask
    path        the SQLite file that keeps the replies; it is made if need be
    """

    def __init__(self, inner: Backbone, path: str | Path) -> None:
        super().__init__(inner)
        self._path = Path(path)
        self._lock = threading.Lock()
        self._flight: SingleFlight[Reply] = SingleFlight()
        self._store: sqlite3.Connection | None = None
        self._opened()

    async def complete(self, request: Request) -> Reply:
        """The reply that is kept for `request`, else a new one, which then is."""
        key = call_key(self, request)
        stored = self._read(key)
        if stored is not None:
            return replace(stored.reply, cached=True)
        reply, mine = await self._flight.do(key, lambda: self._ask(key, request))
        return reply if mine else replace(reply, cached=True)

    async def forget(self, request: Request) -> None:
        """Drop a reply that turned out to be of no use, so that the next run asks `request` again."""
        with self._lock, suppress(sqlite3.Error):
            self._opened().execute(_FORGET, (call_key(self, request),))
        await super().forget(request)

    async def aclose(self) -> None:
        """Close the file, and the inner backbone."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None
        await super().aclose()

    async def _ask(self, key: str, request: Request) -> Reply:
        reply = await self.inner.complete(request)
        if reply.finish == "stop":
            self._write(StoredReply(key, self.name, request.task, request.subject, reply))
        return reply

    def _opened(self) -> sqlite3.Connection:
        if self._store is None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                store = sqlite3.connect(self._path, timeout=30, check_same_thread=False, isolation_level=None)
                store.execute("pragma journal_mode = wal")
                store.executescript(TABLE)
                if _is_earlier(store):
                    _carry_over(store)
            except (OSError, sqlite3.Error) as error:
                raise SetupError(
                    f"The cache {self._path} cannot be opened: {error}; delete it or use --no-cache."
                ) from None
            self._store = store
        return self._store

    def _read(self, key: str) -> StoredReply | None:
        try:
            with self._lock:
                return find(self._opened(), key)
        except (sqlite3.Error, ValueError):
            return None

    def _write(self, stored: StoredReply) -> None:
        try:
            with self._lock:
                store = self._opened()
                # One that does not read may be in its place.
                store.execute(_FORGET, (stored.key,))
                insert(store, stored)
        except sqlite3.Error as error:
            # The reply is paid for: losing the cache must not lose it too.
            warnings.warn(f"The cache {self._path} cannot be written: {error}.", RuntimeWarning, stacklevel=2)


_FORGET = "delete from calls where key = ?"


def _is_earlier(store: sqlite3.Connection) -> bool:
    """Whether the file holds the table of an earlier release, each reply whole in one column."""
    return store.execute("select 1 from sqlite_master where name = 'replies'").fetchone() is not None


def _carry_over(store: sqlite3.Connection) -> None:
    with store:
        store.execute("begin immediate")
        # Another process may have been first.
        if _is_earlier(store):
            for key, model, text in store.execute("select key, model, reply from replies"):
                with suppress(ValidationError):
                    insert(store, StoredReply(key, model, "", (), REPLY.validate_json(text)))
            store.execute("drop table replies")
