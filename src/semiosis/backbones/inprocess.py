"""A model's blocking work in this process: off the event loop, on daemon threads, so many at once."""

import asyncio
import atexit
import threading
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from ..core.errors import BackboneError, SemiosisError

T = TypeVar("T")

Over = Callable[[], bool]

# A small model on two cores takes minutes where a server takes seconds.
PATIENCE_S = 900.0
PARTING_S = 10.0

_gate = threading.Lock()
_leaving = threading.Event()
_working: "weakref.WeakSet[threading.Thread]" = weakref.WeakSet()


@atexit.register
def _leave() -> None:
    """Python is about to go: models that are still writing are told to stop, and given a moment to.

    A thread inside llama.cpp that meets a vanishing interpreter aborts the whole process, so after this no
    further one is started.
    """
    with _gate:
        _leaving.set()
    end = time.monotonic() + PARTING_S
    for thread in list(_working):
        thread.join(max(0.0, end - time.monotonic()))


def start_work(body: Callable[[], None]) -> None:
    """On a daemon thread that leaving Python waits a moment for; not at all once Python is leaving."""
    thread = threading.Thread(target=body, name="semiosis-model", daemon=True)
    with _gate:
        if not _leaving.is_set():
            thread.start()
            _working.add(thread)


def is_leaving() -> bool:
    """Whether Python is about to go, and no further work is to begin."""
    return _leaving.is_set()


@contextmanager
def answering(name: str) -> Generator[None]:
    """Whatever a model's library raises as it answers becomes a BackboneError."""
    try:
        yield
    except SemiosisError:
        raise
    except Exception as error:  # noqa: BLE001 - a Failure that names it
        reason = " ".join(str(error).split())[:500]
        raise BackboneError(
            "rejected", f"{name} failed to answer: {type(error).__name__}: {reason}"
        ) from None


class Slots:
    """Runs `work(over)`; `over()` turns true when nobody waits any more or the time is up.

    The time counts from when a slot is free. Threads are daemons: leaving Python waits only a moment for a
    model that is still writing, and whoever waits for its answer then gets none.
    """

    def __init__(self, at_once: int, timeout_s: float) -> None:
        self._free = threading.Semaphore(at_once)
        self._timeout_s = timeout_s

    async def run(self, work: Callable[[Over], T]) -> T:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        departure = threading.Event()

        def settle(how: Callable[[Any], None], value: Any) -> None:
            with suppress(RuntimeError):  # the loop is closed, so nobody waits
                loop.call_soon_threadsafe(lambda: done.done() or how(value))

        def body() -> None:
            with self._free:
                if departure.is_set() or _leaving.is_set():
                    return
                end = time.monotonic() + self._timeout_s
                try:
                    result = work(lambda: departure.is_set() or _leaving.is_set() or time.monotonic() > end)
                except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
                    if not _leaving.is_set():
                        settle(done.set_exception, error)
                else:
                    settle(done.set_result, result)

        start_work(body)
        try:
            return await done
        finally:
            departure.set()
