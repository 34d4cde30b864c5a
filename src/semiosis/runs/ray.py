"""A run on Ray Data: the same items, settled in the same store, asked about by processes on many nodes.

    execution = RayExecution(store, benchmark, recipe, Fleet(Pace(at_once=256), address="auto"))
    ended = await execution.run()

The driver reads the items and settles their outcomes; workers make the method from its recipe and give each
item's outcome back; the ledger stores every reply as it arrives (ledger.py).
"""

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from math import ceil
from threading import Thread
from typing import Any

from ..backbones.flight import together
from ..backbones.loop import run
from ..backbones.pace import Pace, Stopped
from ..core.errors import BadPicture, BadSetting, InputError, MissingExtra, SemiosisError, SetupError
from ..core.item import BadRow, Benchmark, Item
from ..core.outcome import Outcome
from ..core.records import dump, load
from ..methods.base import Method, perform
from .execute import Ended, Ending, Equipment, Session
from .ledger import Ledger, RemoteJournal, RemotePurse, Report
from .outcomes import ITEM
from .recipe import Recipe
from .store import Store

COLUMNS = ("position", "item", "outcome", "bad")

CALLS_PER_WORKER = 16
# Blocks of items end together, so more are under way than calls may be, lest calls wait for items.
ITEMS_PER_CALL = 4
BLOCKS_AT_ONCE = 16
# Items in one dataset. Workers start anew with each: about four seconds, and the pace to find again.
LEAST_ROWS, ROWS_PER_CALL = 2_000, 20
REPORT_EVERY_S = 0.5
CONNECT_S = LEAVING_S = 10.0
OBJECT_STORE_BYTES = 256 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024
GO_ON = "What was stored is kept: go on with --resume."


