"""The Bradley-Terry model fitted to counted comparisons by Newton's method.

a wins with probability 1 / (1 + exp(-(its score - the score of b + side effect))): Bradley and
Terry (1952), with the side added as in Davidson and Beaver (1977). The log-likelihood is concave.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

from .arrays import Codes, Numbers
from .cells import Cells
from .existence import Obstacle, obstacle, separated

_STEPS = 100
_HALVINGS = 40
_SMALL = 1e-8  # Newton's steps square: after one this small, what is left is rounding


@dataclass(frozen=True)
class Fit:
    """Scores that sum to zero, then the side effect if there is one. `sure` of being no false summit."""

    point: Numbers
    covariance: Numbers
    sure: bool


def fit(cells: Cells, prior: float) -> Fit | Obstacle | None:
    """The maximum, or why there is none; None where it was not reached."""
    if not prior and (why := obstacle(cells)):
        return why
    solution = _newton(cells, prior)
    if not prior and cells.side and not (solution and solution.sure) and (why := separated(cells)):
        return why
    return solution


def _newton(cells: Cells, prior: float) -> Fit | None:
    point = np.zeros(cells.parameters)
    with np.errstate(all="ignore"):
        for count in range(_STEPS):
            gradient, free, matrix = _slope(cells, prior, point)
            step = np.zeros(point.size)
            try:
                step[free] = cho_solve(cho_factor(matrix), gradient[free])
            except (LinAlgError, ValueError):
                return None
            step[: cells.items] -= step[: cells.items].mean()
            # A small slope would not do: where the scores have no end, it falls by e a step, and the steps
            # stay about one long. Only after dozens of these can rounding make one small.
            if np.abs(step).max() <= _SMALL:
                return _finished(cells, prior, point + step, sure=count < 20)
            moved = _uphill(cells, prior, point, step)
            if moved is None:
                return None
            point = moved
    return None


def _slope(cells: Cells, prior: float, point: Numbers) -> tuple[Numbers, Codes, Numbers]:
    """The gradient, and the negative Hessian without the best-known item, which stands still: the scores are
    only differences. The prior is on scores that sum to zero, hence its part off the diagonal."""
    logits = cells.logits(point)
    up, down = expit(logits), expit(-logits)
    gradient = cells.gathered(cells.won * down - cells.lost * up) - prior * point
    matrix = cells.information((cells.won + cells.lost) * up * down)
    still = matrix.diagonal()[: cells.items].argmax()
    matrix[np.diag_indices(cells.parameters)] += prior
    matrix[: cells.items, : cells.items] -= prior / cells.items
    free = np.delete(np.arange(cells.parameters), still)
    return gradient, free, matrix[np.ix_(free, free)]


def _uphill(cells: Cells, prior: float, point: Numbers, step: Numbers) -> Numbers | None:
    before = _objective(cells, prior, point)
    for _ in range(_HALVINGS):
        after = _objective(cells, prior, point + step)
        if after >= before - 1e-12 * abs(before):
            return point + step
        step = step / 2
    return None


def _objective(cells: Cells, prior: float, point: Numbers) -> float:
    logits = cells.logits(point)
    against = cells.won @ np.logaddexp(0, -logits) + cells.lost @ np.logaddexp(0, logits)
    return float(-against - prior * (point @ point) / 2)


def _finished(cells: Cells, prior: float, point: Numbers, *, sure: bool) -> Fit | None:
    """With the inverse of the information, scores summing to zero; None where rounding leaves no inverse."""
    _, free, matrix = _slope(cells, prior, point)
    scale = 1 / np.sqrt(matrix.diagonal())
    scaled = matrix * scale[:, None] * scale
    unit = np.eye(free.size)
    try:
        inverse = cho_solve(cho_factor(scaled), unit)
    except (LinAlgError, ValueError):
        return None
    if not np.abs(scaled @ inverse - unit).max(initial=0) < 1e-6:
        return None
    covariance = np.zeros((point.size, point.size))
    covariance[np.ix_(free, free)] = inverse * scale[:, None] * scale
    covariance[: cells.items] -= covariance[: cells.items].mean(axis=0)
    covariance[:, : cells.items] -= covariance[:, : cells.items].mean(axis=1, keepdims=True)
    return Fit(point, covariance, sure)
