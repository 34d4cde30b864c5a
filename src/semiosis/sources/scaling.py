"""Any items with their pictures at another size: how small may a picture be, and the judge still sees it?

Scaled(open_items("pairs.jsonl"), 224)

A picture is brought to its size when its row is read, since an item's key needs its content; its bytes are
made again when they are wanted, so that nothing is held.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from ..backbones.pictures import rescaled, size_of
from ..core.errors import BadPicture, BadSetting, InputError
from ..core.item import BadRow, Benchmark, Candidate, Item, candidate
from ..core.settings import SIDE, Checked
from ..core.sign import Artifact, with_artifacts


@dataclass(frozen=True)
class Scaled(Checked):
    """The items of a benchmark, every picture of them `side` pixels on its longer side; another run than
    without.

    benchmark   what supplies the items
    side        in pixels; a picture that has it already stays as it is
    """

    benchmark: Benchmark
    side: Annotated[int, SIDE]

    @property
    def name(self) -> str:
        return self.benchmark.name

    def candidates(self) -> Iterator[Candidate | BadRow]:
        for row in self.benchmark.candidates():
            yield row if isinstance(row, BadRow) else self._candidate(row)

    def _candidate(self, row: Candidate) -> Candidate | BadRow:
        try:
            return candidate(self._item(row.make()), row.where)
        except BadSetting:
            raise
        except InputError as error:
            return BadRow(row.where, str(error))

    def _item(self, item: Item) -> Item:
        scaled = with_artifacts(item, self._artifact)
        if len(set(scaled.pictures)) < len(set(item.pictures)):
            raise BadPicture(f"At {self.side} pixels two of its pictures are the same: take more.")
        return scaled

    def _artifact(self, artifact: Artifact) -> Artifact:
        side = self.side
        if max(size_of(artifact)) == side:
            return artifact
        picture = rescaled(artifact, side)
        note = "; ".join(filter(None, [artifact.note, picture.note]))
        scaled = Artifact.of(picture.data).model_copy(update={"name": artifact.name, "note": note})
        return scaled.with_bytes(lambda: rescaled(artifact, side).data)
