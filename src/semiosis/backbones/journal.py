"""Every reply is kept as soon as it arrives; a call whose reply is kept is not made again.

Journaled(Budgeted(Retrying(Paced(OpenAI("gpt-5")))), journal)
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from ..core.errors import BackboneError, StoreError
from .adaptive_limit import Stopped
from .backbone import Backbone, Reply, Request, call_key
from .single_flight import SingleFlight
from .wrapper import Wrapper


class Journal(Protocol):
    """Where replies are kept: a store, or the way to one in another process."""

    async def reply(self, key: str) -> Reply | None: ...

    async def keep(self, key: str, model: str, request: Request, reply: Reply) -> None: ...

    async def mark_useless(self, key: str) -> None: ...

    async def note_error(self, key: str, model: str, request: Request, error: BackboneError) -> None: ...


class Journaled(Wrapper):
    """A reply that proved useless is kept and given again: in one run, the same call has one reply.

    `halt` is called where a reply cannot be kept: no more is to be asked and paid for. Runs whose journals
    look into each other share a `flight`: a call that one of them has under way is waited for by the others.
    """

    def __init__(
        self,
        inner: Backbone,
        journal: Journal,
        halt: Callable[[], None] = lambda: None,
        flight: SingleFlight[Reply] | None = None,
    ) -> None:
        super().__init__(inner)
        self._journal = journal
        self._halt = halt
        self._shared = flight
        self._flight = flight or SingleFlight[Reply]()

    async def complete(self, request: Request) -> Reply:
        key = call_key(self, request)
        mine = False

        async def make() -> Reply:
            nonlocal mine
            mine = True
            return await self._reply(key, request)

        while True:
            try:
                reply, _ = await self._flight.do(key, make)
                break
            except Stopped:
                # Of another run, whose end is not this one's.
                if mine or not self._shared:
                    raise
        if mine:
            return reply
        if self._shared:
            # It may be in another run's journal: this one finds it there, and keeps a copy.
            await self._journal.reply(key)
        return replace(reply, cached=True)

    async def forget(self, request: Request) -> None:
        await self._journal.mark_useless(call_key(self, request))
        await super().forget(request)

    async def _reply(self, key: str, request: Request) -> Reply:
        stored = await self._journal.reply(key)
        if stored is not None:
            return replace(stored, cached=True)
        try:
            reply = await self.inner.complete(request)
        except BackboneError as error:
            await self._journal.note_error(key, self.name, request, error)
            raise
        try:
            await self._journal.keep(key, self.name, request, reply)
        except StoreError:
            self._halt()
            raise
        return reply
