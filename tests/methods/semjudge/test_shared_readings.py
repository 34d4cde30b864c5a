"""Shared work is done once, whoever is cancelled meanwhile."""

import asyncio
from typing import Any

import pytest

from semiosis.backbones.single_flight import together
from semiosis.core.cascade import Reading
from semiosis.core.graph import HSG, Semiosis
from semiosis.core.loop import run
from semiosis.core.outcome import Exchange, Failure
from semiosis.methods.semjudge.shared_readings import SharedReadings

READING = Reading(
    of="prompt",
    graph=HSG(label="x", root=Semiosis(sign="s", object="o", interpretant="i")),
    interpreter="m",
    made="built",
)


class Work:
    def __init__(self, result: Reading | Failure = READING) -> None:
        self.result = result
        self.times = 0
        self.go = asyncio.Event()

    async def __call__(self, log: list[Exchange]) -> Reading | Failure:
        self.times += 1
        await self.go.wait()
        log.append(Exchange(stage="s", asked="m", cost_usd=1.0))
        return self.result


async def test_callers_at_once_and_later_share_one_reading_and_pay_once() -> None:
    shared, work = SharedReadings(), Work()
    logs: list[list[Exchange]] = [[], [], []]
    first, second = (asyncio.create_task(shared.get("k", work, log)) for log in logs[:2])
    await asyncio.sleep(0)
    work.go.set()
    assert await first is await second is await shared.get("k", work, logs[2]) is READING
    assert work.times == 1
    assert [[call.cached for call in log] for log in logs] == [[False], [True], [True]]


@pytest.mark.parametrize("cancelled", [0, 1])
async def test_a_caller_who_leaves_takes_nothing_from_the_others(cancelled: int) -> None:
    shared, work = SharedReadings(), Work()
    tasks = [asyncio.create_task(shared.get("k", work, [])) for _ in range(2)]
    await asyncio.sleep(0)
    tasks[cancelled].cancel()
    await asyncio.sleep(0)
    work.go.set()
    assert await tasks[1 - cancelled] is READING
    assert await shared.get("k", work, []) is READING
    assert work.times == 1


async def test_a_failure_is_tried_again() -> None:
    shared, work = SharedReadings(), Work(Failure(reason="refused", message="no"))
    work.go.set()
    assert isinstance(await shared.get("k", work, []), Failure)
    assert isinstance(await shared.get("k", work, []), Failure)
    assert work.times == 2


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
