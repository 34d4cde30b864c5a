"""Runs on a real Ray, started here, asking a real server: the same store, whoever is killed."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from counting import Counting, write_pairs
from loopback import Loopback
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.pace import Pace
from semiosis.methods.semjudge import SemJudge
from semiosis.runs.execute import Ended, Equipment, Execution, survey
from semiosis.runs.journal import StoreJournal
from semiosis.runs.plan import Plan
from semiosis.runs.ray import Fleet, RayExecution
from semiosis.runs.recipe import Recipe, close
from semiosis.runs.sources import open_pairs
from semiosis.runs.store import About, Store

pytestmark = [
    pytest.mark.long,
    # Ray's own, as it is loaded.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
pytest.importorskip("ray")

ABOUT = About("first", "pairs.jsonl", "semjudge", "1", "0", {})
AT_ONCE, WORKERS = 8, 2
PACE = Pace(at_once=AT_ONCE)
# Times, latencies and row ids are all that may differ between two runs of the same items.
COLUMNS = {
    "run": "name, benchmark, method, method_version, package_version, configuration",
    "items": "key, position, id, kind, labels, item",
    "calls": "key, task, model, useless, retired, input_tokens, output_tokens, cost_usd, attempts, subject,"
    " pictures, reply, sent",
    "errors": "key, task, model, kind, message",
    "outcomes": "item, kind, winner, preference, flipped, unverified, value, choice, reason, label, calls, record",
    "bad_rows": "place, reason",
}


class Gated(Counting):
    """Holds back its answers from a number of requests on, until it is opened."""

    def __init__(self, free: int) -> None:
        super().__init__()
        self.free = free
        self.received = self.waiting = 0

    def open(self) -> None:
        self.free = sys.maxsize

    async def _answer(self, request: web.Request) -> web.Response:
        self.received += 1
        self.waiting += 1
        try:
            while self.received > self.free:
                await asyncio.sleep(0.01)
        finally:
            self.waiting -= 1
        return await super()._answer(request)


class Bench:
    """A store in a folder and a server to ask, on Ray or in this process."""

    def __init__(self, folder: Path, url: str) -> None:
        self.path = folder / "runs" / "first.sqlite"
        self.url = f"{url}/v1"
        self.execution: RayExecution | None = None

    @property
    def recipe(self) -> Recipe:
        return Recipe("semjudge", model="m", base_url=self.url)

    def store(self) -> Store:
        return Store.resume(self.path) if self.path.exists() else Store.create(self.path, ABOUT)

    async def on_ray(
        self,
        pairs: Path,
        *,
        usd: float | None = None,
        during: Callable[[RayExecution], Any] | None = None,
        recipe: Recipe | None = None,
    ) -> Ended:
        benchmark = open_pairs(pairs)
        with self.store() as store:
            store.begin(survey(benchmark, store).items)
            fleet = Fleet(PACE, usd, workers=WORKERS)
            self.execution = RayExecution(store, benchmark, recipe or self.recipe, fleet)
            running = asyncio.create_task(self.execution.run())
            if during:
                await asyncio.wait_for(during(self.execution), 120)
            ended = await running
            store.end(ended.how)
        return ended

    async def here(self, pairs: Path) -> Ended:
        benchmark = open_pairs(pairs)
        with self.store() as store:
            equipment = Equipment(StoreJournal(store), PACE, None)
            method = self.recipe.make(equipment.equip)
            store.begin(survey(benchmark, store).items)
            ended = await Execution(store, benchmark, method, equipment.paces, at_once=AT_ONCE).run()
            store.end(ended.how)
            await close(method)
        return ended

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(self.path, timeout=30) as store:
            return store.execute(query).fetchall()

    def count(self, table: str) -> int:
        return self.rows(f"select count(*) from {table}")[0][0] if self.path.exists() else 0

    def contents(self) -> dict[str, list[tuple[Any, ...]]]:
        return {
            table: sorted(self.rows(f"select {columns} from {table}"), key=repr)
            for table, columns in COLUMNS.items()
        }


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One Ray for the tests that need none of their own; its workers know a price."""
    from semiosis.runs.ray import _connected

    prices = tmp_path_factory.mktemp("ray") / "prices.json"
    prices.write_text(json.dumps({"m": [1000.0, 1000.0]}))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SEMIOSIS_PRICES", str(prices))
        with _connected(Fleet(PACE, workers=WORKERS)) as started:
            yield started


def planned(pairs: Path) -> int:
    plan = Plan(SemJudge(OpenAI("m")))
    for row in open_pairs(pairs).candidates():
        plan.add(row.make())  # type: ignore[union-attr]
    return sum(stage.shared.calls for stage in plan.stages)


