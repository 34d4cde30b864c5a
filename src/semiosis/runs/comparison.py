"""Two runs side by side, on the items that both have settled.

    with Store.look(one) as first, Store.look(another) as second:
        compare(first, second).agree

Items are the same where their keys are: the same id, prompt and pictures.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..core.errors import BadSetting
from ..core.item import LabelsBy
from ..core.settled import UNDECIDED
from ..core.table import Share
from ..stats.estimate import wilson_share
from .costs import Spent
from .paired_tests import PairedTests, paired_tests
from .store import About, Store


@dataclass(frozen=True)
class ComparedRun:
    """One of the two runs. Shares are over the items at hand; what was spent is the whole run's.

    `agreement` is of the labelled items that neither failed, where an undecided verdict agrees with nobody;
    `decided` of those that both decided; `alone` counts those where this one was right and the other wrong.
    """

    about: About
    failed: int
    undecided: int
    flips: Share
    agreement: Share
    decided: Share
    alone: int
    mean_value: float | None
    settled: int
    spent: Spent


@dataclass(frozen=True)
class RunComparison:
    """`agree` is over the items that both decided; `one_failed` and `undecided` are counted beside it.

    `labels_by` says who gave the labels; None where there are none, "unknown" where several did.
    """

    items: int
    agree: Share
    disagree: int
    one_failed: int
    both_failed: int
    undecided: int
    labels_by: LabelsBy | None
    first: ComparedRun
    second: ComparedRun
    tests: PairedTests


@dataclass(frozen=True)
class Disagreement:
    id: str
    first: str
    second: str
    label: str | None


# Both verdicts are held against one label, the first run's. The index holds all of this, and the planner
# leaves it for the primary key's unless it is told.
_BOTH = f"""
create temp table both as
  select f.item,
    f.reason as reason1, f.flipped as flipped1, f.value as value1, f.verdict as verdict1, f.agrees as agrees1,
    s.reason as reason2, s.flipped as flipped2, s.value as value2, s.verdict as verdict2,
    case
      when f.agrees is null then null
      when s.label is f.label then s.agrees
      else s.verdict = f.label
    end as agrees2,
    nullif(f.verdict, '{UNDECIDED}') as decided1, nullif(s.verdict, '{UNDECIDED}') as decided2,
    case when f.agrees is not null then f.label end as label, f.label as given,
    case when f.labels_by = s.labels_by then f.labels_by else 'unknown' end as labels_by
  from main.outcomes f indexed by outcomes_compared
  join second.outcomes s indexed by outcomes_compared on s.item = f.item
"""
_DECIDED = "decided1 is not null and decided2 is not null"
_NEITHER_FAILED = "reason1 is null and reason2 is null"


def compare(first: Store, second: Store) -> RunComparison:
    with _joined(first, second):
        items, one_failed, both_failed = _counts(
            first,
            "count(*), sum((reason1 is null) != (reason2 is null)),"
            " sum(reason1 is not null and reason2 is not null)",
        )
        agree, disagree = _counts(first, "sum(decided1 = decided2), sum(decided1 != decided2)")
        verdicts, decided = _counts(
            first, f"sum(verdict1 is not null and verdict2 is not null), sum({_DECIDED})"
        )
        if not items:
            raise BadSetting(
                f"The runs {first.about.name} and {second.about.name} have no settled item in common: "
                "compare runs over the same items, or how they rank the same pictures, with "
                f"`semiosis methods compare {first.about.name} {second.about.name}`."
            )
        return RunComparison(
            items=items,
            agree=wilson_share(agree, agree + disagree),
            disagree=disagree,
            one_failed=one_failed,
            both_failed=both_failed,
            undecided=verdicts - decided,
            labels_by=_labels_by(first),
            first=_compared_run(first, first, 1),
            second=_compared_run(first, second, 2),
            tests=paired_tests(first),
        )


def disagreements(first: Store, second: Store) -> Iterator[Disagreement]:
    with _joined(first, second):
        for row in first.rows(
            "select id, decided1, decided2, label from both join main.items on key = both.item"
            " where decided1 != decided2 order by position"
        ):
            yield Disagreement(*row)


def _compared_run(joined: Store, store: Store, mine: int) -> ComparedRun:
    other = 3 - mine
    failed, undecided, flips, compared = _counts(
        joined,
        f"count(reason{mine}), sum(verdict{mine} is not null and decided{mine} is null),"
        f" sum(flipped{mine}), count(flipped{mine})",
    )
    alike, labelled = _counts(joined, f"sum(agrees{mine}), count(agrees{mine})", where=_NEITHER_FAILED)
    right, alone, decided = _counts(
        joined,
        f"sum(agrees{mine}), sum(agrees{mine} and not agrees{other}), count(agrees{mine})",
        where=_DECIDED,
    )
    mean = next(
        joined.rows(
            f"select avg(value{mine}) from both where value1 is not null and value2 is not null"
            " and verdict1 is null and verdict2 is null"
        )
    )
    return ComparedRun(
        about=store.about,
        failed=failed,
        undecided=undecided,
        flips=wilson_share(flips, compared),
        agreement=wilson_share(alike, labelled),
        decided=wilson_share(right, decided),
        alone=alone,
        mean_value=mean[0],
        settled=next(store.rows("select count(*) from main.outcomes"))[0],
        spent=store.spent,
    )


def _labels_by(joined: Store) -> LabelsBy | None:
    givers = [row[0] for row in joined.rows("select distinct labels_by from both where label is not null")]
    return givers[0] if len(givers) == 1 else "unknown" if givers else None


def _counts(store: Store, columns: str, where: str = "true") -> list[int]:
    row: tuple[Any, ...] = next(store.rows(f"select {columns} from both where {where}"))
    # A sum over no rows is null.
    return [number or 0 for number in row]


@contextmanager
def _joined(first: Store, second: Store) -> Generator[None]:
    """The outcomes in common within reach of the first's queries; neither file is written to."""
    first.execute("attach database ? as second", (second.address,))
    try:
        first.execute(_BOTH)
        yield
    finally:
        first.execute("drop table if exists temp.both")
        first.execute("detach database second")
