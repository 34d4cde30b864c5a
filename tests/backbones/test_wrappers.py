"""Each wrapper is a backbone around a backbone."""

import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from semiosis.backbones.backbone import Backbone, Message, Reply, Request, TokenLogprob, Traits
from semiosis.backbones.pictures import prepare
from semiosis.backbones.prices import cost_of, price_of
from semiosis.backbones.recording import Record, Replay
from semiosis.backbones.wrappers import Budgeted, Cached, Limited, Purse, Retrying, estimate_tokens
from semiosis.core.errors import BackboneError, BadRecord, BadSetting, SetupError
from semiosis.core.sign import Artifact


class Counting:
    """Answers with a number that grows, and knows how many were asked at once."""

    name = "openai/gpt-5"
    traits = Traits(endpoint="test")

    def __init__(self, reply: Reply | None = None) -> None:
        self.reply = reply or Reply(text="", cost_usd=0.01)
        self.calls = self.now = self.most = 0

    async def complete(self, request: Request) -> Reply:
        self.calls += 1
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(3):
            await asyncio.sleep(0)
        self.now -= 1
        return replace(self.reply, text=str(self.calls))

    async def aclose(self) -> None:
        pass


def asking(text: str, **fields: int) -> Request:
    return Request((Message("user", (text,)),), task="t", **fields)  # type: ignore[arg-type]


async def test_the_same_request_is_paid_for_once_and_another_repeat_again(tmp_path: Path) -> None:
    inner = Counting(Reply(text="", logprobs=(TokenLogprob("a", -1.0),), parameters={"seed": 1}))
    first = Cached(inner, tmp_path / "replies.sqlite")
    one = await first.complete(asking("x"))
    await first.aclose()
    second = Cached(inner, tmp_path / "replies.sqlite")
    again = await second.complete(asking("x"))
    assert again == replace(one, cached=True)
    assert [(await second.complete(asking("x", repeat=n))).text for n in (1, 2, 1)] == ["2", "3", "2"]
    assert (await second.complete(asking("y"))).text == "4"
    await second.aclose()


def test_everything_that_decides_a_reply_is_in_its_hash(png: Callable[..., bytes]) -> None:
    def picture(colour: str) -> Message:
        return Message("user", (prepare(Artifact.of(png(colour))),))

    plain = Request((Message("user", ("x",)),), task="t")
    others = [
        Request((Message("user", ("y",)),), task="t"),
        Request((Message("system", ("x",)),), task="t"),
        Request((picture("red"),), task="t"),
        Request((picture("blue"),), task="t"),
        *(
            replace(plain, **changed)
            for changed in (
                {"schema": {"type": "object"}},
                {"max_tokens": 1},
                {"temperature": 0.5},
                {"seed": 1},
                {"logprobs": True},
                {"repeat": 1},
            )
        ),
    ]
    hashes = {request.sha256 for request in (plain, *others)}
    assert len(hashes) == 1 + len(others)


async def test_models_do_not_share_replies(tmp_path: Path) -> None:
    class Another(Counting):
        name = "openai/another"

    class Elsewhere(Counting):
        traits = Traits(endpoint="test", identity="http://elsewhere/v1")

    for inner in (Counting(), Another(), Elsewhere()):
        cached = Cached(inner, tmp_path / "replies.sqlite")
        assert not (await cached.complete(asking("x"))).cached
        await cached.aclose()


async def test_a_call_of_unknown_cost_counts_as_the_most_it_can_have_cost() -> None:
    budgeted = Budgeted(Counting(Reply(text="", cost_usd=None)), 1.0)
    await budgeted.complete(asking("x", max_tokens=4000))
    assert budgeted.purse.spent_usd == pytest.approx(0.04, abs=0.001)


async def test_a_truncated_reply_is_not_kept(tmp_path: Path) -> None:
    cached = Cached(Counting(Reply(text="", finish="length")), tmp_path / "replies.sqlite")
    assert [(await cached.complete(asking("x"))).text for _ in range(2)] == ["1", "2"]
    await cached.aclose()


