"""A wrapper takes a backbone and is one: Retrying and Limited here, Budgeted, Cached and Record beside.

Cached(Budgeted(Retrying(OpenAI("gpt-5")), usd=5), path)     a cached reply costs nothing
"""

import asyncio
import random
import weakref
from dataclasses import replace
from typing import Annotated, Self

from ..core.errors import BackboneError
from ..core.settings import AT_ONCE, COUNT, SECONDS, Checked
from .backbone import Backbone, Reply, Request, Traits, require
from .purse import TABS


class Wrapper(Checked):
    """Passes everything on; a wrapper changes one thing of it."""

    def __init__(self, inner: Backbone) -> None:
        self.inner = inner

    @property
    def name(self) -> str:
        """provider/model, as the inner one is named."""
        return self.inner.name

    @property
    def traits(self) -> Traits:
        """What the inner one tends to do."""
        return self.inner.traits

    async def complete(self, request: Request) -> Reply:
        """The reply to `request`; raises BackboneError where there is none."""
        return await self.inner.complete(request)

    def require(self) -> None:
        """Passed on to whoever is asked."""
        require(self.inner)

    async def forget(self, request: Request) -> None:
        """Passed on to whoever keeps replies: the one to `request` is of no use."""
        if isinstance(self.inner, Wrapper):
            await self.inner.forget(request)

    async def aclose(self) -> None:
        """Close the inner one."""
        await self.inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Retrying(Wrapper):
    """Transient trouble is tried again: bounded, jittered, honouring Retry-After, within a budget.

    inner       the backbone to ask
    tries       how often at most
    timeouts    of these, how many may run out of time
    base_s      the first pause; each next one is twice as long
    longest_s   no pause is longer; a server that asks for more is not waited for
    """

    def __init__(
        self,
        inner: Backbone,
        *,
        tries: Annotated[int, COUNT] = 4,
        timeouts: Annotated[int, COUNT] = 2,
        base_s: Annotated[float, SECONDS] = 0.5,
        longest_s: Annotated[float, SECONDS] = 60.0,
    ) -> None:
        super().__init__(inner)
        self._tries = tries
        self._timeouts = timeouts
        self._base_s = base_s
        self._longest_s = longest_s

    async def complete(self, request: Request) -> Reply:
        """The reply to `request`, whichever attempt it came with."""
        attempt = timeouts = 0
        while True:
            attempt += 1
            try:
                reply = await self.inner.complete(request)
                return replace(reply, attempts=attempt) if attempt > 1 else reply
            except BackboneError as error:
                error.attempts = attempt
                timeouts += error.kind == "timeout"
                wait = error.retry_after_s
                too_long = wait is not None and wait > self._longest_s
                if not error.retryable or attempt >= self._tries or timeouts >= self._timeouts or too_long:
                    raise
                for tab in TABS.get():
                    await tab.next_try(error)
                await asyncio.sleep(self._pause(attempt) if wait is None else wait)

    def _pause(self, attempt: int) -> float:
        return min(self._longest_s, self._base_s * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0)


class Limited(Wrapper):
    """At most `at_once` calls to `inner` at the same time."""

    def __init__(self, inner: Backbone, *, at_once: Annotated[int, AT_ONCE]) -> None:
        super().__init__(inner)
        self._at_once = at_once
        # A semaphore belongs to the loop it first made somebody wait on.
        self._slots: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
            weakref.WeakKeyDictionary()
        )

    async def complete(self, request: Request) -> Reply:
        """The reply to `request`, asked for when there is room."""
        slots = self._slots.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._at_once))
        async with slots:
            return await self.inner.complete(request)
