"""Agreement with people inside each prompt, averaged over prompts.

concordance_within(prompts, judged, human)      the KRCC of SemJudge, section 6.2
tau_within(prompts, first, second)              two rankings, by how each leans between two of its items
"""

import numpy as np
from numpy.typing import ArrayLike

from ..core.errors import BadData
from .arrays import Codes, Numbers, same_length
from .comparisons import Labels, Winners, comparisons, winners
from .estimate import Estimate
from .significance import grouped, mean_between

_BLOCK = 1_000_000


class WithinGroups(Estimate):
    """A mean over `groups`; `undefined` more had nothing to measure and are left out.

    The interval is Student's over groups, within [-1, 1]; of a single group nothing is known, and it is that.
    """

    groups: int
    undefined: int


def concordance_within(
    groups: Labels,
    judged: Winners,
    human: Winners,
    *,
    confidence: float = 0.95,
) -> WithinGroups:
    """Over the pairs people decided, +1 where the judge agrees, -1 where it does not, 0 where undecided.

    It is averaged within each group and then over groups that have a decided pair: Kendall's tau on the
    pairs that were compared (SemJudge, section 6.2), whichever picture is `a`. A judge's draw
    stays in the denominator, so abstaining never helps.

    groups      the group of each pair, such as its prompt
    judged      who won by the judge: "a", "b" or "tie"; -1, 1 or 0
    human       who won by people
    confidence  of the interval, over groups
    """
    if not same_length(groups=groups, judged=judged, human=human):
        raise BadData("There are no comparisons.")
    codes, count = grouped(groups, "group")
    judges, people = winners(judged), winners(human)
    decided = np.bincount(codes, weights=people != 0, minlength=count)
    agreed = np.bincount(codes, weights=judges * people, minlength=count)
    defined = decided > 0
    if not defined.any():
        raise BadData("People decided no pair, so there is nothing to agree with.")
    return _averaged(agreed[defined] / decided[defined], count, confidence)


def kendall_within(
    groups: Labels,
    a: Labels,
    b: Labels,
    judged: Winners,
    human: Winners,
    *,
    confidence: float = 0.95,
) -> WithinGroups:
    """Kendall's tau-b between how often each item won by the judge and by people, averaged over groups.

    A draw is half a win for both. A group in which either counts all items alike is undefined.

    groups      the group of each pair, such as its prompt
    a           one item of each pair
    b           the other
    judged      who won by the judge: "a", "b" or "tie"; -1, 1 or 0
    human       who won by people
    confidence  of the interval, over groups
    """
    same_length(groups=groups, a=a, b=b, judged=judged, human=human)
    codes, count = grouped(groups, "group")
    by_judge, by_people = comparisons(a, b, judged), comparisons(a, b, human)
    items = len(by_judge.items)
    keys = np.concatenate([codes * items + by_judge.a, codes * items + by_judge.b])
    slots, slot = np.unique(keys, return_inverse=True)
    wins = [
        np.bincount(slot, np.concatenate([verdicts.score_a, 1 - verdicts.score_a])).astype(np.float64)
        for verdicts in (by_judge, by_people)
    ]
    taus = _tau_b_by_group(slots // items, wins[0], wins[1])
    defined = taus[~np.isnan(taus)]
    if not defined.size:
        raise BadData("In every group the judge or the people count all items alike, so no order can agree.")
    return _averaged(defined, count, confidence)


def tau_within(
    groups: Labels, first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95
) -> WithinGroups:
    """Kendall's tau-b (1945) between two rankings, over pairs of items of a group, averaged over groups.

    A group in which either tells no two items apart is undefined.

    groups      the group of each pair, such as its prompt
    first       how far the first ranking puts one item of each pair above the other; only the sign counts
    second      the same for the second
    confidence  of the interval, over groups
    """
    one, two = (np.sign(np.asarray(each, dtype=np.float64)) for each in (first, second))
    if not same_length(groups=groups, first=one, second=two):
        raise BadData("There are no pairs.")
    codes, count = grouped(groups, "group")
    alike = np.bincount(codes, weights=one * two, minlength=count)
    told = [np.bincount(codes, weights=np.abs(signs), minlength=count) for signs in (one, two)]
    untied = np.sqrt(told[0] * told[1])
    defined = untied > 0
    if not defined.any():
        raise BadData("In every group one of the two tells no two items apart.")
    return _averaged(alike[defined] / untied[defined], count, confidence)


def _tau_b_by_group(group: Codes, x: Numbers, y: Numbers) -> Numbers:
    """For each run of equal `group`, over all pairs of its rows; NaN where x or y is constant."""
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    sizes = np.diff(np.append(starts, group.size))
    taus = np.full(starts.size, np.nan)
    for size in map(int, np.unique(sizes)):
        one, other = np.triu_indices(size, 1)
        of_size = np.flatnonzero(sizes == size)
        block = max(1, _BLOCK // one.size)
        for at in range(0, of_size.size, block):
            some = of_size[at : at + block]
            rows = starts[some].reshape(-1, 1) + np.arange(size)
            dx = np.sign(x[rows[:, one]] - x[rows[:, other]])
            dy = np.sign(y[rows[:, one]] - y[rows[:, other]])
            untied = np.sqrt(np.abs(dx).sum(axis=1) * np.abs(dy).sum(axis=1))
            taus[some] = np.divide(
                (dx * dy).sum(axis=1), untied, where=untied > 0, out=np.full(some.size, np.nan)
            )
    return taus


def _averaged(values: Numbers, groups: int, confidence: float) -> WithinGroups:
    mean = mean_between(values, -1, 1, confidence)
    return WithinGroups(**mean.model_dump(), groups=values.size, undefined=groups - values.size)
