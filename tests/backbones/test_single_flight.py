"""Shared work is done once, whoever is cancelled meanwhile."""

import asyncio
from typing import Any

import pytest

from semiosis.backbones.single_flight import SharedWork, together
from semiosis.core.loop import run
from semiosis.core.outcome import Exchange, Failure

RESULT = ("a", "result")
MOST = 2

Shared = SharedWork[tuple[str, str]]


class Work:
    def __init__(self, result: tuple[str, str] | Failure = RESULT) -> None:
        self.result = result
        self.times = 0
        self.go = asyncio.Event()

    async def __call__(self, log: list[Exchange]) -> tuple[str, str] | Failure:
        self.times += 1
        await self.go.wait()
        log.append(Exchange(stage="s", asked="m", cost_usd=1.0))
        return self.result


async def test_callers_at_once_and_later_share_one_result_and_pay_once() -> None:
    shared, work = Shared(MOST), Work()
    logs: list[list[Exchange]] = [[], [], []]
    first, second = (asyncio.create_task(shared.get("k", work, log)) for log in logs[:2])
    await asyncio.sleep(0)
    work.go.set()
    assert await first is await second is await shared.get("k", work, logs[2]) is RESULT
    assert work.times == 1
    assert [[call.cached for call in log] for log in logs] == [[False], [True], [True]]


@pytest.mark.parametrize("cancelled", [0, 1])
async def test_a_caller_who_leaves_takes_nothing_from_the_others(cancelled: int) -> None:
    shared, work = Shared(MOST), Work()
    tasks = [asyncio.create_task(shared.get("k", work, [])) for _ in range(2)]
    await asyncio.sleep(0)
    tasks[cancelled].cancel()
    await asyncio.sleep(0)
    work.go.set()
    assert await tasks[1 - cancelled] is RESULT
    assert await shared.get("k", work, []) is RESULT
    assert work.times == 1


async def test_a_failure_is_tried_again() -> None:
    shared, work = Shared(MOST), Work(Failure(reason="refused", message="no"))
    work.go.set()
    assert isinstance(await shared.get("k", work, []), Failure)
    assert isinstance(await shared.get("k", work, []), Failure)
    assert work.times == 2


async def test_of_what_is_held_the_least_recently_used_is_forgotten_first() -> None:
    shared, work = Shared(MOST), Work()
    work.go.set()
    for key in ("first", "second", "first", "third"):
        await shared.get(key, work, [])
    assert work.times == 3
    await shared.get("first", work, [])
    assert work.times == 3
    await shared.get("second", work, [])
    assert work.times == 4


async def test_when_one_of_several_raises_the_others_are_stopped() -> None:
    stopped: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append("stopped")
            raise

    async def fail() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await together(wait(), fail(), wait())
    assert stopped == ["stopped", "stopped"]


def test_a_synchronous_call_on_the_shared_loop_is_refused_instead_of_waiting_for_ever() -> None:
    async def inside() -> Any:
        async def nothing() -> None: ...

        return run(nothing())

    with pytest.raises(RuntimeError, match="await it"):
        run(inside())
