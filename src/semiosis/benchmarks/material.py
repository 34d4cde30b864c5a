"""What biases are planted in: pairs under their prompts, and every picture of them once.

    material = Material.bundled()
    material = Material(open_items("pairs.jsonl"))

It is read anew each time, so that a million pairs need no more memory than their pictures' hashes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Self

from ..core.errors import BadSetting, InputError
from ..core.item import BadRow, Benchmark, Item
from ..core.kinds.pair import PairItem
from ..core.kinds.rating import RatingItem
from ..core.sign import Artifact, Prompt
from .registry import find

BUNDLED = "samples"


@dataclass(frozen=True)
class PromptedPicture:
    """A picture, the prompt that it was made from, and what it is called."""

    id: str
    prompt: Prompt
    artifact: Artifact


@dataclass(frozen=True)
class Material:
    """Where pairs and pictures come from.

    benchmark   supplies them: pairs, or ratings, of which only the pictures are used
    limit       only its first so many rows
    """

    benchmark: Benchmark
    limit: int | None = None

    @classmethod
    def bundled(cls, limit: int | None = None) -> Self:
        """The nine initiatives that come with the package: 27 pairs of 27 pictures."""
        return cls(find(BUNDLED), limit)

    @property
    def is_bundled(self) -> bool:
        return self.benchmark.name == BUNDLED

    def pairs(self) -> Iterator[PairItem | BadRow]:
        """Every pair; what is none is passed over."""
        for item in self._items():
            if isinstance(item, PairItem | BadRow):
                yield item

    def pictures(self) -> Iterator[PromptedPicture | BadRow]:
        """Every picture under each of its prompts, once."""
        seen: set[tuple[str, ...]] = set()
        for item in self._items():
            if isinstance(item, BadRow):
                yield item
                continue
            for picture in _pictures_of(item):
                key = (picture.prompt.text, picture.artifact.sha256)
                if key not in seen:
                    seen.add(key)
                    yield picture

    def _items(self) -> Iterator[Item | BadRow]:
        for row in islice(self.benchmark.candidates(), self.limit):
            if isinstance(row, BadRow):
                yield row
                continue
            try:
                yield row.make()
            except BadSetting:
                raise
            except InputError as error:
                yield BadRow(row.where, str(error))


def _pictures_of(item: Item) -> Iterator[PromptedPicture]:
    match item:
        case PairItem(pair=pair):
            yield PromptedPicture(f"{item.id}/a", pair.prompt, pair.a)
            yield PromptedPicture(f"{item.id}/b", pair.prompt, pair.b)
        case RatingItem(prompt=prompt, artifact=artifact):
            yield PromptedPicture(item.id, prompt, artifact)
        case _:
            return
