"""Minutes of traffic against simulated servers, on a clock that jumps to the next thing to happen."""

import asyncio
import pickle
import random
import selectors
import threading
from collections import deque
from collections.abc import Coroutine
from contextlib import suppress
from math import ceil
from statistics import mean
from typing import Any, TypeVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from semiosis.backbones.adaptive_limit import Pace, Paced, Stopped
from semiosis.backbones.backbone import Message, Reply, Request, Traits
from semiosis.backbones.budget import estimate_tokens
from semiosis.backbones.wrapper import Retrying
from semiosis.core.errors import BackboneError, BadSetting

T = TypeVar("T")
N = 1200


class Skipping(selectors.SelectSelector):
    """Nothing is waited for: the time until the next timer has passed."""

    now = 100.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "everybody waits for ever"
        self.now += max(0.0, timeout)
        return super().select(0)


class Jumping(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._skipping = Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.now


def simulate(work: Coroutine[Any, Any, T]) -> T:
    random.seed(0)
    with asyncio.Runner(loop_factory=Jumping) as runner:
        return runner.run(work)


def now() -> float:
    return asyncio.get_running_loop().time()


class Server:
    """Takes every call and answers after about a quarter of a second; a refusal takes 20 ms."""

    name = "openai/gpt-5"
    traits = Traits(endpoint="simulated")
    tokens = (100, 50)

    def __init__(self, latency_s: float = 0.25) -> None:
        self.latency_s = latency_s
        self.chance = random.Random(1)
        self.asked: list[float] = []
        self.taken: list[float] = []
        self.refused: list[float] = []
        self.under_way = self.most = 0

    async def complete(self, request: Request) -> Reply:
        self.asked.append(now())
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(self.chance.uniform(0.005, 0.015))
            wait_s = self.wait_s()
            if wait_s is not None:
                self.refused.append(now())
                await asyncio.sleep(0.01)
                raise BackboneError("rate-limited", "slow down", retry_after_s=wait_s)
            self.taken.append(now())
            await self.serve()
            return Reply(
                text=request.messages[0].text, input_tokens=self.tokens[0], output_tokens=self.tokens[1]
            )
        finally:
            self.under_way -= 1

    def wait_s(self) -> float | None:
        """How long until the server takes a call again, if it does not now."""
        return None

    async def serve(self) -> None:
        await asyncio.sleep(self.latency_s * self.chance.gammavariate(10, 0.1))

    async def aclose(self) -> None:
        pass


class Bucket(Server):
    """N a minute, refilled all the time, a second's worth at once; Retry-After in whole seconds."""

    level, at = N / 60, 0.0

    def wait_s(self) -> float | None:
        self.level, self.at = min(N / 60, self.level + (now() - self.at) * N / 60), now()
        if self.level < 1:
            return ceil((1 - self.level) * 60 / N)
        self.level -= 1
        return None


class Window(Server):
    """N in every minute of the server's clock."""

    window, used = -1.0, 0

    def wait_s(self) -> float | None:
        if now() // 60 != self.window:
            self.window, self.used = now() // 60, 0
        if self.used >= N:
            return 60 - now() % 60
        self.used += 1
        return None


class Sliding(Server):
    """N in any 60 seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.log: deque[float] = deque()

    def wait_s(self) -> float | None:
        while self.log and self.log[0] <= now() - 60:
            self.log.popleft()
        if len(self.log) >= N:
            return self.log[0] + 60 - now()
        self.log.append(now())
        return None


class Slots(Server):
    """Works on so many at once; the others wait in its queue, as long as they are patient."""

    def __init__(self, slots: int, latency_s: float = 1.0, patience_s: float | None = None) -> None:
        super().__init__(latency_s)
        self.slots = asyncio.Semaphore(slots)
        self.patience_s = patience_s
        self.answered = 0

    async def serve(self) -> None:
        try:
            async with asyncio.timeout(self.patience_s), self.slots:
                await super().serve()
        except TimeoutError:
            raise BackboneError("timeout", "no answer in time") from None
        self.answered += 1


class Flaky(Server):
    """Fails now and then, for no reason."""

    def __init__(self, kind: str = "unreachable", share: float = 0.01) -> None:
        super().__init__()
        self.kind, self.share = kind, share

    async def serve(self) -> None:
        await super().serve()
        if self.chance.random() < self.share:
            raise BackboneError(self.kind, "no luck")  # type: ignore[arg-type]


class Gated(Server):
    """Answers when it is let, and fails where it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.trouble: BackboneError | None = None
        self.order: list[str] = []

    async def complete(self, request: Request) -> Reply:
        self.order.append(request.messages[0].text)
        self.asked.append(now())
        await self.gate.wait()
        await asyncio.sleep(0.01)
        if self.trouble:
            raise self.trouble
        return Reply(text="")


def asking(text: object = "x") -> Request:
    return Request((Message("user", (str(text),)),), task="t")


async def traffic(server: Server, pace: Pace, seconds: float) -> tuple[Paced, list[int]]:
    """As many callers as have room, and some more; and the limits seen on the way."""
    paced = Paced(server, pace)
    backbone = Retrying(paced)
    limits: list[int] = []

    async def caller() -> None:
        try:
            while True:
                with suppress(BackboneError):
                    await backbone.complete(asking())
        except Stopped:
            pass

    callers = [asyncio.create_task(caller()) for _ in range(pace.at_once + 8)]
    for _ in range(100):
        await asyncio.sleep(seconds / 100)
        limits.append(paced.limit)
    paced.stop()
    await asyncio.gather(*callers)
    assert paced.in_flight == 0
    assert server.most <= pace.at_once
    return paced, limits


def shares(server: Server, seconds: float) -> tuple[float, float]:
    """Of what the server allows, so much was made; of all calls, so many were refused."""
    allowed = N * seconds / 60
    return len(server.taken) / allowed, len(server.refused) / len(server.asked)


def test_it_grows_to_the_cap_on_a_server_that_bears_it() -> None:
    server = Server()
    _, limits = simulate(traffic(server, Pace(at_once=64), 20))
    assert Paced(server, Pace(at_once=64)).limit == 32
    assert max(limits) == limits[10] == server.most == 64
    assert len(server.taken) / 20 >= 0.9 * 64 / 0.27


@pytest.mark.parametrize(("slots", "at_once"), [(1, 16), (4, 16), (4, 64), (20, 64)])
def test_a_server_with_a_queue_is_kept_busy(slots: int, at_once: int) -> None:
    async def run() -> Slots:
        server = Slots(slots)
        await traffic(server, Pace(at_once=at_once), 240)
        return server

    assert len(simulate(run()).taken) / 240 >= 0.95 * slots


def test_a_queue_that_outlasts_patience_is_made_shorter() -> None:
    """Two at once, 20 s each, and nobody waits longer than 120 s: sixteen in its queue would be too many."""

    async def run() -> tuple[Slots, list[int]]:
        server = Slots(2, latency_s=20, patience_s=120)
        _, limits = await traffic(server, Pace(at_once=16), 7200)
        return server, limits

    server, limits = simulate(run())
    assert mean(limits[10:]) <= 12
    assert server.answered * 20 / 2 / 7200 >= 0.9
    assert server.answered / len(server.asked) >= 0.85


@pytest.mark.parametrize("make", [Bucket, Window, Sliding])
def test_a_known_rate_is_used_and_kept(make: type[Server]) -> None:
    server = make()
    simulate(traffic(server, Pace(at_once=64, requests_per_minute=N), 180))
    used, refused = shares(server, 180)
    assert used >= 0.95
    assert refused == 0
    starts = server.asked
    busiest = max(sum(start <= other < start + 60 for other in starts) for start in starts[::50])
    assert busiest <= N


@pytest.mark.parametrize("make", [Bucket, Window, Sliding])
@pytest.mark.parametrize("rate", [None, 2 * N])
def test_a_rate_nobody_told_or_told_wrongly_is_found(make: type[Server], rate: float | None) -> None:
    server = make()
    simulate(traffic(server, Pace(at_once=64, requests_per_minute=rate), 300))
    used, refused = shares(server, 300)
    assert used >= 0.9
    assert refused <= 0.02


def test_tokens_a_minute_are_kept_though_replies_are_longer_than_was_thought() -> None:
    allowed = 60_000

    class Metered(Server):
        window, used = -1.0, 0
        tokens = (40, 1200)

        def wait_s(self) -> float | None:
            if now() // 60 != self.window:
                self.window, self.used = now() // 60, 0
            if self.used + sum(self.tokens) > allowed:
                return 60 - now() % 60
            self.used += sum(self.tokens)
            return None

    server = Metered(2.0)
    simulate(traffic(server, Pace(at_once=16, tokens_per_minute=allowed), 300))
    assert estimate_tokens(asking())[0] < 40
    assert len(server.taken) * sum(server.tokens) / (5 * allowed) >= 0.9
    assert len(server.refused) / len(server.asked) <= 0.02


def test_a_refusal_backs_off_at_once_and_closes_the_door_for_everybody() -> None:
    async def run() -> None:
        server = Gated()
        server.trouble = BackboneError("rate-limited", "slow down", retry_after_s=30)
        paced = Paced(server, Pace(at_once=64))
        first = [asyncio.create_task(paced.complete(asking())) for _ in range(32)]
        await asyncio.sleep(1)
        refused_at = now()
        server.gate.set()
        later = [asyncio.create_task(paced.complete(asking())) for _ in range(40)]
        await asyncio.gather(*first, return_exceptions=True)
        assert paced.limit == 16
        assert len(server.asked) == 32
        server.trouble = None
        await asyncio.gather(*later)
        assert min(server.asked[32:]) >= refused_at + 30

    simulate(run())


def test_a_burst_of_failures_is_one_and_a_second_one_cuts_deeper() -> None:
    async def run() -> list[int]:
        server = Gated()
        server.trouble = BackboneError("unreachable", "gone")
        server.gate.set()
        paced = Paced(server, Pace(at_once=64))
        limits = [paced.limit]
        for _ in range(12):
            calls = [paced.complete(asking()) for _ in range(paced.limit)]
            await asyncio.gather(*calls, return_exceptions=True)
            limits.append(paced.limit)
            await asyncio.sleep(1)
        return limits

    limits = simulate(run())
    assert limits[:3] == [32, 31, 15]
    assert limits[-1] == 1


@pytest.mark.parametrize("kind", ["unreachable", "timeout"])
def test_a_call_that_fails_now_and_then_does_not_stop_the_others(kind: str) -> None:
    server = Flaky(kind)
    _, limits = simulate(traffic(server, Pace(at_once=64), 40))
    assert mean(limits[10:]) >= 48
    assert min(limits[10:]) < 64


def test_a_pause_between_two_tries_holds_no_place() -> None:
    async def run() -> None:
        server = Gated()
        server.gate.set()
        server.trouble = BackboneError("unreachable", "gone", retry_after_s=None)
        paced = Paced(server, Pace(at_once=1))
        retried = asyncio.create_task(Retrying(paced, base_s=50).complete(asking("first")))
        await asyncio.sleep(1)
        server.trouble = None
        await paced.complete(asking("second"))
        await retried
        assert server.order == ["first", "second", "first"]

    simulate(run())


def test_first_come_first_served() -> None:
    async def run() -> None:
        server = Gated()
        server.gate.set()
        paced = Paced(server, Pace(at_once=4, requests_per_minute=600))
        await asyncio.gather(*(paced.complete(asking(n)) for n in range(50)))
        assert server.order == [str(n) for n in range(50)]

    simulate(run())


def test_a_timer_that_fires_early_is_set_again() -> None:
    """As a loop's may, by the resolution of its clock: 16 ms on Windows."""

    async def run() -> int:
        asyncio.get_running_loop()._clock_resolution = 0.1  # type: ignore[attr-defined]
        paced = Paced(Server(latency_s=0.01), Pace(requests_per_minute=60))
        ticking = [asyncio.create_task(asyncio.sleep(tick * 0.07)) for tick in range(200)]
        replies = await asyncio.gather(*(paced.complete(asking(n)) for n in range(5)))
        await asyncio.gather(*ticking)
        return len(replies)

    assert simulate(run()) == 5


def test_once_stopped_nothing_starts_and_what_is_under_way_ends() -> None:
    async def run() -> None:
        server = Gated()
        paced = Paced(server, Pace(at_once=2))
        calls = [asyncio.create_task(paced.complete(asking(n))) for n in range(5)]
        await asyncio.sleep(1)
        paced.stop()
        await asyncio.sleep(1)
        assert [call.done() for call in calls] == [False, False, True, True, True]
        server.gate.set()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(result) for result in results] == [Reply, Reply, Stopped, Stopped, Stopped]
        with pytest.raises(Stopped, match="being stopped"):
            await paced.complete(asking())
        assert not isinstance(results[-1], BackboneError)
        assert (server.order, paced.in_flight) == (["0", "1"], 0)

    simulate(run())


