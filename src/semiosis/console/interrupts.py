"""Work that lasts, carried out in a terminal: shown while it goes on, ended by ctrl-C in two steps."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from .progress import StatusLine, showing
from .screen import console

T = TypeVar("T")


def carry_out(
    work: Awaitable[T],
    *,
    stop: Callable[[], None],
    status: Callable[[], StatusLine],
    quiet: bool,
) -> T | None:
    """What came of the work; None where a second interrupt ended it at once. The first one calls `stop`."""
    return asyncio.run(_carried_out(work, stop, status, quiet))


async def _carried_out(
    work: Awaitable[T], stop: Callable[[], None], status: Callable[[], StatusLine], quiet: bool
) -> T | None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    interrupts = 0

    def interrupted() -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts == 1:
            stop()
            if not quiet:
                console(stderr=True).print("finishing the calls in flight; once more stops at once")
        elif task is not None:
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, interrupted)
    try:
        async with showing(status, quiet):
            return await work
    except asyncio.CancelledError:
        return None
