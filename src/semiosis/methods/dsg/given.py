"""Questions that are given: the authors' published ones, or anybody's, as a file with a row for each.

given = GivenQuestions.read("dsg_tifa160-dev-anns.csv")
given.of(prompt)        the propositions of that prompt, or a Failure that says why they cannot be asked
given.faults            by prompt, all that is wrong in the file

| column     | the authors' name         | holds                                                   |
| ---------- | ------------------------- | ------------------------------------------------------- |
| `prompt`   | text                      | the prompt; its rows stand anywhere                     |
| `id`       | proposition_id            | the proposition's name among those of its prompt        |
| `needs`    | dependency                | the ids it depends on, with commas; empty or 0 for none |
| `tuple`    | tuple                     | what it states; may be left out                         |
| `question` | question_natural_language | what is asked                                           |
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import Self, cast

from ...core.errors import BadRecord
from ...core.item import BadRow
from ...core.outcome import Failure
from ...core.sign import Prompt
from ...core.text import brief
from ...sources.opening import open_rows
from .propositions import Proposition, Propositions, faults

MOST_ROWS = 1_000_000

_COLUMNS = {
    "prompt": ("prompt", "text"),
    "id": ("id", "proposition_id"),
    "needs": ("needs", "dependency"),
    "tuple": ("tuple",),
    "question": ("question", "question_natural_language"),
}
_OPTIONAL = ("needs", "tuple")
_SHOWN = 6


@dataclass(frozen=True)
class GivenQuestions:
    """Propositions by prompt, as a file gives them.

    name        of the file
    by_prompt   the propositions, by the words of their prompt without needless white space
    sha256      of all of them
    faults      what is wrong with those of a prompt, where anything is; these are never asked
    """

    name: str
    by_prompt: Mapping[str, Propositions] = field(repr=False)
    sha256: str
    faults: Mapping[str, tuple[str, ...]] = field(repr=False)

    @classmethod
    def read(cls, where: str | Path) -> Self:
        """The questions in a file that holds rows: CSV, TSV, JSON Lines, JSON, Parquet."""
        source = open_rows(where)
        by_prompt: dict[str, list[Proposition]] = {}
        for number, row in enumerate(source.read()):
            if isinstance(row, BadRow):
                raise BadRecord(f"The questions of {row.where} cannot be read: {row.reason}")
            if number >= MOST_ROWS:
                raise BadRecord(f"{source.name} has more than {MOST_ROWS:,} rows of questions.")
            prompt, proposition = _proposition(row.cells, row.where)
            by_prompt.setdefault(prompt, []).append(proposition)
        return cls.of_propositions(
            source.name, {prompt: _without_none(each) for prompt, each in by_prompt.items()}
        )

    @classmethod
    def of_propositions(cls, name: str, by_prompt: Mapping[str, Propositions]) -> Self:
        """Those of each prompt, checked."""
        held = {_key(prompt): propositions for prompt, propositions in by_prompt.items()}
        record = json.dumps({prompt: [*map(astuple, each)] for prompt, each in held.items()}, sort_keys=True)
        wrong = {prompt: found for prompt, each in held.items() if (found := faults(each))}
        return cls(name, held, hashlib.sha256(record.encode()).hexdigest(), wrong)

    def of(self, prompt: Prompt) -> Propositions | Failure:
        """Those of `prompt`, where it has any that can be asked."""
        key = _key(prompt.text)
        if key not in self.by_prompt:
            return _refused(
                f"{self.name} has no questions for this prompt: add them, or leave out the setting questions."
            )
        if wrong := self.faults.get(key):
            more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
            return _refused(
                f"The questions that {self.name} has for this prompt cannot be asked: "
                f"{'; '.join(wrong[:_SHOWN])}{more}. Mend them in the file."
            )
        return self.by_prompt[key]


def _refused(message: str) -> Failure:
    return Failure(reason="invalid", message=brief(message), stage="given questions")


def _key(text: str) -> str:
    return " ".join(text.split())


def _proposition(cells: Mapping[str, object], where: str) -> tuple[str, Proposition]:
    values: dict[str, object] = {}
    for name, usual in _COLUMNS.items():
        column = next((each for each in usual if each in cells), None)
        if column is None and name not in _OPTIONAL:
            raise BadRecord(f"{where} has no column {' or '.join(usual)}: questions need one.")
        values[name] = cells[column] if column else ""
    prompt, id = _text(values["prompt"]), _text(values["id"])
    if not (prompt and id):
        raise BadRecord(f"{where} has no {'id' if prompt else 'prompt'}.")
    proposition = Proposition(
        id=id,
        says=_text(values["tuple"]),
        needs=_ids(values["needs"], where),
        question=_text(values["question"]),
    )
    return prompt, proposition


def _text(cell: object) -> str:
    """As it can be sent and stored: halves of surrogate pairs, which JSON may hold, are question marks.

    A column of whole numbers with gaps comes as fractions.
    """
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return _key(str(cell).encode("utf-8", "replace").decode()) if isinstance(cell, str | int) else ""


def _ids(cell: object, where: str) -> tuple[str, ...]:
    ids = cast("list[object]", cell) if isinstance(cell, list) else _text(cell).split(",")
    told = [_text(id) for id in ids]
    is_blank = isinstance(cell, str) and not cell.strip()
    is_blank = is_blank or (isnan(cell) if isinstance(cell, float) else cell in (None, [], {}))
    if not is_blank and not any(told):
        raise BadRecord(f"{where} needs {cell!r}, which names no propositions: give their ids, with commas.")
    return tuple(dict.fromkeys(id for id in told if id))


def _without_none(propositions: list[Proposition]) -> Propositions:
    """The authors write 0 where there is none; it means a proposition where one is called so."""
    if any(each.id == "0" for each in propositions):
        return tuple(propositions)
    return tuple(
        replace(each, needs=tuple(need for need in each.needs if need != "0")) for each in propositions
    )