async def test_it_is_stopped_from_another_thread() -> None:
    server = Gated()
    paced = Paced(server, Pace(at_once=1))
    calls = [asyncio.create_task(paced.complete(asking(n))) for n in range(2)]
    await asyncio.sleep(0)
    thread = threading.Thread(target=paced.stop)
    thread.start()
    with pytest.raises(Stopped):
        await calls[1]
    thread.join()
    server.gate.set()
    assert await calls[0] == Reply(text="")


@pytest.mark.parametrize("steps", range(6))
def test_a_caller_who_gives_up_leaves_no_place_taken(steps: int) -> None:
    """The fourth gives up too, so many steps of the loop after a place came free: waiting, let in or under way."""

    async def run() -> None:
        server = Gated()
        paced = Paced(server, Pace(at_once=2))
        calls = [asyncio.create_task(paced.complete(asking(n))) for n in range(6)]
        await asyncio.sleep(1)
        calls[2].cancel()
        calls[0].cancel()
        for _ in range(steps):
            await asyncio.sleep(0)
        assert not calls[3].done()
        calls[3].cancel()
        await asyncio.sleep(1)
        assert paced.in_flight == 2
        server.gate.set()
        await asyncio.gather(*calls, return_exceptions=True)
        assert [call.cancelled() for call in calls] == [True, False, True, True, False, False]
        assert [n for n in server.order if n != "3"] == ["0", "1", "4", "5"]
        assert paced.in_flight == 0

    simulate(run())


