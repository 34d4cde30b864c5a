"""Paced: as many calls at once as the server bears, and no more a minute than it allows.

Retrying(Paced(OpenAI("gpt-5"), Pace(at_once=64)))                 finds out what the server bears
Retrying(Paced(OpenAI("gpt-5"), Pace(requests_per_minute=500)))    or is told
Retrying(Paced(OpenAI("gpt-5"), gates))                            or keeps to one pace with others

It stands inside Retrying, so that it sees every refusal, and a pause between two tries holds no place.
"""

import asyncio
import random
import weakref
from collections import Counter, deque
from dataclasses import dataclass
from math import inf
from typing import Annotated

from ..core.errors import BackboneError
from ..core.settings import AT_ONCE, PER_MINUTE, Checked
from .backbone import Backbone, Reply, Request
from .budget import estimate_tokens
from .wrapper import Wrapper

# A window is as many calls as the limit, and no fewer than these: a low limit would grow too soon again.
LEAST_WINDOW = 32
LEAST_START = 8
# After a refusal that does not say for how long.
PAUSE_S, LONGEST_PAUSE_S = 0.5, 8.0
LONGEST_WAIT_S = 60.0
# Of a known rate this much is used, and a start that came late is made up for within so many seconds:
# together 0.99 of what any minute allows.
USED, SLACK_S = 0.98, 0.6
LIKELY_OUTPUT_TOKENS = 500.0


@dataclass(frozen=True)
class Pace(Checked):
    """At most so many calls under way and, where the server's limits are known, so much a minute."""

    at_once: Annotated[int, AT_ONCE] = 16
    requests_per_minute: Annotated[float, PER_MINUTE] | None = None
    tokens_per_minute: Annotated[float, PER_MINUTE] | None = None


class Stopped(Exception):
    """The call was not made, because no more are wanted.

    Not an error of a backbone, which would be stored as a Failure: a run that is being stopped leaves the
    item undone, for the next run to take up.
    """

    def __init__(self, message: str = "The run is being stopped: no more calls are started.") -> None:
        super().__init__(message)


class Rate:
    """So much a minute, evenly: the generic cell rate algorithm (ITU-T I.371)."""

    def __init__(self, per_minute: float | None) -> None:
        self.per_s = inf if per_minute is None else USED * per_minute / 60
        self._free_at = 0.0

    @property
    def due(self) -> float:
        return self._free_at - SLACK_S

    def take(self, now: float, amount: float) -> None:
        self._free_at = max(now, self._free_at) + amount / self.per_s

    def correct(self, amount: float) -> None:
        """So much more was taken than was thought."""
        self._free_at += amount / self.per_s


