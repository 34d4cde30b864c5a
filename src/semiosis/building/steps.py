"""What a build leaves on disk: one file a step, there whole or not at all, whatever ends the process.

    with opened(folder, "haiku") as store:              where replies are kept; keeps a second build out
        steps = Steps(folder)
        poems = steps.read("poems", Poems)              None until that step was made
        steps.write("poems", poems)                     steps/poems.json

The folder may have passed through other hands: `opened` refuses one that no build began, and links in it that
lead elsewhere; `Files` knows what the build wrote, and takes away nothing else.
"""

import hashlib
import os
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from ..core.errors import BadRecord, BadSetting
from ..core.records import as_json
from ..core.value import Value, first_fault
from ..methods.contract import package_version
from ..runs.database import check_unlocked
from ..runs.store import About, Store

STEPS = "steps"
STORE = "build.sqlite"
_METHOD = "build"

V = TypeVar("V", bound=Value)


class Steps:
    """The files of a build's steps, by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / STEPS

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def read(self, name: str, kind: type[V]) -> V | None:
        """The value as it was written; None where there is none yet."""
        path = self.path(name)
        try:
            return kind.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise changed(path, first_fault(error)) from None

    def write(self, name: str, value: Value) -> None:
        write_json(self.path(name), value.model_dump(mode="json"))

    def write_lines(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        write_lines(self.folder / f"{name}.jsonl", rows)

    def forget(self, *names: str) -> None:
        for name in names:
            self.path(name).unlink(missing_ok=True)


class Names(Value):
    """By kind, the files that the build wrote, as they lie in its folder."""

    names: dict[str, tuple[str, ...]] = {}


class Files:
    """Files whose names change with what is made. They are noted before they are written, so that one that a
    kill left behind is known too. `pattern` is what all their names fit."""

    def __init__(self, folder: Path, pattern: str) -> None:
        self.folder = folder
        self._steps = Steps(folder)
        self._noted = dict((self._steps.read("files", Names) or Names()).names)
        for name in (name for names in self._noted.values() for name in names):
            if not re.fullmatch(pattern, name):
                raise changed(self._steps.path("files"), f"no build writes {name!r}")

    @contextmanager
    def only(self, kind: str, *names: str) -> Generator[None]:
        """Around their writing; what was written of that kind under other names goes."""
        before = self._noted.get(kind, ())
        self._note(kind, tuple(dict.fromkeys((*before, *names))))
        yield
        for name in before:
            if name not in names:
                (self.folder / name).unlink(missing_ok=True)
        self._note(kind, names)

    def _note(self, kind: str, names: tuple[str, ...]) -> None:
        if self._noted.get(kind, ()) != names:
            self._noted[kind] = names
            self._steps.write("files", Names(names=self._noted))


def opened(folder: Path, benchmark: str, parts: Iterable[str] = ()) -> Store:
    """Where replies are kept, which also keeps a second build out of the folder."""
    check(folder, parts)
    path = folder / STEPS / STORE
    if path.is_file():
        return _of_this_build(Store.resume(path), folder, benchmark)
    about = About(
        name=benchmark,
        source=benchmark,
        benchmark=benchmark,
        method=_METHOD,
        method_version="1",
        package_version=package_version(),
        configuration={},
    )
    return Store.create(path, about)


def copied(folder: Path, benchmark: str, parts: Iterable[str] = ()) -> Store:
    """The same in memory, for a rehearsal: what it has is not asked for again, what comes is not kept."""
    check(folder, parts)
    path = folder / STEPS / STORE
    check_unlocked(path)
    store = Store.copied(path)
    return _of_this_build(store, folder, benchmark) if path.is_file() else store


def _of_this_build(store: Store, folder: Path, benchmark: str) -> Store:
    if (store.about.benchmark, store.about.method) != (benchmark, _METHOD):
        store.close()
        raise _not_begun(folder)
    return store


def check(folder: Path, parts: Iterable[str] = ()) -> None:
    """Refuse a folder that holds something and was not begun by a build, and one that leads elsewhere.

    `parts` are the folders in it that the build writes to; `part/*` is that, and all that lies in it.
    """
    if not folder.is_dir():
        return
    for path in _within(folder, (f"{STEPS}/*", *parts)):
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
            raise BadSetting(
                f"{path} is a link that leads out of {folder}: put what it leads to in its place."
            )
    if not (folder / STEPS / STORE).is_file() and any(
        not path.name.startswith(".") for path in folder.iterdir()
    ):
        raise _not_begun(folder)


def _within(folder: Path, parts: Iterable[str]) -> Iterator[Path]:
    for part in parts:
        path = folder / part.removesuffix("/*")
        yield path
        if part.endswith("/*") and path.is_dir():
            yield from path.iterdir()


def write_bytes(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # One process builds at a time: what has the name was left behind by a kill, or is a stranger's link.
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    with part.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def write_json(path: Path, value: Any) -> None:
    write_bytes(path, (as_json(value, indent=4) + "\n").encode())


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    write_bytes(path, "".join(f"{as_json(row)}\n" for row in rows).encode())


def sha256_of(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def changed(path: Path, why: str) -> BadRecord:
    return BadRecord(
        f"{path} was changed and does not read ({why}): mend it, or delete it to have its step made again."
    )


def _not_begun(folder: Path) -> BadSetting:
    return BadSetting(
        f"{folder} holds files and was not begun as a build: name a new folder, or an empty one."
    )