def test_a_cache_that_is_no_database_says_so(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_text("not a database, but long enough to look like a damaged one" * 50)
    with pytest.raises(SetupError, match="cannot be opened"):
        Cached(Counting(), path)


async def test_no_more_than_so_many_at_once() -> None:
    inner = Counting()
    limited = Limited(inner, at_once=3)
    await asyncio.gather(*(limited.complete(asking(str(n))) for n in range(20)))
    assert (inner.calls, inner.most) == (20, 3)


async def test_a_burst_does_not_overshoot_the_budget() -> None:
    inner = Counting(Reply(text="", cost_usd=0.04))
    budgeted = Budgeted(inner, 0.5)
    results = await asyncio.gather(
        *(budgeted.complete(asking("x", max_tokens=4000)) for _ in range(50)), return_exceptions=True
    )
    stopped = [result for result in results if isinstance(result, BackboneError)]
    assert {error.kind for error in stopped} == {"budget"}
    assert inner.calls == 50 - len(stopped) == 12
    assert inner.most <= 12
    assert budgeted.purse.spent_usd <= 0.5


async def test_calls_wait_for_money_that_is_only_held() -> None:
    inner = Counting(Reply(text="", cost_usd=0.0001))
    budgeted = Budgeted(inner, 0.05)
    await asyncio.gather(*(budgeted.complete(asking("x", max_tokens=4000)) for _ in range(20)))
    assert inner.calls == 20
    assert inner.most == 1


async def test_a_call_that_timed_out_may_have_cost_all_it_could() -> None:
    class Slow(Counting):
        async def complete(self, request: Request) -> Reply:
            raise BackboneError("timeout", "too slow")

    budgeted = Budgeted(Slow(), 1.0)
    with pytest.raises(BackboneError, match="too slow"):
        await budgeted.complete(asking("x", max_tokens=4000))
    assert budgeted.purse.spent_usd == pytest.approx(0.04, abs=0.001)
    assert budgeted.purse.held_usd == 0


class Failing(Counting):
    """Fails as told, one error a call, and answers then."""

    def __init__(self, *errors: BackboneError, cost_usd: float | None = 0.01) -> None:
        super().__init__(Reply(text="", cost_usd=cost_usd))
        self.errors = list(errors)

    async def complete(self, request: Request) -> Reply:
        if self.errors:
            self.calls += 1
            raise self.errors.pop(0)
        return await super().complete(request)


WORST_USD = 0.04
BILLED = [
    BackboneError("timeout", "too slow"),
    BackboneError("unreachable", "cut off"),
    BackboneError("unreachable", "failed (500)"),
]
UNBILLED = [
    BackboneError("rate-limited", "slow down"),
    BackboneError("unreachable", "nobody listens", billable=False),
]


@pytest.mark.parametrize("between", [lambda inner: inner, lambda inner: Limited(inner, at_once=2)])
async def test_a_try_that_may_have_been_billed_is_charged_though_the_next_one_succeeds(
    between: Callable[[Backbone], Backbone],
) -> None:
    for error, lost in [*((each, WORST_USD) for each in BILLED), *((each, 0.0) for each in UNBILLED)]:
        budgeted = Budgeted(between(Retrying(Failing(error), base_s=0)), 1.0)
        reply = await budgeted.complete(asking("x", max_tokens=4000))
        assert reply.charged_usd == pytest.approx(lost + 0.01, abs=0.001)
        assert budgeted.purse.spent_usd == pytest.approx(reply.charged_usd)
        assert budgeted.purse.held_usd == 0


async def test_a_try_that_the_budget_no_longer_covers_is_not_made() -> None:
    inner = Failing(*BILLED)
    budgeted = Budgeted(Retrying(inner, base_s=0), 0.1)
    with pytest.raises(BackboneError, match=r"budget of \$0.1") as caught:
        await budgeted.complete(asking("x", max_tokens=4000))
    assert (caught.value.kind, caught.value.attempts, inner.calls) == ("budget", 2, 2)
    assert caught.value.charged_usd == budgeted.purse.spent_usd == pytest.approx(2 * WORST_USD, abs=0.001)
    assert budgeted.purse.held_usd == 0


async def test_what_every_try_may_have_cost_is_charged_where_all_failed() -> None:
    budgeted = Budgeted(Retrying(Failing(*BILLED, *UNBILLED), base_s=0), 1.0)
    with pytest.raises(BackboneError, match="slow down") as caught:
        await budgeted.complete(asking("x", max_tokens=4000))
    assert caught.value.charged_usd == pytest.approx(3 * WORST_USD, abs=0.002)
    assert budgeted.purse.spent_usd == pytest.approx(3 * WORST_USD, abs=0.002)


async def test_two_budgets_around_one_backbone_count_alike() -> None:
    inner = Budgeted(Retrying(Failing(BILLED[0]), base_s=0), 1.0)
    outer = Budgeted(inner, 2.0)
    await outer.complete(asking("x", max_tokens=4000))
    assert outer.purse.spent_usd == inner.purse.spent_usd == pytest.approx(WORST_USD + 0.01, abs=0.001)


async def test_a_call_that_was_given_up_may_have_cost_all_it_could() -> None:
    class Hanging(Counting):
        async def complete(self, request: Request) -> Reply:
            await asyncio.Event().wait()
            raise AssertionError

    budgeted = Budgeted(Hanging(), 1.0)
    task = asyncio.create_task(budgeted.complete(asking("x", max_tokens=4000)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert budgeted.purse.spent_usd == pytest.approx(WORST_USD, abs=0.001)
    assert budgeted.purse.held_usd == 0


@pytest.mark.parametrize("usd", [float("nan"), float("inf"), -1.0])
def test_a_budget_is_a_number_of_dollars(usd: float) -> None:
    with pytest.raises(BadSetting, match="The setting usd of Purse should be"):
        Purse(usd)


def test_scripts_without_spaces_are_not_underestimated() -> None:
    assert estimate_tokens(asking("山" * 1000))[0] >= 1000


async def test_equal_requests_at_once_are_one_call(tmp_path: Path) -> None:
    inner = Counting()
    cached = Cached(inner, tmp_path / "replies.sqlite")
    replies = await asyncio.gather(*(cached.complete(asking("x")) for _ in range(5)))
    assert inner.calls == 1
    assert sorted(reply.cached for reply in replies) == [False, True, True, True, True]
    await cached.aclose()
    assert (await cached.complete(asking("x"))).cached
    await cached.aclose()


async def test_a_row_of_another_time_is_asked_again(tmp_path: Path) -> None:
    cached = Cached(Counting(), tmp_path / "replies.sqlite")
    await cached.complete(asking("x"))
    await cached.aclose()
    with sqlite3.connect(tmp_path / "replies.sqlite") as store:
        store.execute("update replies set reply = '{}'")
    store.close()
    assert (await cached.complete(asking("x"))).text == "2"
    await cached.aclose()


def test_a_limit_serves_one_loop_after_another() -> None:
    limited = Limited(Counting(), at_once=1)

    async def two() -> int:
        return len(await asyncio.gather(limited.complete(asking("x")), limited.complete(asking("y"))))

    assert [asyncio.run(two()) for _ in range(2)] == [2, 2]


async def test_two_models_share_one_purse() -> None:
    purse = Purse(0.06)
    one, two = Budgeted(Counting(Reply(text="", cost_usd=0.05)), purse), Budgeted(Counting(), purse)
    await one.complete(asking("x", max_tokens=1000))
    with pytest.raises(BackboneError, match=r"budget of \$0.06"):
        await two.complete(asking("x", max_tokens=4000))


def test_a_budget_without_a_price_is_refused() -> None:
    class Unknown(Counting):
        name = "openai/model-nobody-knows"

    with pytest.raises(SetupError, match="No price is known"):
        Budgeted(Unknown(), 1)


def test_prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cost_of("openai/gpt-5", 1_000_000, 1_000_000) == 11.25
    assert cost_of("openrouter/openai/gpt-5", 0, 1_000_000) == 10.0
    assert cost_of("ollama/gpt-5", None, None) == 0.0
    assert price_of("openai/model-nobody-knows") is None
    assert cost_of("openai/gpt-5", None, 5) is None
    path = tmp_path / "prices.json"
    path.write_text('{"gpt-5": [1, 2]}')
    monkeypatch.setenv("SEMIOSIS_PRICES", str(path))
    assert price_of("openai/gpt-5") == (1.0, 2.0)


async def test_what_was_recorded_is_replayed_and_nothing_else(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    recorder = Record(Counting(), tape)
    said = [await recorder.complete(asking(text)) for text in ("x", "ünïcödé")]
    replay = Replay(tape)
    assert [(await replay.complete(asking(text))).text for text in ("x", "ünïcödé")] == [r.text for r in said]
    assert (await replay.complete(asking("x"))).recorded
    assert replay.name == "replay/openai/gpt-5"
    with pytest.raises(BackboneError, match="no reply to this t request"):
        await replay.complete(asking("never asked"))


def test_a_damaged_cassette_names_its_line(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    tape.write_text('{"model": "m", "task": "t", "subject": [], "reply": {"text": "x"}}\n{"model": ')
    with pytest.raises(BadRecord, match="Line 2"):
        Replay(tape)
