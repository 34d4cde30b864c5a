"""Rows, whatever held them, as candidates."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import islice
from types import NoneType
from typing import cast

from ...core.errors import BadPicture, BadPrompt, BadRecord, BadSetting, InputError
from ...core.item import BadRow, Candidate, Labels
from .columns import Columns, Layout, recognise
from .draft import Draft
from .fineartbench import Paintings
from .pictures import Found, Pictures
from .rows import Reader, Row, bad_row
from .winners import Winner, winner

LAYOUTS = 16

# Tuples, since a union is built anew wherever it is written, which is felt over a million rows.
_NESTED = (dict, list, bytes)
_SCALAR = (str, int, float, NoneType)


@dataclass(frozen=True)
class Pairs:
    """The rows of one source. They may differ in their columns, but the first must be understood."""

    name: str
    read: Reader
    columns: Columns
    pictures: Pictures
    limit: int | None = None

    def candidates(self) -> Iterator[Candidate | BadRow]:
        return islice(self._candidates(), self.limit)

    def _candidates(self) -> Iterator[Candidate | BadRow]:
        layout_of = lru_cache(LAYOUTS)(partial(recognise, self.columns))
        subject = self.name
        self.pictures.look_again()
        for row in self.read():
            if isinstance(row, BadRow):
                yield row
                continue
            try:
                layout = layout_of(tuple(row.cells), subject)
                made = self._draft(row, layout).candidate()
            except BadSetting as error:
                if subject == self.name:
                    raise
                made = bad_row(row.where, str(error))
            except InputError as error:
                made = bad_row(row.where, str(error))
            subject = "This row"
            yield made

    def _draft(self, row: Row, layout: Layout) -> Draft:
        cells = row.cells
        chosen = winner(cells[layout.winner]) if layout.winner else None
        return Draft(
            where=row.where,
            id=_id(cells[layout.id] if layout.id else None, row.number),
            prompt=_prompt(cells[layout.prompt], layout.prompt),
            a=self._picture(cells, layout, layout.a),
            b=self._picture(cells, layout, layout.b),
            references=self._references(cells[layout.references]) if layout.references else (),
            labels=_labels(cells, layout, chosen),
        )

    def _picture(self, cells: Mapping[str, object], layout: Layout, column: str) -> Found:
        cell = self._paintings.file(cells, column) if layout.painted else cells[column]
        if cell is None or cell == "":
            raise BadPicture(f"There is no picture in column {column!r}.")
        return self.pictures.find(cell)

    def _references(self, cell: object) -> tuple[Found, ...]:
        if cell is None or cell == "":
            return ()
        several = cast("list[object]", cell) if isinstance(cell, list) else [cell]
        return tuple(self.pictures.find(each) for each in several)

    @cached_property
    def _paintings(self) -> Paintings:
        return Paintings.beside(self.pictures.folders)


def _id(cell: object, number: int) -> str:
    if _is_missing(cell):
        return str(number)
    if isinstance(cell, _NESTED):
        raise BadRecord("The id is neither a text nor a number.")
    return str(cell)


def _prompt(cell: object, column: str) -> str:
    if _is_missing(cell):
        raise BadPrompt(f"There is no prompt in column {column!r}.")
    if not isinstance(cell, str):
        raise BadPrompt(f"What is in column {column!r} is not a text, and so no prompt.")
    return cell


def _is_missing(cell: object) -> bool:
    return cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell))


def _labels(cells: Mapping[str, object], layout: Layout, chosen: Winner | None) -> Labels:
    """Every scalar but the prompt, the pictures and the id; models and winner also by their usual names."""
    read = {layout.prompt, layout.id, layout.references}
    if not layout.painted:
        read |= {layout.a, layout.b}
    labels: Labels = {}
    for name, cell in cells.items():
        if name not in read and not isinstance(cell, _NESTED):
            labels[name] = cell if isinstance(cell, _SCALAR) else str(cell)
    for name, column in zip(("model_a", "model_b"), layout.models or (), strict=False):
        labels.setdefault(name, labels.get(column))
    labels.pop("winner", None)
    return labels | {"winner": chosen} if chosen else labels
