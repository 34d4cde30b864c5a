"""Rows of JSON: one object a line, or one list of objects, of which only the row at hand is held."""

import io
import json
import re
import string
from json import JSONDecodeError
from typing import IO, cast

from ..core.errors import BadRecord
from ..core.item import BadRow
from .lines import CHUNK, MAX_LINE_BYTES, BadLine, lines
from .rows import Rows, SourceRow, bad_row, some

_SPACE = re.compile(r"[ \t\r\n]*")


def from_lines(file: IO[bytes], name: str) -> Rows:
    return some(_objects(file, name), f"{name} is empty.")


def _objects(file: IO[bytes], name: str) -> Rows:
    decode = json.JSONDecoder().decode
    for number, line in enumerate(lines(file), 1):
        where = f"{name} line {number}"
        if isinstance(line, BadLine):
            yield bad_row(where, str(line))
        elif line.strip(string.whitespace):
            try:
                value = decode(line)
            except JSONDecodeError as error:
                yield bad_row(where, f"The line is not JSON: {_fault(error)} at character {error.pos + 1}.")
            except (ValueError, RecursionError) as error:
                yield bad_row(where, f"The line cannot be read: {_fault(error)}.")
            else:
                yield _row(where, number, value)


def from_list(file: IO[bytes], name: str) -> Rows:
    with io.TextIOWrapper(file, "utf-8-sig") as decoded:
        yield from some(_elements(_Text(decoded), name), f"{name} holds an empty list: it has no rows.")


def _elements(text: "_Text", name: str) -> Rows:
    if text.is_over():
        raise BadRecord(f"{name} is empty.")
    if not text.passes("["):
        raise BadRecord(f"{name} is no list of rows, [{{...}}, ...]; if each line is a row, name it .jsonl.")
    number = 0
    while not text.passes("]"):
        if number and not text.passes(","):
            yield bad_row(f"{name} after row {number}", "The list breaks off here; the rest was not read.")
            return
        number += 1
        where = f"{name} row {number}"
        try:
            value = text.value()
        except (ValueError, RecursionError) as error:
            yield bad_row(where, f"From here on the list is not JSON, and was not read: {_fault(error)}.")
            return
        yield _row(where, number, value)
    if not text.is_over():
        yield bad_row(f"{name} after row {number}", "What follows the list was not read.")


def _row(where: str, number: int, value: object) -> SourceRow | BadRow:
    if isinstance(value, dict):
        return SourceRow(where, number, cast("dict[str, object]", value))
    return bad_row(where, "The row is not an object that names its columns.")


def _fault(error: Exception) -> str:
    match error:
        case JSONDecodeError():
            return error.msg.removesuffix(" at")
        case RecursionError():
            return "it is nested too deeply"
        case _:
            return str(error)


class _Text:
    """Text read only as far as the next value needs."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._held = ""
        self._at = 0
        self._ended = False
        self._decode = json.JSONDecoder().raw_decode

    def passes(self, mark: str) -> bool:
        """Whether the mark comes next, which is then behind us."""
        self._skip_space()
        here = self._held.startswith(mark, self._at)
        self._at += len(mark) if here else 0
        return here

    def is_over(self) -> bool:
        self._skip_space()
        return self._at == len(self._held)

    def value(self) -> object:
        self._skip_space()
        while True:
            try:
                value, end = self._decode(self._held, self._at)
                # A number that touches the end may go on in what was not read yet.
                if end < len(self._held) or self._ended:
                    self._at = end
                    return cast(object, value)
            except JSONDecodeError:
                if self._ended or len(self._held) - self._at > MAX_LINE_BYTES:
                    raise
            self._more(max(CHUNK, len(self._held) - self._at))

    def _skip_space(self) -> None:
        while True:
            space = _SPACE.match(self._held, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._held) or self._ended:
                return
            self._more(CHUNK)

    def _more(self, size: int) -> None:
        chunk = self._file.read(size)
        self._ended = not chunk
        self._held = self._held[self._at :] + chunk
        self._at = 0
