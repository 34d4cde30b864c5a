"""A cell's picture: its content hash now, for the key; the picture itself when the item is made.

A file is hashed once for as long as its size and time of change stay the same, and looked at once in each
reading of a source; an item made from a file that changed since says so. A picture by URL is fetched for its
candidate, since a key needs its content: that candidate carries the bytes; later ones of the same URL carry
the hash alone and fetch again for their item, so that memory is bounded either way.
"""

import os
from collections import OrderedDict
from functools import lru_cache
from pathlib import Path, PurePath
from typing import NamedTuple, cast

from ..backbones.downloads import fetch, is_url
from ..core.errors import BadPicture
from ..core.sign import Artifact

REMEMBERED = 50_000


class LocatedPicture(NamedTuple):
    """A picture by its hash, and where it is: a path, a URL, or an artifact that holds it."""

    sha256: str
    source: str | Artifact

    def artifact(self) -> Artifact:
        if isinstance(self.source, Artifact):
            return self.source
        artifact = fetch(self.source) if is_url(self.source) else Artifact.of(self.source)
        if artifact.sha256 != self.sha256:
            raise BadPicture(f"{artifact.name or 'A picture'} changed after its row was read; run again.")
        return artifact


class Pictures:
    """Finds pictures: paths are looked for in each folder in turn."""

    def __init__(self, *folders: Path) -> None:
        self.folders = [os.path.abspath(folder) for folder in folders] or [os.getcwd()]
        self._fetched: OrderedDict[str, str] = OrderedDict()
        self._file = lru_cache(REMEMBERED)(self._look)

    def look_again(self) -> None:
        """Files may have changed since the last reading."""
        self._file.cache_clear()

    def find(self, cell: object) -> LocatedPicture:
        """The picture in a cell: a path, a URL, a data URL, bytes, a Hugging Face image, or a PIL image."""
        match cell:
            case str() if is_url(cell):
                return self._by_url(cell)
            case str() if not cell.startswith("data:"):
                return self._file(cell)
            case {"bytes": bytes(data)}:
                artifact = Artifact.of(data)
                name = PurePath(str(cast("dict[str, object]", cell).get("path") or "")).name
                return LocatedPicture(artifact.sha256, artifact.model_copy(update={"name": name}))
            case {"path": str(path)}:
                return self.find(path)
            case _:
                artifact = Artifact.of(cell)
                return LocatedPicture(artifact.sha256, artifact)

    def _look(self, cell: str) -> LocatedPicture:
        for folder in self.folders:
            path = os.path.join(folder, cell)
            try:
                status = os.stat(path)
            except (OSError, ValueError):
                continue
            return LocatedPicture(_hash(path, status.st_size, status.st_mtime_ns), path)
        missing = os.path.join(self.folders[0], cell)
        raise BadPicture(f"There is no file {missing[:300]}; --pictures names the folder to look in.")

    def _by_url(self, url: str) -> LocatedPicture:
        if url in self._fetched:
            self._fetched.move_to_end(url)
            return LocatedPicture(self._fetched[url], url)
        artifact = fetch(url)
        self._fetched[url] = artifact.sha256
        if len(self._fetched) > REMEMBERED:
            self._fetched.popitem(last=False)
        return LocatedPicture(artifact.sha256, artifact)


@lru_cache(REMEMBERED)
def _hash(path: str, size: int, mtime_ns: int) -> str:
    """Size and time are part of the question: a file that changed is another file."""
    return Artifact.of(path).sha256
