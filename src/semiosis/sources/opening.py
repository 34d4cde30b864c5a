"""Rows from whatever holds them: a text file, Parquet, a saved dataset, a dataset of the hub.

source = open_rows("votes.csv")
for row in source.read(): ...
"""

from dataclasses import dataclass
from functools import partial
from glob import glob
from pathlib import Path

from ..core.errors import BadRecord
from . import arrow, files
from .rows import Reader

HUB = "hf:"


@dataclass(frozen=True)
class Source:
    """`read` gives the rows, anew each time; `folder` is where paths in them start."""

    name: str
    read: Reader
    folder: Path | None = None


def open_rows(where: str | Path) -> Source:
    """A .jsonl, .ndjson, .json, .csv or .tsv file (also with .gz), a .parquet file or a pattern of them, a
    folder of Parquet files or of `datasets.save_to_disk`, or hf:owner/name, :split, :config:split."""
    if str(where).startswith(HUB):
        dataset = str(where).removeprefix(HUB)
        return Source(dataset, partial(arrow.hub, dataset))
    path = Path(where)
    name = path.name or path.resolve().name
    if path.is_dir():
        return Source(name, _folder(path), path)
    return Source(name, _file(path), path.parent)


def holds_rows(folder: Path) -> bool:
    """Whether `open_rows` takes the folder."""
    return arrow.is_saved(folder) or next(folder.rglob("*.parquet"), None) is not None


def _folder(path: Path) -> Reader:
    if arrow.is_saved(path):
        return partial(arrow.saved, path)
    if parquet := sorted(path.rglob("*.parquet")):
        return partial(arrow.parquet, parquet)
    raise BadRecord(f"{path} is a folder without a table in it: name a file.")


def _file(path: Path) -> Reader:
    if path.suffix.lower() == ".parquet":
        if paths := [path] if path.exists() else [Path(each) for each in sorted(glob(str(path)))]:
            return partial(arrow.parquet, paths)
    elif path.exists():
        if files.format_of(path) is None:
            raise BadRecord(
                f"{path.name} is in no format that is read here: "
                f"save it as {', '.join(files.FORMATS)} or .parquet, or name a folder."
            )
        return partial(files.read, path)
    raise BadRecord(f"There is no file or folder {path}.")
