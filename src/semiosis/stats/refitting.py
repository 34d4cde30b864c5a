"""The Bradley-Terry model fitted to many resamples at once, each a column of counts of the same cells."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .arrays import Codes, Numbers
from .cells import Cells
from .existence import firm, obstacle
from .fitting import Fit, fit

_STEPS = 100
_SMALL = 1e-8
_FAR = 4.0


@dataclass(frozen=True)
class Refitting:
    """Of `cells`, starting at their own fit, the `whole`."""

    cells: Cells
    whole: Fit
    prior: float
    gather: csr_array[np.float64]
    joining: Codes

    @classmethod
    def of(cls, cells: Cells, whole: Fit, prior: float) -> "Refitting":
        return cls(cells, whole, prior, csr_array(cells.design().T), firm(cells))

    def fits(self, won: Numbers, lost: Numbers, *, together: bool = True) -> Iterator[Numbers]:
        """Scores (and last the side effect) of each column that has a fit.

        Fitting all together is fast, but not for weights that differ more than a hundredfold: what is steep
        in a resample is then not what is steep in the whole.
        """
        points, settled = won[:0], np.zeros(won.shape[1], np.bool_)
        if together:
            points, settled = self._climbed(won, lost)
        certain = settled & self._fit_exists(won, lost)
        for at in range(won.shape[1]):
            if certain[at]:
                yield points[:, at]
                continue
            own = self.cells.only(won[:, at], lost[:, at])
            # Columns without a fit settle too: where an item was not drawn, it has no slope; where scores
            # have no end, slopes get as small as this once logits have moved by a dozen.
            if settled[at] and np.abs(points[:, at] - self.whole.point).max() < _FAR:
                if obstacle(own) is None:
                    yield points[:, at]
            elif isinstance(alone := fit(own, self.prior), Fit):
                yield alone.point

    def _fit_exists(self, won: Numbers, lost: Numbers) -> NDArray[np.bool_]:
        """By column; where it is not known so cheaply, false."""
        if self.prior or not self.joining.size:
            return np.full(won.shape[1:], bool(self.prior))
        return np.minimum(won[self.joining], lost[self.joining]).min(axis=0) > 0

    def _climbed(self, won: Numbers, lost: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
        """Where each column got to, and whether it came to rest there.

        By conjugate gradients (Polak and Ribière 1969), for which the covariance of the whole makes all
        directions about equally steep; how far to go in a direction is Newton's step along it.
        """
        ends = np.repeat(self.whole.point[:, None], won.shape[1], axis=1)
        settled = np.zeros(won.shape[1], np.bool_)
        going = np.arange(won.shape[1], dtype=np.intp)
        now = self._start(won, lost)
        with np.errstate(all="ignore"):
            for _ in range(_STEPS):
                now = self._step(now)
                # Both, since a resample may know much less than the whole, and then needs a longer step.
                rest = np.maximum(np.abs(now.climb).max(axis=0), np.abs(now.moved).max(axis=0)) <= _SMALL
                if rest.any():
                    ends[:, going[rest]], settled[going[rest]] = now.point[:, rest], True
                    going, now = going[~rest], now.only(~rest)
                if not going.size:
                    break
        return ends, settled

    def _start(self, won: Numbers, lost: Numbers) -> "_Climb":
        point = np.repeat(self.whole.point[:, None], won.shape[1], axis=1)
        weight, reached, logits = won + lost, self._gathered(won), self._logits(point)
        chance = _sigmoid(logits)
        slope = reached - self._gathered(weight * chance) - self.prior * point
        climb = self.whole.covariance @ slope
        return _Climb(weight, reached, point, logits, chance, slope, climb, climb, climb)

    def _step(self, now: "_Climb") -> "_Climb":
        along = self._logits(now.course)
        bend = 1 - now.chance
        for factor in (now.chance, now.weight, along, along):
            bend *= factor
        curved: Numbers = bend.sum(axis=0) + self.prior * _dot(now.course, now.course)
        far: Numbers = np.where(curved > 0, _dot(now.slope, now.course) / curved, 0)
        moved = far * now.course
        point, logits = now.point + moved, now.logits + far * along
        chance = _sigmoid(logits)
        slope = now.reached - self._gathered(now.weight * chance) - self.prior * point
        climb = self.whole.covariance @ slope
        keep = np.maximum(0, _dot(slope - now.slope, climb) / _dot(now.slope, now.climb))
        course = climb + keep * now.course
        return _Climb(now.weight, now.reached, point, logits, chance, slope, climb, course, moved)

    def _logits(self, point: Numbers) -> Numbers:
        logits: Numbers = point[self.cells.a]
        logits -= point[self.cells.b]
        if self.cells.side:
            logits += point[self.cells.items]
        return logits

    def _gathered(self, amounts: Numbers) -> Numbers:
        return cast(Any, self.gather @ amounts)


@dataclass(frozen=True)
class _Climb:
    weight: Numbers
    reached: Numbers
    point: Numbers
    logits: Numbers
    chance: Numbers
    slope: Numbers
    climb: Numbers
    course: Numbers
    moved: Numbers

    def only(self, columns: NDArray[np.bool_]) -> "_Climb":
        return _Climb(*(getattr(self, each.name)[:, columns] for each in fields(self)))


def _dot(one: Numbers, other: Numbers) -> Numbers:
    """Column by column."""
    return np.einsum("ij,ij->j", one, other)


def _sigmoid(logits: Numbers) -> Numbers:
    chances = np.negative(logits)
    np.exp(chances, out=chances)
    chances += 1
    return np.divide(1, chances, out=chances)
