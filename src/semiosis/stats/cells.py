"""Comparisons counted by pair: all that a Bradley-Terry fit needs to know of them."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from .arrays import Codes, Numbers
from .comparisons import Comparisons


@dataclass(frozen=True)
class Cells:
    """What `a` won of and lost to `b`, a pair a cell; a draw is half of each.

    With `side`, a pair shown both ways round takes two cells. Without, it takes one.
    """

    items: int
    side: bool
    a: Codes
    b: Codes
    won: Numbers
    lost: Numbers

    @property
    def parameters(self) -> int:
        """A score an item, and last the side effect."""
        return self.items + self.side

    def gathered(self, amounts: Numbers) -> Numbers:
        """By parameter, what the cells add to it: plus for `a`, minus for `b`."""
        sums = np.empty(self.parameters)
        sums[: self.items] = _sums(self.a, amounts, self.items) - _sums(self.b, amounts, self.items)
        sums[self.items :] = amounts.sum()
        return sums

    def weights(self) -> Numbers:
        """By item, the weight of the comparisons that it took part in."""
        weight = self.won + self.lost
        return _sums(self.a, weight, self.items) + _sums(self.b, weight, self.items)

    def logits(self, point: Numbers) -> Numbers:
        logits = point[self.a] - point[self.b]
        return logits + point[self.items] if self.side else logits

    def information(self, curvature: Numbers) -> Numbers:
        """The sum of x x' by cell, times each cell's curvature; x is 1 for `a`, -1 for `b`."""
        size, items = self.parameters, self.items
        matrix = np.zeros((size, size))
        matrix[self.a, self.b] = -curvature
        matrix += matrix.T
        on_a, on_b = (_sums(side, curvature, items) for side in (self.a, self.b))
        matrix[np.arange(items), np.arange(items)] = on_a + on_b
        if self.side:
            matrix[items, :items] = matrix[:items, items] = on_a - on_b
            matrix[items, items] = curvature.sum()
        return matrix

    def design(self) -> csr_array[np.float64]:
        """Cells by parameters: 1 for `a` and for the side, -1 for `b`."""
        size = self.a.size
        columns, signs = [self.a, self.b], [np.ones(size), -np.ones(size)]
        if self.side:
            columns, signs = [*columns, np.full(size, self.items)], [*signs, np.ones(size)]
        rows = np.tile(np.arange(size), len(columns))
        return csr_array(
            (np.concatenate(signs), (rows, np.concatenate(columns))), shape=(size, self.parameters)
        )

    def only(self, won: Numbers, lost: Numbers) -> "Cells":
        """The same pairs with other counts, without those that never met."""
        present = won + lost > 0
        return Cells(self.items, self.side, self.a[present], self.b[present], won[present], lost[present])


@dataclass(frozen=True)
class Counted:
    """The cells, and what they are made of: kinds of comparisons that are alike (cell, outcome, weight).

    By kind: its cell, what the cell's `a` got of one such comparison, what one weighs, how many there are.
    """

    cells: Cells
    cell: Codes
    score: Numbers
    weight: Numbers
    many: Codes
    _kind: Codes
    _keys: Codes
    _key: Codes

    def kinds(self) -> Codes:
        """The kind of each comparison."""
        return self._kind[np.searchsorted(self._keys, self._key)]


def counted(contests: Comparisons, weights: Numbers | None, *, side: bool) -> Counted:
    items, sizes, size = len(contests.items), np.ones(1), np.zeros(1, np.intp)
    if weights is not None:
        sizes, size = np.unique(weights, return_inverse=True)
    # In place: of a million comparisons, fresh arrays cost more than the sums.
    key = contests.a * items
    key += contests.b
    key *= 3
    key += contests.winner + 1
    key *= sizes.size
    key += size
    keys, many = _tallied(key, 3 * items * items * sizes.size)

    triple, size = np.divmod(keys, sizes.size)
    pair, outcome = np.divmod(triple, 3)
    a, b = np.divmod(pair, items)
    if not side:
        outcome = np.where(a < b, outcome, 2 - outcome)
        a, b = np.minimum(a, b), np.maximum(a, b)
    pairs, cell = np.unique(a * items + b, return_inverse=True)
    alike, kind = np.unique((cell * 3 + outcome) * sizes.size + size, return_inverse=True)
    many = np.bincount(kind, many).astype(np.intp)

    triple, size = np.divmod(alike, sizes.size)
    cell, outcome = np.divmod(triple, 3)
    score, weight = 1 - outcome / 2, sizes[size]
    won = _sums(cell, score * weight * many, pairs.size)
    lost = _sums(cell, (1 - score) * weight * many, pairs.size)
    cells = Cells(items, side, pairs // items, pairs % items, won, lost)
    return Counted(cells, cell, score, weight, many, kind, keys, key)


def _tallied(key: Codes, most: int) -> tuple[Codes, Codes]:
    """The distinct keys in order, and how many there are of each."""
    if most > max(4 * key.size, 1 << 16):
        return np.unique(key, return_counts=True)
    many = np.bincount(key, minlength=most)
    keys = np.flatnonzero(many)
    return keys, many[keys]


def _sums(at: Codes, amounts: Numbers, size: int) -> Numbers:
    return np.asarray(np.bincount(at, amounts, size), np.float64)
