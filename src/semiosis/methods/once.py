"""Shared work is done once: callers who ask for the same reading, now or later, get the same one."""

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from typing import Any

from ..backbones.flight import SingleFlight
from ..core.cascade import Reading
from ..core.outcome import Exchange, Failure

Make = Callable[[list[Exchange]], Coroutine[Any, Any, Reading | Failure]]
Made = tuple[Reading | Failure, list[Exchange]]

KEPT = 1024


class Once:
    """Readings by key, the most recent kept. A failure is not kept, so the next caller tries again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Made] = OrderedDict()
        self._flight: SingleFlight[Made] = SingleFlight()

    async def get(self, key: Hashable, make: Make, log: list[Exchange]) -> Reading | Failure:
        kept = self._kept.get(key)
        made, mine = (kept, False) if kept else await self._flight.do(key, lambda: self._make(key, make))
        result, exchanges = made
        log.extend(exchanges if mine else [call.model_copy(update={"cached": True}) for call in exchanges])
        return result

    async def _make(self, key: Hashable, make: Make) -> Made:
        log: list[Exchange] = []
        result = await make(log)
        if isinstance(result, Reading):
            self._kept[key] = (result, log)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return result, log
