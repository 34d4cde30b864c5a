"""Does a judge agree with people mainly where pictures resemble what they mean (SemJudge, section 6.4)?

net_iconicity(prompt=(2, 3, 6), a=(3, 2, 5), b=(6, 2, 2))     each: iconicity, indexicality, symbolism
iconicity_bias(nets, agrees).delta                            above 0: an iconicity bias
"""

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import BadData
from ..core.value import Value
from .arrays import Numbers, floats, numbers, same_length, yes_or_no
from .effects import cohens_d
from .estimate import Estimate
from .significance import bootstrap, permutation_test

Rated = Sequence[float] | Sequence[Sequence[float]] | NDArray[Any]


class IconicityBias(Value):
    """One row of SemJudge's Table 2. `delta` is one-sided: its high end is infinite."""

    delta: Estimate
    cohens_d: Estimate
    p: float
    n_agree: int
    n_disagree: int


@overload
def net_iconicity(
    prompt: tuple[float, float, float], a: tuple[float, float, float], b: tuple[float, float, float]
) -> float: ...
@overload
def net_iconicity(
    prompt: tuple[Rated, Rated, Rated], a: tuple[Rated, Rated, Rated], b: tuple[Rated, Rated, Rated]
) -> Numbers: ...
def net_iconicity(
    prompt: tuple[ArrayLike, ArrayLike, ArrayLike],
    a: tuple[ArrayLike, ArrayLike, ArrayLike],
    b: tuple[ArrayLike, ArrayLike, ArrayLike],
) -> float | Numbers:
    """How far an instance works by resemblance: NI(prompt) + (NI(a) + NI(b)) / 2 (SemJudge, appendix B.2).

    NI of a sign is its iconicity less the mean of its indexicality and symbolism. Each is one number, one
    number an instance, or a row of raters' numbers an instance, which are averaged first.

    prompt      iconicity, indexicality and symbolism of the prompt
    `a`, `b`    those of the two pictures
    """
    signs = {"prompt": prompt, "a": a, "b": b}
    rated = {
        f"{part} of {sign}": _averaged(values, f"{part} of {sign}")
        for sign, triple in signs.items()
        for part, values in zip(
            ("iconicity", "indexicality", "symbolism"), _triple(triple, sign), strict=True
        )
    }
    if all(values.ndim == 0 for values in rated.values()):
        rated = {name: values.reshape(1) for name, values in rated.items()}
        return float(_net(list(rated.values()))[0])
    flat = next((name for name, values in rated.items() if values.ndim == 0), None)
    if flat:
        raise BadData(
            f"{flat[0].upper()}{flat[1:]} is a single number and others are lists; give one an instance."
        )
    same_length(**rated)
    return _net(list(rated.values()))


def iconicity_bias(
    net_iconicity: ArrayLike,
    agrees: Sequence[bool] | NDArray[Any],
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> IconicityBias:
    """Mean net iconicity where the judge agrees with people, less where it does not (SemJudge, section 6.4).

    `delta` has a one-sided bootstrap interval over instances, and p is that of the one-sided permutation
    test of delta > 0; Cohen's d has its usual two-sided interval.

    net_iconicity   of each instance, as the function of that name gives it
    agrees          whether the judge agrees with people on it
    resamples       of the bootstrap and of the permutation test
    confidence      of the intervals
    seed            the same seed draws the same resamples
    """
    net = numbers(net_iconicity, "net_iconicity")
    same_length(net_iconicity=net, agrees=agrees)
    agreed = yes_or_no(agrees, "agrees")
    together, apart = net[agreed], net[~agreed]
    if not together.size or not apart.size:
        always = "agrees" if together.size else "disagrees"
        raise BadData(
            f"The judge {always} with people on all {net.size:,} instances, so there is no difference."
        )
    return IconicityBias(
        delta=bootstrap(
            _delta,
            net,
            agreed.astype(np.float64),
            one_sided=True,
            resamples=resamples,
            confidence=confidence,
            seed=seed,
        ),
        cohens_d=cohens_d(together, apart, confidence=confidence),
        p=permutation_test(together, apart, alternative="greater", resamples=resamples, seed=seed).p,
        n_agree=together.size,
        n_disagree=apart.size,
    )


def _triple(values: Sequence[Any], sign: str) -> Sequence[Any]:
    if len(values) != 3:
        raise BadData(
            f"{sign} holds {len(values)} ratings; it takes three: iconicity, indexicality and symbolism."
        )
    return values


def _averaged(values: ArrayLike, name: str) -> Numbers:
    """No dimension for one number, one for instances."""
    array = floats(values, f"The {name}")
    if array.ndim > 2 or not array.size:
        raise BadData(
            f"The {name} has shape {array.shape}; it is one number, one an instance, or instances by raters."
        )
    numbers(array.ravel(), f"The {name}")
    return array.mean(axis=1) if array.ndim == 2 else array


def _net(rated: Sequence[Numbers]) -> Numbers:
    of_prompt, of_a, of_b = (
        rated[at] - (rated[at + 1] + rated[at + 2]) / 2 for at in range(0, len(rated), 3)
    )
    return of_prompt + (of_a + of_b) / 2


def _delta(net: Numbers, agreed: Numbers) -> float:
    agreeing = float(agreed.sum())
    if agreeing in (0, agreed.size):
        raise BadData("The resample has agreement only, or none.")
    together = float(net @ agreed)
    return together / agreeing - (float(net.sum()) - together) / (agreed.size - agreeing)
