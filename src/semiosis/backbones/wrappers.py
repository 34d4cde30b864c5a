"""Retrying, Limited, Budgeted, Cached: each takes a backbone and is one.

Cached(Budgeted(Retrying(OpenAI("gpt-5")), usd=5), path)     a cached reply costs nothing
"""

import asyncio
import json
import random
import sqlite3
import threading
import warnings
import weakref
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Annotated, Self

from pydantic import ValidationError

from ..core.errors import BackboneError, SetupError
from ..core.settings import AT_ONCE, BUDGET_USD, COUNT, SECONDS, Checked
from .backbone import REPLY, Backbone, Reply, Request, Traits, call_key, require
from .prices import cost_of, price_of
from .single_flight import SingleFlight

PICTURE_TOKENS = 1100
CHARACTERS_PER_TOKEN = 3.5


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
                for tab in _TABS.get():
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


class Purse(Checked):
    """Money that several backbones may share. What a call may cost at most is held until it has answered."""

    def __init__(self, usd: Annotated[float, BUDGET_USD], *, spent_usd: float = 0.0) -> None:
        self.usd = usd
        self.spent_usd = spent_usd
        self.held_usd = 0.0
        self._waiting: list[asyncio.Future[None]] = []

    async def hold(self, worst_usd: float) -> None:
        """Waits while calls under way might leave enough; raises when they cannot."""
        while self.spent_usd + self.held_usd + worst_usd > self.usd:
            if self.held_usd <= 0 or self.spent_usd + worst_usd > self.usd:
                raise BackboneError(
                    "budget",
                    f"The budget of ${self.usd:g} does not cover the next call "
                    f"(spent ${self.spent_usd:.4f}, this call up to ${worst_usd:.4f}).",
                )
            released = asyncio.get_running_loop().create_future()
            self._waiting.append(released)
            await released
        self.held_usd += worst_usd

    def release(self, worst_usd: float, spent_usd: float) -> None:
        self.held_usd = max(0.0, self.held_usd - worst_usd)
        self.spent_usd += spent_usd
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            future.get_loop().call_soon_threadsafe(lambda each=future: each.done() or each.set_result(None))


@dataclass
class Tab:
    """What one call runs up: a try holds the most it can cost, and is charged before the next one begins."""

    purse: Purse
    worst_usd: float
    charged_usd: float = 0.0
    holding: bool = False

    async def hold(self) -> None:
        await self.purse.hold(self.worst_usd)
        self.holding = True

    def charge(self, usd: float) -> None:
        if self.holding:
            self.holding = False
            self.charged_usd += usd
            self.purse.release(self.worst_usd, usd)

    def charge_failed(self, error: BackboneError) -> None:
        """Nobody knows what a try without a reply was billed: the most it can have been."""
        self.charge(self.worst_usd if error.billable else 0.0)

    async def next_try(self, failed: BackboneError) -> None:
        if not self.holding:
            # Whoever opened it has gone, and paid.
            return
        self.charge_failed(failed)
        try:
            await self.hold()
        except BackboneError as error:
            error.attempts = failed.attempts
            raise


# The tabs of the call at hand, written to by whoever tries again inside it.
_TABS: ContextVar[tuple[Tab, ...]] = ContextVar("tabs", default=())


class Budgeted(Wrapper):
    """A hard stop in dollars. A try is let through only if its largest estimated cost still fits.

    inner       the backbone to ask; its price must be known
    usd         the dollars, or a `Purse` that several share
    """

    def __init__(self, inner: Backbone, usd: Annotated[float, BUDGET_USD] | Purse) -> None:
        super().__init__(inner)
        if price_of(inner.name) is None:
            raise SetupError(
                f"No price is known for {inner.name}, so a budget cannot be kept: "
                "give one with SEMIOSIS_PRICES, or leave out the budget."
            )
        self.purse = usd if isinstance(usd, Purse) else Purse(usd)

    async def complete(self, request: Request) -> Reply:
        """The reply to `request`, with what was charged for it; raises BackboneError when money runs out."""
        tab = Tab(self.purse, cost_of(self.name, *estimate_tokens(request)) or 0.0)
        await tab.hold()
        others = _TABS.get()
        _TABS.set((*others, tab))
        try:
            reply = await self.inner.complete(request)
            said = reply.cost_usd
            tab.charge(tab.worst_usd if said is None or not isfinite(said) or said < 0 else said)
            return replace(reply, charged_usd=tab.charged_usd)
        except BackboneError as error:
            tab.charge_failed(error)
            error.charged_usd = tab.charged_usd
            raise
        except asyncio.CancelledError:
            tab.charge(tab.worst_usd)
            raise
        finally:
            # Not reset by its token: a coroutine whose loop is gone is ended in another context.
            _TABS.set(others)
            tab.charge(0.0)