def test_every_loop_has_a_pace_of_its_own() -> None:
    server = Server()
    paced = Paced(server, Pace(at_once=2))

    async def several() -> int:
        return len(await asyncio.gather(*(paced.complete(asking(n)) for n in range(5))))

    assert [simulate(several()) for _ in range(2)] == [5, 5]
    assert (paced.in_flight, paced.limit, server.most) == (0, 2, 2)


kinds = st.sampled_from(["", "", "", "rate-limited", "unreachable", "timeout", "refused", "cancel"])


@settings(max_examples=60, deadline=None)
@given(
    fates=st.lists(st.tuples(kinds, st.floats(0, 5), st.none() | st.floats(0, 3)), min_size=1, max_size=60),
    pace=st.builds(
        Pace, st.integers(1, 20), st.none() | st.floats(30, 6000), st.none() | st.floats(10_000, 1_000_000)
    ),
)
@example(
    fates=[
        ("", 0.0, None),
        ("", 0.0, None),
        ("", 1.0, None),
        ("", 2.3e-16, None),
        ("rate-limited", 5e-324, None),
        ("", 0.0, None),
    ],
    pace=Pace(3, None, None),
)
def test_whatever_happens_no_more_start_than_may_and_no_place_is_lost(
    fates: list[tuple[str, float, float | None]], pace: Pace
) -> None:
    troubles: list[float] = []

    class Fateful(Server):
        async def complete(self, request: Request) -> Reply:
            # Who was let in at the very moment of trouble may still start.
            just_lowered = bool(troubles) and now() - troubles[-1] < 1e-9
            assert paced.in_flight <= paced.limit or just_lowered
            assert max(paced.in_flight, paced.limit) <= pace.at_once
            kind, latency_s, wait_s = fates[int(request.messages[0].text)]
            await asyncio.sleep(latency_s)
            if kind in ("", "cancel"):
                return Reply(text="", output_tokens=10)
            troubles.append(now())
            raise BackboneError(kind, "no", retry_after_s=wait_s)  # type: ignore[arg-type]

    paced = Paced(Fateful(), pace)

    async def run() -> list[object]:
        calls = [asyncio.create_task(paced.complete(asking(n))) for n in range(len(fates))]
        for call, (kind, latency_s, _) in zip(calls, fates, strict=True):
            if kind == "cancel":
                asyncio.get_running_loop().call_later(latency_s / 2, call.cancel)
        return await asyncio.gather(*calls, return_exceptions=True)

    results = simulate(run())
    assert not any(isinstance(result, AssertionError) for result in results)
    assert paced.in_flight == 0


