"""A run in one call, from Python."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import semiosis as sm
from counting import Counting, write_pairs
from loopback import Loopback
from semiosis.core.errors import BadRecord, BadSetting, StoreError
from semiosis.core.item import BadRow, Benchmark, Candidate
from semiosis.core.kinds.pair import Judgment
from semiosis.core.outcome import Failure
from semiosis.core.sign import Pair
from semiosis.methods.contract import Judges
from semiosis.runs.conditions import Conditions
from semiosis.runs.run import check_openable, estimate, open_run, start_session
from semiosis.runs.store import Store


def test_a_run_in_one_call_begins_and_goes_on(tmp_path: Path) -> None:
    server = Counting()
    pairs = sm.open_items(write_pairs(tmp_path, 6, pictures=4))
    with Loopback(server.app) as loopback:
        recipe = sm.Recipe("semjudge", {"graphs": "solo"}, model="m", base_url=f"{loopback.url}/v1")
        conditions = sm.Conditions(at_once=8, limit=4)
        summary = sm.run(pairs, recipe, "first", folder=tmp_path / "runs", conditions=conditions)
        assert summary.counts.settled == 4
        summary = sm.run(pairs, recipe, "first", folder=tmp_path / "runs")
    assert (summary.counts.settled, summary.to_do, summary.sessions.state) == (6, 0, "done")
    with sm.Store.look(str(tmp_path / "runs" / "first.sqlite")) as store:
        read = list(sm.outcomes(store))
    assert [row.id for row, _ in read] == ["1", "2", "3", "4", "5", "6"]
    assert all(isinstance(outcome, sm.Judgment) and outcome.provenance.exchanges for _, outcome in read)


def test_a_refused_run_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"prompt": "Nothing lasts.", "a": "none.png", "b": "nor.png"}\n')
    recipe, runs = sm.Recipe("direct", model="ollama/m"), tmp_path / "runs"
    with pytest.raises(BadRecord, match="Not one row"):
        sm.run(tmp_path / "bad.jsonl", recipe, "first", folder=runs)
    assert not runs.exists()
    good = sm.open_items(write_pairs(tmp_path, 2, pictures=4))
    with pytest.raises(BadSetting, match="takes no batches"):
        sm.run(good, recipe, "first", folder=runs, conditions=sm.Conditions(batch=True))
    assert not runs.exists()
    runs.mkdir()
    with pytest.raises(BadSetting, match="takes no batches"):
        sm.run(good, recipe, "first", folder=runs, conditions=sm.Conditions(batch=True))
    assert list(runs.iterdir()) == []


def test_a_run_that_is_refused_on_resuming_stays(tmp_path: Path) -> None:
    server, runs = Counting(), tmp_path / "runs"
    pairs = write_pairs(tmp_path, 2, pictures=4)
    with Loopback(server.app) as loopback:
        recipe = sm.Recipe("direct", model="ollama/m", base_url=f"{loopback.url}/v1")
        sm.run(pairs, recipe, "first", folder=runs)
        with pytest.raises(BadSetting, match="takes no batches"):
            sm.run(pairs, recipe, "first", folder=runs, conditions=sm.Conditions(batch=True))
    with sm.Store.look(runs / "first.sqlite") as store:
        assert store.outcome_count == 2


class Moody(Counting):
    """Answers with what cannot be read, until its mood is better."""

    sulks = True

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        return {"sorry": "no"} if self.sulks else super().reply(stage, body)


@pytest.mark.parametrize("limit", [2, 5])
def test_a_limit_on_resuming_counts_what_was_settled_beyond_it(limit: int, tmp_path: Path) -> None:
    server, messages = Counting(), list[str]()
    pairs = sm.open_items(write_pairs(tmp_path, 8, pictures=6))
    with Loopback(server.app) as loopback:
        recipe = sm.Recipe("direct", model="m", base_url=f"{loopback.url}/v1")
        sm.run(pairs, recipe, "first", folder=tmp_path, conditions=sm.Conditions(limit=4))
        with open_run(pairs, recipe.make(), "first", tmp_path, resume=True) as store:
            session = start_session(store, pairs, recipe, sm.Conditions(limit=limit), tell=messages.append)
            assert (session.tally.items, session.tally.settled) == (max(4, limit), 4)
        summary = sm.run(pairs, recipe, "first", folder=tmp_path, conditions=sm.Conditions(limit=limit))
    assert messages == []
    assert (summary.sessions.items, summary.counts.settled, summary.to_do) == (
        max(4, limit),
        max(4, limit),
        0,
    )


def test_failures_beyond_the_limit_are_not_retried_and_stay(tmp_path: Path) -> None:
    server = Moody()
    pairs = sm.open_items(write_pairs(tmp_path, 8, pictures=9))
    with Loopback(server.app) as loopback:
        recipe = sm.Recipe("direct", {"orders": "ab"}, model="m", base_url=f"{loopback.url}/v1")
        failed = sm.run(pairs, recipe, "first", folder=tmp_path).counts.failures
        assert sum(failed.values()) == 8
        server.sulks = False
        again = sm.run(
            pairs, recipe, "first", folder=tmp_path, conditions=sm.Conditions(limit=3), retry_failed=True
        )
    assert (again.counts.of("judgment").settled, sum(again.counts.failures.values()), again.to_do) == (
        3,
        5,
        0,
    )


class Read:
    """Pairs that count how many of their rows were read, once for each time they are looked through."""

    def __init__(self, pairs: Benchmark) -> None:
        self.name = pairs.name
        self.times: list[int] = []
        self._pairs = pairs

    def candidates(self) -> Iterator[Candidate | BadRow]:
        self.times.append(0)
        for row in self._pairs.candidates():
            self.times[-1] += 1
            yield row


def test_rows_after_the_last_item_to_do_are_not_read_twice(tmp_path: Path) -> None:
    server = Counting()
    pairs = Read(sm.open_items(write_pairs(tmp_path, 200, pictures=30)))
    with Loopback(server.app) as loopback:
        recipe = sm.Recipe("direct", model="m", base_url=f"{loopback.url}/v1")
        sm.run(pairs, recipe, "first", folder=tmp_path, conditions=sm.Conditions(at_once=32))
        pairs.times.clear()
        sm.run(pairs, recipe, "first", folder=tmp_path)
        assert [times for times in pairs.times if times] == [200]
        with sm.Store.resume(tmp_path / "first.sqlite") as store:
            store.execute("delete from outcomes where item = (select key from items where id = '3')")
        pairs.times.clear()
        summary = sm.run(pairs, recipe, "first", folder=tmp_path)
    assert summary.to_do == 0
    assert pairs.times[0] == 200
    assert 3 <= pairs.times[1] < 200


def test_another_server_or_setting_is_another_run(tmp_path: Path) -> None:
    server = Counting()
    pairs = sm.open_items(write_pairs(tmp_path, 2, pictures=4))
    with Loopback(server.app) as one, Loopback(Counting().app) as other:
        recipe = sm.Recipe("direct", model="m", base_url=f"{one.url}/v1")
        sm.run(pairs, recipe, "first", folder=tmp_path)
        secret = sm.Recipe(
            "direct", model="m", base_url=one.url.replace("//", "//me:hunter2@") + "/v1?key=hunter2"
        )
        sm.run(pairs, secret, "second", folder=tmp_path)
        assert b"hunter2" not in (tmp_path / "second.sqlite").read_bytes()
        with pytest.raises(StoreError, match="was begun with backbone at"):
            sm.run(
                pairs, sm.Recipe("direct", model="m", base_url=f"{other.url}/v1"), "first", folder=tmp_path
            )
        changed = sm.Recipe("direct", {"orders": "ab"}, model="m", base_url=f"{one.url}/v1")
        with pytest.raises(StoreError, match="was begun with orders both, not ab"):
            sm.run(pairs, changed, "first", folder=tmp_path)


def test_a_method_that_cannot_take_the_items_ends_the_run(tmp_path: Path) -> None:
    from semiosis.benchmarks.registry import find

    recipe = sm.Recipe("contrast", model="m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(BadSetting, match="contrast takes no question items"):
        sm.run(find("samples/questions"), recipe, "first", folder=tmp_path)
    with pytest.raises(BadSetting, match="contrast takes no question items"):
        estimate(find("samples/questions"), recipe.make(), Conditions())
    with pytest.raises(BadSetting, match="coin takes no question items"):
        estimate(find("samples/questions"), Coin(), Conditions())


class Coin(Judges):
    """A method whose plan is the same for any item."""

    name = "coin"

    async def judge(self, pair: Pair) -> Judgment | Failure:
        raise NotImplementedError


def test_a_batch_is_estimated_at_half_the_price(tmp_path: Path) -> None:
    pairs = sm.open_items(write_pairs(tmp_path, 2, pictures=4))
    method = sm.Recipe("semjudge", model="openai/gpt-5").make()
    whole, _ = estimate(pairs, method, Conditions())
    half, _ = estimate(pairs, method, Conditions(batch=True))
    assert [stage.cost_usd(stage.shared) for stage in half.stages()] == [
        pytest.approx((stage.cost_usd(stage.shared) or 0) / 2) for stage in whole.stages()
    ]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch": True, "engine": "ray"}, "need no Ray"),
        ({"address": "auto"}, "add --engine ray"),
        ({"budget_usd": float("nan")}, "finite number, not nan"),
        ({"budget_usd": float("inf")}, "finite number, not inf"),
    ],
)
def test_conditions_that_contradict_each_other_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        Conditions(**settings)  # type: ignore[arg-type]


def test_an_estimate_refuses_what_the_run_would(tmp_path: Path) -> None:
    pairs = sm.open_items(write_pairs(tmp_path, 2, pictures=4))
    with Loopback(Counting().app) as loopback:
        recipe = sm.Recipe("direct", model="m", base_url=f"{loopback.url}/v1")
        check_openable(pairs, recipe.make(), "first", tmp_path / "runs", resume=False)
        with pytest.raises(StoreError, match="There is no run first"):
            check_openable(pairs, recipe.make(), "first", tmp_path / "runs", resume=True)
        sm.run(pairs, recipe, "first", folder=tmp_path / "runs")
    with pytest.raises(StoreError, match="The run first exists"):
        check_openable(pairs, recipe.make(), "first", tmp_path / "runs", resume=False)
    check_openable(pairs, recipe.make(), "first", tmp_path / "runs", resume=True)
    other = sm.Recipe("direct", {"repeats": 2}, model="m", base_url=recipe.base_url).make()
    with pytest.raises(StoreError, match="was begun with repeats 1, not 2"):
        check_openable(pairs, other, "first", tmp_path / "runs", resume=True)
    with pytest.raises(BadSetting, match="A run's name"):
        check_openable(pairs, other, "../x", tmp_path / "runs", resume=False)
    with pytest.raises(BadSetting, match="takes no batches"):
        estimate(pairs, sm.Recipe("direct", model="ollama/m").make(), Conditions(batch=True))


def test_an_estimate_of_what_is_tried_again_counts_what_failed(tmp_path: Path) -> None:
    pairs = sm.open_items(write_pairs(tmp_path, 4, pictures=8))
    recipe = sm.Recipe("direct", model="m", base_url="http://127.0.0.1:9/v1")
    sm.run(pairs, recipe, "first", folder=tmp_path / "runs")
    with Store.look(tmp_path / "runs" / "first.sqlite") as store:
        failed = sum(1 for _ in store.rows("select 1 from outcomes where failures > 0"))
        settled, _ = estimate(pairs, recipe.make(), Conditions(), store)
        again, _ = estimate(pairs, recipe.make(), Conditions(), store, retry_failed=True)
    assert failed > 0
    assert again.items == settled.items + failed == 4
