"""Rows of CSV and TSV. Every cell is text; the first line names the columns and shows what divides them."""

import csv
from collections.abc import Iterator
from itertools import chain
from typing import IO

from ..core.errors import BadRecord
from .lines import BadLine, lines
from .rows import Rows, SourceRow, bad_row, some

DELIMITERS = (",", ";", "\t")


def rows(file: IO[bytes], name: str, usual: str) -> Rows:
    """`usual` is the delimiter unless another splits the first line into more."""
    feed = _Feed(lines(file))
    reader = csv.reader(feed, delimiter=_delimiter(feed.first, usual), strict=True)
    header: list[str] = []
    try:
        header = next(reader, header)
    except (csv.Error, BadLine) as error:
        raise BadRecord(
            f"The first line of {name}, which names the columns, cannot be read: {error}."
        ) from None
    if not header:
        raise BadRecord(f"{name} is empty.")
    if len(set(header)) < len(header):
        raise BadRecord(f"The first line of {name} has to name every column, each once.")
    yield from some(_body(feed, reader, header, name), f"{name} has a header and no rows.")


def _delimiter(line: str, usual: str) -> str:
    def columns(mark: str) -> int:
        try:
            return sum(len(cells) for cells in csv.reader([line], delimiter=mark, strict=True))
        except csv.Error:
            # Where it is no delimiter, quotation marks stand in odd places.
            return 0

    return max((usual, *DELIMITERS), key=columns)


def _body(feed: "_Feed", reader: "Iterator[list[str]]", header: list[str], name: str) -> Rows:
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
                yield SourceRow(where, number, dict(zip(header, cells, strict=True)))
            elif cells:
                yield bad_row(where, f"The row has {len(cells)} cells, and {len(header)} columns are named.")


class _Feed:
    """Lines for a csv.reader, which can go on after one that raised; a generator would be over.

    It begins with the first line that is not blank, which is known beforehand.
    """

    def __init__(self, source: Iterator[str | BadLine]) -> None:
        self.number = 0
        self.first = ""
        self._source = source
        for line in source:
            if isinstance(line, BadLine) or line.strip():
                self.first = "" if isinstance(line, BadLine) else line
                self._source = chain([line], source)
                return
            self.number += 1

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._source)
        self.number += 1
        if isinstance(line, BadLine):
            raise line
        return line
