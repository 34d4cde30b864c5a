"""The prompts of a folder of pictures.

They are listed in prompts.jsonl, prompts.csv or prompts.txt (an id and a prompt; in the text file with a tab
between them, or the prompt alone, whose id is then its line number), or each is in <prompt-id>.txt, in the
folder or beside a picture. Where nothing is listed, an id without a text file is itself the prompt, with
- and _ read as spaces.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from ..core.errors import BadPrompt
from ..core.item import BadRow
from ..core.sign import MAX_PROMPT_CHARACTERS
from ..core.text import brief
from .columns import IDS, PROMPTS
from .files import read
from .lines import BadLine, lines
from .rows import Rows, SourceRow, bad_row

FILES = ("prompts.jsonl", "prompts.csv", "prompts.txt")


class Prompts:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = next((folder / name for name in FILES if (folder / name).is_file()), None)
        self._listed: dict[str, str] = {}
        self.bad: list[BadRow] = []
        for row in _rows(self._file) if self._file else ():
            if isinstance(row, BadRow):
                self.bad.append(row)
            else:
                self._take(row)

    def _take(self, row: SourceRow) -> None:
        id = next(
            (row.cells[name] for name in ("prompt_id", *IDS) if row.cells.get(name) not in (None, "")), None
        )
        prompt = next((row.cells[name] for name in PROMPTS if name in row.cells), None)
        if not isinstance(prompt, str) or not isinstance(id, str | int):
            self.bad.append(bad_row(row.where, "The row needs an id and a prompt."))
        elif self._listed.setdefault(str(id), prompt) != prompt:
            self.bad.append(bad_row(row.where, f"Another prompt is listed for {id!r} before, and was taken."))

    def of(self, prompt_id: str, beside: Iterable[Path]) -> str:
        if prompt_id in self._listed:
            return self._listed[prompt_id]
        for folder in dict.fromkeys([self._folder, *beside]):
            file = folder / f"{prompt_id}.txt"
            if file.is_file():
                return _read(file)
        if self._file:
            raise BadPrompt(f"{self._file.name} lists no prompt {prompt_id!r}.")
        return re.sub("[-_]+", " ", prompt_id).strip()


def _rows(file: Path) -> Rows:
    if file.suffix != ".txt":
        yield from read(file)
        return
    with file.open("rb") as text:
        for number, line in enumerate(lines(text), 1):
            where = f"{file.name} line {number}"
            if isinstance(line, BadLine):
                yield bad_row(where, str(line))
            elif not line.isspace():
                id, tab, prompt = line.strip("\r\n").partition("\t")
                yield SourceRow(
                    where, number, {"id": id if tab else str(number), "prompt": prompt if tab else id}
                )


def _read(file: Path) -> str:
    try:
        with file.open(encoding="utf-8-sig") as text:
            return text.read(MAX_PROMPT_CHARACTERS + 2).strip()
    except (OSError, ValueError) as error:
        raise BadPrompt(f"{brief(file.name)} cannot be read: {error}.") from None