def test_being_stopped_is_told_across_processes() -> None:
    assert str(pickle.loads(pickle.dumps(Stopped()))) == str(Stopped())


def test_a_pace_of_nothing_is_refused() -> None:
    with pytest.raises(BadSetting, match="requests_per_minute of Pace should be greater than 0, not 0"):
        Pace(requests_per_minute=0)


@pytest.mark.parametrize("wait_s", [float("inf"), 999_999_999.0, 61.0])
def test_nobody_waits_for_a_server_that_asks_for_too_long(wait_s: float) -> None:
    class Rude(Server):
        async def complete(self, request: Request) -> Reply:
            self.asked.append(now())
            if len(self.asked) == 1:
                raise BackboneError("rate-limited", "Come back some day.", retry_after_s=wait_s)
            return Reply(text="here")

    async def work() -> tuple[str, float]:
        paced = Paced(Rude(), Pace(at_once=2))
        request = Request(messages=(Message("user", ("x",)),), task="verdict")
        with suppress(BackboneError):
            await paced.complete(request)
        began = now()
        return (await paced.complete(request)).text, now() - began

    text, took_s = simulate(work())
    assert (text, took_s < 10) == ("here", True)


def test_nobody_who_waits_is_sent_with_a_key_that_was_refused() -> None:
    class Strict(Server):
        async def complete(self, request: Request) -> Reply:
            self.asked.append(now())
            await asyncio.sleep(0.1)
            raise BackboneError("unauthorised", "wrong key")

    async def work() -> int:
        server = Strict()
        paced = Paced(server, Pace(at_once=4))
        request = Request(messages=(Message("user", ("x",)),), task="verdict")
        await asyncio.gather(*(paced.complete(request) for _ in range(20)), return_exceptions=True)
        return len(server.asked)

    assert simulate(work()) == 4
