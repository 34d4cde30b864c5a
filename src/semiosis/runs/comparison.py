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
from .store import About, Spent, Store
from .summary import Share


@dataclass(frozen=True)
class Side:
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
    mean_score: float | None
    settled: int
    spent: Spent


@dataclass(frozen=True)
class Comparison:
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
    first: Side
    second: Side


@dataclass(frozen=True)
class Disagreement:
    id: str
    first: str
    second: str
    label: str | None


# A verdict is a side or a choice; `label` is the right one, where that is one too. The index holds all of
# this, and the planner leaves it for the primary key's unless it is told.
_BOTH = """
create temp table both as
  select f.item,
    f.kind as kind1, f.flipped as flipped1, f.value as value1, ifnull(f.winner, f.choice) as verdict1,
    s.kind as kind2, s.flipped as flipped2, s.value as value2, ifnull(s.winner, s.choice) as verdict2,
    case when f.kind = 'answer' or f.label in ('a', 'b') then f.label end as label,
    case when f.labels_by = s.labels_by then f.labels_by else 'unknown' end as labels_by
  from main.outcomes f indexed by outcomes_compared
  join second.outcomes s indexed by outcomes_compared on s.item = f.item
"""
_DECIDED = "verdict1 is not null and verdict2 is not null"
_NEITHER_FAILED = "kind1 != 'failure' and kind2 != 'failure'"


def compare(first: Store, second: Store) -> Comparison:
    with _joined(first, second):
        items, one_failed, both_failed = _counts(
            first,
            "count(*), sum((kind1 = 'failure') != (kind2 = 'failure')),"
            " sum(kind1 = 'failure' and kind2 = 'failure')",
        )
        agree, disagree = _counts(first, "sum(verdict1 = verdict2), sum(verdict1 != verdict2)")
        (judged,) = _counts(first, "sum(kind1 = 'judgment' and kind2 = 'judgment')")
        (decided,) = _counts(first, f"sum(kind1 = 'judgment' and kind2 = 'judgment' and {_DECIDED})")
        if not items:
            raise BadSetting(
                f"The runs {first.about.name} and {second.about.name} have no settled item in common: "
                "compare runs over the same items."
            )
        return Comparison(
            items=items,
            agree=Share.made(agree, agree + disagree),
            disagree=disagree,
            one_failed=one_failed,
            both_failed=both_failed,
            undecided=judged - decided,
            labels_by=_labels_by(first),
            first=_side(first, first, 1),
            second=_side(first, second, 2),
        )


def disagreements(first: Store, second: Store) -> Iterator[Disagreement]:
    with _joined(first, second):
        for row in first.rows(
            "select id, verdict1, verdict2, label from both join main.items on key = both.item"
            " where verdict1 != verdict2 order by position"
        ):
            yield Disagreement(*row)


def _side(joined: Store, store: Store, mine: int) -> Side:
    other = 3 - mine
    failed, undecided, flips, compared = _counts(
        joined,
        f"sum(kind{mine} = 'failure'), sum(kind{mine} = 'judgment' and verdict{mine} is null),"
        f" sum(flipped{mine}), count(flipped{mine})",
    )
    alike, labelled = _counts(joined, f"sum(verdict{mine} = label), count(label)", where=_NEITHER_FAILED)
    right, alone, decided = _counts(
        joined,
        f"sum(verdict{mine} = label), sum(verdict{mine} = label and verdict{other} != label), count(label)",
        where=_DECIDED,
    )
    mean = next(
        joined.rows(f"select avg(value{mine}) from both where value1 is not null and value2 is not null")
    )
    return Side(
        about=store.about,
        failed=failed,
        undecided=undecided,
        flips=Share.made(flips, compared),
        agreement=Share.made(alike, labelled),
        decided=Share.made(right, decided),
        alone=alone,
        mean_score=mean[0],
        settled=next(store.rows("select count(*) from main.outcomes"))[0],
        spent=store.spent,
    )


def _labels_by(joined: Store) -> LabelsBy | None:
    found = [row[0] for row in joined.rows("select distinct labels_by from both where label is not null")]
    return found[0] if len(found) == 1 else "unknown" if found else None


def _counts(store: Store, columns: str, where: str = "true") -> list[int]:
    row: tuple[Any, ...] = next(store.rows(f"select {columns} from both where {where}"))
    # A sum over no rows is null.
    return [number or 0 for number in row]


@contextmanager
def _joined(first: Store, second: Store) -> Generator[None]:
    """The outcomes in common within reach of the first's queries; neither file is written to."""
    first.execute("attach database ? as second", (f"{second.path.absolute().as_uri()}?mode=ro",))
    try:
        first.execute(_BOTH)
        yield
    finally:
        first.execute("drop table if exists temp.both")
        first.execute("detach database second")
