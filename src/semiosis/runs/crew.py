"""Workers that do items as they come, of one session or of several side by side.

crew = Crew([session], 32)
await crew.work(more)           `more` gives the next items, or None when there are no more
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol

from ..backbones.single_flight import together
from ..core.item import Item


class Doing(Protocol):
    """A session as its workers know it."""

    stopping: asyncio.Event

    async def do(self, position: int, item: Item) -> None:
        """Ask about one item, and settle it."""
        ...

    async def landed(self) -> None:
        """Until no call of its own is in flight."""
        ...


class Job(NamedTuple):
    """An item that a session is to do."""

    session: Doing
    position: int
    item: Item


class Crew:
    """So many workers. They leave the items of a session that is being stopped undone."""

    def __init__(self, sessions: Sequence[Doing], size: int) -> None:
        self._sessions = sessions
        self.size = size
        self._queue: asyncio.Queue[Job | None] = asyncio.Queue(size)

    async def work(self, more: Callable[[], Awaitable[list[Job] | None]]) -> None:
        """Until all is done, or all sessions have stopped and what was in flight has landed."""
        workers = (self._work() for _ in range(self.size))
        self._working = asyncio.create_task(together(self._feed(more), *workers))
        draining = asyncio.create_task(self._drain())
        try:
            await self._working
        except asyncio.CancelledError:
            # Ours, when what was in flight has landed; anybody else's is passed on.
            if not draining.done():
                raise
        finally:
            draining.cancel()

    async def idle(self) -> None:
        """Until nothing that was given out is under way."""
        await self._queue.join()

    @property
    def _is_stopping(self) -> bool:
        return all(session.stopping.is_set() for session in self._sessions)

    async def _drain(self) -> None:
        """Once stopping, end what only waits: a pause before a retry may be a minute long."""
        for session in self._sessions:
            await session.stopping.wait()
        for session in self._sessions:
            await session.landed()
        self._working.cancel()

    async def _feed(self, more: Callable[[], Awaitable[list[Job] | None]]) -> None:
        while not self._is_stopping and (jobs := await more()) is not None:
            for job in jobs:
                await self._queue.put(job)
        for _ in range(self.size):
            await self._queue.put(None)

    async def _work(self) -> None:
        while (job := await self._queue.get()) is not None:
            if not job.session.stopping.is_set():
                await job.session.do(job.position, job.item)
            self._queue.task_done()
