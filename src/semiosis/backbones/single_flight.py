"""Work that several callers want is done once, and work done together is stopped together."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from ..core.outcome import Exchange, Failure

T = TypeVar("T")

LoggedWork = Callable[[list[Exchange]], Coroutine[Any, Any, T | Failure]]
LoggedResult = tuple[T | Failure, list[Exchange]]


class SingleFlight(Generic[T]):
    """Callers who ask for the same key while it is made share one result.

    A caller who is cancelled does not cancel the work: others may wait for it, and it may be paid for.
    """

    def __init__(self) -> None:
        self._tasks: dict[tuple[asyncio.AbstractEventLoop, Hashable], asyncio.Task[T]] = {}

    async def do(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T, bool]:
        """The result, and whether this caller was the one who had it made."""
        place = (asyncio.get_running_loop(), key)
        task = self._tasks.get(place)
        mine = task is None
        if task is None:
            task = asyncio.create_task(make())
            self._tasks[place] = task
            task.add_done_callback(lambda done: self._landed(place, done))
        return await asyncio.shield(task), mine

    def _landed(self, place: tuple[asyncio.AbstractEventLoop, Hashable], task: asyncio.Task[T]) -> None:
        del self._tasks[place]
        # Looked at, so that asyncio does not report an error whose callers have all gone.
        if not task.cancelled():
            task.exception()


class SharedWork(Generic[T]):
    """Work by key: shared while it is done, its result then held, the least recently used forgotten first.

    A failure is not held, so the next caller tries again.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._results: OrderedDict[Hashable, LoggedResult[T]] = OrderedDict()
        self._flight: SingleFlight[LoggedResult[T]] = SingleFlight()

    async def get(self, key: Hashable, work: LoggedWork[T], log: list[Exchange]) -> T | Failure:
        """The result; calls that somebody else had made go into the log as cached."""
        if key in self._results:
            self._results.move_to_end(key)
            (result, calls), mine = self._results[key], False
        else:
            (result, calls), mine = await self._flight.do(key, lambda: self._do(key, work))
        log.extend(calls if mine else [call.model_copy(update={"cached": True}) for call in calls])
        return result

    async def _do(self, key: Hashable, work: LoggedWork[T]) -> LoggedResult[T]:
        log: list[Exchange] = []
        result = await work(log)
        if not isinstance(result, Failure):
            self._results[key] = result, log
            while len(self._results) > self._most:
                self._results.popitem(last=False)
        return result, log


async def together(*work: Awaitable[T]) -> list[T]:
    """All results; when one raises, the others are stopped before that is passed on."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
