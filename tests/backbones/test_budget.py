"""What calls may cost, what they are charged, and prices."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from numbering import Numbering, asking
from semiosis.backbones.backbone import Backbone, Reply, Request
from semiosis.backbones.budget import Budgeted, estimate_tokens
from semiosis.backbones.prices import cost_of, price_of
from semiosis.backbones.purse import Purse
from semiosis.backbones.wrapper import Limited, Retrying
from semiosis.core.errors import BackboneError, BadSetting, SetupError


async def test_a_call_of_unknown_cost_counts_as_the_most_it_can_have_cost() -> None:
    budgeted = Budgeted(Numbering(Reply(text="", cost_usd=None)), 1.0)
    await budgeted.complete(asking("x", max_tokens=4000))
    assert budgeted.purse.spent_usd == pytest.approx(0.04, abs=0.001)


async def test_a_burst_does_not_overshoot_the_budget() -> None:
    inner = Numbering(Reply(text="", cost_usd=0.04))
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
    inner = Numbering(Reply(text="", cost_usd=0.0001))
    budgeted = Budgeted(inner, 0.05)
    await asyncio.gather(*(budgeted.complete(asking("x", max_tokens=4000)) for _ in range(20)))
    assert inner.calls == 20
    assert inner.most == 1


async def test_a_call_that_timed_out_may_have_cost_all_it_could() -> None:
    class Slow(Numbering):
        async def complete(self, request: Request) -> Reply:
            raise BackboneError("timeout", "too slow")

    budgeted = Budgeted(Slow(), 1.0)
    with pytest.raises(BackboneError, match="too slow"):
        await budgeted.complete(asking("x", max_tokens=4000))
    assert budgeted.purse.spent_usd == pytest.approx(0.04, abs=0.001)
    assert budgeted.purse.held_usd == 0


class Failing(Numbering):
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
    class Hanging(Numbering):
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


async def test_two_models_share_one_purse() -> None:
    purse = Purse(0.06)
    one, two = Budgeted(Numbering(Reply(text="", cost_usd=0.05)), purse), Budgeted(Numbering(), purse)
    await one.complete(asking("x", max_tokens=1000))
    with pytest.raises(BackboneError, match=r"budget of \$0.06"):
        await two.complete(asking("x", max_tokens=4000))


def test_a_budget_without_a_price_is_refused() -> None:
    class Unknown(Numbering):
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
