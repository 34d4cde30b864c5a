"""StyleBench: people's choices between stylised pictures, and how far a judge's choices agree with them
(MM-StyleBench, later FineArtBench: Jiang & Chen 2025).

    annotations.load("FineArtBench", "instance")        what people said
    building.filters.filtered(rows)                     which of it a score can stand on, what was dropped why
    scorecard.score(rows, {"mine": predictions})        every score, with the "always a" row beside it
    tasks.draw("FineArtBench", "instance", 50)          tasks for a study of one's own

Nothing of this needs a model. As a benchmark for a run, with SEMIOSIS_STYLEBENCH naming its folder:

    stylebench, stylebench/instance                     the files the authors recommend
    stylebench/paper, stylebench/paper-instance         the files the paper was written with
    stylebench/without-content,                         the same four, the content picture not shown: a row of
    stylebench/instance-without-content, ...            table V
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product, starmap
from typing import TYPE_CHECKING, ClassVar

from ...core.errors import BadSetting, InputError
from ...core.item import BadRow, Candidate
from ..registry import benchmark

if TYPE_CHECKING:
    from ...core.settled import Settled
    from ...core.table import Table
    from .layout import Edition, Kind

FOLDER = "SEMIOSIS_STYLEBENCH"
NAME = "stylebench"


@dataclass(frozen=True)
class StyleBench:
    """The rows that people decided; of the instance rows, those that the published filters keep.

    So nothing is paid for what no score counts. The prompt is to paint the content picture in the style, in
    the words that people saw. The content is its reference; a row without its picture is a bad row, unless it
    is left out of all rows on purpose. Labels are winner, model_a, model_b, content, style and content_shown;
    a is the left.
    """

    # Earlier releases gave the words of the style alone as the prompt, which is another task.
    version: ClassVar[str] = "2"

    kind: "Kind" = "global"
    edition: "Edition" = "extended"
    shows_content: bool = True

    @property
    def name(self) -> str:
        words = (
            "paper" if self.edition == "paper" else "",
            "instance" if self.kind == "instance" else "",
            "" if self.shows_content else "without-content",
        )
        return "/".join(filter(None, (NAME, "-".join(filter(None, words)))))

    @property
    def without_content(self) -> "StyleBench":
        return replace(self, shows_content=False)

    def candidates(self) -> Iterator[Candidate | BadRow]:
        from pathlib import Path

        from ...building.filters import filtered
        from ...building.votes import decided
        from ...sources.rows import bad_row
        from . import annotations
        from .gallery import Gallery

        folder = Path(os.environ.get(FOLDER, ""))
        if not os.environ.get(FOLDER):
            raise BadSetting(
                f"{self.name} needs FineArtBench: download it as github.com/songrise/MLLM4Art says "
                "(from Google Drive, or as Ruixiang/FineArtBench from Hugging Face), "
                f"and set {FOLDER} to the folder that has its data/."
            )
        rows = annotations.load(folder, self.kind, edition=self.edition)
        scored = filtered(rows).kept if self.kind == "instance" else decided(rows)
        gallery = Gallery.of(folder, self)
        for row in scored:
            where = f"{self.name} {row.id}"
            try:
                yield gallery.candidate(row, where)
            except InputError as error:
                yield bad_row(where, str(error))

    def summarise(self, rows: "Iterable[Settled]") -> "tuple[Table, ...]":
        from .summary import summarise

        return summarise(rows)


KIND_OF: "dict[str, Kind]" = {}
"""Which rows each of these benchmarks has, by its name."""

for _variant in starmap(StyleBench, product(("global", "instance"), ("extended", "paper"), (True, False))):
    KIND_OF[_variant.name] = _variant.kind
    benchmark(_variant.name)(partial(StyleBench, _variant.kind, _variant.edition, _variant.shows_content))
