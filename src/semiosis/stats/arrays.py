"""What callers give, as arrays that were checked: a bad one raises a sentence, so that no NaN comes out.

x, y = paired(x=ratings, y=scores)
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import BadData, BadSetting

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]


# What is squared and summed must not overflow.
LARGEST = 1e100


def floats(values: ArrayLike, name: str) -> Numbers:
    """Numbers in any shape, missing and infinite ones among them. What only looks like numbers is refused."""
    if np.ma.is_masked(values):
        raise BadData(f"{name} is masked in places: leave what is masked out.")
    try:
        kind = np.asarray(values).dtype.kind
        array = np.asarray(values, dtype=np.float64) if kind not in "cmM" else None
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        raise BadData(f"{name} holds something that is not a number.")
    large = array[np.isfinite(array) & (np.abs(array) > LARGEST)]
    if large.size:
        raise BadData(f"{name} holds {large.flat[0]:g}, too large to be measured; divide all by a number.")
    return array


def numbers(values: ArrayLike, name: str, *, least: int = 1) -> Numbers:
    """One finite number a row."""
    array = floats(values, name)
    if array.ndim != 1:
        raise BadData(f"{name} is not a plain list of numbers: it has {array.ndim} dimensions.")
    if array.size < least:
        raise BadData(f"{name} holds {array.size} numbers; at least {least} are needed.")
    wrong = np.flatnonzero(~np.isfinite(array))
    if wrong.size:
        raise BadData(f"{name} at position {wrong[0] + 1} is {array[wrong[0]]}, which is no number.")
    return array


def paired(*, least: int = 2, **columns: ArrayLike) -> tuple[Numbers, ...]:
    """Columns of numbers that belong together row by row."""
    arrays = {name: numbers(values, name, least=least) for name, values in columns.items()}
    same_length(**arrays)
    return tuple(arrays.values())


def same_length(**columns: Sequence[Any] | NDArray[Any]) -> int:
    for name, column in columns.items():
        if not hasattr(column, "__len__"):
            raise BadData(f"{name} is {column!r}, which is no column.")
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        sentence = ", ".join(f"{name} has {length:,}" for name, length in lengths.items())
        raise BadData(f"The columns are not equally long: {sentence}.")
    return next(iter(lengths.values()))


def varied(values: Numbers, name: str) -> Numbers:
    """Not all the same."""
    if values.size and values.min() == values.max():
        raise BadData(f"{name} is constant ({values[0]:g} in every row), so nothing can vary with it.")
    return values


def yes_or_no(answers: Sequence[bool] | NDArray[Any], name: str) -> NDArray[np.bool_]:
    plain: list[Any] = np.asarray(answers, dtype=object).tolist()
    for at, each in enumerate(plain, 1):
        if is_missing(each) or each not in (0, 1):
            raise BadData(f"{name} at position {at} is {each!r}; it is true or false.")
    return np.array(plain, dtype=np.bool_)


def coded(values: Sequence[Hashable] | NDArray[Any]) -> tuple[list[Hashable], Codes]:
    """Labels and, for each row, the number of its label. Labels stand in their natural order."""
    plain = unpacked(values)
    try:
        labels = ordered(set(plain))
    except TypeError as error:
        raise BadData(f"A label is no text and no number: {error}.") from None
    number = {label: at for at, label in enumerate(labels)}
    return labels, np.fromiter(map(number.__getitem__, plain), np.intp, len(plain))


def unpacked(values: Sequence[Any] | NDArray[Any]) -> Sequence[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else values


def is_missing(label: Any) -> bool:
    """None, NaN, or what else of its kind does not equal itself."""
    try:
        return label is None or bool(label != label)  # noqa: PLR0124
    except (TypeError, ValueError):
        return True


def generator(seed: int) -> np.random.Generator:
    if type(seed) not in (int, np.int64, np.int32, np.uint64, np.uint32) or seed < 0:
        raise BadSetting(f"seed is {seed!r}; it is a whole number from 0 on.")
    return np.random.default_rng(seed)


def ordered(labels: set[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))
