"""A run on Ray Data: the same items, settled in the same store, asked about by processes on many nodes.

    execution = RayExecution(store, benchmark, recipe, Fleet(Pace(at_once=256), address="auto"))
    ended = await execution.run()

The driver reads the items and settles their outcomes; workers make the method from its recipe and give each
item's outcome back; the ledger stores every reply as it arrives (ledger.py).
"""

import asyncio
import sys
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import asdict
from importlib import import_module
from math import ceil
from threading import Thread
from typing import Any

from ...core.errors import SetupError
from ...core.item import BadRow, Benchmark, read_item
from ...core.records import load
from ...methods.recipe import Recipe
from ..asking import Ended, Ending
from ..execution import Session
from ..store import Store
from .cluster import Fleet, connected, data_context, last_line, ray_module
from .ledger import Ledger, Report
from .worker import COLUMNS, GO_ON, Worker

# Blocks of items end together, so more are under way than calls may be, lest calls wait for items.
ITEMS_PER_CALL = 4
BLOCKS_AT_ONCE = 16
# Items in one dataset. Workers start anew with each: about four seconds, and the pace to find again.
LEAST_ROWS, ROWS_PER_CALL = 2_000, 20
REPORT_EVERY_S = 0.5
LEAVING_S = 10.0


class RayExecution(Session):
    """A session on Ray. Make it, and run it, as an Execution; the recipe is sent instead of a method."""

    def __init__(
        self,
        store: Store,
        benchmark: Benchmark,
        recipe: Recipe,
        fleet: Fleet,
        *,
        limit: int | None = None,
        strict: bool = False,
    ) -> None:
        super().__init__(store, benchmark, limit=limit, strict=strict)
        self._recipe = recipe
        self._fleet = fleet
        self._ledger: Any = None
        self._broken = ""

    async def run(self) -> Ended:
        driving = _in_thread(self._drive)
        following = asyncio.create_task(self._follow())
        try:
            # Ray prints what befalls its workers; that is no result.
            with redirect_stdout(sys.stderr):
                await asyncio.wrap_future(driving)
        except asyncio.CancelledError:
            await self._leave(driving)
            raise
        finally:
            following.cancel()
        if self._broken:
            raise SetupError(self._broken)
        return self.ended or Ended("done")

    def stop(self, how: Ending = "stopped", message: str = "") -> None:
        super().stop(how, message)
        if self._ledger is not None:
            self._ledger.stop.remote(how, message)

    async def _leave(self, driving: "Future[None]") -> None:
        """At once: without a ledger the workers give up what they have in flight."""
        self.stop()
        ledger = self._ledger
        if ledger is not None:
            ray_module().kill(ledger)
        await asyncio.to_thread(wait, [driving], timeout=LEAVING_S)

    async def _follow(self) -> None:
        """What the workers spend is seen while they do."""
        while True:
            await asyncio.sleep(REPORT_EVERY_S)
            if self._ledger is not None:
                with suppress(ray_module().exceptions.RayError):
                    self._note(await self._ledger.report.remote())

    def _note(self, report: Report) -> None:
        vars(self._store.spent).update(asdict(report.spent))
        self._broken = report.broken
        if report.ended:
            super().stop(report.ended.how, report.ended.message)

    def _drive(self) -> None:
        # The next items are read while these are asked about, the first while Ray starts.
        with ThreadPoolExecutor(1) as reader:
            upcoming = reader.submit(self._gather)
            try:
                with connected(self._fleet) as ray, self._opened(ray):
                    while (rows := upcoming.result()) and not self.ended:
                        upcoming = reader.submit(self._gather)
                        self._ask(rows)
                        self._note(ray.get(self._ledger.report.remote()))
            except BaseException:
                self.stop()
                raise

    @contextmanager
    def _opened(self, ray: Any) -> Generator[None]:
        """With a ledger on this node, where the store is; every item under way may be waiting there."""
        strategies = import_module("ray.util.scheduling_strategies")
        here = strategies.NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        actor = ray.remote(num_cpus=0, max_concurrency=1_000_000, scheduling_strategy=here)(Ledger)
        self._ledger = ledger = actor.remote(self._store.path.absolute(), self._fleet.budget_usd)
        try:
            if self.ended:
                self.stop(self.ended.how, self.ended.message)
            yield
        finally:
            self._ledger = None
            ray.kill(ledger)

    def _gather(self) -> list[dict[str, Any]]:
        """The next items to do, as rows; pictures stay beside the store, where the ledger finds them."""
        rows: list[dict[str, Any]] = []
        most = max(LEAST_ROWS, ROWS_PER_CALL * self._fleet.pace.at_once)
        while len(rows) < most and not self.ended:
            some = self._next()
            if some is None:
                break
            rows += [{"position": position, "item": item.model_dump_json()} for position, item in some]
        return [] if self.ended else rows

    def _ask(self, rows: list[dict[str, Any]]) -> None:
        ray = ray_module()
        try:
            for position, item, outcome, bad in self._answers(rows):
                if bad:
                    self._refuse(BadRow(read_item(item).id, bad))
                elif outcome:
                    self._settle(position, read_item(item), load(outcome))
        except ray.exceptions.RayError as error:
            try:
                self._note(ray.get(self._ledger.report.remote()))
            except ray.exceptions.RayError:
                self._broken = f"The process that writes the run's store on Ray died. {GO_ON}"
            self._broken = self._broken or f"Ray could not go on: {last_line(error)}. {GO_ON}"
            raise SetupError(self._broken) from None

    def _answers(self, rows: list[dict[str, Any]]) -> Iterator[tuple[int, str, str, str]]:
        ray = ray_module()
        workers = self._fleet.size(ray.cluster_resources().get("CPU", 1))
        pace = self._fleet.share(workers)
        items = ITEMS_PER_CALL * pace.at_once
        blocks = min(BLOCKS_AT_ONCE, items)
        with ray.data.DataContext.current(data_context()):
            data: Any = ray.data.from_items(rows, override_num_blocks=ceil(len(rows) * blocks / items))
            data = data.map_batches(
                Worker,
                fn_constructor_args=(self._recipe, pace, self._fleet.budget_usd is not None, self._ledger),
                batch_size=None,
                num_cpus=1,
                compute=ray.data.ActorPoolStrategy(
                    size=workers, max_concurrent_calls_per_actor=blocks, enable_true_multi_threading=True
                ),
            )
        for block in data.iter_batches(batch_size=None, prefetch_batches=0):
            yield from zip(*(block[name].tolist() for name in COLUMNS), strict=True)


def _in_thread(work: Callable[[], None]) -> "Future[None]":
    """In a thread that lives as long as its work, as Ray's processes do; Python's end waits for none."""
    future: Future[None] = Future()
    future.set_running_or_notify_cancel()

    def worked() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - passed on
            future.set_exception(error)

    Thread(target=worked, name="semiosis-ray", daemon=True).start()
    return future
