"""Running a method over a benchmark's items: one async core, items streamed, every reply stored.

    execution = Execution(store, benchmark, method, paces)
    ended = await execution.run()

Items whose outcome is stored are passed over. `stop()` lets the calls in flight finish and starts no more;
what was left undone is taken up when the run is resumed.
"""

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from ..backbones.adaptive_limit import Pace, Paced, Paces, Stopped
from ..backbones.backbone import Backbone, Reply
from ..backbones.budget import Budgeted
from ..backbones.journal import Journal, Journaled
from ..backbones.pictures import size_of
from ..backbones.purse import Purse
from ..backbones.single_flight import SingleFlight
from ..backbones.wrapper import Retrying
from ..core.errors import BadRecord, BadSetting, InputError
from ..core.item import BadRow, Benchmark, Candidate, Item
from ..core.outcome import Failure, Outcome
from ..methods.contract import Method, perform
from ..methods.recipe import close
from .asking import Asking, Ended, Ending
from .batched import Batched
from .crew import Crew, Job
from .store import Store
from .tally import Tally

T = TypeVar("T")

AT_A_TIME = 64


@dataclass(frozen=True)
class Survey:
    """What a benchmark holds, before anything is asked, and what is left of it to do in each store.

    `kinds` has where each kind of item came first.
    """

    items: int
    to_do: tuple[int, ...]
    bad_rows: int
    first_bad: tuple[BadRow, ...] = ()
    kinds: dict[str, str] = field(default_factory=dict[str, str])


class Equipment:
    """Makes backbones as a run asks them: paced or in batches, within the budget, every reply kept.

    Runs side by side share the purse, the paces of their models, and the `flight` of their calls.
    """

    def __init__(
        self,
        journal: Journal,
        pace: Pace | Paces,
        purse: Purse | None,
        batch: Callable[[Backbone], Batched] | None = None,
        flight: SingleFlight[Reply] | None = None,
    ) -> None:
        self._journal = journal
        self._pace = pace
        self._purse = purse
        self._batch = batch
        self._flight = flight
        self.paces: list[Paced | Batched] = []

    def equip(self, backbone: Backbone) -> Backbone:
        pace = self._pace.of(backbone) if isinstance(self._pace, Paces) else self._pace
        paced = self._batch(backbone) if self._batch else Paced(backbone, pace)
        self.paces.append(paced)
        retried = Retrying(paced)
        budgeted = Budgeted(retried, self._purse) if self._purse else retried
        return Journaled(budgeted, self._journal, self._halt, self._flight)

    def _halt(self) -> None:
        for pace in self.paces:
            pace.stop()


def survey(
    benchmark: Benchmark,
    *stores: Store,
    limit: int | None = None,
    strict: bool = False,
    on_item: Callable[[int], None] | None = None,
) -> Survey:
    """Look at every row once: how many items, how many of them to do. With `strict`, a bad row stops."""
    items = bad_rows = 0
    to_do = [0 for _ in stores]
    first_bad: tuple[BadRow, ...] = ()
    kinds: dict[str, str] = {}
    for some in _chunks(candidates(benchmark, limit)):
        bad = [row for row in some if isinstance(row, BadRow)]
        if bad and strict:
            raise BadRecord(f"{bad[0].where}: {bad[0].reason}")
        rows = [row for row in some if isinstance(row, Candidate)]
        for row in rows:
            kinds.setdefault(row.kind, row.where)
        items += len(rows)
        bad_rows += len(bad)
        first_bad = first_bad or tuple(bad[:1])
        for place, store in enumerate(stores):
            to_do[place] += len(rows) - len(store.settled([row.key for row in rows]))
            if bad:
                store.note_bad(bad)
        if on_item:
            on_item(items)
    return Survey(items, tuple(to_do), bad_rows, first_bad, kinds)


def check_usable(benchmark: Benchmark, items: int, bad: Sequence[BadRow]) -> None:
    """There has to be an item."""
    if not items and bad:
        raise BadRecord(f"Not one row of {benchmark.name} can be used. {bad[0].where}: {bad[0].reason}")
    if not items:
        raise BadRecord(f"{benchmark.name} has no rows: there is nothing to ask about.")


def candidates(benchmark: Benchmark, limit: int | None) -> Iterator[Candidate | BadRow]:
    """The first items, and the bad rows among them."""
    if limit is None:
        yield from benchmark.candidates()
        return
    rest = limit
    for row in benchmark.candidates():
        if isinstance(row, Candidate):
            if rest == 0:
                return
            rest -= 1
        yield row


Numbered = tuple[int, Candidate | BadRow]


def numbered(benchmark: Benchmark, limit: int | None) -> Iterator[list[Numbered]]:
    """The same with their places in the benchmark, some at a time."""
    return _chunks(enumerate(candidates(benchmark, limit), 1))


