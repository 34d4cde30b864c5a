"""Vectors that were computed once, by a hash of all that decides them: the latest in memory, all in a file.

    embeddings = shared_embeddings(home() / "embeddings.sqlite")
    vector = await embeddings.get(key, compute)             computed once, whoever asks, in any process

The file holds hashes and numbers, neither pictures nor words.
"""

import asyncio
import hashlib
import os
import sqlite3
import threading
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .single_flight import SingleFlight
from .torch_models import shared

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

# Some 60 MB of vectors with a thousand numbers each.
KEPT = 16_384
FILE = "embeddings.sqlite"
_CHUNK = 1 << 20

_TABLES = """
create table if not exists embeddings (key blob primary key, vector blob not null);
create table if not exists files (
  path   text not null,
  stamp  text not null,
  sha256 text not null,
  primary key (path, stamp)
);
"""


def embeddings_file() -> Path:
    """Beside the cache of replies."""
    home = os.environ.get("SEMIOSIS_HOME")
    return (Path(home) if home else Path.home() / ".cache" / "semiosis") / FILE


def shared_embeddings(path: Path | None) -> "Embeddings":
    """Those of this process that are kept in that file; without one, in memory only."""
    return shared(("embeddings", path), lambda: Embeddings(path))


def key_of(*parts: str) -> bytes:
    """A hash of all that decides a vector."""
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).digest()


class Embeddings:
    """Vectors by key. Trouble with the file costs time and a warning, never a vector."""

    def __init__(self, path: Path | None, most: int = KEPT) -> None:
        self._path = path
        self._most = most
        self._holding = threading.Lock()
        self._held: OrderedDict[bytes, Vector] = OrderedDict()
        self._flight: SingleFlight[Vector] = SingleFlight()
        self._filing = threading.Lock()
        self._file: sqlite3.Connection | None = None

    async def get(self, key: bytes, compute: Callable[[], Awaitable["Vector"]]) -> "Vector":
        """The vector that is held or stored under `key`, else the one that `compute` gives, which then is."""
        vector = self._recent(key)
        if vector is None:
            vector, _ = await self._flight.do(key, lambda: self._sought(key, compute))
        return vector

    def hash_of(self, file: Path) -> str:
        """The SHA-256 of a file's bytes; read again only when the file has changed."""
        status = file.stat()
        where = str(file.resolve())
        stamp = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
        row = self._row("select sha256 from files where path = ? and stamp = ?", (where, stamp))
        if row is not None:
            return str(row[0])
        digest = hashlib.sha256()
        with file.open("rb") as source:
            while chunk := source.read(_CHUNK):
                digest.update(chunk)
        self._row("insert or replace into files values (?, ?, ?)", (where, stamp, digest.hexdigest()))
        return digest.hexdigest()

    def _recent(self, key: bytes) -> "Vector | None":
        with self._holding:
            vector = self._held.get(key)
            if vector is not None:
                self._held.move_to_end(key)
            return vector

    def _hold(self, key: bytes, vector: "Vector") -> None:
        with self._holding:
            self._held[key] = vector
            while len(self._held) > self._most:
                self._held.popitem(last=False)

    async def _sought(self, key: bytes, compute: Callable[[], Awaitable["Vector"]]) -> "Vector":
        vector = None if self._path is None else await asyncio.to_thread(self._stored, key)
        if vector is None:
            vector = await compute()
            if self._path is not None:
                await asyncio.to_thread(self._store, key, vector)
        self._hold(key, vector)
        return vector

    def _stored(self, key: bytes) -> "Vector | None":
        import numpy as np

        row = self._row("select vector from embeddings where key = ?", (key,))
        if row is None or not isinstance(row[0], bytes) or not row[0] or len(row[0]) % 4:
            return None
        vector = np.frombuffer(row[0], "<f4").astype(np.float32)
        return vector if np.isfinite(vector).all() else None

    def _store(self, key: bytes, vector: "Vector") -> None:
        self._row("insert or replace into embeddings values (?, ?)", (key, vector.astype("<f4").tobytes()))

    def _row(self, statement: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The first row, if there is one; none from a file that makes trouble, which is then left alone."""
        with self._filing:
            if self._path is None:
                return None
            try:
                if self._file is None:
                    self._file = _opened(self._path)
                    weakref.finalize(self, self._file.close)
                return self._file.execute(statement, values).fetchone()
            except (OSError, sqlite3.Error) as error:
                warnings.warn(
                    f"The embeddings in {self._path} cannot be used: {error}; delete the file.",
                    RuntimeWarning,
                    stacklevel=2,
                )
                self._path = None
                return None


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
    try:
        file.execute("pragma journal_mode = wal")
        # What the last seconds before a power cut computed may be computed again.
        file.execute("pragma synchronous = normal")
        file.executescript(_TABLES)
    except sqlite3.Error:
        file.close()
        raise
    return file
