"""Work that is cheaper together: what waits at the same time, on any event loop, is done in one call.

batcher = Batcher(lambda texts: model(texts))          called off the event loop
vector = await batcher.do(prepare, most=32)            `prepare` is awaited for what goes in
"""

import asyncio
import threading
import weakref
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, TypeVar

from .inprocess import is_leaving, start_work

T = TypeVar("T")
V = TypeVar("V")

# Batches that may be prepared while one is worked on, lest prepared pictures fill the memory.
AHEAD = 2


@dataclass(frozen=True)
class Waiter(Generic[T, V]):
    """One who waits, and with how many others at most it may be done."""

    item: T
    most: int
    value: "Future[V]"


class Batcher(Generic[T, V]):
    """Calls `work` with as much as waits; it gives a value for each, in their order.

    What it raises is raised to all of a batch. `rows` and `batches` count what was done.
    """

    def __init__(self, work: Callable[[list[T]], Sequence[V]]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._waiting: deque[Waiter[T, V]] = deque()
        self._is_busy = False
        # A semaphore belongs to the loop it first made somebody wait on; one for each size of batch.
        self._room: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, asyncio.Semaphore]] = (
            weakref.WeakKeyDictionary()
        )
        self.rows = 0
        self.batches = 0

    async def do(self, prepare: Callable[[], Awaitable[T]], most: int) -> V:
        """The value for what `prepare` gives, done with others, at most so many at once."""
        rooms = self._room.setdefault(asyncio.get_running_loop(), {})
        async with rooms.setdefault(most, asyncio.Semaphore((1 + AHEAD) * most)):
            waiter = Waiter[T, V](await prepare(), most, Future())
            with self._lock:
                self._waiting.append(waiter)
                begins, self._is_busy = not self._is_busy, True
            if begins:
                start_work(self._drain)
            return await asyncio.wrap_future(waiter.value)

    def _drain(self) -> None:
        while batch := self._next():
            try:
                values = self._work([waiter.item for waiter in batch])
                for waiter, value in zip(batch, values, strict=True):
                    waiter.value.set_result(value)
            except BaseException as error:  # noqa: BLE001 - raised again where each is awaited
                for waiter in batch:
                    if not waiter.value.done():
                        waiter.value.set_exception(error)

    def _next(self) -> list[Waiter[T, V]]:
        """Those who have waited longest and were not cancelled; nobody, and then the thread ends."""
        batch: list[Waiter[T, V]] = []
        with self._lock:
            while (
                self._waiting
                and not is_leaving()
                and len(batch) < min(waiter.most for waiter in (self._waiting[0], *batch))
            ):
                waiter = self._waiting.popleft()
                if waiter.value.set_running_or_notify_cancel():
                    batch.append(waiter)
            self._is_busy = bool(batch)
            self.rows += len(batch)
            self.batches += bool(batch)
        return batch
