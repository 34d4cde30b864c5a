"""What every model behind an API shares: one client a loop, and asking again where a server says how."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ..core.errors import BackboneError
from .base import Reply, Request, Traits
from .families import traits_of
from .loop import close_at_exit
from .trouble import MAX_NEGOTIATIONS, Manners


class Hosted(ABC):
    """A subclass says how to connect, what to send, and what the answer means."""

    def __init__(
        self, name: str, endpoint: str, manners: Manners, *, api_key: str | None, timeout_s: float
    ) -> None:
        self._name = name
        self._traits = traits_of(name, endpoint)
        self._manners = manners
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def traits(self) -> Traits:
        return self._traits

    async def complete(self, request: Request) -> Reply:
        started, clock = datetime.now(UTC), time.perf_counter()
        for _ in range(MAX_NEGOTIATIONS):
            form = self._manners.forms[0] if request.schema else "plain"
            body = self._body(request, form)
            try:
                reply = self._reply(await self._send(request, body), body, form)
            except BackboneError as error:
                if error.kind == "rejected" and self._manners.learn(str(error), form, self._sent(body)):
                    continue
                raise
            return replace(
                reply,
                latency_s=time.perf_counter() - clock,
                started_at=started.isoformat(timespec="milliseconds"),
            )
        raise BackboneError("rejected", f"{self.name} refused every form of the request.")

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await self._disconnect(client)

    def _connected(self) -> Any:
        """The client of this loop: one used on another loop hangs."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client = self._connect()
            self._loop = loop
            close_at_exit(self)
        return self._client

    @abstractmethod
    def _connect(self) -> Any: ...

    async def _disconnect(self, client: Any) -> None:
        await client.close()

    @abstractmethod
    def _body(self, request: Request, form: str) -> dict[str, Any]:
        """What is sent, in that schema form and without what was refused."""

    def _sent(self, body: dict[str, Any]) -> Collection[str]:
        """The names of the parameters in a body."""
        return {*body, *body.get("extra_body", ())}

    @abstractmethod
    async def _send(self, request: Request, body: dict[str, Any]) -> Any: ...

    @abstractmethod
    def _reply(self, answer: Any, body: dict[str, Any], form: str) -> Reply: ...


def text_of(value: Any) -> str:
    """A field that should hold a short text; clients do not validate what they parsed."""
    return value[:200] if isinstance(value, str) else ""


def count_of(value: Any) -> int | None:
    """A field that should hold a count."""
    return value if isinstance(value, int) and value >= 0 else None
