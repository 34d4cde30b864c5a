"""Paced: calls start when the server will take them, and no sooner.

Retrying(Paced(OpenAI("gpt-5"), Pace(at_once=64)))                 finds out what the server bears
Retrying(Paced(OpenAI("gpt-5"), Pace(requests_per_minute=500)))    or is told

It stands inside Retrying, so that it sees every refusal, and a pause between two tries holds no place.
"""

import asyncio
import random
import weakref
from collections import deque
from dataclasses import dataclass
from math import inf
from typing import Annotated

from ..core.errors import BackboneError
from ..core.settings import AT_ONCE, PER_MINUTE, Checked
from .base import Backbone, Reply, Request
from .climb import Climb, starting_limit
from .spacing import Learned, Spacing, per_second
from .wrappers import Wrapper, estimate_tokens

IDLE_S = 10.0
# After a refusal that does not say for how long.
PAUSE_S, LONGEST_PAUSE_S = 0.5, 8.0
LONGEST_WAIT_S = 60.0
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


@dataclass(frozen=True)
class Ticket:
    """One call under way: which, since when, at what rate, and the tokens it was thought to take."""

    number: int
    started: float
    per_s: float
    tokens: float


class Lane:
    """The calls of one event loop: who waits, who is under way, and when the next may start."""

    def __init__(self, pace: Pace) -> None:
        now = _now()
        self._climb = Climb(pace.at_once, now)
        self._requests_per_s = per_second(pace.requests_per_minute)
        self._tokens_per_s = per_second(pace.tokens_per_minute)
        self._requests, self._tokens = Spacing(now), Spacing(now)
        self._learned = Learned(now)
        self._output_tokens = LIKELY_OUTPUT_TOKENS
        self._waiting: deque[tuple[asyncio.Future[Ticket | None], float]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._left = now
        self._pause_s = PAUSE_S
        self._started = self._trouble = 0
        self._opens = now
        self.in_flight = 0

    @property
    def limit(self) -> int:
        return self._climb.limit

    @property
    def _pressed(self) -> bool:
        """Whether it is the limit that holds calls back, not their rate and not that there are so few."""
        return self._timer is None and self.in_flight > 0.75 * self.limit

    async def enter(self, request: Request) -> Ticket:
        now = _now()
        if not self.in_flight and not self._waiting and now > max(self._left, self._opens) + IDLE_S:
            self._learned.begin(now)
        waiter: asyncio.Future[Ticket | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((waiter, self._appetite(request)))
        self._admit()
        try:
            ticket = await waiter
        except asyncio.CancelledError:
            if not waiter.cancelled() and waiter.result():
                self._leave()
            raise
        if ticket is None:
            raise Stopped
        return ticket

    def left(self, ticket: Ticket, outcome: Reply | BaseException) -> None:
        """The call is over: answered, failed, or given up by its caller."""
        if isinstance(outcome, Reply):
            self._answered(ticket, outcome)
        elif isinstance(outcome, BackboneError):
            self._failed(ticket, outcome)
        self._leave()

    def dismiss(self) -> None:
        """Nobody who waits gets through any more."""
        while self._waiting:
            waiter, _ = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)

    def _answered(self, ticket: Ticket, reply: Reply) -> None:
        if ticket.number > self._trouble:
            self._pause_s = PAUSE_S
        self._climb.done(_now(), self._pressed)
        if reply.output_tokens is not None:
            self._output_tokens += (reply.output_tokens - self._output_tokens) / 10
            taken = (reply.input_tokens or 0) + reply.output_tokens
            self._tokens.correct(taken - ticket.tokens, self._tokens_per_s)

    def _failed(self, ticket: Ticket, error: BackboneError) -> None:
        if not error.retryable:
            self._climb.done(_now(), self._pressed)
            return
        if error.kind != "timeout":
            self._tokens.correct(-ticket.tokens, self._tokens_per_s)
        # Calls that were under way when trouble came are part of it.
        new = ticket.number > self._trouble
        if new:
            self._trouble = self._started
        if error.kind == "rate-limited":
            self._refused(ticket, error.retry_after_s, new)
        else:
            self._climb.failed(new)
            if error.retry_after_s is not None:
                self._close(error.retry_after_s)

    def _refused(self, ticket: Ticket, wait_s: float | None, new: bool) -> None:
        if new:
            self._requests.tighten()
        if ticket.per_s == inf:
            # From now on there is a rate to give way.
            self._climb.failed(new)
        if wait_s is not None:
            self._close(wait_s)
        elif new:
            self._close(self._pause_s)
            self._pause_s = min(LONGEST_PAUSE_S, 2 * self._pause_s)
        self._learned.refused(ticket.started, ticket.per_s, _now() + (wait_s or 0.0), self._opens)

    def _close(self, wait_s: float) -> None:
        """A little longer than asked, lest all who were told the same come back at once.

        Nobody waits for a server that asks for more than calls are retried after: they fail, and say so.
        """
        if wait_s > LONGEST_WAIT_S:
            return
        self._opens = max(self._opens, _now() + wait_s + random.uniform(0, min(0.5, 0.1 * wait_s)))
        self._requests.hold(self._opens)

    def _appetite(self, request: Request) -> float:
        if self._tokens_per_s == inf:
            return 0.0
        tokens_in, most_out = estimate_tokens(request)
        return tokens_in + min(most_out, self._output_tokens)

    def _leave(self) -> None:
        self.in_flight -= 1
        self._left = _now()
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self.in_flight < self._climb.limit:
            waiter, tokens = self._waiting[0]
            now, due = _now(), max(self._opens, self._requests.due, self._tokens.due)
            if waiter.done():
                self._waiting.popleft()
            elif due > now:
                self._wake_at(due)
                return
            else:
                self._waiting.popleft()
                waiter.set_result(self._start(now, tokens))

    def _start(self, now: float, tokens: float) -> Ticket:
        per_s = min(self._requests_per_s, self._learned.per_s(now))
        self._requests.take(now, 1, per_s)
        self._tokens.take(now, tokens, self._tokens_per_s)
        self._learned.started(now)
        self._started += 1
        self.in_flight += 1
        return Ticket(self._started, now, per_s, tokens)

    def _wake_at(self, due: float) -> None:
        if self._timer is not None:
            if self._timer.when() <= due:
                return
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(due, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._admit()


def _now() -> float:
    # A lane that kept its loop would keep it alive.
    return asyncio.get_running_loop().time()


class Paced(Wrapper):
    """Calls at the pace the server bears: more while it pays, fewer at once when there is trouble.

    Every event loop has a pace of its own.
    """

    def __init__(self, inner: Backbone, pace: Pace = Pace()) -> None:
        super().__init__(inner)
        self.pace = pace
        self._stopped = False
        self._lanes: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Lane] = weakref.WeakKeyDictionary()
        self._latest: Lane | None = None

    @property
    def limit(self) -> int:
        """Calls allowed at once now, on the loop that came last."""
        return self._latest.limit if self._latest else starting_limit(self.pace.at_once)

    @property
    def in_flight(self) -> int:
        return self._latest.in_flight if self._latest else 0

    async def complete(self, request: Request) -> Reply:
        if self._stopped:
            raise Stopped
        lane = self._lane()
        ticket = await lane.enter(request)
        try:
            reply = await self.inner.complete(request)
        except GeneratorExit:
            # The loop is gone, and nobody waits for the place.
            raise
        except BaseException as error:
            lane.left(ticket, error)
            raise
        lane.left(ticket, reply)
        return reply

    def stop(self) -> None:
        """From any thread: those that wait and new ones raise Stopped, those under way run to their end."""
        self._stopped = True
        for loop, lane in tuple(self._lanes.items()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(lane.dismiss)

    def _lane(self) -> Lane:
        loop = asyncio.get_running_loop()
        lane = self._lanes.get(loop)
        if lane is None:
            lane = self._lanes[loop] = self._latest = Lane(self.pace)
        return lane
