"""What callers give, as arrays that were checked: a bad one raises a sentence, so that no NaN comes out.

x, y = paired(x=ratings, y=scores)
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import BadData

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]


def numbers(values: ArrayLike, name: str, *, least: int = 1) -> Numbers:
    """One finite number a row."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadData(f"{name} holds something that is not a number.") from None
    if found.ndim != 1:
        raise BadData(f"{name} is not a plain list of numbers: it has {found.ndim} dimensions.")
    if found.size < least:
        raise BadData(f"{name} holds {found.size} numbers; at least {least} are needed.")
    wrong = np.flatnonzero(~np.isfinite(found))
    if wrong.size:
        raise BadData(f"{name} at position {wrong[0] + 1} is {found[wrong[0]]}, which is no number.")
    return found


def paired(*, least: int = 2, **columns: ArrayLike) -> tuple[Numbers, ...]:
    """Columns of numbers that belong together row by row."""
    found = {name: numbers(values, name, least=least) for name, values in columns.items()}
    same_length(**found)
    return tuple(found.values())


def same_length(**columns: Sequence[Any] | NDArray[Any]) -> int:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length:,}" for name, length in lengths.items())
        raise BadData(f"The columns are not equally long: {told}.")
    return next(iter(lengths.values()))


def varied(values: Numbers, name: str) -> Numbers:
    """Not all the same."""
    if values.size and values.min() == values.max():
        raise BadData(f"{name} is constant ({values[0]:g} in every row), so nothing can vary with it.")
    return values


def coded(values: Sequence[Hashable] | NDArray[Any]) -> tuple[list[Hashable], Codes]:
    """Labels and, for each row, the number of its label. Labels stand in their natural order."""
    plain: Sequence[Any] = values.tolist() if isinstance(values, np.ndarray) else values
    labels = ordered(set(plain))
    number = {label: at for at, label in enumerate(labels)}
    return labels, np.fromiter(map(number.__getitem__, plain), np.intp, len(plain))


def ordered(labels: set[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))