def processes(root: int, name: str = "") -> list[int]:
    """The descendants of a process, those of a name."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True)
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    family = {root}
    while more := {int(row[0]) for row in rows if int(row[1]) in family} - family:
        family |= more
    return [int(row[0]) for row in rows if int(row[0]) in family - {root} and row[2].startswith(name)]


def alive(pid: int) -> bool:
    listed = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return bool(listed.stdout) and not listed.stdout.startswith("Z")


async def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


async def held(server: Gated, bench: Bench) -> None:
    """Every call that may be in flight is, in both workers, and all that was answered is stored."""
    await until(lambda: server.waiting == AT_ONCE and bench.count("calls") == server.received - AT_ONCE)


async def test_a_run_on_ray_leaves_the_store_a_run_here_leaves(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path, 60)
    counting = Counting()
    with Loopback(counting.app) as server:
        here, there = Bench(tmp_path / "here", server.url), Bench(tmp_path / "there", server.url)
        assert await here.here(pairs) == Ended("done")
        assert counting.begun == planned(pairs)
        counting.begun = 0
        assert await there.on_ray(pairs) == Ended("done")
        assert counting.begun == there.count("calls") == planned(pairs)
        assert there.contents() == here.contents()
        assert there.execution is not None
        assert there.execution.tally.standing.spent.calls == planned(pairs)
        assert there.execution.tally.standing.settled == 60
    assert processes(os.getpid(), "ray::") == []


@pytest.mark.usefixtures("ray")
async def test_a_killed_worker_costs_the_calls_it_had_in_flight(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path, 60)
    gated = Gated(free=50)
    in_flight = 0

    async def kill(_: RayExecution) -> None:
        nonlocal in_flight
        await held(gated, bench)
        workers = processes(os.getpid(), "ray::MapWorker")
        assert len(workers) == WORKERS
        in_flight = gated.waiting
        os.kill(workers[0], signal.SIGKILL)
        await until(lambda: gated.waiting < in_flight)
        gated.open()

    with Loopback(gated.app) as server:
        bench = Bench(tmp_path, server.url)
        assert await bench.on_ray(pairs, during=kill) == Ended("done")
    assert bench.rows("select kind, count(*) from outcomes group by 1") == [("judgment", 60)]
    assert bench.count("calls") == planned(pairs)
    assert 0 < gated.received - bench.count("calls") <= in_flight


@pytest.mark.usefixtures("ray")
async def test_stopping_stores_what_is_in_flight_and_a_run_here_goes_on(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path, 60)
    gated = Gated(free=50)

    async def stop(execution: RayExecution) -> None:
        await held(gated, bench)
        execution.stop()
        gated.open()

    with Loopback(gated.app) as server:
        bench = Bench(tmp_path, server.url)
        assert await bench.on_ray(pairs, during=stop) == Ended("stopped")
        assert gated.received == gated.answered == bench.count("calls") < planned(pairs)
        assert bench.count("outcomes") < 60
        assert bench.rows("select count(*) from outcomes where kind = 'failure'") == [(0,)]
        assert await bench.here(pairs) == Ended("done")
    assert bench.count("outcomes") == 60
    assert gated.received == bench.count("calls") == planned(pairs)


DRIVER = """
import asyncio, sys
from pathlib import Path
from semiosis.backbones.pace import Pace
from semiosis.runs.ray import Fleet, RayExecution
from semiosis.runs.recipe import Recipe
from semiosis.runs.sources import open_pairs
from semiosis.runs.store import About, Store

pairs, path, url = sys.argv[1:]
path = Path(path)
about = About("first", "pairs.jsonl", "semjudge", "1", "0", {})
with Store.resume(path) if path.exists() else Store.create(path, about) as store:
    recipe = Recipe("semjudge", model="m", base_url=url)
    fleet = Fleet(Pace(at_once=8), workers=2)
    print(asyncio.run(RayExecution(store, open_pairs(pairs), recipe, fleet).run()).how)
"""


async def test_a_killed_driver_takes_its_ray_along_and_the_run_goes_on(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path, 60)
    gated = Gated(free=50)
    with Loopback(gated.app) as server:
        bench = Bench(tmp_path, server.url)
        command = [sys.executable, "-c", DRIVER, str(pairs), str(bench.path), bench.url]
        driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        await held(gated, bench)
        in_flight = gated.waiting
        theirs = processes(driver.pid, "ray::MapWorker") + processes(driver.pid, "ray::Ledger")
        assert len(theirs) == WORKERS + 1
        driver.kill()
        driver.communicate()
        await until(lambda: not any(alive(pid) for pid in theirs))
        gated.open()
        resumed = await asyncio.to_thread(
            subprocess.run, command, stdout=subprocess.PIPE, text=True, timeout=120
        )
    assert resumed.stdout == "done\n"
    assert bench.rows("select kind, count(*) from outcomes group by 1") == [("judgment", 60)]
    assert bench.count("calls") == planned(pairs)
    assert 0 < gated.received - bench.count("calls") <= in_flight