class AdaptiveLimit:
    """How many calls may be under way: additive increase, multiplicative decrease (Chiu and Jain, 1989).

    It doubles in a window of answers until the first trouble, and then grows by one. A refusal halves it;
    other trouble, which may be chance, cuts it by its share of the last calls, and by half at most.
    """

    def __init__(self, at_once: int) -> None:
        self._most = at_once
        self._calls = float(min(at_once, max(LEAST_START, at_once // 2)))
        self._trouble_share = 0.0
        self._untroubled = True

    def __int__(self) -> int:
        return int(self._calls)

    @property
    def _window(self) -> float:
        return max(LEAST_WINDOW, self._calls)

    def grow(self) -> None:
        self._trouble_share -= self._trouble_share / self._window
        self._calls = min(self._most, self._calls + (1 if self._untroubled else 1 / self._window))

    def shrink(self, *, refused: bool, new: bool) -> None:
        """`new` where the call began after the trouble before: what was under way then is part of that."""
        self._untroubled = False
        self._trouble_share += (1 - self._trouble_share) / self._window
        if new:
            self._calls = max(1.0, self._calls * (0.5 if refused else max(0.5, 1 - self._trouble_share)))


@dataclass(frozen=True)
class Admission:
    """One call under way: whose, since when, and the tokens it was thought to take."""

    caller: "Paced"
    started: float
    tokens: float


@dataclass(frozen=True)
class Waiting:
    """A call that is to start when there is room for it."""

    caller: "Paced"
    request: Request
    admission: "asyncio.Future[Admission | None]"


class Gate:
    """The calls of one event loop: how many are under way, and when the next may start."""

    def __init__(self, pace: Pace) -> None:
        self.limit = AdaptiveLimit(pace.at_once)
        self.in_flight: Counter[Paced] = Counter()
        self._requests, self._tokens = Rate(pace.requests_per_minute), Rate(pace.tokens_per_minute)
        self._output_tokens = LIKELY_OUTPUT_TOKENS
        self._waiting: deque[Waiting] = deque()
        self._opens = self._troubled = 0.0
        self._wakes = inf
        self._pause_s = PAUSE_S

    async def enter(self, caller: "Paced", request: Request) -> Admission:
        waiting = Waiting(caller, request, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._admit()
        try:
            admission = await waiting.admission
        except asyncio.CancelledError as error:
            if not waiting.admission.cancelled() and (admission := waiting.admission.result()):
                self.leave(admission, error)
            raise
        if admission is None:
            raise Stopped
        return admission

    def leave(self, admission: Admission, outcome: Reply | BaseException) -> None:
        """The call is over: answered, failed, or given up by its caller."""
        self.in_flight[admission.caller] -= 1
        new = admission.started > self._troubled
        if isinstance(outcome, BackboneError) and outcome.retryable:
            self._back_off(admission, outcome, new)
        elif isinstance(outcome, Reply | BackboneError):
            self.limit.grow()
            self._pause_s = PAUSE_S if new else self._pause_s
        if isinstance(outcome, Reply) and outcome.output_tokens is not None:
            self._output_tokens += (outcome.output_tokens - self._output_tokens) / 10
            self._tokens.correct((outcome.input_tokens or 0) + outcome.output_tokens - admission.tokens)
        self._admit()

    def stop(self, caller: "Paced") -> None:
        """None of the caller's that wait gets through any more."""
        for waiting in self._waiting:
            if waiting.caller is caller and not waiting.admission.done():
                waiting.admission.set_result(None)
        self._admit()

    def _admit(self) -> None:
        """All who may start, at once: one in each step of the loop costs a tenth of a busy client's time."""
        while self._waiting and self.in_flight.total() < int(self.limit):
            waiting = self._waiting[0]
            now, due = _now(), max(self._opens, self._requests.due, self._tokens.due)
            if due > now and not waiting.admission.done():
                if due < self._wakes:
                    self._wakes = due
                    asyncio.get_running_loop().call_at(due, self._wake)
                return
            self._waiting.popleft()
            if not waiting.admission.done():
                admission = Admission(waiting.caller, now, self._appetite(waiting.request))
                self.in_flight[waiting.caller] += 1
                self._requests.take(now, 1)
                self._tokens.take(now, admission.tokens)
                waiting.admission.set_result(admission)

    def _wake(self) -> None:
        self._wakes = inf
        self._admit()

    def _appetite(self, request: Request) -> float:
        if self._tokens.per_s == inf:
            return 0.0
        tokens_in, most_out = estimate_tokens(request)
        return tokens_in + min(most_out, self._output_tokens)

    def _back_off(self, admission: Admission, error: BackboneError, new: bool) -> None:
        refused = error.kind == "rate-limited"
        self.limit.shrink(refused=refused, new=new)
        if error.kind != "timeout":
            self._tokens.correct(-admission.tokens)
        if new:
            self._troubled = _now()
        wait_s = error.retry_after_s
        if wait_s is None and refused and new:
            wait_s, self._pause_s = self._pause_s, min(LONGEST_PAUSE_S, 2 * self._pause_s)
        # A server that asks for more than calls are retried after is not waited for: they fail, and say so.
        if wait_s is not None and wait_s <= LONGEST_WAIT_S:
            # A little longer than asked, lest all who were told the same come back at once.
            self._opens = max(self._opens, _now() + wait_s + random.uniform(0, min(0.5, 0.1 * wait_s)))


def _now() -> float:
    return asyncio.get_running_loop().time()


class SharedGate:
    """A gate for every event loop. Backbones that share it keep to one pace together, as to one purse."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self.latest = Gate(pace)
        self._by_loop: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Gate] = (
            weakref.WeakKeyDictionary()
        )

    def here(self) -> Gate:
        """That of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._by_loop:
            self._by_loop[loop] = self.latest = Gate(self.pace)
        return self._by_loop[loop]

    def stop(self, caller: "Paced") -> None:
        """From any thread."""
        for loop, gate in tuple(self._by_loop.items()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(gate.stop, caller)


class Paces:
    """One pace for every model, whoever asks it."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._gates: dict[tuple[str, str], SharedGate] = {}

    def of(self, backbone: Backbone) -> SharedGate:
        """Those of its model, at its server."""
        return self._gates.setdefault((backbone.name, backbone.traits.identity), SharedGate(self._pace))


class Paced(Wrapper):
    """Calls at the pace the server bears: more while it answers, fewer at once when there is trouble.

    Every event loop has a pace of its own; several backbones have one together where they share `SharedGate`.
    """

    def __init__(self, inner: Backbone, pace: Pace | SharedGate = Pace()) -> None:
        super().__init__(inner)
        self._gates = pace if isinstance(pace, SharedGate) else SharedGate(pace)
        self._stopped = False

    @property
    def limit(self) -> int:
        """Calls allowed at once now, on the loop that came last."""
        return int(self._gates.latest.limit)

    @property
    def in_flight(self) -> int:
        """Its own calls, on that loop."""
        return self._gates.latest.in_flight[self]

    async def complete(self, request: Request) -> Reply:
        if self._stopped:
            raise Stopped
        gate = self._gates.here()
        admission = await gate.enter(self, request)
        try:
            reply = await self.inner.complete(request)
        except GeneratorExit:
            # The loop is gone, and nobody waits for the place.
            raise
        except BaseException as error:
            if isinstance(error, BackboneError) and error.kind == "unauthorised":
                # Whoever waits would be refused by the same key.
                self._stopped = True
                gate.stop(self)
            gate.leave(admission, error)
            raise
        gate.leave(admission, reply)
        return reply

    def stop(self) -> None:
        """From any thread: those that wait and new ones raise Stopped, those under way run to their end."""
        self._stopped = True
        self._gates.stop(self)
