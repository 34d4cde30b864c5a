"""Tables that lose nothing in a narrow terminal.

sheet = Sheet("picture", "score", "95% interval", right=(1, 2))
sheet.add("a.png", "+0.51", "-0.20 to +1.22")
console.print(sheet)

Where a row fits on a line it is a table. Where it does not, a row is a block: its name on a line of its own,
and under it what the columns say, each whole. What is text may flow over several lines in either.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from ..core.text import plain

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Cell = str | Text

_GAP = 2
_TEXT = 16


class Sheet:
    """`heading` first columns name a row; those in `right` are numbers, those in `flow` are text."""

    def __init__(
        self, *columns: str, right: Collection[int] = (), flow: Collection[int] = (), heading: int = 1
    ) -> None:
        self._columns = [plain(column) for column in columns]
        self._right = right
        self._flow = flow
        self._heading = heading
        self._rows: list[list[Text]] = []

    def add(self, *cells: Cell, style: str = "") -> None:
        """Nothing in a string is markup, and nothing in it steers the terminal."""
        self._rows.append(
            [cell if isinstance(cell, Text) else Text(_lines(cell), style=style) for cell in cells]
        )

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        widths = self._widths(options.max_width)
        if widths is None:
            for row in self._rows:
                yield from self._block(row, console, options.max_width)
        else:
            yield self._table(widths)

    def _widths(self, width: int) -> list[int] | None:
        """Of the columns, titles on one line if there is room; None where a row does not fit on a line."""
        room = width - _GAP * (len(self._columns) - 1)
        for titles in (map(cell_len, self._columns), map(_longest_word, self._columns)):
            widths = [max(title, need) for title, need in zip(titles, self._needs(), strict=True)]
            if sum(widths) <= room:
                return self._flowing(widths, room)
        return None

    def _needs(self) -> list[int]:
        """What each column takes at least: its longest line, or its longest word where it may flow."""
        return [
            max((_least(row[at]) if at in self._flow else _longest(row[at]) for row in self._rows), default=0)
            for at in range(len(self._columns))
        ]

    def _flowing(self, widths: list[int], room: int) -> list[int]:
        """The same, with what room is left given to the columns of text, as far as they can use it."""
        left = room - sum(widths)
        for number, at in enumerate(sorted(self._flow)):
            wanted = max((_longest(row[at]) for row in self._rows), default=0) - widths[at]
            share = max(0, min(wanted, left // (len(self._flow) - number)))
            widths[at] += share
            left -= share
        return widths

    def _table(self, widths: Sequence[int]) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=any(self._columns))
        for at, (column, width) in enumerate(zip(self._columns, widths, strict=True)):
            justify = "right" if at in self._right else "left"
            table.add_column(Text(column), justify=justify, width=width)
        for row in self._rows:
            table.add_row(*row)
        return table

    def _block(self, row: Sequence[Text], console: "Console", width: int) -> Iterator[Text]:
        yield Text("  ").join(cell for cell in row[: self._heading] if cell.plain)
        line = Text()
        for at in range(self._heading, len(row)):
            title, cell = self._columns[at], row[at]
            flows = at in self._flow
            part = Text.assemble((title, "dim"), " ", cell)
            if line.plain and (flows or line.cell_len + _GAP + part.cell_len > width):
                yield line
                line = Text()
            if flows:
                yield from (Text.assemble("  ", text) for text in cell.wrap(console, width - _GAP))
            elif part.cell_len + _GAP > width:
                yield Text.assemble("  ", (title, "dim"))
                yield Text.assemble("    ", cell)
            elif cell.plain:
                line = Text.assemble(line, "  ", part)
        if line.plain:
            yield line


def _lines(words: str) -> str:
    return "\n".join(plain(line) for line in words.split("\n"))


def _longest(cell: Text) -> int:
    return max(map(cell_len, cell.plain.splitlines()), default=0)


def _least(cell: Text) -> int:
    """A column of text is no narrower than its longest word, nor than can be read."""
    return max(_longest_word(cell.plain), min(_TEXT, _longest(cell)))


def _longest_word(words: str) -> int:
    return max(map(cell_len, words.split()), default=0)
