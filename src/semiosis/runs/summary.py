"""How a run stands, from its store: readable while it is written, cheap however long it is.

    with Store.look(path) as store:
        summary(store).counts.of("judgment").flips

Only small columns are read, most from indexes; what models wrote stays where it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..core.certainty import COIN_FLIP_BELOW
from ..core.item import BadRow, LabelsBy
from ..core.settled import UNDECIDED
from ..core.table import Share
from ..stats.estimate import wilson_share
from .costs import Line, account, total
from .database import is_being_written
from .generators import Generators, generators
from .store import About, Store

BAD_ROWS_SHOWN = 3


@dataclass(frozen=True)
class Sessions:
    """When the run was at work, and how the last session ended.

    `state` is that ending (done, stopped, budget, ...) or "running"; "killed" where the process ended without
    a word, "broken off" where an error ended it, "not begun" where it did not come to its first item.
    """

    count: int
    state: str
    started_at: str | None
    ended_at: str | None
    items: int | None


@dataclass(frozen=True)
class LabelAgreement:
    """How often the verdict was the label's, by who gave the labels.

    `share` is of all that have a label and a verdict: an undecided one agrees with nobody. `decided` leaves
    those out.
    """

    labels_by: LabelsBy
    share: Share
    decided: Share


@dataclass(frozen=True)
class CertaintyCounts:
    """Verdicts of one certainty, 1 to 5: the nearest level, halves up. `right` is of those with a label."""

    level: int
    settled: int
    right: Share
    flips: Share


@dataclass(frozen=True)
class KindCounts:
    """What came out of one kind. `values` have the `mean_value`; a kind with verdicts is not averaged.

    `certainties` are of the verdicts that say how sure they are; of these, `coin_flips` are below 2.
    """

    kind: str
    settled: int
    verdicts: dict[str, int]
    flips: Share
    agreement: tuple[LabelAgreement, ...]
    values: int
    mean_value: float | None
    certainties: tuple[CertaintyCounts, ...] = ()
    coin_flips: int = 0


@dataclass(frozen=True)
class Counts:
    """What came out, counted. A failure takes part in no share but is counted by its reason."""

    settled: int
    kinds: tuple[KindCounts, ...]
    failures: dict[str, int]
    unverified: int

    def of(self, kind: str) -> KindCounts:
        """Of outcomes of that kind, of which there may be none."""
        none = KindCounts(kind, 0, {}, Share(0, 0), (), 0, None)
        return next((each for each in self.kinds if each.kind == kind), none)


@dataclass(frozen=True)
class Summary:
    """Everything `semiosis runs show` tells; as a dictionary, its JSON."""

    about: About
    sessions: Sessions
    to_do: int | None
    counts: Counts
    generators: Generators
    errors: dict[str, int]
    bad_rows: int
    first_bad_rows: tuple[BadRow, ...]
    account: tuple[Line, ...]
    total: Line


def summary(store: Store) -> Summary:
    when, results, lines = sessions(store), counts(store), account(store)
    return Summary(
        about=store.about,
        sessions=when,
        to_do=None if when.items is None else max(0, when.items - results.settled),
        counts=results,
        generators=generators(store),
        errors=dict(store.rows("select kind, count(*) from errors group by kind order by 2 desc, 1")),
        bad_rows=next(store.rows("select count(*) from bad_rows"))[0],
        first_bad_rows=tuple(bad_rows(store, BAD_ROWS_SHOWN)),
        account=lines,
        total=total(lines),
    )


def sessions(store: Store) -> Sessions:
    count, started_at = next(store.rows("select count(*), min(started_at) from sessions"))
    last = next(store.rows("select ended_at, ended, items from sessions order by id desc limit 1"), None)
    if last is None:
        return Sessions(0, "running" if is_being_written(store.path) else "not begun", None, None, None)
    ended_at, ended, items = last
    if ended is None:
        unsaid = "broken off" if ended_at else "killed"
        ended = "running" if not ended_at and is_being_written(store.path) else unsaid
    return Sessions(count, ended, started_at, ended_at, items)


def counts(store: Store) -> Counts:
    settled, unverified = next(store.rows("select count(*), ifnull(sum(unverified), 0) from outcomes"))
    names = store.rows("select distinct kind from outcomes where reason is null order by 1")
    return Counts(
        settled=settled,
        kinds=tuple(_kind_counts(store, name) for (name,) in list(names)),
        failures=_tally(store, "reason", "reason is not null"),
        unverified=unverified,
    )


def _kind_counts(store: Store, kind: str) -> KindCounts:
    settled, flipped, ordered, values, mean = next(
        store.rows(
            "select count(*), ifnull(sum(flipped), 0), count(flipped),"
            " sum(value is not null and verdict is null), avg(case when verdict is null then value end)"
            " from outcomes where kind = ?",
            (kind,),
        )
    )
    return KindCounts(
        kind=kind,
        settled=settled,
        verdicts=_tally(store, "verdict", "verdict is not null and kind = ?", (kind,)),
        flips=wilson_share(flipped, ordered),
        agreement=_agreement(store, kind),
        values=values,
        mean_value=mean,
        certainties=_certainties(store, kind),
        coin_flips=_coin_flips(store, kind),
    )


def _certainties(store: Store, kind: str) -> tuple[CertaintyCounts, ...]:
    return tuple(
        CertaintyCounts(level, settled, wilson_share(right, labelled), wilson_share(flipped, ordered))
        for level, settled, right, labelled, flipped, ordered in store.rows(
            "select cast(certainty + 0.5 as integer), count(*), ifnull(sum(agrees), 0), count(agrees),"
            " ifnull(sum(flipped), 0), count(flipped)"
            " from outcomes where kind = ? and certainty is not null group by 1 order by 1 desc",
            (kind,),
        )
    )


def _coin_flips(store: Store, kind: str) -> int:
    query = "select count(*) from outcomes where kind = ? and certainty is not null and certainty < ?"
    return next(store.rows(query, (kind, COIN_FLIP_BELOW)))[0]


def _tally(store: Store, column: str, where: str, values: tuple[str, ...] = ()) -> dict[str, int]:
    query = f"select {column}, count(*) from outcomes where {where} group by 1 order by 2 desc, 1"
    return dict(store.rows(query, values))


def _agreement(store: Store, kind: str) -> tuple[LabelAgreement, ...]:
    return tuple(
        LabelAgreement(labels_by, wilson_share(alike, labelled), wilson_share(alike, decided))
        for labels_by, alike, labelled, decided in store.rows(
            "select labels_by, sum(agrees), count(*), count(*) - ifnull(sum(verdict = ? and not agrees), 0)"
            " from outcomes where kind = ? and agrees is not null group by 1 order by 1",
            (UNDECIDED, kind),
        )
    )


@dataclass(frozen=True)
class RunEntry:
    """A run in a list of runs."""

    name: str
    method: str
    models: tuple[str, ...]
    state: str
    started_at: str | None
    items: int | None
    settled: int
    failed: int
    calls: int
    cost_usd: float
    unpriced: int


def run_entry(store: Store) -> RunEntry:
    about, when, spent = store.about, sessions(store), store.spent
    settled, failed = next(store.rows("select count(*), ifnull(sum(reason is not null), 0) from outcomes"))
    return RunEntry(
        name=about.name,
        method=about.method,
        models=tuple(dict.fromkeys(about.models.values())),
        state=when.state,
        started_at=when.started_at,
        items=when.items,
        settled=settled,
        failed=failed,
        calls=spent.calls,
        cost_usd=spent.cost_usd,
        unpriced=spent.unpriced,
    )


@dataclass(frozen=True)
class FailedItem:
    id: str
    reason: str
    message: str


@dataclass(frozen=True)
class DoubtfulVerdict:
    """A verdict that flipped, or that is a coin flip; `label` is the right one, where it is known."""

    id: str
    verdict: str | None
    certainty: float | None
    flipped: bool | None
    label: str | None


def coin_flips(store: Store) -> Iterator[DoubtfulVerdict]:
    """Verdicts that say of themselves that they might as well be others, in the benchmark's order."""
    return _doubtful(store, "certainty < ?", (COIN_FLIP_BELOW,))


