"""Lines of a terminal. Whatever a model wrote is shown as text, never as markup."""

from typing import TYPE_CHECKING

from ..core.text import plain

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text


def line(*parts: str | tuple[str, str]) -> "Text":
    """Texts, each alone or with its style."""
    from rich.text import Text

    return Text.assemble(*((plain(p), "") if isinstance(p, str) else (plain(p[0]), p[1]) for p in parts))


def facts(rows: list[tuple[str, str, str]]) -> "RenderableType":
    """Two columns: a short name and a text that wraps beside it, with its style."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(min_width=12, max_width=24, overflow="fold")
    table.add_column(overflow="fold")
    for name, text, style in rows:
        table.add_row(line((name, "dim")), line((text, style)))
    return table
