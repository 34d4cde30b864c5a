"""Retrying, Limited, Budgeted, Cached: each takes a backbone and is one.

Cached(Budgeted(Retrying(OpenAI("gpt-5")), usd=5), path)     a cached reply costs nothing
"""

import asyncio
import json
import random
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

from ..core.errors import BackboneError, SetupError
from .base import REPLY, Backbone, Reply, Request, Traits
from .prices import cost_of, price_of

PICTURE_TOKENS = 1100
CHARACTERS_PER_TOKEN = 3.5


class _Wrapper:
    def __init__(self, inner: Backbone) -> None:
        self.inner = inner

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def traits(self) -> Traits:
        return self.inner.traits

    async def complete(self, request: Request) -> Reply:
        return await self.inner.complete(request)

    async def aclose(self) -> None:
        await self.inner.aclose()


class Retrying(_Wrapper):
    """Transient trouble is tried again: bounded, jittered, honouring Retry-After."""

    def __init__(
        self,
        inner: Backbone,
        *,
        tries: int = 4,
        timeouts: int = 2,
        base_s: float = 0.5,
        longest_s: float = 60.0,
    ) -> None:
        super().__init__(inner)
        self._tries = tries
        self._timeouts = timeouts
        self._base_s = base_s
        self._longest_s = longest_s

    async def complete(self, request: Request) -> Reply:
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
                await asyncio.sleep(self._pause(attempt) if wait is None else wait)

    def _pause(self, attempt: int) -> float:
        return min(self._longest_s, self._base_s * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0)


class Limited(_Wrapper):
    """At most so many calls at once."""

    def __init__(self, inner: Backbone, *, at_once: int) -> None:
        super().__init__(inner)
        self._at_once = at_once
        self._slots: asyncio.Semaphore | None = None

    async def complete(self, request: Request) -> Reply:
        if self._slots is None:
            self._slots = asyncio.Semaphore(self._at_once)
        async with self._slots:
            return await self.inner.complete(request)


class Purse:
    """Money that several backbones may share."""

    def __init__(self, usd: float) -> None:
        self.usd = usd
        self.spent_usd = 0.0
        self.held_usd = 0.0


class Budgeted(_Wrapper):
    """A hard stop in dollars. A call is let through only if its largest possible cost still fits."""

    def __init__(self, inner: Backbone, usd: float | Purse) -> None:
        super().__init__(inner)
        if price_of(inner.name) is None:
            raise SetupError(
                f"No price is known for {inner.name}, so a budget cannot be kept: "
                "give one with SEMIOSIS_PRICES, or leave out the budget."
            )
        self.purse = usd if isinstance(usd, Purse) else Purse(usd)

    async def complete(self, request: Request) -> Reply:
        worst = cost_of(self.name, *estimate_tokens(request)) or 0.0
        purse = self.purse
        if purse.spent_usd + purse.held_usd + worst > purse.usd:
            raise BackboneError(
                "budget",
                f"The budget of ${purse.usd:g} does not cover the next call "
                f"(spent ${purse.spent_usd:.4f}, this call up to ${worst:.4f}).",
            )
        purse.held_usd += worst
        try:
            reply = await self.inner.complete(request)
        finally:
            purse.held_usd -= worst
        purse.spent_usd += worst if reply.cost_usd is None else reply.cost_usd
        return reply


def estimate_tokens(request: Request) -> tuple[int, int]:
    """Tokens in, from the text's length and the number of pictures; tokens out, at most."""
    characters = sum(len(part) for m in request.messages for part in m.parts if isinstance(part, str))
    schema = len(json.dumps(request.schema)) if request.schema else 0
    tokens = (characters + schema) / CHARACTERS_PER_TOKEN + PICTURE_TOKENS * len(request.pictures)
    return int(tokens) + 1, request.max_tokens


class Cached(_Wrapper):
    """The same request to the same model is paid for once; replies are kept in one SQLite file."""

    def __init__(self, inner: Backbone, path: Path) -> None:
        super().__init__(inner)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        try:
            self._store = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
            self._store.execute("pragma journal_mode = wal")
            self._store.execute(
                "create table if not exists replies (key text primary key, model text, reply text)"
            )
        except sqlite3.DatabaseError as error:
            raise SetupError(
                f"The cache {path} cannot be opened: {error}; delete it or use --no-cache."
            ) from None

    async def complete(self, request: Request) -> Reply:
        key = f"{self.name}:{request.sha256}"
        with self._lock:
            row = self._store.execute("select reply from replies where key = ?", (key,)).fetchone()
        if row is not None:
            return replace(REPLY.validate_json(row[0]), cached=True)
        reply = await self.inner.complete(request)
        if reply.finish == "stop":
            with self._lock:
                self._store.execute(
                    "insert or replace into replies values (?, ?, ?)",
                    (key, self.name, REPLY.dump_json(reply).decode()),
                )
        return reply

    async def aclose(self) -> None:
        self._store.close()
        await super().aclose()
