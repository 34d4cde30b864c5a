"""One background event loop for synchronous callers, in a script, a notebook or a running loop."""

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import wait
from contextlib import suppress
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Closable(Protocol):
    async def aclose(self) -> None: ...


CLOSING_S = 2.0
HEARING_S = 0.5

_open: "set[Closable]" = set()
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run to completion on the shared loop and return the result; Ctrl-C cancels it."""
    if threading.current_thread() is _thread:
        coroutine.close()
        raise RuntimeError("A synchronous call was made on the loop that would have to answer it; await it.")
    future = asyncio.run_coroutine_threadsafe(coroutine, _shared())
    try:
        # A signal that comes just before a wait begins is heard when it ends: so none is for ever.
        while not wait((future,), HEARING_S).done:
            pass
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _shared() -> asyncio.AbstractEventLoop:
    global _loop, _thread  # noqa: PLW0603 - the one loop is the point
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            _thread = threading.Thread(target=_loop.run_forever, name="semiosis", daemon=True)
            _thread.start()
        return _loop


def _forget() -> None:
    """Threads do not survive a fork: the child starts a loop of its own."""
    global _loop, _thread, _lock  # noqa: PLW0603
    _loop = _thread = None
    _lock = threading.Lock()
    _open.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def close_at_exit(client: Closable) -> None:
    """Whatever connected on the shared loop is closed when the program ends, since its caller has no loop."""
    if asyncio.get_running_loop() is _loop:
        _open.add(client)


def closed(client: Closable) -> None:
    _open.discard(client)


@atexit.register
def _close() -> None:
    if _loop is None or not _open:
        return

    async def close_all() -> None:
        closing = [client.aclose() for client in tuple(_open)]
        await asyncio.wait_for(asyncio.gather(*closing, return_exceptions=True), CLOSING_S)

    with suppress(TimeoutError):
        run(close_all())
