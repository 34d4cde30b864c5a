"""Text files of rows: JSON Lines, JSON, CSV and TSV, gzipped or not."""

import gzip
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, cast

from ..core.text import brief
from . import delimited, jsons
from .rows import Rows, until_broken

FORMATS: dict[str, Callable[[IO[bytes], str], Rows]] = {
    ".jsonl": jsons.from_lines,
    ".ndjson": jsons.from_lines,
    ".json": jsons.from_list,
    ".csv": partial(delimited.rows, usual=","),
    ".tsv": partial(delimited.rows, usual="\t"),
}


def format_of(path: Path) -> str | None:
    """The suffix that says how the file is written, or None."""
    plain = path.with_suffix("") if _is_gzipped(path) else path
    return suffix if (suffix := plain.suffix.lower()) in FORMATS else None


def read(path: Path) -> Rows:
    parse = FORMATS[format_of(path) or ".jsonl"]

    def rows() -> Rows:
        with gzip.open(path) if _is_gzipped(path) else path.open("rb") as file:
            yield from parse(cast("IO[bytes]", file), brief(path.name))

    return until_broken(rows(), path.name, OSError, EOFError, zlib.error, UnicodeDecodeError)


def _is_gzipped(path: Path) -> bool:
    return path.suffix.lower() == ".gz"
