"""Minimal pairs of meaning: a picture that carries its prompt's meaning against itself with one sign changed.

    minimal-pairs           five initiatives of original art, with three edits each that break the meaning and
                            two that do not
    minimal-pairs/folder    the same of one's own: SEMIOSIS_MINIMAL_PAIRS names the folder

The labels are the makers', not votes.
"""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...core.errors import BadSetting, InputError
from ...core.item import BadRow, Candidate, Labels
from ..registry import benchmark

if TYPE_CHECKING:
    from pathlib import Path

    from ...core.outcome import Outcome
    from ...core.settled import Settled
    from ...core.table import Table
    from ...sources.pictures import Pictures
    from .data import Edit, Initiative

FOLDER = "SEMIOSIS_MINIMAL_PAIRS"


@benchmark("minimal-pairs")
class MinimalPairs:
    """The original is `a`, an edit of it `b`.

    Labels are edit ("broken" or "same"), size, ground, box (x0 y0 x1 y1, 0 to 1000), model_a, model_b, and
    winner where the edit breaks the meaning: between two that mean the same there is no right choice.
    """

    name = "minimal-pairs"

    @property
    def folder(self) -> "Path":
        from .data import bundled

        return bundled()

    def candidates(self) -> Iterator[Candidate | BadRow]:
        from ...sources.pictures import Pictures
        from .data import initiatives

        pictures = Pictures(self.folder)
        for initiative in initiatives(self.folder):
            if isinstance(initiative, BadRow):
                yield initiative
                continue
            for edit in initiative.sheet.edits:
                yield _candidate(self.name, initiative, edit, pictures)

    def summarise(self, rows: "Iterable[Settled]") -> "tuple[Table, ...]":
        from .summary import summarise

        return summarise(rows)

    def summarise_outcomes(self, rows: "Iterable[tuple[Settled, Outcome]]") -> "tuple[Table, ...]":
        from .evidence import summarise_outcomes

        return summarise_outcomes(rows)


@benchmark("minimal-pairs/folder")
class OwnMinimalPairs(MinimalPairs):
    """Of the folder that SEMIOSIS_MINIMAL_PAIRS names."""

    name = "minimal-pairs/folder"

    @property
    def folder(self) -> "Path":
        from pathlib import Path

        if not os.environ.get(FOLDER):
            raise BadSetting(
                f"{self.name} needs a folder of initiatives, as docs/minimal-pairs.md describes it: "
                f"set {FOLDER} to its path."
            )
        return Path(os.environ[FOLDER])


def _candidate(
    benchmark: str, initiative: "Initiative", edit: "Edit", pictures: "Pictures"
) -> Candidate | BadRow:
    from ...sources.candidates import Caption, LocatedPrompt, pair_candidate

    id = f"{initiative.id}/{edit.id}"
    labels: Labels = {
        **({"winner": "a"} if edit.edit == "broken" else {}),
        "edit": edit.edit,
        "size": edit.size,
        "ground": edit.ground,
        "box": " ".join(f"{each:g}" for each in edit.box),
        "model_a": "original",
        "model_b": edit.id,
    }
    where = f"{benchmark} {id}"
    try:
        a, b = (
            pictures.find(str(initiative.picture(name))) for name in (initiative.sheet.original, edit.file)
        )
        prompt = LocatedPrompt(initiative.sheet.prompt)
        return pair_candidate(Caption(where, id, labels, "makers"), prompt, a, b)
    except InputError as error:
        return BadRow(where, str(error))
