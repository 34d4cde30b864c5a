"""The pictures of FineArtBench's rows: two paintings, and the content that was painted in a style.

gallery = Gallery.of(folder, benchmark)
candidate = gallery.candidate(row)
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...building.votes import ForcedChoice
from ...core.errors import BadPicture, BadPrompt, BadRecord, BadSetting
from ...core.item import Candidate, Labels
from ...sources.candidates import Caption, LocatedPrompt, pair_candidate
from ...sources.fineartbench import COMBINATIONS, Paintings
from ...sources.pictures import LocatedPicture, Pictures
from . import annotations, catalogue, layout

if TYPE_CHECKING:
    from .items import StyleBench


@dataclass(frozen=True)
class Gallery:
    """Paintings are found in `painted`, contents in `base` by their places; that is None where they are left
    out on purpose."""

    benchmark: "StyleBench"
    paintings: Paintings
    painted: Pictures
    base: Pictures | None = None
    contents: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, folder: Path, benchmark: "StyleBench") -> "Gallery":
        """Raises BadSetting where a whole folder of pictures is not there, and says what to download."""
        painted = layout.paintings(folder)
        if not layout.methods(folder):
            raise BadSetting(
                f"{painted} holds no pictures, and {benchmark.name} is asked about pictures: download "
                "FineArtBench's paintings as github.com/songrise/MLLM4Art says, and put each method's folder "
                f"beside {COMBINATIONS}."
            )
        paintings = Paintings.read(layout.need(folder, COMBINATIONS))
        if not benchmark.shows_content:
            return cls(benchmark, paintings, Pictures(painted))
        base = layout.content_pictures(folder)
        if base is None:
            raise BadSetting(
                f"{folder} holds no content pictures, and {benchmark.name} shows what was painted: download "
                "FineArtBench's base/images as github.com/songrise/MLLM4Art says, and put it beside "
                f"content_1k.json; {benchmark.without_content.name} asks without them on purpose."
            )
        places = {id: entry.picture for id, entry in catalogue.load(folder).contents.items()}
        return cls(benchmark, paintings, Pictures(painted), Pictures(base), places)

    def candidate(self, row: ForcedChoice, where: str) -> Candidate:
        """Raises InputError where a picture is not there."""
        if not row.prompt.strip():
            raise BadPrompt(f"The row has no {annotations.COLUMNS.prompt}: there is no style to judge by.")
        columns = annotations.as_row(row)
        a, b = (
            self.painted.find(self.paintings.file(columns, side))
            for side in (annotations.COLUMNS.a, annotations.COLUMNS.b)
        )
        content = self._content(row.group[0])
        prompt = LocatedPrompt.stylization(row.prompt, content)
        return pair_candidate(Caption(where, row.id, self._labels(row), "people"), prompt, a, b)

    def _content(self, id: str) -> LocatedPicture | None:
        if self.base is None:
            return None
        if id not in self.contents:
            raise BadRecord(f"The list of contents has no content {id}.")
        try:
            return self.base.find(self.contents[id])
        except BadPicture:
            raise BadPicture(
                f"There is no content picture {self.contents[id]} in {self.base.folders[0]}, and nobody is "
                "asked without it: download FineArtBench's base/images whole, or run "
                f"{self.benchmark.without_content.name}."
            ) from None

    def _labels(self, row: ForcedChoice) -> Labels:
        content, style = row.group
        return {
            "model_a": row.a,
            "model_b": row.b,
            "content": content,
            "style": style,
            "content_shown": self.benchmark.shows_content,
            "winner": row.winner,
        }
