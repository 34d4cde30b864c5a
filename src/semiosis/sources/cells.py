"""What single cells hold: an id, a prompt, a score, choices, an answer, labels."""

import json
import math
from collections.abc import Mapping
from string import ascii_uppercase
from types import NoneType
from typing import cast

from ..core.errors import BadPrompt, BadRecord
from ..core.item import Labels

# Tuples, since a union is built anew wherever it is written, which is felt over a million rows.
_NESTED = (dict, list, bytes)
_SCALAR = (str, int, float, NoneType)


def is_missing(cell: object) -> bool:
    return cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell))


def id_in(cell: object, number: int) -> str:
    if is_missing(cell):
        return str(number)
    if isinstance(cell, _NESTED):
        raise BadRecord("The id is neither a text nor a number.")
    return str(cell)


def text_in(cell: object, column: str, what: str) -> str:
    if is_missing(cell):
        raise BadPrompt(f"There is no {what} in column {column!r}.")
    if not isinstance(cell, str):
        raise BadPrompt(f"What is in column {column!r} is not a text, and so no {what}.")
    return cell


def score_in(cell: object, column: str) -> float | None:
    """A number, or None where nobody gave one."""
    if is_missing(cell):
        return None
    try:
        number = float(cell) if isinstance(cell, str | int | float) and type(cell) is not bool else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise BadRecord(f"The score {str(cell)[:40]!r} in column {column!r} is no number.")
    return number


def nested(cell: object) -> object:
    """Tables without nested cells write them as JSON; a struct has a null for what another row has."""
    if isinstance(cell, str) and cell.lstrip().startswith(("{", "[")):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError) as error:
            raise BadRecord(f"{cell[:40]!r} is not JSON: {error}.") from None
    if isinstance(cell, dict):
        named = cast("dict[object, object]", cell)
        return {str(name): value for name, value in named.items() if value is not None}
    return cell


def choices_in(cell: object) -> dict[str, str]:
    """By letter; a list is lettered in its order."""
    match cell:
        case dict():
            return {name: str(text) for name, text in cast("dict[str, object]", cell).items()}
        case list() if len(texts := cast("list[object]", cell)) <= len(ascii_uppercase):
            return dict(zip(ascii_uppercase, map(str, texts), strict=False))
        case _:
            raise BadRecord('Choices are {"A": "...", "B": "..."} or ["...", "..."] of at most 26.')


def answer_in(cell: object, choices: Mapping[str, str]) -> str | None:
    """The letter of the answer, which may be written out."""
    if is_missing(cell):
        return None
    word = str(cell).strip()
    return word if word in choices else next((name for name, text in choices.items() if text == word), word)


def labels_of(cells: Mapping[str, object], read: set[str | None]) -> Labels:
    """Every scalar that was not read as something else."""
    return {
        name: cell if isinstance(cell, _SCALAR) else str(cell)
        for name, cell in cells.items()
        if name not in read and not isinstance(cell, _NESTED)
    }
