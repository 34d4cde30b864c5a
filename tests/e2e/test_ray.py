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
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from chat import refuses
from counting import Counting, write_pairs
from loopback import Loopback, Script
from semiosis.backbones.adaptive_limit import Pace
from semiosis.backbones.backbone import Message, Reply, Request
from semiosis.backbones.openai import OpenAI
from semiosis.core.errors import BackboneError, BadSetting, SetupError, StoreError
from semiosis.methods.recipe import Recipe
from semiosis.methods.semjudge.judge import SemJudge
from semiosis.runs.asking import Ended
from semiosis.runs.conditions import Conditions
from semiosis.runs.execution import survey
from semiosis.runs.plan import Plan
from semiosis.runs.ray.cluster import Fleet
from semiosis.runs.ray.execution import RayExecution
from semiosis.runs.ray.ledger import Ledger
from semiosis.runs.run import start_session
from semiosis.runs.store import About, Store
from semiosis.sources import open_items

pytestmark = [
    pytest.mark.long,
    # Not imported here: Ray reads its settings when it is first loaded, which is the engine's to do.
    pytest.mark.skipif(find_spec("ray") is None, reason="the extra ray is not installed"),
    # Ray's own, as it is loaded.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

ABOUT = About("first", "pairs.jsonl", "semjudge", "1", "0", {})
AT_ONCE, WORKERS = 8, 2
PACE = Pace(at_once=AT_ONCE)
# Times, latencies and row ids are all that may differ between two runs of the same items.
COLUMNS = {
    "run": "name, benchmark, method, method_version, package_version, configuration",
    "items": "key, position, id, kind, labels, item",
    "calls": "key, task, model, useless, retired, input_tokens, output_tokens, cost_usd, charged_usd, attempts,"
    " subject,"
    " pictures, reply, sent",
    "errors": "key, task, model, kind, charged_usd, message",
    # Nor is it the same in both which outcome was the first to need a call.
    "outcomes": "item, kind, verdict, value, flipped, unverified, failures, reason, label, agrees,"
    """ replace(calls, ', "cached": true', ''), record""",
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
        benchmark = open_items(pairs)
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
        with self.store() as store:
            ended = await start_session(
                store, open_items(pairs), self.recipe, Conditions(at_once=AT_ONCE)
            ).run()
            store.end(ended.how)
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
    from semiosis.runs.ray.cluster import connected

    prices = tmp_path_factory.mktemp("ray") / "prices.json"
    prices.write_text(json.dumps({"m": [1000.0, 1000.0]}))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SEMIOSIS_PRICES", str(prices))
        with connected(Fleet(PACE, workers=WORKERS)) as started:
            yield started


def planned(pairs: Path) -> int:
    plan = Plan(SemJudge(OpenAI("m")))
    for row in open_items(pairs).candidates():
        plan.add(row)  # type: ignore[arg-type]
    return sum(stage.shared.calls for stage in plan.stages())


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
        standing = there.execution.tally.progress
        assert (standing.spent.calls, standing.settled) == (planned(pairs), 60)
    assert processes(os.getpid(), "ray::MapWorker") == processes(os.getpid(), "ray::Ledger") == []


def test_a_ray_of_this_machine_listens_on_loopback_only(ray: Any) -> None:
    assert [node["NodeManagerAddress"] for node in ray.nodes()] == ["127.0.0.1"]


@pytest.mark.usefixtures("ray")
async def test_items_past_the_first_dataset_share_what_it_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("semiosis.runs.ray.execution.LEAST_ROWS", 1)
    monkeypatch.setattr("semiosis.runs.ray.execution.ROWS_PER_CALL", 1)
    pairs = write_pairs(tmp_path, 70)
    counting = Counting()
    with Loopback(counting.app) as server:
        bench = Bench(tmp_path, server.url)
        assert await bench.on_ray(pairs) == Ended("done")
    assert bench.count("outcomes") == 70
    assert counting.begun == bench.count("calls") == planned(pairs) == 20 + 70 + 140


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


@pytest.mark.usefixtures("ray")
async def test_one_budget_holds_for_all_workers(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path, 20, pictures=10)
    counting = Counting()
    each_usd = 18 * 1000 / 1e6
    with Loopback(counting.app) as server:
        bench = Bench(tmp_path, server.url)
        ended = await bench.on_ray(pairs, usd=16.0)
        assert ended.how == "budget"
        assert "The budget of $16 does not cover" in ended.message
        spent = bench.rows("select sum(cost_usd) from calls")[0][0]
        assert 0 < spent <= 16.0
        assert spent == pytest.approx(counting.begun * each_usd)
        assert bench.execution is not None
        assert bench.execution.tally.progress.spent.cost_usd == pytest.approx(spent)
        assert bench.rows("select count(*) from outcomes where kind = 'failure'") == [(0,)]
        assert await bench.on_ray(pairs, usd=1e6) == Ended("done")
    assert bench.count("outcomes") == 20
    assert counting.begun == bench.count("calls") == planned(pairs)


@pytest.mark.usefixtures("ray")
async def test_a_refused_key_stops_all_workers(tmp_path: Path) -> None:
    script = Script(refuses(401, "wrong key"))
    with Loopback(script.app) as server:
        bench = Bench(tmp_path, server.url)
        ended = await bench.on_ray(write_pairs(tmp_path, 60))
    assert ended.how == "unauthorised"
    assert "wrong key" in ended.message
    assert len(script.seen) <= 2 * AT_ONCE
    assert bench.count("outcomes") == 0


@pytest.mark.usefixtures("ray")
async def test_a_worker_that_cannot_begin_ends_the_run_with_its_sentence(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "http://127.0.0.1:9")
    recipe = Recipe("semjudge", model="nobody/m")
    with pytest.raises(SetupError, match=r"^There is no provider 'nobody'; there are [^\n]*$"):
        await bench.on_ray(write_pairs(tmp_path, 4, pictures=4), recipe=recipe)


DRIVER = """
import asyncio, sys
from pathlib import Path
from semiosis.backbones.adaptive_limit import Pace
from semiosis.runs.ray.cluster import Fleet
from semiosis.runs.ray.execution import RayExecution
from semiosis.methods.recipe import Recipe
from semiosis.sources import open_items
from semiosis.runs.store import About, Store

pairs, path, url = sys.argv[1:]
path = Path(path)
about = About("first", "pairs.jsonl", "semjudge", "1", "0", {})
with Store.resume(path) if path.exists() else Store.create(path, about) as store:
    recipe = Recipe("semjudge", model="m", base_url=url)
    fleet = Fleet(Pace(at_once=8), workers=2)
    print(asyncio.run(RayExecution(store, open_items(pairs), recipe, fleet).run()).how)
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


def test_the_command_runs_on_a_ray_of_its_own_and_prints_results_alone(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path, 20)
    with Loopback(Counting().app) as server:
        bench = Bench(tmp_path, server.url)
        words = f"run {pairs} --model m --base-url {bench.url} --name first --runs {bench.path.parent}"
        done = subprocess.run(
            [sys.executable, "-m", "semiosis", *words.split(), "--engine", "ray", "-j", "17", "--json"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["settled"] == 20
    assert bench.count("outcomes") == 20


def test_a_fleet_must_reach_the_store_and_have_work_for_every_worker() -> None:
    with pytest.raises(BadSetting, match="run on a node of the cluster, with --address auto"):
        Fleet(address="ray://head:10001")
    with pytest.raises(BadSetting, match="8 calls at once are work for 1 to 8 workers, not 9"):
        Fleet(PACE, workers=9)
    fleet = Fleet(Pace(at_once=100, requests_per_minute=60, tokens_per_minute=9000))
    assert (fleet.size(cpus=64), fleet.size(cpus=3)) == (7, 3)
    assert fleet.share(3) == Pace(at_once=33, requests_per_minute=20, tokens_per_minute=3000)


def test_an_address_where_nobody_listens_is_said_at_once(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path, 4, pictures=4)
    words = f"run {pairs} --model m --base-url http://127.0.0.1:9/v1 --runs {tmp_path} --engine ray"
    done = subprocess.run(
        [sys.executable, "-m", "semiosis", *words.split(), "--address", "127.0.0.1:9"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "semiosis: The Ray cluster 127.0.0.1:9 cannot be joined: [Errno 111] Connection refused.\n" in (
        done.stderr
    )


REQUEST = Request((Message("user", ("What is meant?",)),), task="verdict")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Store.create(tmp_path / "first.sqlite", ABOUT) as store:
        yield Ledger(store.path, budget_usd=1.0)


async def test_a_call_under_way_is_waited_for_and_is_the_next_ones_when_its_worker_dies(
    ledger: Ledger,
) -> None:
    one, other, third = (ledger.enlist(name) for name in ("one", "other", "third"))
    assert await ledger.claim(one, "key") is None
    waiting = [asyncio.create_task(ledger.claim(worker, "key")) for worker in (other, third, third)]
    await asyncio.sleep(0)
    assert not any(each.done() for each in waiting)
    # Who died while it waited gets nothing.
    ledger.enlist("other")
    assert ledger.enlist("one") != one
    assert await waiting[0] is await waiting[1] is None
    ledger.keep("key", "m", REQUEST, Reply("this"))
    assert await waiting[2] == Reply("this")
    assert ledger.report().spent.calls == 1


async def test_those_who_wait_for_a_call_share_its_error(ledger: Ledger) -> None:
    one, other = ledger.enlist("one"), ledger.enlist("other")
    assert await ledger.claim(one, "key") is None
    waiting = asyncio.create_task(ledger.claim(other, "key"))
    await asyncio.sleep(0)
    error = BackboneError("rejected", "too large")
    ledger.note_error("key", "m", REQUEST, error)
    assert await waiting is error
    assert ledger.report().ended is None


async def test_what_a_dead_worker_held_counts_as_spent(ledger: Ledger) -> None:
    one, other = ledger.enlist("one"), ledger.enlist("other")
    assert await ledger.hold(one, 0.6) == ""
    waiting = asyncio.create_task(ledger.hold(other, 0.5))
    await asyncio.sleep(0)
    assert not waiting.done()
    ledger.enlist("one")
    assert "spent $0.6000, this call up to $0.5000" in await waiting
    assert await ledger.hold(other, 0.4) == ""


async def test_a_worker_that_died_waiting_for_money_holds_none(ledger: Ledger) -> None:
    one, other = ledger.enlist("one"), ledger.enlist("other")
    assert await ledger.hold(one, 0.6) == ""
    waiting = asyncio.create_task(ledger.hold(other, 0.5))
    await asyncio.sleep(0)
    ledger.enlist("other")
    ledger.release(one, 0.6, 0.0)
    await waiting
    assert await ledger.hold(one, 1.0) == ""


async def test_nothing_is_begun_once_the_ledger_is_stopped(ledger: Ledger) -> None:
    one, other = ledger.enlist("one"), ledger.enlist("other")
    assert await ledger.claim(one, "key") is None
    waiting = asyncio.create_task(ledger.claim(other, "key"))
    await asyncio.sleep(0)
    ledger.stop()
    assert await waiting == "stopped"
    assert await ledger.claim(one, "another") == "stopped"
    assert await ledger.watch(one)


async def test_workers_that_keep_dying_end_the_run(ledger: Ledger) -> None:
    for _ in range(10):
        ledger.enlist("one")
    assert ledger.report().broken == ""
    ledger.enlist("one")
    assert "Workers died 10 times" in ledger.report().broken


def test_nobody_assists_a_store_that_is_not_being_written(tmp_path: Path) -> None:
    path = tmp_path / "first.sqlite"
    Store.create(path, ABOUT).close()
    with pytest.raises(StoreError, match="Nobody writes the run first"):
        Store.assist(path)
