"""Requests handed to a provider many at a time, at half the price, answered within a day.

    Journaled(Retrying(Batched(backbone, store, tell)), StoreJournal(store))

A request waits until no more are coming or a batch is full; then all that wait are submitted together. Items
that go through a method's stages side by side thus become one batch a stage. What is submitted is on record
before it leaves, so that a run which was killed collects its batches instead of paying for them again.
"""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from ..backbones.adaptive_limit import Stopped
from ..backbones.backbone import Backbone, Reply, Request, call_key
from ..backbones.batches import Batches, batches_of
from ..backbones.wrapper import Wrapper
from ..core.errors import BackboneError, BadSetting, SetupError
from .batch_records import BatchRecords, OpenBatch
from .store import Store

R = TypeVar("R")

QUIET_S = 1.0
POLL_S = (1.0, 60.0)
MOST_TROUBLE = 20

_KEPT = "The provider keeps it: go on with --resume."

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Waiting:
    request: Request
    reply: "asyncio.Future[Reply]"


def provider_batches(backbone: Backbone) -> Batches:
    batches = batches_of(backbone)
    if batches is None:
        raise BadSetting(
            f"{backbone.name} takes no batches: OpenAI's own server does (unset OPENAI_BASE_URL, leave out "
            "--base-url), and so do Anthropic's and Gemini's; for any other, leave out --batch."
        )
    return batches


