"""Several methods on the same items over real HTTP: each call once, one budget, one pace, stores whole by themselves."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import semiosis as sm
from counting import Counting, write_pairs
from loopback import Loopback
from semiosis.core.errors import BadSetting, StoreError
from semiosis.core.item import BadRow, Benchmark, Candidate
from semiosis.core.kinds.pair import Judgment
from semiosis.core.outcome import Failure
from semiosis.core.sign import Pair
from semiosis.core.vote import Vote
from semiosis.methods.contract import METHODS, Judges, RegisteredMethod
from semiosis.runs.asking import Ended
from semiosis.runs.ensemble import Ensemble, open_runs, run_names, start_ensemble
from semiosis.runs.store import Store

METHOD_NAMES = ("semjudge", "semjudge/contrast", "direct")
# 6 prompts, 12 pairs: a graph each, two graphs a pair, two verdicts a method, and the contrast of one.
ALONE = {"semjudge": 6 + 12 + 24, "semjudge/contrast": 6 + 12 + 12 + 24, "direct": 24}
TOGETHER = 6 + 12 + 24 + 12 + 24 + 24


@dataclass(frozen=True)
class Widest(Judges):
    """Numbers computed here: the larger file wins."""

    name = "widest"

    async def judge(self, pair: Pair) -> Judgment | Failure:
        winner = "a" if len(pair.a.read()) > len(pair.b.read()) else "b"
        return Judgment(pair=pair, votes=(Vote(winner=winner),), provenance=self.provenance([]))


@pytest.fixture(autouse=True)
def widest() -> Iterator[None]:
    METHODS.add("widest", RegisteredMethod(Widest, {}))
    yield
    METHODS.remove("widest")


class Bench:
    """A file of pairs, a server to ask, and a folder of runs."""

    def __init__(self, folder: Path, server: Counting) -> None:
        self.folder = folder
        self.server = server
        self.pairs = write_pairs(folder, 12, prompts=6, pictures=6)
        self.runs = folder / "runs"
        self.loopback = Loopback(server.app)

    def recipes(self, *methods: str, **settings: Any) -> list[sm.Recipe]:
        url = f"{self.loopback.url}/v1"
        return [sm.Recipe(method, settings, model="m", base_url=url) for method in methods]

    def run(self, *methods: str, conditions: sm.Conditions | None = None, **options: Any) -> Any:
        recipes = options.pop("recipes", None) or self.recipes(*methods)
        return sm.run_together(
            self.pairs, recipes, "first", folder=self.runs, conditions=conditions, **options
        )

    def rows(self, method: str, query: str) -> list[tuple[Any, ...]]:
        with Store.look(self.runs / f"first-{method.replace('/', '-')}.sqlite") as store:
            return list(store.rows(query))

    def made(self, method: str) -> int:
        """How many calls the run made itself."""
        return self.rows(method, "select count(*) from calls where attempts > 0")[0][0]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, Counting())
    with bench.loopback:
        yield bench


def test_a_call_of_several_methods_is_made_once_and_each_store_is_whole(bench: Bench) -> None:
    summaries = bench.run(*METHOD_NAMES, "widest")
    assert [(each.about.name, each.about.method) for each in summaries] == [
        ("first-semjudge", "semjudge"),
        ("first-semjudge-contrast", "semjudge/contrast"),
        ("first-direct", "direct"),
        ("first-widest", "widest"),
    ]
    assert [(each.counts.settled, each.sessions.state, each.to_do) for each in summaries] == [
        (12, "done", 0)
    ] * 4
    assert bench.server.begun == TOGETHER == sum(map(bench.made, (*METHOD_NAMES, "widest")))
    assert max(bench.server.times.values()) == 1
    for method in METHOD_NAMES:
        assert bench.rows(method, "select count(*), count(distinct key) from calls") == [(ALONE[method],) * 2]
        needed = "select count(*) from outcomes, json_each(outcomes.calls) each where json_extract(each.value, '$.call') not in (select key from calls)"
        assert bench.rows(method, needed) == [(0,)]
    assert bench.rows("widest", "select count(*) from calls") == [(0,)]
    total = summaries[0].total
    assert (total.calls, total.copied) == (bench.made("semjudge"), ALONE["semjudge"] - bench.made("semjudge"))


def test_each_outcome_is_what_it_is_alone(bench: Bench) -> None:
    bench.run(*METHOD_NAMES)
    together = {
        each: bench.rows(each, "select item, record from outcomes order by item") for each in METHOD_NAMES
    }
    for recipe in bench.recipes(*METHOD_NAMES):
        name = f"alone-{recipe.method.replace('/', '-')}"
        sm.run(bench.pairs, recipe, name, folder=bench.runs)
        with Store.look(bench.runs / f"{name}.sqlite") as store:
            assert (
                list(store.rows("select item, record from outcomes order by item")) == together[recipe.method]
            )


def test_pictures_are_kept_once_for_all_of_them(bench: Bench) -> None:
    bench.run(*METHOD_NAMES)
    kept = [path for path in (bench.runs / "pictures").rglob("*") if path.is_file()]
    assert len(kept) == 6
    for method in METHOD_NAMES:
        with Store.look(bench.runs / f"first-{method.replace('/', '-')}.sqlite") as store:
            read = [outcome for _, outcome in sm.outcomes(store, pictures=True)]
        assert all(len(outcome.pair.a.read()) > 50 for outcome in read if isinstance(outcome, Judgment))


def priced(folder: Path, monkeypatch: pytest.MonkeyPatch, server: Counting) -> None:
    """Each call takes $6."""
    prices = folder / "prices.json"
    prices.write_text(json.dumps({"m": [1000.0, 1000.0]}))
    monkeypatch.setenv("SEMIOSIS_PRICES", str(prices))
    server.usage = {"prompt_tokens": 1000, "completion_tokens": 5000, "total_tokens": 6000}


def test_the_budget_is_one_for_all_and_what_was_spent_before_counts(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    priced(tmp_path, monkeypatch, bench.server)
    methods = (*METHOD_NAMES, "widest")

    def spent() -> float:
        return sum(
            bench.rows(method, "select ifnull(sum(cost_usd), 0) from calls")[0][0] for method in methods
        )

    first = bench.run(*methods, conditions=sm.Conditions(budget_usd=120.0))
    assert [each.sessions.state for each in first] == ["budget", "budget", "budget", "done"]
    assert first[3].counts.settled == 12
    assert 60 < spent() <= 120
    assert spent() == pytest.approx(6 * bench.server.begun)
    asked = bench.server.begun
    again = bench.run(*methods, conditions=sm.Conditions(budget_usd=120.0))
    assert [each.sessions.state for each in again] == ["budget", "budget", "budget", "done"]
    assert spent() <= 120
    assert bench.server.begun <= asked + 3
    whole = bench.run(*methods, conditions=sm.Conditions(budget_usd=1e6))
    assert [each.sessions.state for each in whole] == ["done"] * 4
    assert bench.server.begun == TOGETHER == sum(map(bench.made, METHOD_NAMES))
    assert spent() == pytest.approx(6 * TOGETHER)
    assert sum(each.total.cost_usd for each in whole) == pytest.approx(6 * TOGETHER)
    assert all(each.counts.failures == {} for each in whole)


def test_the_pace_is_one_for_all(bench: Bench) -> None:
    bench.server.delay_s = 0.02
    most = 0

    class Watched(Counting):
        async def _answer(self, request: Any) -> Any:
            nonlocal most
            most = max(most, self.in_flight + 1)
            return await super()._answer(request)

    watched = Watched(delay_s=0.02)
    with Loopback(watched.app) as loopback:
        recipes = [sm.Recipe(method, {}, model="m", base_url=f"{loopback.url}/v1") for method in METHOD_NAMES]
        bench.run(recipes=recipes, conditions=sm.Conditions(at_once=3))
    assert watched.begun == TOGETHER
    assert most == 3


class Sulking(Counting):
    """Cannot say which picture wins from a contrast."""

    sulks = True

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        return (
            "no idea" if self.sulks and stage.startswith("verdict_contrast") else super().reply(stage, body)
        )


def test_a_method_that_comes_to_nothing_leaves_the_others_be(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Sulking())
    bench.pairs = write_pairs(tmp_path, 60, prompts=6, pictures=12)
    with bench.loopback:
        summaries = bench.run(*METHOD_NAMES)
        assert [each.sessions.state for each in summaries] == ["done", "unreachable", "done"]
        assert [each.counts.settled for each in summaries][::2] == [60, 60]
        assert summaries[0].counts.failures == summaries[2].counts.failures == {}
        bench.server.sulks = False  # type: ignore[attr-defined]
        # Once more for what was under way as it ended, whose replies of no use were kept.
        for _ in range(2):
            again = bench.run(*METHOD_NAMES, retry_failed=True)
    assert [each.sessions.state for each in again] == ["done"] * 3
    assert [each.counts.failures for each in again] == [{}, {}, {}]
    assert [each.counts.settled for each in again] == [60] * 3


class Mumbling(Counting):
    """Reads no prompt, until it has been asked to often enough."""

    mumbles = True

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        return "mm" if self.mumbles and stage.startswith("prompt_graph") else super().reply(stage, body)


def test_retrying_asks_anew_for_what_was_of_no_use_in_any_of_them(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Mumbling())
    with bench.loopback:
        first = bench.run("semjudge", "semjudge/contrast")
        assert [sum(each.counts.failures.values()) for each in first] == [12, 12]
        # Each prompt is asked about once, and once more with what was wrong.
        assert bench.server.begun == 12
        bench.server.mumbles = False  # type: ignore[attr-defined]
        again = bench.run("semjudge", "semjudge/contrast", retry_failed=True)
    assert [each.counts.failures for each in again] == [{}, {}]
    assert bench.server.begun == 12 + 6 + 12 + 24 + 12 + 24
    assert bench.made("semjudge") + bench.made("semjudge/contrast") == bench.server.begun


def test_a_method_added_later_takes_what_the_others_have_had_answered(bench: Bench) -> None:
    bench.run("semjudge")
    assert bench.server.begun == ALONE["semjudge"]
    summaries = bench.run("semjudge", "semjudge/contrast")
    assert bench.server.begun == ALONE["semjudge"] + 12 + 24
    assert (bench.made("semjudge"), bench.made("semjudge/contrast")) == (ALONE["semjudge"], 36)
    assert [each.sessions.count for each in summaries] == [2, 1]


def started(bench: Bench, stores: tuple[Store, ...], *methods: str) -> Ensemble:
    return start_ensemble(
        stores, sm.open_items(bench.pairs), bench.recipes(*methods), sm.Conditions(at_once=4)
    )


async def test_stopping_ends_all_of_them_with_the_same_items(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Counting(delay_s=0.03))
    bench.pairs = write_pairs(tmp_path, 200, prompts=6, pictures=20)
    benchmark, methods = sm.open_items(bench.pairs), ("semjudge", "direct", "widest")
    with bench.loopback, open_runs(benchmark, bench.recipes(*methods), "first", bench.runs, False) as stores:
        ensemble = started(bench, stores, *methods)

        async def stop_soon() -> None:
            while bench.server.answered < 100:
                await asyncio.sleep(0.01)
            ensemble.stop()

        stopping = asyncio.create_task(stop_soon())
        endings = await ensemble.run()
        await stopping
        ensemble.end(endings)
        assert endings == (Ended("stopped"),) * 3
        settled = [store.outcome_count for store in stores]
        # Nobody is far ahead: neither the method of one call a vote nor the one that asks nothing.
        assert max(settled) - min(settled) <= 32
        assert 0 < min(settled) < 100
        assert (
            bench.server.begun
            == bench.server.answered
            == sum(next(store.rows("select count(*) from calls where attempts > 0"))[0] for store in stores)
        )
        for store, session in zip(stores, ensemble.sessions, strict=True):
            assert session.tally.settled == store.outcome_count


class Counted:
    """Pairs that count how often they are read, and how often an item of them is made."""

    def __init__(self, pairs: Benchmark) -> None:
        self.name = pairs.name
        self.read = self.made = 0
        self._pairs = pairs

    def candidates(self) -> Iterator[Candidate | BadRow]:
        self.read += 1
        for row in self._pairs.candidates():
            assert isinstance(row, Candidate)
            yield Candidate(row.kind, row.id, row.identity, row.where, lambda row=row: self._make(row))

    def _make(self, row: Candidate) -> Any:
        self.made += 1
        return row.make()


def test_the_items_are_read_twice_and_made_once_however_many_methods(bench: Bench) -> None:
    counted = Counted(sm.open_items(bench.pairs))
    sm.run_together(counted, bench.recipes(*METHOD_NAMES, "widest"), "first", folder=bench.runs)
    assert (counted.read, counted.made) == (2, 12)


def test_a_run_goes_on_where_one_of_them_is_there_and_is_begun_where_it_is_not(bench: Bench) -> None:
    benchmark, recipes = sm.open_items(bench.pairs), bench.recipes("direct", "widest")
    with pytest.raises(StoreError, match="There is no run first-direct"):
        open_runs(benchmark, recipes, "first", bench.runs, True).__enter__()
    assert not bench.runs.exists()
    bench.run("direct")
    with open_runs(benchmark, recipes, "first", bench.runs, True) as stores:
        assert [store.outcome_count for store in stores] == [12, 0]
    with pytest.raises(StoreError, match="The run first-direct exists: go on with --resume"):
        open_runs(benchmark, recipes, "first", bench.runs, False).__enter__()
    changed = [*bench.recipes("semjudge"), *bench.recipes("direct", orders="ab")]
    with pytest.raises(StoreError, match="The run first-direct was begun with orders both, not ab"):
        open_runs(benchmark, changed, "first", bench.runs, True).__enter__()
    assert not (bench.runs / "first-semjudge.sqlite").exists(), "a refused one leaves nothing behind"


def test_each_run_is_called_after_its_method(bench: Bench) -> None:
    benchmark = sm.open_items(bench.pairs)
    recipes = bench.recipes("semjudge/root-only", "widest")
    assert run_names(benchmark, recipes, "first") == ("first-semjudge-root-only", "first-widest")
    assert run_names(benchmark, recipes, None) == ("pairs-semjudge-root-only-m", "pairs-widest")
    with pytest.raises(BadSetting, match="direct and direct would both write the run pairs-direct-m"):
        run_names(benchmark, bench.recipes("direct", "direct"), None)


@pytest.mark.parametrize("conditions", [{"batch": True}, {"engine": "ray"}])
def test_batches_and_ray_take_one_method_at_a_time(bench: Bench, conditions: dict[str, Any]) -> None:
    if "engine" in conditions:
        pytest.importorskip("ray")
    with pytest.raises(BadSetting, match="is for one method"):
        bench.run("direct", "semjudge", conditions=sm.Conditions(**conditions))
    assert not bench.runs.exists()
