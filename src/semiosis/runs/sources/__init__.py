"""Items from anywhere: a file of rows, a table, a dataset, a folder of pictures.

    open_items("pairs.jsonl")              a line is {"prompt": "...", "a": "a.png", "b": "b.png"}
    open_items("ratings.csv")              its columns are prompt and picture, and score where people gave one
    open_items("questions.jsonl")          {"question": "...", "choices": {"A": ...}, "picture": "a.png"}
    open_items("votes.csv", Columns(prompt="caption"), pictures=Path("images"))
    open_items("hf:TIGER-Lab/GenAI-Bench:image_generation:test_v1")
    open_items("paintings")                pictures are <model>/<prompt-id>.png, and every two models meet

Rows are read as they are asked for, so a million need no more memory than a hundred. A row that is no item
comes out as a `BadRow` that says why.
"""

import os
from functools import partial
from glob import glob
from pathlib import Path

from ...core.errors import BadRecord, BadSetting
from ...core.item import Benchmark, LabelsBy
from . import files, tables
from .columns import Columns
from .folder import Folder
from .items import Items
from .pictures import Pictures
from .rows import Reader

__all__ = ["Columns", "open_items"]

USUAL = Columns()


def open_items(
    where: str | Path,
    columns: Columns = USUAL,
    *,
    pictures: Path | None = None,
    limit: int | None = None,
    labels_by: LabelsBy = "unknown",
) -> Benchmark:
    """The items of `where`, read as they are asked for; a row that is no item says why.

    What a row is, its columns tell: a question has choices, a pair a prompt and two pictures, a rating a
    prompt and one.

    where       a .jsonl, .ndjson, .json, .csv or .tsv file (also with .gz), a .parquet file or a pattern of
                them, a folder of Parquet files, of `datasets.save_to_disk` or of pictures, or a dataset:
                hf:owner/name, hf:owner/name:split or hf:owner/name:config:split
    columns     which of its columns mean what, where their names do not tell
    pictures    where paths in its rows are looked for, before beside the file
    limit       only the first so many rows, good and bad
    labels_by   who gave its labels, which no file says
    """
    if limit is not None and limit < 0:
        raise BadSetting(f"A limit of {limit} rows makes no sense: leave it out to read them all.")
    given = [pictures] if pictures else []
    items = partial(Items, columns=columns, limit=limit, labels_by=labels_by)
    if str(where).startswith("hf:"):
        dataset = str(where).removeprefix("hf:")
        return items(dataset, partial(tables.hub, dataset), pictures=Pictures(*given))
    path = Path(where)
    name = path.name or path.resolve().name
    if not os.path.isdir(path):
        return items(name, _reader(path), pictures=Pictures(*given, path.parent))
    if tables.is_saved(path):
        return items(name, partial(tables.saved, path), pictures=Pictures(*given, path))
    if parquet := sorted(path.rglob("*.parquet")):
        return items(name, partial(tables.parquet, parquet), pictures=Pictures(*given, path))
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
