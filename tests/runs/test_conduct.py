"""A run in one call, from Python."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import semiosis as sm
from counting import Counting, write_pairs
from loopback import Loopback
from semiosis.core.errors import BadSetting, StoreError
from semiosis.core.item import BadRow, Benchmark, Candidate
from semiosis.runs.conditions import Conditions
from semiosis.runs.conduct import estimate


def test_a_run_in_one_call_begins_and_goes_on(tmp_path: Path) -> None:
    server = Counting()
    pairs = sm.open_pairs(write_pairs(tmp_path, 6, pictures=4))
    with Loopback(server.app) as loopback:
        recipe = sm.Recipe("semjudge", {"graphs": "solo"}, model="m", base_url=f"{loopback.url}/v1")
        conditions = sm.Conditions(at_once=8, limit=4)
        found = sm.run(pairs, recipe, "first", folder=tmp_path / "runs", conditions=conditions)
        assert found.counts.settled == 4
        found = sm.run(pairs, recipe, "first", folder=tmp_path / "runs")
    assert (found.counts.settled, found.to_do, found.sessions.state) == (6, 0, "done")
    with sm.Store.look(str(tmp_path / "runs" / "first.sqlite")) as store:
        read = list(sm.outcomes(store))
    assert [row.id for row, _ in read] == ["1", "2", "3", "4", "5", "6"]
    assert all(isinstance(outcome, sm.Judgment) and outcome.provenance.exchanges for _, outcome in read)


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
    pairs = Read(sm.open_pairs(write_pairs(tmp_path, 200, pictures=30)))
    with Loopback(server.app) as loopback:
        recipe = sm.Recipe("direct", model="m", base_url=f"{loopback.url}/v1")
        sm.run(pairs, recipe, "first", folder=tmp_path, conditions=sm.Conditions(at_once=32))
        pairs.times.clear()
        sm.run(pairs, recipe, "first", folder=tmp_path)
        assert [times for times in pairs.times if times] == [200]
        with sm.Store.resume(tmp_path / "first.sqlite") as store:
            store.execute("delete from outcomes where item = (select key from items where id = '3')")
        pairs.times.clear()
        found = sm.run(pairs, recipe, "first", folder=tmp_path)
    assert found.to_do == 0
    assert pairs.times[0] == 200
    assert 3 <= pairs.times[1] < 200


def test_another_server_or_setting_is_another_run(tmp_path: Path) -> None:
    server = Counting()
    pairs = sm.open_pairs(write_pairs(tmp_path, 2, pictures=4))
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
    from semiosis.benchmarks.base import find

    recipe = sm.Recipe("direct", model="m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(BadSetting, match="direct takes no question items"):
        sm.run(find("samples/questions"), recipe, "first", folder=tmp_path)
    with pytest.raises(BadSetting, match="direct takes no question items"):
        estimate(find("samples/questions"), recipe.make(), Conditions())


def test_a_batch_is_estimated_at_half_the_price(tmp_path: Path) -> None:
    pairs = sm.open_pairs(write_pairs(tmp_path, 2, pictures=4))
    method = sm.Recipe("semjudge", model="openai/gpt-5").make()
    whole, _ = estimate(pairs, method, Conditions())
    half, _ = estimate(pairs, method, Conditions(batch=True))
    assert [stage.cost_usd for stage in half.stages] == [
        pytest.approx((stage.cost_usd or 0) / 2) for stage in whole.stages
    ]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"batch": True, "engine": "ray"}, "need no Ray"),
        ({"address": "auto"}, "add --engine ray"),
        ({"budget_usd": float("nan")}, "zero or more, not nan"),
        ({"budget_usd": float("inf")}, "zero or more, not inf"),
    ],
)
def test_conditions_that_contradict_each_other_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        Conditions(**settings)  # type: ignore[arg-type]
