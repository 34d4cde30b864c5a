"""Tables as text: one renderer for a terminal, Markdown, LaTeX and HTML. JSON is the value's own.

    console.print(terminal(table, "A sentence."))
    markdown(table), latex(table), html(table), table.model_dump_json()

In each form numbers are written alike (`Column.written`), and nothing that a cell holds is markup. Where a
terminal is too narrow for a row, it is a block: its name on a line, and under it each column, whole.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from ..core.table import Cell, Column, Table
from ..core.text import brief, plain

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

_GAP = 2
_TEXT = 16

_MARKDOWN = re.compile(r"([\\`*_\[\]|~$])")
_OPENS_A_BLOCK = re.compile(r"^(\d*)([-+#.)])")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\char34{}",
    # After the end of a row these would be its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
} | {special: f"\\{special}" for special in "{}$&#_%"}


def terminal(*parts: Table | str) -> "RenderableType":
    """Tables with their titles and notes, and sentences between them; a blank line before each table."""
    lines: list[RenderableType] = []
    for part in parts:
        if isinstance(part, str):
            lines.append(Text(plain(part)))
            continue
        lines += [Text()] if lines else []
        lines += [Text(brief(part.title), style="bold")] if part.title else []
        lines += [_Layout(part)] if part.rows else []
        lines += [Text(plain(note), style="dim") for note in part.notes]
    return Group(*lines)


def markdown(table: Table) -> str:
    """A table as GitHub reads them, its title above it and its notes below."""
    blocks = [f"**{_markdown(brief(table.title))}**"] if table.title else []
    if table.rows:
        names = [_markdown(plain(column.name)) for column in table.columns]
        rules = ["---:" if column.numbers else "---" for column in table.columns]
        rows = [
            [_strong(_markdown(cell), place in table.emphasised) for cell in cells]
            for place, cells in enumerate(_texts(table))
        ]
        blocks.append("\n".join(f"| {' | '.join(cells)} |" for cells in (names, rules, *rows)))
    blocks += [_OPENS_A_BLOCK.sub(r"\1\\\2", _markdown(plain(note).strip())) for note in table.notes]
    return "\n\n".join(blocks) + "\n"


def latex(table: Table) -> str:
    """A tabular with the rules of booktabs; in a table of its own where it has a title or notes."""
    flowing = sum(column.flows for column in table.columns)
    kinds = (
        f"p{{{0.6 / flowing:.2f}\\linewidth}}" if column.flows else "r" if column.numbers else "l"
        for column in table.columns
    )
    header = [[_latex(plain(column.name)) for column in table.columns]] if table.is_titled else []
    rows = [
        [
            f"\\textbf{{{each}}}" if place in table.emphasised else each
            for each in map(_latex_cell, table.columns, table.rows[place], cells)
        ]
        for place, cells in enumerate(_texts(table))
    ]
    lines = [f"\\begin{{tabular}}{{{''.join(kinds)}}}", "\\toprule"]
    lines += [line for cells in header for line in (_latex_row(cells), "\\midrule")]
    lines += [*map(_latex_row, rows), "\\bottomrule", "\\end{tabular}"]
    if table.title or table.notes:
        caption = [f"\\caption{{{_latex(brief(table.title))}}}"] if table.title else []
        notes = [f"\\par\\smallskip{{\\footnotesize {_latex(plain(note))}\\par}}" for note in table.notes]
        lines = ["\\begin{table}", "\\centering", *caption, *lines, *notes, "\\end{table}"]
    return "\n".join(lines) + "\n"


def html(table: Table) -> str:
    """A table element, its notes after it as paragraphs."""
    lines = ['<table class="ledger">']
    lines += [f"<caption>{escape(brief(table.title))}</caption>"] if table.title else []
    if table.is_titled:
        names = (
            f'<th scope="col"{_class(column.numbers and "number")}>{escape(plain(column.name))}</th>'
            for column in table.columns
        )
        lines.append(f"<thead><tr>{''.join(names)}</tr></thead>")
    lines.append("<tbody>")
    for place, cells in enumerate(_texts(table)):
        parts = (_html_cell(table, place, at, cell) for at, cell in enumerate(cells))
        lines.append(f"<tr{_class(place in table.emphasised and 'total')}>{''.join(parts)}</tr>")
    lines += ["</tbody>", "</table>"]
    lines += [f'<p class="note">{escape(plain(note))}</p>' for note in table.notes]
    return "\n".join(lines) + "\n"


def _texts(table: Table) -> list[list[str]]:
    """Every cell as it is written, on one line or several."""
    return [[_text(*each) for each in zip(table.columns, row, strict=True)] for row in table.rows]


def _text(column: Column, cell: Cell) -> str:
    show = plain if column.flows else brief
    return "\n".join(map(show, column.written(cell).split("\n")))


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", escape(text, quote=False)).replace("\n", "<br>")


def _strong(text: str, emphasised: bool) -> str:
    return f"**{text.strip()}**" if emphasised and text.strip() else text


def _latex(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in text)
    return re.sub("-(?=-)", "-{}", escaped)


def _latex_cell(column: Column, cell: Cell, text: str) -> str:
    escaped = _latex(text).replace("\n", "\\newline " if column.flows else " ")
    return escaped if isinstance(cell, str) else re.sub(r"-(?=\d)", "$-$", escaped)


def _latex_row(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _html_cell(table: Table, row: int, at: int, text: str) -> str:
    kinds = (table.columns[at].numbers and "number", table.alarms(row, at) and "doubt")
    inside = escape(text).replace("\n", "<br>")
    if at < table.heading:
        return f'<th scope="row"{_class(*kinds)}>{inside}</th>'
    return f"<td{_class(*kinds)}>{inside}</td>"


def _class(*names: str | bool) -> str:
    some = " ".join(name for name in names if isinstance(name, str))
    return f' class="{some}"' if some else ""


class _Layout:
    """The rows of a table, laid out for the width at hand."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._names = [plain(column.name) for column in table.columns]
        self._flows = [at for at, column in enumerate(table.columns) if column.flows]
        self._rows = [
            [Text(cell, style=self._style(place, at)) for at, cell in enumerate(cells)]
            for place, cells in enumerate(_texts(table))
        ]

    def _style(self, row: int, at: int) -> str:
        if not self._table.is_titled and at < self._table.heading:
            return "dim"
        if self._table.alarms(row, at):
            return "red"
        return "bold" if row in self._table.emphasised else ""

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        widths = self._widths(options.max_width)
        if widths is not None:
            yield self._grid(widths)
        elif not self._table.is_titled and len(self._names) == 2:
            yield self._grid([None, None])
        else:
            for row in self._rows:
                yield from self._block(row, console, options.max_width)

    def _widths(self, width: int) -> list[int] | None:
        """Of the columns, titles on one line if there is room; None where a row does not fit on a line."""
        room = width - _GAP * (len(self._names) - 1)
        for name in (_longest, _longest_word):
            widths = [max(name(title), need) for title, need in zip(self._names, self._needs(), strict=True)]
            if sum(widths) <= room:
                return self._flowing(widths, room)
        return None

    def _needs(self) -> list[int]:
        """What each column takes at least: its longest line, or its longest word where it may flow."""
        return [
            max(((_least if at in self._flows else _longest)(row[at].plain) for row in self._rows), default=0)
            for at in range(len(self._names))
        ]

    def _flowing(self, widths: list[int], room: int) -> list[int]:
        """The same, with what room is left given to the columns of text, as far as they can use it."""
        rest = room - sum(widths)
        for number, at in enumerate(self._flows):
            wanted = max((_longest(row[at].plain) for row in self._rows), default=0) - widths[at]
            more = max(0, min(wanted, rest // (len(self._flows) - number)))
            widths[at] += more
            rest -= more
        return widths

    def _grid(self, widths: Sequence[int | None]) -> Grid:
        """Without widths, the first column takes what it needs and the last one folds."""
        grid = Grid(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=self._table.is_titled)
        for column, name, width in zip(self._table.columns, self._names, widths, strict=True):
            justify = "right" if column.numbers else "left"
            fixed = width is None and not column.flows
            grid.add_column(Text(name), justify=justify, width=width, no_wrap=fixed, overflow="fold")
        for row in self._rows:
            grid.add_row(*row)
        return grid

    def _block(self, row: Sequence[Text], console: "Console", width: int) -> Iterator[Text]:
        heading = self._table.heading
        yield Text("  ").join(cell for cell in row[:heading] if cell.plain)
        line = Text()
        for at in range(heading, len(row)):
            name, cell = self._names[at], row[at]
            flows = at in self._flows
            part = Text.assemble((name, "dim"), " ", cell)
            if line.plain and (flows or line.cell_len + _GAP + part.cell_len > width):
                yield line
                line = Text()
            if flows:
                yield from (Text.assemble("  ", text) for text in cell.wrap(console, width - _GAP))
            elif part.cell_len + _GAP > width:
                yield Text.assemble("  ", (name, "dim"))
                yield Text.assemble("    ", cell)
            elif cell.plain:
                line = Text.assemble(line, "  ", part)
        if line.plain:
            yield line


def _longest(text: str) -> int:
    return max(map(cell_len, text.splitlines()), default=0)


def _least(text: str) -> int:
    """A column of text is no narrower than its longest word, nor than can be read."""
    return max(_longest_word(text), min(_TEXT, _longest(text)))


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)