class Session(Asking, ABC):
    """One session of a run, whatever asks: what is settled is passed over, and what comes is settled.

    `refused` is the first row that turned out to be no item when it was made.
    """

    def __init__(
        self,
        store: Store,
        benchmark: Benchmark,
        paces: Sequence[Paced | Batched] = (),
        *,
        limit: int | None,
        strict: bool,
    ) -> None:
        super().__init__(paces)
        self.tally = Tally(store)
        self._store = store
        self._strict = strict
        self._rows = numbered(benchmark, limit)
        self._rest: float = math.inf
        self.refused: tuple[BadRow, ...] = ()

    @abstractmethod
    async def run(self) -> Ended: ...

    def expect(self, to_do: int) -> None:
        """No more items than these are left to do: the rows after the last of them are not read again."""
        self._rest = to_do

    def _next(self) -> list[tuple[int, Item]] | None:
        """The next items to do; None when there are no more."""
        some = next(self._rows, None) if self.expects_more else None
        return None if some is None else self.to_do(some)

    @property
    def expects_more(self) -> bool:
        """Whether any row that was not looked at may be left to do."""
        return self._rest > 0

    def to_do(self, some: Sequence[Numbered]) -> list[tuple[int, Item]]:
        """Of these rows the items that are not settled, their pictures kept."""
        rows = [(position, row) for position, row in some if isinstance(row, Candidate)]
        settled = self._store.settled([row.key for _, row in rows])
        items: list[tuple[int, Item]] = []
        for position, row in rows:
            if self.ended:
                break
            if row.key in settled:
                continue
            self._rest -= 1
            try:
                item = row.make()
                for artifact in item.pictures:
                    if not self._store.picture(artifact.sha256).exists():
                        # A file that is no picture is not copied, whatever it holds.
                        size_of(artifact)
                        self._store.keep_picture(artifact)
                items.append((position, item))
            except BadSetting:
                raise
            except InputError as error:
                self._refuse(BadRow(row.where, str(error)))
        return items

    def _refuse(self, row: BadRow) -> None:
        if self._strict:
            raise BadRecord(f"{row.where}: {row.reason}")
        self._store.note_bad([row])
        self.refused = self.refused or (row,)
        self.tally.bad_rows += 1
        self.tally.items -= 1

    def _settle(self, position: int, item: Item, outcome: Outcome) -> None:
        if self.is_void(outcome.finding.failures):
            return
        self._weigh(outcome)
        self._store.settle(position, item, outcome)
        self.tally.count(outcome)

    def _weigh(self, outcome: Outcome) -> None:
        finding = outcome.finding
        failure = finding.failures[0] if finding.reason else None
        self.weigh(failure, culprit(failure) if failure else "", usable=self.tally.usable)


class Execution(Session):
    """A session in this process. `paces` are the limiters inside the method's backbones."""

    def __init__(
        self,
        store: Store,
        benchmark: Benchmark,
        method: Method,
        paces: Sequence[Paced | Batched],
        *,
        items_at_once: int = 32,
        limit: int | None = None,
        strict: bool = False,
    ) -> None:
        super().__init__(store, benchmark, paces, limit=limit, strict=strict)
        self.stopping = asyncio.Event()
        self._method = method
        self._crew = Crew([self], items_at_once)

    async def run(self) -> Ended:
        try:
            await self._crew.work(self._jobs)
            await self.landed()
        finally:
            await self.aclose()
        return self.ended or Ended("done")

    def stop(self, how: Ending = "stopped", message: str = "") -> None:
        super().stop(how, message)
        self.stopping.set()

    async def aclose(self) -> None:
        """Let go of the method's models."""
        await close(self._method)

    async def do(self, position: int, item: Item) -> None:
        try:
            outcome = await perform(self._method, item)
        except Stopped:
            return
        except BadSetting:
            raise
        except InputError as error:
            self._refuse(BadRow(item.id, str(error)))
            return
        self._settle(position, item, outcome)

    async def _jobs(self) -> list[Job] | None:
        some = await self._more()
        return None if some is None else [Job(self, *each) for each in some]

    async def _more(self) -> list[tuple[int, Item]] | None:
        """The next items; None when there are no more. A session that chooses them chooses here."""
        return await asyncio.to_thread(self._next)


def culprit(failure: Failure) -> str:
    """The call that failed; its message where no call is known."""
    calls = failure.provenance.exchanges if failure.provenance else ()
    return calls[-1].call if calls else failure.message


def _chunks(rows: Iterator[T]) -> Iterator[list[T]]:
    while some := list(islice(rows, AT_A_TIME)):
        yield some
