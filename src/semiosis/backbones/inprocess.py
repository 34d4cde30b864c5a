"""A model's blocking work in this process: off the event loop, on daemon threads, so many at once."""

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

Over = Callable[[], bool]

# A small model on two cores takes minutes where a server takes seconds.
PATIENCE_S = 900.0


class Slots:
    """Runs `work(over)`; `over()` turns true when nobody waits any more or the time is up.

    The time counts from when a slot is free. Threads are daemons: leaving Python does not wait for a model
    that is still writing.
    """

    def __init__(self, at_once: int, timeout_s: float) -> None:
        self._free = threading.Semaphore(at_once)
        self._timeout_s = timeout_s

    async def run(self, work: Callable[[Over], T]) -> T:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        left = threading.Event()

        def settle(how: Callable[[Any], None], value: Any) -> None:
            with suppress(RuntimeError):  # the loop is closed, so nobody waits
                loop.call_soon_threadsafe(lambda: done.done() or how(value))

        def body() -> None:
            with self._free:
                if left.is_set():
                    return
                end = time.monotonic() + self._timeout_s
                try:
                    result = work(lambda: left.is_set() or time.monotonic() > end)
                except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
                    settle(done.set_exception, error)
                else:
                    settle(done.set_result, result)

        threading.Thread(target=body, name="semiosis-model", daemon=True).start()
        try:
            return await done
        finally:
            left.set()
