"""One SQLite file: one writer, any number of readers, numbered migrations, its errors said in sentences."""

import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from ..core.errors import BadRecord, StoreError, did_you_mean

GO_ON = "What was stored is kept: mend that, and go on with --resume."


class Database:
    """Opened by `resume`, `look`, `copied` or `assist`. The tables are described in migrations/."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        lock: sqlite3.Connection | None,
        address: str = "",
    ) -> None:
        self.path = path
        self.address = address
        self.connection = connection
        self._lock = lock
        self._turn = threading.Lock()

    @classmethod
    def resume(cls, path: Path) -> Self:
        """Go on writing the file at `path`, which must be there; nobody else may write it."""
        _check_there(path)
        return cls.writing(path)

    @classmethod
    def look(cls, path: str | Path, *, as_it_is: bool = False) -> Self:
        """Read the file at `path`, which may be in use.

        One of an earlier release is brought up to date, or where it is to stay `as_it_is` or cannot be
        written, a copy of it in memory.
        """
        path = Path(path)
        _check_there(path)
        address = f"{path.absolute().as_uri()}?mode=ro"
        connection = _connected(address)
        try:
            version = _check_version(path, connection)
            if version == 0 or not _holds_a_run(connection):
                raise sqlite3.DatabaseError("it holds none")
            if version < _newest():
                try:
                    if as_it_is:
                        raise StoreError(f"{path} is not to be written.")
                    cls.writing(path).close()
                except StoreError:
                    connection.close()
                    return cls.copied(path)
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.Error):
                raise StoreError(f"{path} cannot be read as a run: {error}.") from None
            raise
        return cls(path, connection, None, address)

    @classmethod
    def copied(cls, path: Path) -> Self:
        """What the file at `path` holds, if there is one, in memory: what is written there is never kept."""
        address = f"file:{uuid4().hex}?mode=memory&cache=shared"
        connection = _connected(address)
        try:
            if path.is_file():
                with closing(_connected(f"{path.absolute().as_uri()}?mode=ro")) as original:
                    original.backup(connection)
            _migrate(path, connection)
        except sqlite3.Error as error:
            connection.close()
            raise StoreError(f"{path} cannot be read as a run: {error}.") from None
        return cls(path, connection, None, address)

    @classmethod
    def assist(cls, path: Path) -> Self:
        """A second writer, without the lock: for a process that works for the one which holds it."""
        _check_there(path)
        try:
            _locked(path).close()
        except StoreError:
            connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            connection.execute("pragma synchronous = normal")
            return cls(path, connection, None)
        raise StoreError(f"Nobody writes the run {path.stem}: there is nobody to assist.")

    @classmethod
    def writing(cls, path: Path) -> Self:
        """The file at `path` as its one writer, made or brought up to date if need be."""
        lock: sqlite3.Connection | None = None
        connection: sqlite3.Connection | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = _locked(path)
            connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            connection.execute("pragma journal_mode = wal")
            # A kill loses nothing this way; a power cut may lose the last moments, never the file.
            connection.execute("pragma synchronous = normal")
            _migrate(path, connection)
        except (OSError, sqlite3.Error, StoreError) as error:
            for opened in (connection, lock):
                if opened is not None:
                    opened.close()
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"{path} cannot be written: {error}.") from None
        return cls(path, connection, lock)

    def close(self) -> None:
        """Close the file and let others write it."""
        self.connection.close()
        if self._lock is not None:
            self._lock.close()

    def discard(self) -> None:
        """Close it and delete its files."""
        self.connection.close()
        for end in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + end).unlink(missing_ok=True)
        # While it is held: a lock that another process took meanwhile is not this file's any more.
        self.path.with_suffix(".lock").unlink(missing_ok=True)
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rows(self, query: str, values: Sequence[Any] = ()) -> Generator[tuple[Any, ...]]:
        """The rows of a query, a few at a time, so that the writer is never held up."""
        with self._turn, self._saying("read"):
            cursor = self.connection.execute(query, values)
        while True:
            with self._turn, self._saying("read"):
                some = cursor.fetchmany(256)
            if not some:
                return
            yield from some

    def execute(self, statement: str, values: Sequence[Any] = ()) -> None:
        """One statement that writes."""
        with self._turn, self._saying("written"):
            self.connection.execute(statement, values)

    @contextmanager
    def writes(self) -> Generator[sqlite3.Connection]:
        """The connection, for one writer at a time; all that is written meanwhile, or nothing."""
        with self._turn, self._saying("written"):
            self.connection.execute("begin immediate")
            try:
                yield self.connection
                self.connection.execute("commit")
            except BaseException:
                with suppress(sqlite3.Error):
                    self.connection.execute("rollback")
                raise

    @contextmanager
    def _saying(self, done: str) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} cannot be {done}: {error}. {GO_ON}") from None
        except (OverflowError, UnicodeError) as error:
            raise BadRecord(f"What came cannot be stored: {error}.") from None


def _check_there(path: Path) -> None:
    if path.is_file():
        return
    there = sorted(other.stem for other in path.parent.glob(f"*{path.suffix}"))
    # A command with several methods names a run for each.
    parts = [name for name in there if name.startswith(f"{path.stem}-")]
    meant = f" (did you mean {', '.join(parts)}?)" if parts else did_you_mean(path.stem, there)
    raise StoreError(
        f"There is no run {path.stem} in {path.parent}{meant}; `semiosis runs list` names those there are."
    )


def _connected(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, uri=True, timeout=30, isolation_level=None, check_same_thread=False)


def _locked(path: Path) -> sqlite3.Connection:
    """Held while the process lives, whatever ends it; SQLite's locks are the same on every system."""
    lock = sqlite3.connect(
        path.with_suffix(".lock"), timeout=0, isolation_level=None, check_same_thread=False
    )
    try:
        lock.execute("begin exclusive")
    except sqlite3.OperationalError:
        lock.close()
        raise _in_use(path) from None
    return lock