@dataclass(frozen=True)
class Fleet:
    """The workers: what all of them together may do, on which cluster, and how many they are.

    Without an address they are processes of this machine. There is one worker a CPU at most, and if no number
    is given, one for every 16 calls at once.
    """

    pace: Pace = Pace()  # noqa: RUF009 - it is frozen
    budget_usd: float | None = None
    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        if find_spec("ray") is None:
            raise MissingExtra("The Ray engine", extra="ray")
        if self.address and self.address.startswith("ray://"):
            raise BadSetting(
                f"Ray Client ({self.address}) does not reach the run's store, a file of this machine: "
                "run on a node of the cluster, with --address auto."
            )
        if self.workers is not None and not 1 <= self.workers <= self.pace.at_once:
            raise BadSetting(
                f"{self.pace.at_once} calls at once are work for 1 to {self.pace.at_once} workers, "
                f"not {self.workers}."
            )

    def size(self, cpus: float) -> int:
        return max(1, min(self.workers or ceil(self.pace.at_once / CALLS_PER_WORKER), int(cpus)))

    def share(self, workers: int) -> Pace:
        """A worker's part of the pace, rounded down."""
        pace = self.pace
        requests, tokens = pace.requests_per_minute, pace.tokens_per_minute
        return Pace(
            at_once=max(1, pace.at_once // workers),
            requests_per_minute=requests and requests / workers,
            tokens_per_minute=tokens and tokens / workers,
        )


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
        return self._ended or Ended("done")

    def stop(self, how: Ending = "stopped", message: str = "") -> None:
        super().stop(how, message)
        if self._ledger is not None:
            self._ledger.stop.remote(how, message)

    async def _leave(self, driving: "Future[None]") -> None:
        """At once: without a ledger the workers give up what they have in flight."""
        self.stop()
        ledger = self._ledger
        if ledger is not None:
            _ray().kill(ledger)
        await asyncio.to_thread(wait, [driving], timeout=LEAVING_S)

    async def _follow(self) -> None:
        """What the workers spend is seen while they do."""
        while True:
            await asyncio.sleep(REPORT_EVERY_S)
            if self._ledger is not None:
                with suppress(_ray().exceptions.RayError):
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
                with _connected(self._fleet) as ray, self._opened(ray):
                    while (rows := upcoming.result()) and not self._ended:
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
            if self._ended:
                self.stop(self._ended.how, self._ended.message)
            yield
        finally:
            self._ledger = None
            ray.kill(ledger)

    def _gather(self) -> list[dict[str, Any]]:
        """The next items to do, as rows; pictures stay beside the store, where the ledger finds them."""
        rows: list[dict[str, Any]] = []
        most = max(LEAST_ROWS, ROWS_PER_CALL * self._fleet.pace.at_once)
        while len(rows) < most and not self._ended:
            some = self._next()
            if some is None:
                break
            rows += [{"position": position, "item": item.model_dump_json()} for position, item in some]
        return [] if self._ended else rows

    def _ask(self, rows: list[dict[str, Any]]) -> None:
        ray = _ray()
        try:
            for position, item, outcome, bad in self._answers(rows):
                if bad:
                    self._refuse(BadRow(ITEM.validate_json(item).id, bad))
                elif outcome:
                    self._settle(position, ITEM.validate_json(item), load(outcome))
        except ray.exceptions.RayError as error:
            try:
                self._note(ray.get(self._ledger.report.remote()))
            except ray.exceptions.RayError:
                self._broken = f"The process that writes the run's store on Ray died. {GO_ON}"
            self._broken = self._broken or f"Ray could not go on: {_last_line(error)}. {GO_ON}"
            raise SetupError(self._broken) from None

    def _answers(self, rows: list[dict[str, Any]]) -> Iterator[tuple[int, str, str, str]]:
        ray = _ray()
        workers = self._fleet.size(ray.cluster_resources().get("CPU", 1))
        pace = self._fleet.share(workers)
        items = ITEMS_PER_CALL * pace.at_once
        blocks = min(BLOCKS_AT_ONCE, items)
        with ray.data.DataContext.current(_context()):
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


class Worker:
    """A process that asks: it makes the method for itself, and gives every row back with what came of it.

    A row without an outcome was not done. Ray calls it from several threads; the work is on one loop.
    """

    def __init__(self, recipe: Recipe, pace: Pace, budgeted: bool, ledger: Any) -> None:
        ray = _ray()
        self._ledger = ledger
        self._name: str = ray.get(ledger.enlist.remote(ray.get_runtime_context().get_actor_id()))
        self._journal = RemoteJournal(ledger, self._name)
        self._working: set[asyncio.Future[Outcome]] = set()
        self._blocks = 0
        self._stopping = False
        equipment = Equipment(self._journal, pace, RemotePurse(ledger, self._name) if budgeted else None)
        self._paces = equipment.paces
        self._method: Method | None = None
        try:
            self._method = recipe.make(equipment.equip)
        except Exception as error:  # noqa: BLE001 - ends the run, in one sentence
            ray.get(ledger.fail.remote(_sentence(error)))
        self._watching = run(self._begin())

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        positions, items = batch["position"].tolist(), batch["item"].tolist()
        outcomes, bad = zip(*run(self._block(items)), strict=True)
        return dict(zip(COLUMNS, (positions, items, list(outcomes), list(bad)), strict=True))

    async def _begin(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        # A ledger that is gone stores nothing: what is in flight is then given up.
        with suppress(_ray().exceptions.RayError):
            while not await self._ledger.watch.remote(self._name):
                pass
            self._halt()
            while self._in_flight:
                await asyncio.sleep(0.05)
                await self._ledger.watch.remote(self._name)
        self._halt()
        for working in self._working:
            working.cancel()

    def _halt(self) -> None:
        self._stopping = True
        for pace in self._paces:
            pace.stop()

    @property
    def _in_flight(self) -> bool:
        return bool(self._journal.writing) or any(pace.in_flight for pace in self._paces)

    async def _block(self, items: Iterable[str]) -> list[tuple[str, str]]:
        self._blocks += 1
        try:
            done = await together(*(self._one(item) for item in items))
        finally:
            self._blocks -= 1
        # A call may outlive the item that asked for it, and is paid for; after the last block, all this ends.
        while not self._blocks and self._in_flight:
            await asyncio.sleep(0.02)
        return done

    async def _one(self, text: str) -> tuple[str, str]:
        """The outcome's record, or why the item is none; neither, once there is to be no more."""
        if self._method is None or self._stopping:
            return "", ""
        working = asyncio.ensure_future(perform(self._method, self._item(text)))
        self._working.add(working)
        try:
            return dump(await working), ""
        except Stopped:
            return "", ""
        except asyncio.CancelledError:
            if not self._stopping:
                raise
            return "", ""
        except Exception as error:  # noqa: BLE001 - ends the run, in one sentence
            if isinstance(error, InputError) and not isinstance(error, BadSetting):
                return "", str(error)
            await self._ledger.fail.remote(_sentence(error))
            return "", ""
        finally:
            self._working.discard(working)

    def _item(self, text: str) -> Item:
        item = ITEM.validate_json(text)
        for artifact in item.artifacts:
            load = partial(self._picture, artifact.sha256, artifact.name)
            artifact._load = load  # pyright: ignore[reportPrivateUsage]
        return item

    def _picture(self, sha256: str, name: str) -> bytes:
        data: bytes = _ray().get(self._ledger.picture.remote(sha256))
        if not data:
            raise BadPicture(f"The picture {name or sha256[:12]} is gone from the folder beside the store.")
        return data


# Few words, none to its makers, no start unless it is asked for.
_SETTINGS = {
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_AUTO_CONNECT": "0",
}


def _ray(**settings: str) -> Any:
    """Ray, which reads its settings as it is loaded."""
    for name, value in {**_SETTINGS, **settings}.items():
        os.environ.setdefault(name, value)
    import_module("ray.data")
    return import_module("ray")


@contextmanager
def _connected(fleet: Fleet) -> Generator[Any]:
    """Ray, started or joined. What was running before goes on after."""
    # This has a Ray of one machine listen on loopback only, as it does by itself on Mac and Windows.
    ray = _ray() if fleet.address else _ray(RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0")
    for handler in logging.getLogger("ray.data").handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setLevel(logging.CRITICAL)
    if ray.is_initialized():
        yield ray
        return
    init = partial(ray.init, log_to_driver=False, logging_level=logging.CRITICAL)
    try:
        if fleet.address:
            _check_listening(fleet.address)
            init(address=fleet.address)
        else:
            cpus = fleet.size(os.cpu_count() or 1)
            init("local", num_cpus=cpus, object_store_memory=OBJECT_STORE_BYTES, include_dashboard=False)
    except (OSError, RuntimeError, ValueError) as error:
        which = f"The Ray cluster {fleet.address} cannot be joined" if fleet.address else "Ray does not start"
        raise SetupError(f"{which}: {_last_line(error)}.") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_listening(address: str) -> None:
    """Ray itself takes minutes to say that nobody is there."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=CONNECT_S).close()


def _context() -> Any:
    context = _ray().data.DataContext()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    # What a block may grow to is set aside for each under way: with Ray's 128 MB, few would be.
    context.target_max_block_size = BLOCK_BYTES
    return context


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


def _sentence(error: Exception) -> str:
    if isinstance(error, SemiosisError):
        return str(error)
    return f"A worker could not go on: {type(error).__name__}: {_last_line(error)}. {GO_ON}"


def _last_line(error: Exception) -> str:
    """What happened, from the end of a traceback that came as text."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__
