"""Pairs from anywhere: a file of rows, a table, a dataset, a folder of pictures.

    open_pairs("pairs.jsonl")              a line is {"prompt": "...", "a": "a.png", "b": "b.png"}
    open_pairs("votes.csv", Columns(prompt="caption"), pictures=Path("images"))
    open_pairs("hf:TIGER-Lab/GenAI-Bench:image_generation:test_v1")
    open_pairs("paintings")                pictures are <model>/<prompt-id>.png, and every two models meet

Rows are read as they are asked for, so a million need no more memory than a hundred. A row that is no pair
comes out as a `BadRow` that says why.
"""

import os
from functools import partial
from glob import glob
from pathlib import Path

from ...core.errors import BadRecord, BadSetting
from ...core.item import Benchmark
from . import files, tables
from .columns import Columns
from .folder import Folder
from .pairs import Pairs
from .pictures import Pictures
from .rows import Reader

__all__ = ["Columns", "open_pairs"]

USUAL = Columns()


def open_pairs(
    where: str | Path, columns: Columns = USUAL, *, pictures: Path | None = None, limit: int | None = None
) -> Benchmark:
    """The pairs of `where`, read as they are asked for; a row that is no pair says why.

    where       a .jsonl, .ndjson, .json, .csv or .tsv file (also with .gz), a .parquet file or a pattern of
                them, a folder of Parquet files, of `datasets.save_to_disk` or of pictures, or a dataset:
                hf:owner/name, hf:owner/name:split or hf:owner/name:config:split
    columns     which of its columns mean what, where their names do not tell
    pictures    where paths in its rows are looked for, before beside the file
    limit       only the first so many rows, good and bad
    """
    if limit is not None and limit < 0:
        raise BadSetting(f"A limit of {limit} rows makes no sense: leave it out to read them all.")
    given = [pictures] if pictures else []
    if str(where).startswith("hf:"):
        dataset = str(where).removeprefix("hf:")
        return Pairs(dataset, partial(tables.hub, dataset), columns, Pictures(*given), limit)
    path = Path(where)
    name = path.name or path.resolve().name
    if not os.path.isdir(path):
        return Pairs(name, _reader(path), columns, Pictures(*given, path.parent), limit)
    if tables.is_saved(path):
        return Pairs(name, partial(tables.saved, path), columns, Pictures(*given, path), limit)
    if parquet := sorted(path.rglob("*.parquet")):
        return Pairs(name, partial(tables.parquet, parquet), columns, Pictures(*given, path), limit)
    if given or columns != USUAL:
        raise BadSetting(
            f"{name} is a folder of pictures: it has no columns to name, and needs no second folder."
        )
    return Folder(Path(os.path.abspath(path)), limit)


def _reader(path: Path) -> Reader:
    if path.suffix.lower() == ".parquet":
        found = [path] if os.path.exists(path) else [Path(each) for each in sorted(glob(str(path)))]
        if found:
            return partial(tables.parquet, found)
    elif os.path.exists(path):
        if files.format_of(path) is None:
            raise BadRecord(
                f"{path.name} is in no format that is read here: "
                f"save it as {', '.join(files.FORMATS)} or .parquet, or name a folder."
            )
        return partial(files.read, path)
    raise BadRecord(f"There is no file or folder {path}.")
