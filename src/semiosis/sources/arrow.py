"""Rows of tables: Parquet files, and whatever the `datasets` library loads. Both libraries are extras."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from ..core.errors import BadSetting, MissingExtra
from ..core.text import brief
from .lines import CHUNK
from .rows import Rows, SourceRow, until_broken

BATCH_BYTES = 8 * 1024 * 1024
BATCH_ROWS = 1000
# Nothing says beforehand how large the rows of a stream are, and each may hold two pictures.
STREAMED_ROWS = 32


def parquet(paths: Sequence[Path]) -> Rows:
    """The rows of the files, one file after the other; no more than a row group is held."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("Reading Parquet", extra="tables") from None
    open_file = cast(Any, pyarrow.parquet).ParquetFile

    def batches(path: Path) -> Iterator[Any]:
        # Left to itself, pyarrow reads whole columns ahead and keeps them to the end of the file.
        with open_file(path, buffer_size=CHUNK, pre_buffer=False) as file:
            about = file.metadata
            size = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
            yield from file.iter_batches(_rows_a_batch(size, about.num_rows), use_threads=False)

    number = 0
    for path in paths:
        rows = _rows(batches(path), path.name, number)
        for row in until_broken(rows, path.name, Exception, begun=number > 0):
            number += 1
            yield row


def saved(folder: Path) -> Rows:
    """What `datasets.save_to_disk` wrote."""
    load = _datasets().load_from_disk

    def batches() -> Iterator[Any]:
        dataset = _only_split(load(str(folder)), folder.name, lambda split: str(folder / split))
        yield from dataset.with_format("arrow").iter(_rows_a_batch(dataset.data.nbytes, len(dataset)))

    return until_broken(_rows(batches(), folder.name), folder.name, Exception)


def is_saved(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("dataset_dict.json", "dataset_info.json"))


def hub(spec: str) -> Rows:
    """owner/name, owner/name:split or owner/name:config:split, streamed; owner/name may be a local folder.

    `datasets` holds about one of its files at a time. A snapshot on disk, opened as a folder, needs less.
    """
    name, *rest = spec.split(":")
    if len(rest) > 2:
        raise BadSetting(f"hf:{spec} has too many parts: name a dataset as hf:owner/name:config:split.")
    config, split = [None, None, *rest][-2:]
    load = _datasets().load_dataset

    def batches() -> Iterator[Any]:
        loaded = load(name, config, split=split, streaming=True)
        dataset = _only_split(loaded, name, lambda each: f"hf:{name}:{each}")
        yield from dataset.with_format("arrow").iter(STREAMED_ROWS)

    return until_broken(_rows(batches(), name), name, Exception)


def _datasets() -> Any:
    try:
        import datasets
    except ImportError:
        raise MissingExtra("Reading a Hugging Face dataset", extra="datasets") from None
    return cast(Any, datasets)


def _only_split(loaded: Any, name: str, named: Callable[[str], str]) -> Any:
    if not isinstance(loaded, dict):
        return loaded
    splits = cast("dict[str, Any]", loaded)
    if len(splits) != 1:
        raise BadSetting(f"{name} has the splits {', '.join(splits)}: name one, as in {named(min(splits))}.")
    return next(iter(splits.values()))


def _rows_a_batch(size: int, rows: int) -> int:
    return max(1, min(BATCH_ROWS, BATCH_BYTES * rows // max(size, 1)))


def _rows(batches: Iterator[Any], name: str, before: int = 0) -> Rows:
    """A row's place is counted in its own file; its number goes on from the files before it."""
    title, place = brief(name), 0
    for batch in batches:
        classes = _classes(batch.schema)
        for cells in _plain(batch).to_pylist():
            place += 1
            for column, names in classes.items():
                if isinstance(number := cells.get(column), int):
                    cells[column] = names[number] if 0 <= number < len(names) else None
            yield SourceRow(f"{title} row {place}", before + place, cells)


def _classes(schema: Any) -> dict[str, list[str]]:
    """The columns whose numbers stand for names, as `datasets` notes them (ClassLabel)."""
    metadata: dict[bytes, bytes] = schema.metadata or {}
    noted = json.loads(metadata.get(b"huggingface", b"{}"))
    features: dict[str, Any] = noted.get("info", {}).get("features", {})
    return {
        name: feature["names"]
        for name, feature in features.items()
        # A list of features is noted as a list.
        if isinstance(feature, dict) and cast(Any, feature).get("_type") == "ClassLabel"
    }


def _plain(batch: Any) -> Any:
    """Times to the microsecond: Python has none finer, and pyarrow asks for pandas to make one."""
    import pyarrow

    types = cast(Any, pyarrow)
    for place, field in enumerate(batch.schema):
        if types.types.is_timestamp(field.type) and field.type.unit == "ns":
            times = batch.column(place).cast(types.timestamp("us", field.type.tz), safe=False)
            batch = batch.set_column(place, field.name, times)
    return batch