class Batched(Wrapper):
    """Like `Paced`, it can be stopped; what the provider has then stays with the provider."""

    def __init__(self, inner: Backbone, store: Store, tell: Tell, *, quiet_s: float = QUIET_S) -> None:
        super().__init__(inner)
        self._batches = provider_batches(inner)
        self._store = store
        self._records = BatchRecords(store, inner.name)
        self._tell = tell
        self._quiet_s = quiet_s
        self._stopped = self._recovered = False
        self._broken: BaseException | None = None
        self._bytes = 0
        self._waiting: dict[str, Waiting] = {}
        self._submitted: dict[str, Waiting] = {}
        self._elsewhere: set[str] = set()
        self._collected: dict[str, Reply] = {}
        self._arrived = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def in_flight(self) -> int:
        """None that would be lost by stopping: the provider keeps a batch."""
        return 0

    async def complete(self, request: Request) -> Reply:
        if self._stopped:
            raise Stopped()
        if self._broken:
            raise self._broken
        self._recover()
        key = call_key(self, request)
        if key in self._collected:
            return self._collected.pop(key)
        waiting = Waiting(request, asyncio.get_running_loop().create_future())
        if key in self._elsewhere:
            self._submitted[key] = waiting
        else:
            self._enqueue(key, waiting)
        return await waiting.reply

    def stop(self) -> None:
        self._stopped = True
        self._dismiss(Stopped())
        for task in self._tasks:
            task.cancel()

    def _dismiss(self, error: BaseException) -> None:
        for waiting in (*self._submitted.values(), *self._waiting.values()):
            if not waiting.reply.done():
                waiting.reply.set_exception(error)

    async def aclose(self) -> None:
        if self._submitted or self._waiting:
            for task in self._tasks:
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().aclose()

    def _enqueue(self, key: str, waiting: Waiting) -> None:
        size = self._batches.size(waiting.request)
        many = len(self._waiting) >= self._batches.max_requests
        if self._waiting and (many or self._bytes + size > self._batches.max_bytes):
            self._submit()
        if not self._waiting:
            self._spawn(self._when_quiet())
        self._waiting[key] = waiting
        self._bytes += size
        self._arrived.set()

    async def _when_quiet(self) -> None:
        """Submit once nothing has arrived for a while."""
        while self._waiting:
            self._arrived.clear()
            try:
                async with asyncio.timeout(self._quiet_s):
                    await self._arrived.wait()
            except TimeoutError:
                self._submit()

    def _submit(self) -> None:
        label = uuid.uuid4().hex
        self._records.begin(label, list(self._waiting))
        waiting, self._waiting, self._bytes = self._waiting, {}, 0
        self._submitted |= waiting
        self._spawn(self._follow(label, {key: each.request for key, each in waiting.items()}))

    async def _follow(self, label: str, requests: dict[str, Request]) -> None:
        async def submit() -> str:
            # A submission that broke off may have arrived.
            return await self._batches.find(label) or await self._batches.submit(requests, label)

        try:
            try:
                batch = await self._batches.submit(requests, label)
            except BackboneError as error:
                if not error.retryable:
                    raise
                batch = await _persistently(submit)
        except BackboneError as error:
            self._records.forget(label)
            for key in requests:
                self._deliver(key, error)
            return
        self._records.name(label, batch)
        self._tell(f"batch {batch}: {len(requests):,} requests submitted to {self.name}")
        await self._gather(label, batch, set(requests))

    async def _gather(self, label: str, batch: str, keys: set[str]) -> None:
        """Poll until the provider is done, then hand the replies to whoever asked."""
        pending = set(keys)
        why = f"Batch {batch} ended without an answer to this request."
        try:
            why = await self._ended(batch, len(keys)) or why
            await _persistently(lambda: self._collect(batch, pending))
        except BackboneError as error:
            raise SetupError(f"Batch {batch} cannot be asked about: {error} {_KEPT}") from None
        self._tell(f"batch {batch}: {len(keys) - len(pending):,} of {len(keys):,} answered")
        for key in pending:
            self._deliver(key, BackboneError("unreachable", why))
        await self._written(keys - pending)
        if not keys & self._collected.keys():
            self._records.end(label)

    async def _ended(self, batch: str, size: int) -> str:
        """Waits for the end; what the provider says of it."""
        pause_s, longest_s = POLL_S
        done = 0
        while True:
            progress = await _persistently(lambda: self._batches.progress(batch))
            if progress.state != "waiting":
                return progress.message
            if progress.done > done:
                done = progress.done
                self._tell(f"batch {batch}: {done:,} of {size:,} done")
            await asyncio.sleep(pause_s)
            pause_s = min(longest_s, 2 * pause_s)

    async def _collect(self, batch: str, pending: set[str]) -> None:
        if (await self._batches.progress(batch)).state == "failed":
            return
        async for key, result in self._batches.collect(batch):
            if key in pending:
                pending.discard(key)
                self._deliver(key, result)

    def _deliver(self, key: str, result: Reply | BackboneError) -> None:
        self._elsewhere.discard(key)
        waiting = self._submitted.pop(key, None)
        if waiting is None:
            if isinstance(result, Reply):
                self._collected[key] = result
        elif not waiting.reply.done():
            if isinstance(result, Reply):
                waiting.reply.set_result(result)
            else:
                waiting.reply.set_exception(result)

    async def _written(self, keys: set[str]) -> None:
        """Until the replies somebody waited for are in the store, so that the batch may be forgotten."""
        due = [key for key in keys if key not in self._collected]
        for _ in range(MOST_TROUBLE):
            due = [key for key in due if self._store.reply(key) is None]
            if not due:
                return
            await asyncio.sleep(0.05)

    def _recover(self) -> None:
        """Take up the batches that an earlier session left with the provider."""
        if self._recovered:
            return
        self._recovered = True
        for each in self._records.unfinished():
            self._elsewhere |= each.keys
            self._spawn(self._take_up(each))

    async def _take_up(self, record: OpenBatch) -> None:
        label, keys = record.label, record.keys
        try:
            batch = record.batch or await _persistently(lambda: self._batches.find(label))
        except BackboneError as error:
            raise SetupError(f"The batches of {self.name} cannot be listed: {error} {_KEPT}") from None
        if batch is not None:
            self._tell(f"batch {batch}: taken up again, {len(keys):,} requests")
            self._records.name(label, batch)
            await self._gather(label, batch, keys)
            return
        self._records.forget(label)
        self._elsewhere -= keys
        for key in keys & self._submitted.keys():
            self._enqueue(key, self._submitted.pop(key))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._landed)

    def _landed(self, task: asyncio.Task[None]) -> None:
        """What goes wrong behind the scenes ends the run: whoever waits would wait for ever."""
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._broken = error
            self._dismiss(error)


async def _persistently(call: Callable[[], Awaitable[R]]) -> R:
    """A batch takes hours: trouble on the way is waited out, within bounds."""
    pause_s, longest_s = POLL_S
    for trouble in range(1, MOST_TROUBLE + 1):
        try:
            return await call()
        except BackboneError as error:
            if not error.retryable or trouble == MOST_TROUBLE:
                raise
            await asyncio.sleep(error.retry_after_s or pause_s)
            pause_s = min(longest_s, 2 * pause_s)
    raise RuntimeError("the last trouble is raised")
