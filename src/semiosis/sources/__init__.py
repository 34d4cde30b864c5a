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
from pathlib import Path
from typing import Annotated

from ..core.errors import BadSetting
from ..core.item import Benchmark, LabelsBy
from ..core.settings import ROWS, checked
from .columns import Columns
from .folder import Folder
from .items import Items
from .opening import holds_rows, open_rows
from .pictures import Pictures

__all__ = ["Columns", "open_items", "open_rows"]

USUAL = Columns()


@checked
def open_items(
    where: str | Path,
    columns: Columns = USUAL,
    *,
    pictures: Path | None = None,
    limit: Annotated[int, ROWS] | None = None,
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
    extra = [pictures] if pictures else []
    path = Path(where)
    if path.is_dir() and not holds_rows(path):
        if extra or columns != USUAL or labels_by != "unknown":
            raise BadSetting(
                f"{path.name} is a folder of pictures: it has no columns and no labels to name, and needs no "
                "second folder."
            )
        return Folder(Path(os.path.abspath(path)), limit)
    source = open_rows(where)
    folders = [*extra, *([source.folder] if source.folder else [])]
    return Items(source.name, source.read, columns, Pictures(*folders), limit, labels_by)
