"""Forced choices between stylised pictures, in the authors' columns, and what people said of them.

    rows = load("FineArtBench", "global", edition="paper")
    rows = load("my_votes.csv")
    rows = load("hf:Ruixiang/FineArtBench:global:train")
    rows[0].group                                       ("75", "548"), a content and a style

How votes are written is in `building.votes`.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from ...building import votes
from ...building.votes import Cell, ForcedChoice, VoteColumns
from ...core.errors import BadRecord
from ...sources.arrow import is_saved
from ...sources.opening import Source, open_rows
from . import layout
from .layout import Edition, Kind

COLUMNS = VoteColumns(
    group=("content_index", "style_index"),
    a="method_left",
    b="method_right",
    prompt="style_prompt",
    winners=("left", "right"),
)


def load(
    where: str | Path, kind: Kind = "global", *, edition: Edition = "extended"
) -> tuple[ForcedChoice, ...]:
    """Every row in its order. `kind` and `edition` choose the file where `where` is FineArtBench's folder.

    The `paper` files are the ones the paper was written with; the others hold about 40% more annotations.
    """
    source = _open(where, layout.annotations(kind, edition))
    rows = votes.read(source.read(), COLUMNS)
    if not rows:
        raise BadRecord(f"{source.name} holds no comparisons.")
    return rows


def kind_of(where: str | Path, kind: Kind) -> Kind | None:
    """Which kind `load` gives: as asked for of FineArtBench's folder, by the name of one of its files, else
    nobody knows."""
    path = Path(where)
    if path.is_dir() and not is_saved(path):
        return kind
    names: dict[str, Kind] = {f"{each}_annotation": each for each in get_args(Kind)}
    return next((each for name, each in names.items() if path.name.startswith(name)), None)


def load_others(where: str | Path, kind: Kind, *, edition: Edition = "extended") -> tuple[ForcedChoice, ...]:
    """The rows of the other kind than `kind` that lie beside these; none where they do not."""
    path = Path(where)
    folder = path if path.is_dir() else path.parent
    other: Kind = "instance" if kind == "global" else "global"
    file = layout.find(folder, layout.annotations(other, edition))
    return load(file) if file else ()


def load_tasks(folder: str | Path, kind: Kind = "global") -> tuple[ForcedChoice, ...]:
    """The published tasks, of which nothing is annotated."""
    return load(layout.need(Path(folder), layout.tasks(kind)))


def first_annotated(rows: Iterable[ForcedChoice], before: int | None = 1000) -> tuple[ForcedChoice, ...]:
    """The first `before` rows that people were asked about, the undecided ones among them: what the authors'
    script looks at."""
    return tuple(row for row in rows if row.annotated)[:before]


def as_row(choice: ForcedChoice) -> dict[str, Cell]:
    """As the authors write it; `load` reads it again."""
    return votes.as_row(choice, COLUMNS)


def _open(where: str | Path, file: str) -> Source:
    path = Path(where)
    if path.is_dir() and not is_saved(path):
        return open_rows(layout.need(path, file))
    return open_rows(where)
