"""A folder of pictures named by prompt and model, as a tournament: for each prompt, every two models meet.

    paintings/flux/vanitas.png         or, side by side,       paintings/vanitas__flux.png
    paintings/sdxl/vanitas.png                                 paintings/vanitas__sdxl.png

The names of the pictures are held in memory, and the prompts (see prompts.py); the pairs are not.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, groupby, islice
from pathlib import Path
from typing import NamedTuple

from ..core.errors import BadRecord, InputError
from ..core.item import BadRow, Candidate, Labels
from .candidates import Caption, LocatedPrompt, pair_candidate
from .pictures import Pictures
from .prompts import Prompts
from .rows import bad_row

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif")
BETWEEN = "__"


class Work(NamedTuple):
    """One picture; works sort by prompt, then by model."""

    prompt_id: str
    model: str
    path: str


@dataclass(frozen=True)
class Folder:
    """The tournament in a folder, which is named by its absolute path."""

    path: Path
    limit: int | None = None

    @property
    def name(self) -> str:
        return self.path.name

    def candidates(self) -> Iterator[Candidate | BadRow]:
        return islice(self._candidates(), self.limit)

    def _candidates(self) -> Iterator[Candidate | BadRow]:
        try:
            prompts, contents = Prompts(self.path), list(self._contents())
        except OSError as error:
            raise BadRecord(f"{self.path} cannot be read: {error}.") from None
        works = sorted(each for each in contents if isinstance(each, Work))
        if not works:
            raise BadRecord(
                f"{self.name} holds no file of pairs, and no pictures of which the names tell the model: "
                f"name them <model>/<prompt-id>.png or <prompt-id>{BETWEEN}<model>.png."
            )
        yield from prompts.bad
        yield from (each for each in contents if isinstance(each, BadRow))
        del contents
        pictures = Pictures(self.path)
        for prompt_id, group in groupby(works, key=lambda work: work.prompt_id):
            yield from self._meetings(prompt_id, list(group), prompts, pictures)

    def _contents(self) -> Iterator[Work | BadRow]:
        for entry in visible(self.path):
            stem, suffix = os.path.splitext(entry.name)
            if entry.is_dir():
                yield from self._by_model(entry)
            elif suffix.lower() in SUFFIXES:
                prompt_id, _, model = stem.rpartition(BETWEEN)
                if prompt_id and model:
                    yield Work(prompt_id, model, entry.path)
                else:
                    reason = f"The name tells no model: call it <prompt-id>{BETWEEN}<model>{suffix}."
                    yield bad_row(self._where(entry.path), reason)

    def _by_model(self, folder: os.DirEntry[str]) -> Iterator[Work | BadRow]:
        for entry in visible(folder.path):
            stem, suffix = os.path.splitext(entry.name)
            if entry.is_dir():
                reason = "A folder in a model's folder is not read: name pictures <model>/<prompt-id>.png."
                yield bad_row(self._where(entry.path), reason)
            elif suffix.lower() in SUFFIXES:
                yield Work(stem, folder.name, entry.path)

    def _meetings(
        self, prompt_id: str, works: list[Work], prompts: Prompts, pictures: Pictures
    ) -> Iterator[Candidate | BadRow]:
        by_model: dict[str, Work] = {}
        for work in works:
            if by_model.setdefault(work.model, work) is not work:
                yield bad_row(
                    self._where(work.path),
                    f"{by_model[work.model].path} is of the same prompt and model, and was taken.",
                )
        if len(by_model) == 1:
            reason = f"No other model has a picture of {prompt_id!r}: there is nothing to compare."
            yield bad_row(self._where(works[0].path), reason)
            return
        try:
            text = prompts.of(prompt_id, (Path(work.path).parent for work in works))
        except InputError as error:
            yield bad_row(f"{self.name} {prompt_id}", str(error))
            return
        prompt = LocatedPrompt(text)
        for a, b in combinations(by_model.values(), 2):
            id = f"{prompt_id}/{a.model}/{b.model}"
            try:
                caption = Caption(f"{self.name} {id}", id, _labels(a, b))
                candidate = pair_candidate(caption, prompt, pictures.find(a.path), pictures.find(b.path))
            except InputError as error:
                candidate = bad_row(f"{self.name} {id}", str(error))
            yield candidate

    def _where(self, path: str) -> str:
        return f"{self.name}/{os.path.relpath(path, self.path)}"


def visible(folder: str | Path) -> list[os.DirEntry[str]]:
    """What lies in it, by name, less what is hidden and what is ours."""
    with os.scandir(folder) as entries:
        # Runs are kept beside the work at hand, and are none of it.
        own = (each for each in entries if not each.name.startswith((".", "semiosis-runs")))
        return sorted(own, key=lambda each: each.name)


def _labels(a: Work, b: Work) -> Labels:
    return {"prompt_id": a.prompt_id, "model_a": a.model, "model_b": b.model}
