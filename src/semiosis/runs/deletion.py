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
    with Store.resume(path) as store:
        own, items = _pictures(store), store.outcome_count
        size = path.stat().st_size
        store.discard()
    others = [each for each in path.parent.glob(f"*{SUFFIX}") if each != path]
    spared = next((each.stem for each in others if own and not _is_quiet(each)), "")
    if spared:
        return Removed(items, 0, size, spared)
    for each in others:
        with Store.look(each) as other:
            own -= _pictures(other)
    files = [store.picture(sha256) for sha256 in own]
    for file in files:
        if file.is_file():
            size += file.stat().st_size
            file.unlink()
    return Removed(items, len(files), size)


def _pictures(store: Store) -> set[str]:
    return {found for (item,) in store.rows("select item from items") for found in _HASH.findall(item)}


def _is_quiet(path: Path) -> bool:
    if is_being_written(path):
        return False
    try:
        Store.look(path).close()
    except StoreError:
        return False
    return True
