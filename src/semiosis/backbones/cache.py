"""The same request to the same model is paid for once, from run to run."""

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
        kept = self._read(key)
        if kept is not None:
            return replace(kept, cached=True)
        reply, mine = await self._flight.do(key, lambda: self._ask(key, request))
        return reply if mine else replace(reply, cached=True)

    async def forget(self, request: Request) -> None:
        """Drop a reply that turned out to be of no use, so that the next run asks `request` again."""
        with self._lock, suppress(sqlite3.Error):
            self._opened().execute("delete from replies where key = ?", (call_key(self, request),))
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
            self._write(key, reply)
        return reply

    def _opened(self) -> sqlite3.Connection:
        if self._store is None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                store = sqlite3.connect(self._path, timeout=30, check_same_thread=False, isolation_level=None)
                store.execute("pragma journal_mode = wal")
                store.execute(
                    "create table if not exists replies (key text primary key, model text, reply text)"
                )
            except (OSError, sqlite3.Error) as error:
                raise SetupError(
                    f"The cache {self._path} cannot be opened: {error}; delete it or use --no-cache."
                ) from None
            self._store = store
        return self._store

    def _read(self, key: str) -> Reply | None:
        try:
            with self._lock:
                row = self._opened().execute("select reply from replies where key = ?", (key,)).fetchone()
            return None if row is None else REPLY.validate_json(row[0])
        except (sqlite3.Error, ValidationError):
            return None

    def _write(self, key: str, reply: Reply) -> None:
        try:
            with self._lock:
                self._opened().execute(
                    "insert or replace into replies values (?, ?, ?)",
                    (key, self.name, REPLY.dump_json(reply).decode()),
                )
        except sqlite3.Error as error:
            # The reply is paid for: losing the cache must not lose it too.
            warnings.warn(f"The cache {self._path} cannot be written: {error}.", RuntimeWarning, stacklevel=2)
