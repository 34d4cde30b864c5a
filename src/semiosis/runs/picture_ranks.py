"""How alike runs rank the same pictures, and where they part: runs of judges, of scorers, or of both.

    with Store.look(one) as first, Store.look(another) as second:
        compare_ranks([PictureRanks.of(first), PictureRanks.of(second)]).correlations[0].within_prompts

Between two pictures of one prompt a run leans, from -1 to 1: as it judged them, as far as it was sure; or,
where it gave numbers, by how many of its pictures lie between them.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, groupby
from math import isfinite
from statistics import fmean
from typing import NamedTuple, Self

import numpy as np

from ..core.errors import BadData, BadSetting
from ..core.item import Item, read_item
from ..core.kinds.pair import Judgment, PairItem
from ..core.kinds.rating import RatingItem, Score
from ..core.outcome import Outcome
from ..core.sign import Artifact, Prompt
from ..core.table import Ends, Interval
from ..stats.arrays import Codes, Numbers
from ..stats.correlation import midranks, rank_correlation
from ..stats.matched import LEAST_CLUSTERS
from ..stats.significance import bootstrap
from ..stats.within import tau_within
from .outcomes import stored
from .store import Store

PARTINGS = 10
RESAMPLES = 2_000

Subject = tuple[str, ...]
# A picture under a prompt; and two pictures of one prompt, the smaller hash first.
PictureKey = tuple[Subject, str]
PairKey = tuple[Subject, str, str]


class PictureNames(NamedTuple):
    """A prompt, a picture and the item that it stands in, in words."""

    prompt: str
    picture: str
    item: str


@dataclass
class PictureRanks:
    """What one run says of pictures.

    name        of the run
    method      that it ran
    numbers     of each picture, where it was given any; of several the mean counts
    preferences for the first of two pictures, 0 to 1, where they were judged without numbers
    called      prompt and picture in words, and what the item with it is called
    items       what the item with two pictures is called
    failed      items that say nothing of any picture
    others      items that are about no picture of a prompt, as questions are
    """

    name: str
    method: str
    numbers: dict[PictureKey, list[float]] = field(
        default_factory=lambda: defaultdict[PictureKey, list[float]](list)
    )
    preferences: dict[PairKey, list[float]] = field(
        default_factory=lambda: defaultdict[PairKey, list[float]](list)
    )
    called: dict[PictureKey, PictureNames] = field(default_factory=dict[PictureKey, PictureNames])
    items: dict[PairKey, str] = field(default_factory=dict[PairKey, str])
    failed: int = 0
    others: int = 0

    @classmethod
    def of(cls, store: Store) -> Self:
        ranks = cls(store.about.name, store.about.method)
        for each in stored(store):
            match read_item(each.item):
                case PairItem() as item:
                    ranks.add(item, item.pair.prompt, (item.pair.a, item.pair.b), each.outcome)
                case RatingItem() as item:
                    ranks.add(item, item.prompt, (item.artifact,), each.outcome)
                case _:
                    ranks.others += 1
        return ranks

    def add(self, item: Item, prompt: Prompt, pictures: Sequence[Artifact], outcome: Outcome) -> None:
        """What an outcome says of these pictures."""
        subject = item.subject
        match outcome:
            case Score(value=value):
                self.numbers[subject, pictures[0].sha256].append(value)
            case Judgment(score_a=a, score_b=b) if a is not None and b is not None:
                for picture, score in zip(pictures, (a, b), strict=True):
                    self.numbers[subject, picture.sha256].append(score.value)
            case Judgment():
                first, second = (picture.sha256 for picture in pictures)
                if first < second:
                    self.preferences[subject, first, second].append(outcome.graded)
                else:
                    self.preferences[subject, second, first].append(1 - outcome.graded)
            case _:
                self.failed += 1
                return
        for picture in pictures:
            called = PictureNames(prompt.text, picture.name or picture.sha256[:12], item.id)
            self.called.setdefault((subject, picture.sha256), called)
        if len(pictures) == 2:
            first, second = sorted(picture.sha256 for picture in pictures)
            self.items.setdefault((subject, first, second), item.id)

    @property
    def mute(self) -> str:
        """Why it says nothing of any picture under a prompt; empty where it does."""
        if self.numbers or self.preferences:
            return ""
        why = f"its {self.failed:,} items failed" if self.failed else "it has no pairs and no ratings"
        return f"The run {self.name} says nothing of pictures under a prompt: {why}."

    @cached_property
    def shares(self) -> dict[PictureKey, float]:
        """How many of its pictures each one is above, as a share of them."""
        places = list(self.numbers)
        return dict(zip(places, (midranks(self.values(places)) / len(places)).tolist(), strict=True))

    def values(self, places: Sequence[PictureKey]) -> Numbers:
        return np.array([fmean(self.numbers[place]) for place in places])

    def leaning(self, two: PairKey) -> float | None:
        """To the first of the two, from -1 to 1; None where it does not say."""
        subject, first, second = two
        if self.numbers:
            share, other = self.shares.get((subject, first)), self.shares.get((subject, second))
            return None if share is None or other is None else share - other
        return 2 * fmean(self.preferences[two]) - 1 if two in self.preferences else None

    def leanings(self, places: Sequence[PictureKey], first: Codes, second: Codes) -> Numbers:
        """The same of many, all of which it says something of."""
        if self.numbers:
            shares = np.array([self.shares[place] for place in places])
            return shares[first] - shares[second]
        twos = (_pair_key(places, one, other) for one, other in zip(first, second, strict=True))
        return np.array([self.leaning(two) for two in twos])


@dataclass(frozen=True)
class RankCorrelation:
    """How alike two runs rank the pictures that both have.

    prompts         that the two have in common
    telling         of these, the prompts in which both tell any two pictures apart
    within_prompts  Kendall's tau-b over two pictures of one prompt each, a mean over the prompts that tell
    overall         Spearman's rho over all pictures; there only where both runs gave numbers
    untold          why one of these, or its interval, is missing
    """

    first: str
    second: str
    prompts: int
    telling: int
    pictures: int
    pairs: int
    within_prompts: Interval | None = None
    overall: Interval | None = None
    untold: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parting:
    """Two pictures of one prompt, and how far each run that has both leans to the first, from -1 to 1.

    item    what the item with both is called; of pictures that were rated singly, both items
    """

    prompt: str
    picture: str
    other: str
    item: str
    leanings: dict[str, float]


@dataclass(frozen=True)
class RankedRun:
    name: str
    method: str
    pictures: int
    failed: int
    others: int


@dataclass(frozen=True)
class ComparedRanks:
    """Each two of several runs, and the pairs on which any two lean to different sides, farthest first."""

    runs: tuple[RankedRun, ...]
    correlations: tuple[RankCorrelation, ...]
    partings: tuple[Parting, ...]


def compare_ranks(runs: Sequence[PictureRanks], *, partings: int = PARTINGS, seed: int = 0) -> ComparedRanks:
    """How alike each two of the runs rank, in the order given. A run that says nothing is only listed."""
    if len({run.name for run in runs}) < len(runs) or len(runs) < 2:
        raise BadSetting("Methods are compared by two runs or more, each named once.")
    telling = [run for run in runs if not run.mute]
    if len(telling) < 2:
        raise BadSetting(" ".join(run.mute for run in runs if run.mute))
    common = [_Common.of(one, two) for one, two in combinations(telling, 2)]
    if not any(each.places for each in common):
        names = ", ".join(run.name for run in telling)
        raise BadSetting(
            f"The runs {names} have no pictures of one prompt in common: compare runs over the same items."
        )
    farthest = sorted((each for two in common for each in two.farthest(partings)), reverse=True)
    apart = list(dict.fromkeys(two for _, two in farthest))[:partings]
    return ComparedRanks(
        runs=tuple(RankedRun(run.name, run.method, len(run.called), run.failed, run.others) for run in runs),
        correlations=tuple(each.correlation(seed) for each in common),
        partings=tuple(_parting(two, telling) for two in apart),
    )


@dataclass(frozen=True)
class _Common:
    """The pictures that two runs have, and the pairs of one prompt on which both say something."""

    one: PictureRanks
    two: PictureRanks
    places: list[PictureKey]
    first: Codes
    second: Codes

    @classmethod
    def of(cls, one: PictureRanks, two: PictureRanks) -> Self:
        judged = [run.preferences.keys() for run in (one, two) if not run.numbers]
        if not judged:
            places = sorted(one.numbers.keys() & two.numbers.keys())
            first, second = _within_prompts(places)
        else:
            pairs = sorted(
                (subject, a, b)
                for subject, a, b in set(judged[0]).intersection(*judged)
                if all(
                    {(subject, a), (subject, b)} <= run.numbers.keys() for run in (one, two) if run.numbers
                )
            )
            places = sorted({(subject, each) for subject, *pictures in pairs for each in pictures})
            at = {place: number for number, place in enumerate(places)}
            first = np.array([at[subject, a] for subject, a, _ in pairs], dtype=np.intp)
            second = np.array([at[subject, b] for subject, _, b in pairs], dtype=np.intp)
        return cls(one, two, places, first, second)

    @property
    def leanings(self) -> tuple[Numbers, Numbers]:
        one, two = (run.leanings(self.places, self.first, self.second) for run in (self.one, self.two))
        return one, two

    def correlation(self, seed: int) -> RankCorrelation:
        subjects = [str(subject) for subject, _ in self.places]
        bare = RankCorrelation(
            first=self.one.name,
            second=self.two.name,
            prompts=len(set(subjects)),
            telling=0,
            pictures=len(self.places),
            pairs=self.first.size,
        )
        if not self.places:
            return replace(bare, untold=("There are no pictures of one prompt in common.",))
        untold: list[str] = []
        telling, within, overall = 0, None, None
        try:
            tau = tau_within(np.array(subjects)[self.first], *self.leanings)
            telling = tau.groups
            within = _interval(tau) if telling > 1 else Interval(value=tau.value)
        except BadData:
            untold.append(self._untelling())
        if self.one.numbers and self.two.numbers:
            overall, why = self._overall(subjects, seed)
            untold += [why] if why else []
        return replace(bare, telling=telling, within_prompts=within, overall=overall, untold=tuple(untold))

    def _overall(self, subjects: Sequence[str], seed: int) -> tuple[Interval | None, str]:
        """And why it, or its interval, is missing."""
        numbers = self.one.values(self.places), self.two.values(self.places)
        for run, values in zip((self.one, self.two), numbers, strict=True):
            if np.ptp(values) == 0:
                return None, f"{run.name} gives every picture {values[0]:g}."
        rho = Interval(value=rank_correlation(*numbers))
        if len(set(subjects)) < LEAST_CLUSTERS:
            return rho, f"An interval overall takes {LEAST_CLUSTERS} prompts."
        try:
            resampled = bootstrap(
                rank_correlation, *numbers, clusters=subjects, resamples=RESAMPLES, seed=seed
            )
        except BadData as error:
            return rho, f"No interval overall: {error}"
        return _interval(resampled), ""

    def _untelling(self) -> str:
        """Why there is no prompt in which both tell two pictures apart."""
        if not self.first.size:
            return "No prompt has two pictures in common."
        silent = [
            run.name
            for run, leanings in zip((self.one, self.two), self.leanings, strict=True)
            if not leanings.any()
        ]
        if silent:
            return f"{' and '.join(silent)} tells no two pictures of a prompt apart."
        return "In no prompt do both tell two pictures apart."

    def farthest(self, most: int) -> list[tuple[float, PairKey]]:
        """The pairs on which the two lean to different sides, and how far they are apart."""
        one, two = self.leanings
        apart = np.where(one * two < 0, np.abs(one - two), 0.0)
        farthest = np.argsort(-apart, kind="stable")[:most]
        return [
            (float(apart[at]), _pair_key(self.places, int(self.first[at]), int(self.second[at])))
            for at in map(int, farthest)
            if apart[at] > 0
        ]


def _pair_key(places: Sequence[PictureKey], first: int, second: int) -> PairKey:
    subject, picture = places[first]
    return subject, picture, places[second][1]


def _within_prompts(places: Sequence[PictureKey]) -> tuple[Codes, Codes]:
    """Every two of the sorted places that are of one prompt."""
    firsts, seconds, start = [np.empty(0, np.intp)], [np.empty(0, np.intp)], 0
    for _, of_prompt in groupby(places, lambda place: place[0]):
        many = sum(1 for _ in of_prompt)
        first, second = np.triu_indices(many, 1)
        firsts.append(first + start)
        seconds.append(second + start)
        start += many
    return np.concatenate(firsts), np.concatenate(seconds)


def _interval(estimate: Ends) -> Interval:
    """Without ends where they say nothing, since all that was averaged is alike."""
    told = Interval.of(estimate)
    known = told.low is not None and told.high is not None and isfinite(told.low) and told.low < told.high
    return told if known else Interval(value=told.value)


def _parting(two: PairKey, runs: Sequence[PictureRanks]) -> Parting:
    subject, picture, other = two
    both = [(subject, picture), (subject, other)]
    named = next(run for run in runs if set(both) <= run.called.keys())
    one, another = (named.called[place] for place in both)
    names = [one.picture, another.picture]
    if names[0] == names[1]:
        names = [f"{name} {sha256[:8]}" for name, sha256 in zip(names, (picture, other), strict=True)]
    leanings = {run.name: leaning for run in runs if (leaning := run.leaning(two)) is not None}
    items = next((run.items[two] for run in runs if two in run.items), f"{one.item}, {another.item}")
    return Parting(one.prompt, names[0], names[1], items, leanings)
