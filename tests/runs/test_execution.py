"""Runs over real HTTP: shared work asked for once, resumed, stopped, capped."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from chat import refuses
from counting import Counting, Slurring, write_pairs, write_tournament
from loopback import Loopback, Script
from semiosis.backbones.adaptive_limit import Pace
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.purse import Purse
from semiosis.benchmarks.registry import find, names
from semiosis.core.errors import BadRecord, StoreError
from semiosis.core.item import candidate
from semiosis.core.kinds.pair import Judgment, PairItem
from semiosis.core.kinds.question import QuestionItem
from semiosis.core.records import load
from semiosis.methods.semjudge.judge import SemJudge
from semiosis.runs.asking import Ended
from semiosis.runs.execution import Equipment, Execution, survey
from semiosis.runs.journal import StoreJournal
from semiosis.runs.plan import Plan
from semiosis.runs.store import About, Store
from semiosis.sources import open_items

ABOUT = About("first", "pairs.jsonl", "semjudge", "1", "0", {})
Make = Callable[..., Execution]


class Bench:
    """A store in a folder and a server to ask."""

    def __init__(self, folder: Path, app: web.Application) -> None:
        self.folder = folder
        self.server = Loopback(app)
        self.path = folder / "runs" / "first.sqlite"
        self.backbone: OpenAI | None = None

    async def run(
        self,
        pairs: Path,
        *,
        usd: float | None = None,
        during: Callable[[Execution], Any] | None = None,
        **settings: Any,
    ) -> Ended:
        model = OpenAI("m", base_url=f"{self.server.url}/v1")
        opened = Store.resume(self.path) if self.path.exists() else Store.create(self.path, ABOUT)
        with opened as store:
            purse = Purse(usd, spent_usd=store.charged_usd) if usd is not None else None
            equipment = Equipment(StoreJournal(store), Pace(at_once=8), purse)
            method = SemJudge(equipment.equip(model), **settings)
            benchmark = open_items(pairs)
            store.begin(survey(benchmark, store).items)
            execution = Execution(store, benchmark, method, equipment.paces, items_at_once=16)
            if during:
                asyncio.get_running_loop().create_task(during(execution))
            ended = await execution.run()
            store.end(ended.how)
        await model.aclose()
        return ended

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with Store.look(self.path) as store:
            return list(store.rows(query))


@pytest.fixture
async def counting(tmp_path: Path) -> AsyncIterator[tuple[Counting, Bench]]:
    server = Counting()
    bench = Bench(tmp_path, server.app)
    with bench.server:
        yield server, bench


def planned(pairs: Path, **settings: Any) -> tuple[int, int]:
    """Calls with shared graphs, and with each vote on its own."""
    plan = Plan(SemJudge(OpenAI("m"), **settings))
    for row in open_items(pairs).candidates():
        plan.add(row)  # type: ignore[union-attr]
    return sum(stage.shared.calls for stage in plan.stages()), sum(
        stage.alone.calls for stage in plan.stages()
    )


@pytest.mark.parametrize(("graphs", "calls", "alone"), [("joint", 31, 40), ("solo", 26, 50)])
async def test_a_tournament_of_five_asks_for_each_graph_once(
    counting: tuple[Counting, Bench], tmp_path: Path, graphs: str, calls: int, alone: int
) -> None:
    server, bench = counting
    pairs = write_tournament(tmp_path)
    assert planned(pairs, graphs=graphs) == (calls, alone)
    ended = await bench.run(pairs, graphs=graphs)
    assert ended == Ended("done")
    assert server.begun == calls
    assert Counter(stage.partition("_")[0] for stage in server.stages())["verdict"] == 20
    assert bench.rows("select count(*), count(distinct key) from calls") == [(calls, calls)]


async def test_graphs_for_a_question_are_other_nodes_than_those_for_a_pair(pair: Any) -> None:
    from semiosis.core.sign import Question

    method = SemJudge(OpenAI("m"), graphs="solo")
    question = Question(question="What is meant?", choices={"A": "this", "B": "that"})
    plan = Plan(method)
    plan.add(candidate(PairItem(id="p", pair=pair)))
    plan.add(candidate(QuestionItem(id="q", question=question, artifacts=(pair.a,))))
    plan.add(candidate(QuestionItem(id="r", question=question, artifacts=(pair.a,))))
    calls = {stage.stage: (stage.shared.calls, stage.alone.calls) for stage in plan.stages()}
    assert calls == {
        "prompt-graph-standard": (1, 1),
        "picture-graph-standard": (2, 2),
        "verdict-standard": (2, 2),
        "picture-alone-standard": (1, 2),
        "answer": (1, 2),
    }


async def test_outcomes_come_back_from_the_store_with_their_exchanges(
    counting: tuple[Counting, Bench], tmp_path: Path
) -> None:
    _, bench = counting
    await bench.run(write_pairs(tmp_path, 3, pictures=4))
    records = bench.rows("select record, calls from outcomes")
    assert len(records) == 3
    for record, links in records:
        outcome = load(record)
        assert isinstance(outcome, Judgment)
        assert outcome.provenance.exchanges == ()
        stages = [link["stage"] for link in json.loads(links)]
        assert stages == ["prompt graph", "picture graphs", "verdict, order AB", "verdict, order BA"]
        keys = {row[0] for row in bench.rows("select key from calls")}
        assert {link["call"] for link in json.loads(links)} <= keys


async def test_a_finished_run_resumes_without_a_call(
    counting: tuple[Counting, Bench], tmp_path: Path
) -> None:
    server, bench = counting
    pairs = write_pairs(tmp_path, 6, pictures=4)
    await bench.run(pairs)
    before = server.begun
    assert await bench.run(pairs) == Ended("done")
    assert server.begun == before


async def test_stopping_finishes_what_is_in_flight_and_leaves_the_rest(
    counting: tuple[Counting, Bench], tmp_path: Path
) -> None:
    server, bench = counting
    server.delay_s = 0.05
    pairs = write_pairs(tmp_path, 40)

    async def stop_soon(execution: Execution) -> None:
        while server.begun < 30:
            await asyncio.sleep(0.01)
        execution.stop()

    assert await bench.run(pairs, during=stop_soon) == Ended("stopped")
    assert server.begun == server.answered
    assert bench.rows("select count(*) from calls") == [(server.begun,)]
    settled = bench.rows("select count(*) from outcomes")[0][0]
    assert settled < 40
    stopped_at = server.begun
    assert await bench.run(pairs) == Ended("done")
    assert bench.rows("select count(*) from outcomes") == [(40,)]
    # 20 prompt graphs, 40 pairs of graphs, 80 verdicts, each asked for once over both sessions
    assert server.begun == 140 > stopped_at


async def test_the_budget_stops_the_run_and_a_larger_one_goes_on(
    counting: tuple[Counting, Bench], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, bench = counting
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"m": [1000.0, 1000.0]}))
    monkeypatch.setenv("SEMIOSIS_PRICES", str(prices))
    pairs = write_pairs(tmp_path, 10, pictures=5)
    server.usage = {"prompt_tokens": 1000, "completion_tokens": 5000, "total_tokens": 6000}
    ended = await bench.run(pairs, usd=60.0)
    assert ended.how == "budget"
    spent = bench.rows("select sum(cost_usd) from calls")[0][0]
    # All 40 calls would take $240.
    assert 40 < spent <= 60.0
    assert spent == pytest.approx(6 * server.begun)
    again = await bench.run(pairs, usd=60.0)
    assert again.how == "budget"
    assert bench.rows("select sum(cost_usd) from calls")[0][0] <= 60.0
    assert bench.rows("select count(*) from outcomes where kind = 'failure'") == [(0,)]
    assert (await bench.run(pairs, usd=1e6)).how == "done"
    assert bench.rows("select count(*) from outcomes") == [(10,)]


async def test_a_refused_key_stops_the_run_at_once(tmp_path: Path) -> None:
    script = Script(refuses(401, "wrong key"))
    bench = Bench(tmp_path, script.app)
    with bench.server:
        ended = await bench.run(write_pairs(tmp_path, 40))
    assert ended.how == "unauthorised"
    assert len(script.seen) <= 16
    assert bench.rows("select count(*) from outcomes") == [(0,)]


async def test_a_server_that_rejects_everything_is_not_asked_for_ever(tmp_path: Path) -> None:
    script = Script(refuses(404, "no such model"))
    bench = Bench(tmp_path, script.app)
    with bench.server:
        ended = await bench.run(write_pairs(tmp_path, 400))
    assert ended.how == "unreachable"
    assert "failed one after the other" in ended.message
    assert bench.rows("select count(distinct key) from errors")[0][0] <= 20


class Moody(Counting):
    """Answers verdicts with prose until told otherwise."""

    moody = True

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        return "no idea" if self.moody and stage.startswith("verdict") else super().reply(stage, body)


async def test_failures_are_kept_until_they_are_retried(tmp_path: Path) -> None:
    server = Moody()
    bench = Bench(tmp_path, server.app)
    pairs = write_pairs(tmp_path, 4, pictures=4)
    with bench.server:
        await bench.run(pairs)
        assert bench.rows("select reason, count(*) from outcomes group by 1") == [("unparsable", 4)]
        first = server.begun
        await bench.run(pairs)
        assert server.begun == first
        server.moody = False
        with Store.resume(bench.path) as store:
            assert store.retire_failed() == 4
        await bench.run(pairs)
    assert bench.rows("select kind, count(*) from outcomes group by 1") == [("judgment", 4)]
    # Graphs are not paid for again: only the eight verdicts are.
    assert server.begun == first + 8
    assert bench.rows("select count(*) from calls where retired") == [(16,)]


async def test_a_picture_that_cannot_be_decoded_is_a_bad_row_not_a_failure(
    counting: tuple[Counting, Bench], tmp_path: Path
) -> None:
    _, bench = counting
    pairs = write_pairs(tmp_path, 4, pictures=4)
    (tmp_path / "0.png").write_bytes(b"\x89PNG\r\n\x1a\n but no picture")
    assert (await bench.run(pairs)).how == "done"
    assert bench.rows("select count(*) from outcomes") == [(2,)]
    places = bench.rows("select place, reason from bad_rows order by place")
    assert len(places) == 2
    assert all("0.png" in reason for _, reason in places)


async def test_a_file_that_is_no_picture_is_not_copied_beside_the_store(
    counting: tuple[Counting, Bench], tmp_path: Path
) -> None:
    server, bench = counting
    pairs = write_pairs(tmp_path, 1, pictures=2)
    (tmp_path / "0.png").write_text("OPENAI_API_KEY=sk-secret")
    await bench.run(pairs)
    assert server.begun == 0
    assert bench.rows("select place from bad_rows") == [("pairs.jsonl line 1",)]
    files = [path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file()]
    assert not any(b"sk-secret" in data for data in files)


async def test_a_pair_and_its_mirror_are_planned_as_they_are_asked(
    counting: tuple[Counting, Bench], tmp_path: Path
) -> None:
    server, bench = counting
    write_tournament(tmp_path, 2)
    pairs = tmp_path / "mirror.jsonl"
    rows = [{"prompt": "Nothing lasts.", "a": f"{a}.png", "b": f"{1 - a}.png"} for a in (0, 1)]
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert planned(pairs)[0] == 7
    await bench.run(pairs)
    assert server.begun == 7


class Forgetful(Counting):
    """Answers the first prompt graph with prose, mended when asked again; verdicts on one picture with prose."""

    moody = True

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        again = len(body["messages"]) > 2
        if stage.startswith("prompt") and not again:
            return "let me think"
        marked = "picture_graphs" not in stage and stage.startswith("verdict") and self.odd(body)
        return "no idea" if self.moody and marked else super().reply(stage, body)

    @staticmethod
    def odd(body: dict[str, Any]) -> bool:
        return "Prompt 1:" in json.dumps(body["messages"])


async def test_retrying_what_failed_asks_for_nothing_that_stays_of_use(tmp_path: Path) -> None:
    server = Forgetful()
    bench = Bench(tmp_path, server.app)
    pairs = write_pairs(tmp_path, 4, prompts=2, pictures=4)
    with bench.server:
        await bench.run(pairs)
        assert bench.rows("select kind, count(*) from outcomes group by 1 order by 1") == [
            ("failure", 2),
            ("judgment", 2),
        ]
        first = server.begun
        server.moody = False
        with Store.resume(bench.path) as store:
            assert store.retire_failed() == 2
        await bench.run(pairs)
    assert bench.rows("select kind, count(*) from outcomes group by 1") == [("judgment", 4)]
    # Four verdicts; both prompt graphs were of use once they had been asked for again.
    assert server.begun == first + 4


async def test_money_that_nobody_accounted_for_is_remembered_by_the_budget(
    counting: tuple[Counting, Bench], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, bench = counting
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"m": [1000.0, 1000.0]}))
    monkeypatch.setenv("SEMIOSIS_PRICES", str(prices))
    pairs = write_pairs(tmp_path, 10, pictures=5)
    server.usage = {}
    assert (await bench.run(pairs, usd=60.0)).how == "budget"
    first = server.begun
    assert (await bench.run(pairs, usd=60.0)).how == "budget"
    assert server.begun == first


CUT = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"


async def test_a_cut_reply_counts_against_the_budget_though_it_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"m": [0.0, 1000.0]}))
    monkeypatch.setenv("SEMIOSIS_PRICES", str(prices))
    pairs = write_pairs(tmp_path, 1, pictures=2)
    server = Slurring(CUT)
    server.usage = {"prompt_tokens": 1000, "completion_tokens": 1000, "total_tokens": 2000}
    bench = Bench(tmp_path, server.app)
    with bench.server:
        assert (await bench.run(pairs, usd=1000.0)).how == "done"
    (dearest,) = bench.rows("select max(charged_usd) from calls")
    # At most all of its room, and the dollar that the second try said it cost.
    assert dearest[0] > 4.0 + 1.0
    with Store.look(bench.path) as store:
        assert store.charged_usd == pytest.approx(dearest[0] + server.answered - 1)


async def test_no_try_is_made_that_the_budget_does_not_cover(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"m": [0.0, 1000.0]}))
    monkeypatch.setenv("SEMIOSIS_PRICES", str(prices))
    pairs = write_pairs(tmp_path, 1, pictures=2)
    server = Slurring(CUT, CUT, CUT)
    bench = Bench(tmp_path, server.app)
    with bench.server:
        assert (await bench.run(pairs, usd=6.0)).how == "budget"
        assert server.begun == 1
        with Store.look(bench.path) as store:
            assert 4.0 < store.charged_usd <= 6.0
        assert (await bench.run(pairs, usd=6.0)).how == "budget"
        assert server.begun == 1
        assert (await bench.run(pairs, usd=100.0)).how == "done"


def test_strict_stops_at_the_first_bad_row(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path, 4, pictures=4)
    pairs.write_text(pairs.read_text() + "not json\n")
    with Store.create(tmp_path / "first.sqlite", ABOUT) as store:
        result = survey(open_items(pairs), store)
    assert (result.items, result.to_do, result.bad_rows) == (4, (4,), 1)
    with pytest.raises(BadRecord, match="line 5"):
        survey(open_items(pairs), strict=True)


def test_two_writers_are_refused_and_a_reader_is_not(tmp_path: Path) -> None:
    path = tmp_path / "first.sqlite"
    with Store.create(path, ABOUT):
        with pytest.raises(StoreError, match="written by another process"):
            Store.resume(path)
        with Store.look(path) as reader:
            assert reader.about == ABOUT
    with Store.resume(path) as store:
        assert store.about == ABOUT


def test_a_run_goes_on_only_as_it_was_begun() -> None:
    other = About("first", "pairs.jsonl", "semjudge", "1", "0", {"graphs": "solo"})
    begun = About("first", "pairs.jsonl", "semjudge", "1", "0", {"graphs": "joint"})
    with pytest.raises(StoreError, match="begun with graphs joint, not solo"):
        begun.check_same(other)
    begun.check_same(About("first", "pairs.jsonl", "semjudge", "1", "9.9", {"graphs": "joint"}))


def test_a_store_of_a_later_release_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "first.sqlite"
    with Store.create(path, ABOUT) as store:
        store.execute("pragma user_version = 99")
    with pytest.raises(StoreError, match="later release"):
        Store.look(path)
    with pytest.raises(StoreError, match="later release"):
        Store.resume(path)


def test_the_samples_are_benchmarks() -> None:
    assert {"samples", "samples/questions"} <= set(names())
    pairs = [row.make() for row in find("samples").candidates()]  # type: ignore[union-attr]
    assert len(pairs) == 27
    assert sum(item.labels["winner"] is not None for item in pairs) == 18
    assert len(list(find("samples/questions").candidates())) == 18


async def test_several_runs_of_one_call_share_its_reply(
    counting: tuple[Counting, Bench], tmp_path: Path
) -> None:
    server, bench = counting
    row = write_pairs(tmp_path, 1, pictures=4).read_text()
    pairs = tmp_path / "same.jsonl"
    pairs.write_text(row * 5)
    await bench.run(pairs)
    assert server.begun == 4
    assert bench.rows("select count(*) from outcomes") == [(5,)]
