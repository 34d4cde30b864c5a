"""One background event loop for synchronous callers, in a script, a notebook or a running loop."""

import asyncio
import atexit
import threading
import weakref
from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Closable(Protocol):
    async def aclose(self) -> None: ...


CLOSING_S = 2.0

_open: "weakref.WeakSet[Closable]" = weakref.WeakSet()
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run to completion on the shared loop and return the result; Ctrl-C cancels it."""
    future = asyncio.run_coroutine_threadsafe(coroutine, _shared())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _shared() -> asyncio.AbstractEventLoop:
    global _loop  # noqa: PLW0603 - the one loop is the point
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="semiosis", daemon=True).start()
        return _loop


def close_at_exit(client: Closable) -> None:
    """Whatever connected on the shared loop is closed when the program ends, since its caller has no loop."""
    if asyncio.get_running_loop() is _loop:
        _open.add(client)


@atexit.register
def _close() -> None:
    if _loop is None or not _open:
        return

    async def close_all() -> None:
        await asyncio.wait([asyncio.ensure_future(client.aclose()) for client in _open], timeout=CLOSING_S)

    run(close_all())
