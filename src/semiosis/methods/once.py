"""Shared work is done once: callers who ask for the same thing, now or later, get the same result."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable

from ..core.cascade import Reading
from ..core.outcome import Exchange, Failure

Make = Callable[[list[Exchange]], Awaitable[Reading | Failure]]

KEPT = 1024


class Once:
    """Readings by key, the most recent kept. A failure is not kept, so the next caller tries again."""

    def __init__(self) -> None:
        self._tasks: OrderedDict[Hashable, asyncio.Task[tuple[Reading | Failure, list[Exchange]]]] = (
            OrderedDict()
        )

    async def get(self, key: Hashable, make: Make, log: list[Exchange]) -> Reading | Failure:
        task = self._tasks.get(key)
        mine = task is None
        if task is None:
            task = asyncio.create_task(_logged(make))
            self._tasks[key] = task
            while len(self._tasks) > KEPT:
                self._tasks.popitem(last=False)
        try:
            result, exchanges = await (task if mine else asyncio.shield(task))
        except BaseException:
            self._tasks.pop(key, None)
            raise
        if isinstance(result, Failure):
            self._tasks.pop(key, None)
        log.extend(exchanges if mine else [item.model_copy(update={"cached": True}) for item in exchanges])
        return result


async def _logged(make: Make) -> tuple[Reading | Failure, list[Exchange]]:
    log: list[Exchange] = []
    return await make(log), log
