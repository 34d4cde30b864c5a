"""StyleBench: people's choices between stylised pictures, and how far a judge's choices agree with them
(MM-StyleBench, later FineArtBench: Jiang & Chen 2025).

    annotations.load("FineArtBench", "instance")        what people said
    building.filters.filtered(rows)                     which of it a score can stand on, what was dropped why
    scorecard.score(rows, {"mine": predictions})        every score, with the "always a" row beside it
    tasks.draw("FineArtBench", "instance", 50)          tasks for a study of one's own

Nothing of this needs a model. As a benchmark for a run, with SEMIOSIS_STYLEBENCH naming its folder:

    stylebench, stylebench/instance                     the files the authors recommend
    stylebench/paper, stylebench/paper-instance         the files the paper was written with
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ...core.errors import BadSetting, InputError
from ...core.item import BadRow, Candidate
from ..registry import benchmark

if TYPE_CHECKING:
    from pathlib import Path

    from ...building.votes import ForcedChoice
    from ...core.settled import Settled
    from ...core.table import Table
    from .layout import Edition, Kind

FOLDER = "SEMIOSIS_STYLEBENCH"

NAMES: "dict[tuple[Kind, Edition], str]" = {
    ("global", "extended"): "stylebench",
    ("instance", "extended"): "stylebench/instance",
    ("global", "paper"): "stylebench/paper",
    ("instance", "paper"): "stylebench/paper-instance",
}


@dataclass(frozen=True)
class StyleBench:
    """The rows that people decided; of the instance rows, those that the published filters keep.

    So nothing is paid for what no score counts. Labels are winner, model_a, model_b, content and style; a is
    the left. The prompt is the style's, as people saw it; the content picture is its reference where it was
    downloaded.
    """

    kind: "Kind" = "global"
    edition: "Edition" = "extended"

    @property
    def name(self) -> str:
        return NAMES[self.kind, self.edition]

    def candidates(self) -> Iterator[Candidate | BadRow]:
        from pathlib import Path

        from ...building.filters import filtered
        from ...building.votes import decided
        from . import annotations

        folder = Path(os.environ.get(FOLDER, ""))
        if not os.environ.get(FOLDER):
            raise BadSetting(
                f"{self.name} needs FineArtBench: download it as github.com/songrise/MLLM4Art says "
                "(from Google Drive, or as Ruixiang/FineArtBench from Hugging Face), "
                f"and set {FOLDER} to the folder that has its data/."
            )
        rows = annotations.load(folder, self.kind, edition=self.edition)
        scored = filtered(rows).kept if self.kind == "instance" else decided(rows)
        yield from _pairs(self.name, scored, folder)

    def summarise(self, rows: "Iterable[Settled]") -> "tuple[Table, ...]":
        from .summary import summarise

        return summarise(rows)


def _pairs(name: str, rows: "tuple[ForcedChoice, ...]", folder: "Path") -> Iterator[Candidate | BadRow]:
    from ...sources.columns import Columns
    from ...sources.fineartbench import COMBINATIONS, Paintings
    from ...sources.items import Items
    from ...sources.pictures import Pictures
    from ...sources.rows import SourceRow, bad_row
    from . import annotations, catalogue, layout

    painted = layout.paintings(folder)
    if not layout.methods(folder):
        raise BadSetting(
            f"{painted} holds no pictures, and {name} is asked about pictures: download FineArtBench's "
            f"paintings as github.com/songrise/MLLM4Art says, and put each method's folder "
            f"beside {COMBINATIONS}."
        )
    paintings = Paintings.read(layout.need(folder, COMBINATIONS))
    contents = layout.content_pictures(folder)
    listed = catalogue.load(folder).contents if contents else {}

    def cells(row: "ForcedChoice") -> dict[str, object]:
        content, style = row.group
        columns = annotations.as_row(row)
        values: dict[str, object] = {
            "id": row.id,
            "prompt": row.prompt,
            "a": paintings.file(columns, annotations.COLUMNS.a),
            "b": paintings.file(columns, annotations.COLUMNS.b),
            "model_a": row.a,
            "model_b": row.b,
            "content": content,
            "style": style,
            "winner": row.winner,
        }
        return values | ({"references": [listed[content].picture]} if content in listed else {})

    def read() -> Iterator[SourceRow | BadRow]:
        for number, row in enumerate(rows, 1):
            where = f"{name} {row.id}"
            try:
                yield SourceRow(where, number, cells(row))
            except InputError as error:
                yield bad_row(where, str(error))

    folders = [painted, *([contents] if contents else [])]
    return Items(name, read, Columns(), Pictures(*folders), labels_by="people").candidates()


for (_kind, _edition), _name in NAMES.items():
    benchmark(_name)(partial(StyleBench, _kind, _edition))
