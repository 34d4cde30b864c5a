"""Lines of text from a file that is not trusted: UTF-8, of bounded length."""

from collections.abc import Iterator
from typing import IO

from ..core.errors import BadRecord

MAX_LINE_BYTES = 32 * 1024 * 1024
CHUNK = 256 * 1024


class BadLine(Exception):
    """A line that is no text. It is handed over as a value, so that reading goes on after it."""


def lines(file: IO[bytes]) -> Iterator[str | BadLine]:
    line = file.readline(MAX_LINE_BYTES + 1)
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadRecord(f"{file.name} is written in UTF-16: save it as UTF-8.")
    line = line.removeprefix(b"\xef\xbb\xbf")
    while line:
        if len(line) > MAX_LINE_BYTES:
            yield BadLine(f"The line is longer than {MAX_LINE_BYTES // 1024**2} MB.")
            while line and not line.endswith(b"\n"):
                line = file.readline(CHUNK)
        else:
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                yield BadLine(f"The line is not UTF-8: {error.reason} at byte {error.start + 1}.")
        line = file.readline(MAX_LINE_BYTES + 1)
