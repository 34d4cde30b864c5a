"""Rows of CSV and TSV. Every cell is text; the first line names the columns, and shows what divides them."""

import csv
from collections.abc import Iterator
from itertools import chain
from typing import IO

from ...core.errors import BadRecord
from .lines import BadLine, lines
from .rows import Row, Rows, bad_row

DELIMITERS = (",", ";", "\t")


def rows(file: IO[bytes], name: str, delimiter: str) -> Rows:
    """Divided by `delimiter`, or where the first line has none, by another that it has."""
    source = lines(file)
    first = next(source, "")
    feed = _Feed(chain([first], source))
    reader = csv.reader(feed, delimiter=_delimiter(first, delimiter), strict=True)
    header: list[str] = []
    try:
        header = next(reader, header)
    except (csv.Error, BadLine) as error:
        raise BadRecord(
            f"The first line of {name}, which names the columns, cannot be read: {error}."
        ) from None
    if not header and not any(isinstance(line, BadLine) or line.strip() for line in source):
        raise BadRecord(f"{name} is empty.")
    if not header or len(set(header)) < len(header):
        raise BadRecord(f"The first line of {name} has to name every column, each once.")
    while True:
        number = feed.number + 1
        where = f"{name} line {number}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except BadLine as error:
            yield bad_row(where, str(error))
        except csv.Error as error:
            yield bad_row(where, f"The row cannot be read ({error}); cells of any length fit JSON Lines.")
        else:
            if len(cells) == len(header):
                yield Row(where, number, dict(zip(header, cells, strict=True)))
            elif cells:
                yield bad_row(where, f"The row has {len(cells)} cells, and {len(header)} columns are named.")


def _delimiter(header: str | BadLine, usual: str) -> str:
    if isinstance(header, BadLine):
        return usual
    try:
        columns = {mark: len(next(csv.reader([header], delimiter=mark))) for mark in (usual, *DELIMITERS)}
    except csv.Error:
        return usual  # the header's own reading says what is wrong with it
    return usual if columns[usual] > 1 else max(columns, key=lambda mark: columns[mark])


class _Feed:
    """Lines for a csv.reader, which can go on after one that raised; a generator would be over."""

    def __init__(self, source: Iterator[str | BadLine]) -> None:
        self._source = source
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._source)
        self.number += 1
        if isinstance(line, BadLine):
            raise line
        return line