def flips(store: Store) -> Iterator[DoubtfulVerdict]:
    """Verdicts that changed when the pictures changed places, in the benchmark's order."""
    return _doubtful(store, "flipped")


def _doubtful(store: Store, where: str, values: tuple[int, ...] = ()) -> Iterator[DoubtfulVerdict]:
    for id, verdict, certainty, flipped, label in store.rows(
        "select id, verdict, certainty, flipped, label from outcomes join items on key = outcomes.item"
        f" where {where} order by position",
        values,
    ):
        yield DoubtfulVerdict(id, verdict, certainty, None if flipped is None else bool(flipped), label)


_FAILURES = """
select id, reason, json_extract(record, '$.message')
from outcomes join items on key = outcomes.item where reason is not null
"""


def failures(store: Store) -> Iterator[FailedItem]:
    """What failed, by reason and in the benchmark's order."""
    for row in store.rows(f"{_FAILURES} order by reason, position"):
        yield FailedItem(*row)


def cause(store: Store) -> FailedItem | None:
    """The first failure of the most frequent kind: what stands behind most of them."""
    most = "select reason from outcomes where reason is not null group by 1 order by count(*) desc, 1 limit 1"
    for (reason,) in store.rows(most):
        return FailedItem(
            *next(store.rows(f"{_FAILURES} and reason = ? order by position limit 1", (reason,)))
        )
    return None


def bad_rows(store: Store, limit: int = -1) -> list[BadRow]:
    return [BadRow(*row) for row in store.rows("select place, reason from bad_rows limit ?", (limit,))]
