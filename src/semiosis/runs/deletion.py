"""A run deleted: its store, and the pictures beside it that no other run of the folder holds.

    removed = delete(Path("semiosis-runs/first.sqlite"))
    removed.pictures, removed.bytes

Pictures stay where another run is being written, or cannot be read: they may be its own.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import StoreError
from .database import is_being_written
from .store import SUFFIX, Store

_HASH = re.compile(r'"sha256":"([0-9a-f]{64})"')


@dataclass(frozen=True)
class Removed:
    """What was deleted; `spared` names a run for whose sake the pictures stayed."""

    items: int
    pictures: int
    bytes: int
    spared: str = ""


def delete(path: Path) -> Removed:
    """Raises StoreError where there is no such run, or a process is writing it."""
    others = [each for each in path.parent.glob(f"*{SUFFIX}") if each != path]
    with Store.resume(path) as store:
        own, items, size = _pictures(store), store.outcome_count, path.stat().st_size
        spared = next((each.stem for each in others if not _is_quiet(each)), "")
        for each in () if spared else others:
            with Store.look(each) as other:
                own -= _pictures(other)
        files = [] if spared else [file for file in map(store.picture, own) if file.is_file()]
        for file in files:
            size += file.stat().st_size
            file.unlink()
        store.discard()
    return Removed(items, len(files), size, spared)


def _pictures(store: Store) -> set[str]:
    return {sha256 for (item,) in store.rows("select item from items") for sha256 in _HASH.findall(item)}


def _is_quiet(path: Path) -> bool:
    if is_being_written(path):
        return False
    try:
        Store.look(path).close()
    except StoreError:
        return False
    return True