def check_unlocked(path: Path) -> None:
    if is_being_written(path):
        raise _in_use(path)


def _in_use(path: Path) -> StoreError:
    return StoreError(
        f"The run {path.stem} is being written by another process: wait for it to end, or stop it."
    )


def is_being_written(path: Path) -> bool:
    """Whether a process holds the run's lock; looking does not take it."""
    lock = path.with_suffix(".lock").absolute()
    try:
        connection = sqlite3.connect(f"{lock.as_uri()}?mode=ro", uri=True, timeout=0)
    except sqlite3.OperationalError:
        return False
    try:
        connection.execute("select count(*) from sqlite_master")
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    finally:
        connection.close()
    return False


def _migrations() -> list[tuple[int, str]]:
    folder = files("semiosis.runs").joinpath("migrations")
    scripts = [
        (int(each.name[:4]), each.read_text()) for each in folder.iterdir() if each.name.endswith(".sql")
    ]
    return sorted(scripts)


def _holds_a_run(connection: sqlite3.Connection) -> bool:
    """A file that somebody else made is left as it is."""
    query = "select count(*) from sqlite_master where type = 'table' and name in ('run', 'items', 'outcomes')"
    return connection.execute(query).fetchone()[0] == 3


def _newest() -> int:
    return _migrations()[-1][0]


def _check_version(path: Path, connection: sqlite3.Connection) -> int:
    version: int = connection.execute("pragma user_version").fetchone()[0]
    newest = _newest()
    if version > newest:
        raise StoreError(
            f"{path} was written by a later release (version {version}; this one reads {newest})."
        )
    return version


def _migrate(path: Path, connection: sqlite3.Connection) -> None:
    version = _check_version(path, connection)
    for number, script in _migrations():
        if number > version:
            connection.executescript(f"begin; {script}; pragma user_version = {number}; commit;")
