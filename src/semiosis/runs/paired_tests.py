"""Is one of two runs better, on the items that both have settled?

Of verdicts: McNemar's test where both decided, and how far their agreement with the labels is apart. Of
ratings: how far their rank correlations with the labels are apart. The latter two resample whole prompts.
"""

import json
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Literal

from ..core.errors import BadData
from ..core.item import read_item
from ..core.table import Interval
from .database import Database

if TYPE_CHECKING:
    from ..stats.arrays import Numbers

Measure = Literal["agreement", "rank correlation"]

# Fewer where every resample is ranked anew.
RESAMPLES: dict[Measure, int] = {"agreement": 10_000, "rank correlation": 2_000}


@dataclass(frozen=True)
class LeftOut:
    """Items in common that a test could not use, each by the first reason that holds.

    failed      in one run at least
    unlabelled  or with a label that no value can be held against
    tied        labelled a tie, which no verdict can be held against
    undecided   in one run at least
    """

    failed: int = 0
    unlabelled: int = 0
    tied: int = 0
    undecided: int = 0


@dataclass(frozen=True)
class McNemarTest:
    """Of the items that both decided, those that one alone has as they are labelled. `p` is the mid-p."""

    items: int
    left_out: LeftOut
    first_alone: int
    second_alone: int
    p: float
    exact_p: float


@dataclass(frozen=True)
class DifferenceTest:
    """The measure of the first run, of the second, and by how much the first is above; `untold` says why not.

    In an agreement, an undecided verdict agrees with nobody.
    """

    measure: Measure
    items: int
    prompts: int
    left_out: LeftOut
    first: float | None = None
    second: float | None = None
    difference: Interval | None = None
    p: float | None = None
    untold: str = ""


@dataclass(frozen=True)
class PairedTests:
    """What could be tested; nothing where no item in common has both a label and what to hold against it."""

    mcnemar: McNemarTest | None = None
    differences: tuple[DifferenceTest, ...] = ()


@dataclass
class _Sample:
    """What can be used, column by column, and what cannot be."""

    failed: int = 0
    unlabelled: int = 0
    tied: int = 0
    prompts: list[str] = field(default_factory=list[str])
    first: list[float] = field(default_factory=list[float])
    second: list[float] = field(default_factory=list[float])
    labels: list[float] = field(default_factory=list[float])
    decided: list[bool] = field(default_factory=list[bool])

    def use(self, item: str, first: float, second: float) -> None:
        self.prompts.append(str(read_item(item).subject))
        self.first.append(first)
        self.second.append(second)

    def left_out(self, undecided: int = 0) -> LeftOut:
        return LeftOut(self.failed, self.unlabelled, self.tied, undecided)


_ROWS = """
select main.items.item, reason1 is not null or reason2 is not null, given, agrees1, agrees2,
  decided1 is not null and decided2 is not null, value1, value2
from both join main.items on key = both.item where kind in (select value from json_each(?))
"""


def paired_tests(joined: Database) -> PairedTests:
    """Of the table `both`, in which `joined` has its outcomes beside those of another run."""
    judged = _kinds(joined, "verdict1 is not null or verdict2 is not null")
    rated = _kinds(joined, "value1 is not null or value2 is not null") - judged
    verdicts, ratings = _verdicts(joined, judged), _ratings(joined, rated)
    differences = (_difference("agreement", verdicts), _difference("rank correlation", ratings))
    return PairedTests(_mcnemar(verdicts), tuple(each for each in differences if each is not None))


def _kinds(joined: Database, where: str) -> set[str]:
    query = f"select distinct kind from both join main.items on key = both.item where {where}"
    return {kind for (kind,) in joined.rows(query)}


def _verdicts(joined: Database, kinds: set[str]) -> _Sample:
    sample = _Sample()
    for item, failed, given, first, second, decided, *_ in joined.rows(_ROWS, (json.dumps(sorted(kinds)),)):
        if failed:
            sample.failed += 1
        elif first is None or second is None:
            sample.tied += given is not None
            sample.unlabelled += given is None
        else:
            sample.use(item, first, second)
            sample.decided.append(bool(decided))
    return sample


def _ratings(joined: Database, kinds: set[str]) -> _Sample:
    sample = _Sample()
    for item, failed, given, *_, first, second in joined.rows(_ROWS, (json.dumps(sorted(kinds)),)):
        label = _number(given)
        if failed:
            sample.failed += 1
        elif label is None or first is None or second is None:
            sample.unlabelled += 1
        else:
            sample.use(item, first, second)
            sample.labels.append(label)
    return sample


def _number(label: str | None) -> float | None:
    try:
        value = float(label or "")
    except ValueError:
        return None
    return value if isfinite(value) else None


def _mcnemar(sample: _Sample) -> McNemarTest | None:
    from ..stats.matched import mcnemar

    rows = [row for row, decided in enumerate(sample.decided) if decided]
    if not rows:
        return None
    test = mcnemar([bool(sample.first[row]) for row in rows], [bool(sample.second[row]) for row in rows])
    return McNemarTest(
        items=test.n,
        left_out=sample.left_out(undecided=len(sample.decided) - test.n),
        first_alone=test.first_only,
        second_alone=test.second_only,
        p=test.p,
        exact_p=test.exact_p,
    )


def _difference(measure: Measure, sample: _Sample) -> DifferenceTest | None:
    items, prompts = len(sample.prompts), len(set(sample.prompts))
    if not items:
        return None
    from ..stats.correlation import rank_correlation
    from ..stats.matched import LEAST_CLUSTERS, paired_bootstrap

    test = DifferenceTest(measure, items, prompts, sample.left_out())
    if prompts < LEAST_CLUSTERS:
        return replace(
            test, untold=f"It takes {LEAST_CLUSTERS} prompts to resample; prompts in common: {prompts}."
        )
    statistic, labels = (_mean, ()) if measure == "agreement" else (rank_correlation, (sample.labels,))
    try:
        apart = paired_bootstrap(
            statistic,
            sample.first,
            sample.second,
            *labels,
            clusters=sample.prompts,
            resamples=RESAMPLES[measure],
        )
    except BadData as error:
        return replace(test, untold=str(error))
    return replace(test, first=apart.first, second=apart.second, difference=Interval.of(apart), p=apart.p)


def _mean(values: "Numbers") -> float:
    return float(values.mean())
