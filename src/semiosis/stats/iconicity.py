"""Does a judge agree with people mainly where pictures resemble what they mean (SemJudge, section 6.4)?

net_iconicity(prompt=(2, 3, 6), a=(3, 2, 5), b=(6, 2, 2))     each: iconicity, indexicality, symbolism
iconicity_bias(nets, agrees).delta                            above 0: an iconicity bias
iconicity_bias_by_group(nets, agreement).p                    where instances of one group are no strangers
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import BadData
from ..core.value import Value
from .arrays import Codes, Numbers, floats, generator, numbers, same_length, yes_or_no
from .effects import cohens_d
from .estimate import Estimate
from .significance import at_least_one, bootstrap, percentile_ends, permutation_test

Rated = Sequence[float] | Sequence[Sequence[float]] | NDArray[Any]


class IconicityBias(Value):
    """One row of SemJudge's Table 2. `delta` is one-sided: its high end is infinite."""

    delta: Estimate
    cohens_d: Estimate
    p: float
    n_agree: int
    n_disagree: int


class GroupedIconicityBias(Value):
    """The same with whole groups taking part. Where too few disagree for an interval, `low` is None."""

    delta: float
    low: float | None
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


def iconicity_bias_by_group(
    net_iconicity: ArrayLike,
    agreement: ArrayLike,
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> GroupedIconicityBias:
    """The same difference where instances come in groups that are alike, such as the pairs of one prompt.

    Groups are resampled as wholes. For p, which is one-sided, whole groups change places at random, and so do
    the instances within each; it is (count + 1) / (resamples + 1), as in `permutation_test`.

    net_iconicity   a row a group, a column a place in it
    agreement       the same: above 0 where the judge agrees with people, below where not, 0 for neither
    resamples       of the bootstrap and of the permutation test
    confidence      of the low end
    seed            the same seed draws the same resamples
    """
    net, signs = floats(net_iconicity, "net_iconicity"), floats(agreement, "agreement")
    if net.ndim != 2 or net.shape != signs.shape:
        raise BadData(
            f"net_iconicity has shape {net.shape} and agreement {signs.shape}; both are groups by places."
        )
    at_least_one(resamples)
    numbers(net.ravel(), "net_iconicity")
    agrees, disagrees = (signs > 0).astype(np.float64), (signs < 0).astype(np.float64)
    n_agree, n_disagree = int(agrees.sum()), int(disagrees.sum())
    if not n_agree or not n_disagree:
        always = f"agrees on all {n_agree:,}" if n_agree else f"disagrees on all {n_disagree:,}"
        decides = f"{always} that it decides" if n_agree or n_disagree else "decides nothing"
        raise BadData(f"The judge {decides}, so there is no difference.")
    weights = agrees / n_agree - disagrees / n_disagree
    delta = float((net * weights).sum())
    null = net.ravel()[_shuffles(*net.shape, resamples, seed)] @ weights.ravel()
    # Sums that are equal on paper differ in their last bits; such a shuffle is as extreme.
    close = 1e-9 * max(1.0, float(np.abs(net).max()))
    return GroupedIconicityBias(
        delta=delta,
        low=_low(net, agrees, disagrees, _group_draws(len(net), resamples, seed), confidence),
        p=(int((null >= delta - close).sum()) + 1) / (resamples + 1),
        n_agree=n_agree,
        n_disagree=n_disagree,
    )


@lru_cache(4)
def _shuffles(groups: int, places: int, many: int, seed: int) -> Codes:
    """Of the instances, group by group, what stands where in each shuffle."""
    random = generator(seed)
    order = random.permuted(np.tile(np.arange(groups), (many, 1)), axis=1)
    instances = order[:, :, None] * places + np.arange(places)
    return random.permuted(instances, axis=2).reshape(many, groups * places)


@lru_cache(4)
def _group_draws(groups: int, resamples: int, seed: int) -> Numbers:
    """How often each group is in each resample."""
    draws = generator(seed).multinomial(groups, np.full(groups, 1 / groups), size=resamples)
    return draws.astype(np.float64)


def _low(
    net: Numbers, agrees: Numbers, disagrees: Numbers, drawn: Numbers, confidence: float
) -> float | None:
    """The low end of the difference, groups drawn so many times each."""
    means: list[Numbers] = []
    for chosen in (agrees, disagrees):
        count = drawn @ chosen.sum(axis=1)
        total = drawn @ (net * chosen).sum(axis=1)
        means.append(np.divide(total, count, out=np.full(len(drawn), np.nan), where=count > 0))
    try:
        return percentile_ends(means[0] - means[1], confidence, one_sided=True)[0]
    except BadData:
        return None


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