def estimate_tokens(request: Request) -> tuple[int, int]:
    """Tokens in, from the text and the number of pictures; tokens out, at most.

    A character outside ASCII counts as a token, which holds for Chinese and overstates most scripts.
    """
    texts = [part for message in request.messages for part in message.parts if isinstance(part, str)]
    text = "".join(texts) + (json.dumps(request.schema) if request.schema else "")
    plain = len(text.encode("ascii", "ignore"))
    tokens = plain / CHARACTERS_PER_TOKEN + (len(text) - plain) + PICTURE_TOKENS * len(request.pictures)
    return int(tokens) + 1, request.max_tokens


class Cached(Wrapper):
    """The same request to the same model is paid for once.

    inner       the backbone to ask
    path        the SQLite file that keeps the replies; it is made if need be
    """

    def __init__(self, inner: Backbone, path: str | Path) -> None:
        super().__init__(inner)
        self._path = Path(path)
        self._lock = threading.Lock()
        self._flight: SingleFlight[Reply] = SingleFlight()
        self._store: sqlite3.Connection | None = None
        self._opened()

    async def complete(self, request: Request) -> Reply:
        """The reply that is kept for `request`, else a new one, which then is."""
        key = call_key(self, request)
        kept = self._read(key)
        if kept is not None:
            return replace(kept, cached=True)
        reply, mine = await self._flight.do(key, lambda: self._ask(key, request))
        return reply if mine else replace(reply, cached=True)

    async def forget(self, request: Request) -> None:
        """Drop a reply that turned out to be of no use, so that the next run asks `request` again."""
        with self._lock, suppress(sqlite3.Error):
            self._opened().execute("delete from replies where key = ?", (call_key(self, request),))
        await super().forget(request)

    async def aclose(self) -> None:
        """Close the file, and the inner backbone."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None
        await super().aclose()

    async def _ask(self, key: str, request: Request) -> Reply:
        reply = await self.inner.complete(request)
        if reply.finish == "stop":
            self._write(key, reply)
        return reply

    def _opened(self) -> sqlite3.Connection:
        if self._store is None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                store = sqlite3.connect(self._path, timeout=30, check_same_thread=False, isolation_level=None)
                store.execute("pragma journal_mode = wal")
                store.execute(
                    "create table if not exists replies (key text primary key, model text, reply text)"
                )
            except (OSError, sqlite3.Error) as error:
                raise SetupError(
                    f"The cache {self._path} cannot be opened: {error}; delete it or use --no-cache."
                ) from None
            self._store = store
        return self._store

    def _read(self, key: str) -> Reply | None:
        try:
            with self._lock:
                row = self._opened().execute("select reply from replies where key = ?", (key,)).fetchone()
            return None if row is None else REPLY.validate_json(row[0])
        except (sqlite3.Error, ValidationError):
            return None

    def _write(self, key: str, reply: Reply) -> None:
        try:
            with self._lock:
                self._opened().execute(
                    "insert or replace into replies values (?, ?, ?)",
                    (key, self.name, REPLY.dump_json(reply).decode()),
                )
        except sqlite3.Error as error:
            # The reply is paid for: losing the cache must not lose it too.
            warnings.warn(f"The cache {self._path} cannot be written: {error}.", RuntimeWarning, stacklevel=2)
