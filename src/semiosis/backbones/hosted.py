"""What every model behind an API shares: one client a loop, and asking again where a server says how."""

import asyncio
import re
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Collection, Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Self

from ..core.errors import BackboneError, SemiosisError, SetupError
from ..core.loop import close_at_exit, closed
from ..core.secrets import address, redact, withhold
from .backbone import Reply, Request, Traits
from .families import traits_of
from .http_errors import MAX_NEGOTIATIONS, Manners, from_exception, from_status, words
from .prices import cost_of

# More than any model reads or writes: a number beyond it is not a count.
MOST_TOKENS = 10**9


class Hosted(ABC):
    """A subclass says how to connect, what to send, and what the answer means.

    At its own address, nothing is sent without a key where `_key_variable` should have held one. `_forms` are
    those of a schema, the strongest first, and `_complaint` is what a server says of one it does not take.
    Whatever a server sends ends as a Reply or a BackboneError: `_calling` and `_reading` are the boundary.
    """

    default_url: str
    _vendor: str
    _endpoint: str
    _key_variable: str
    _forms: tuple[str, ...]
    _complaint: re.Pattern[str]
    _droppable: tuple[str, ...] = ("temperature", "seed", "logprobs")

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 120.0,
    ) -> None:
        self.model = model
        self._name = f"{self._vendor}/{model}"
        self._traits = traits_of(self._name, self._endpoint, identity=base_url or "")
        self._manners = Manners([*self._forms], self._complaint, self._droppable)
        self._base_url = base_url
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._key_name = None if base_url else self._key_variable
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = weakref.WeakKeyDictionary()

    @property
    def name(self) -> str:
        return self._name

    @property
    def traits(self) -> Traits:
        return self._traits

    def require(self) -> None:
        """Raise one sentence that says what must be set before anything can be asked."""
        if self._key_name and not self._api_key:
            raise SetupError(f"{self.name} needs a key: export {self._key_name}=...")

    async def complete(self, request: Request) -> Reply:
        self.require()
        started, clock = datetime.now(UTC), time.perf_counter()
        for _ in range(MAX_NEGOTIATIONS):
            form = self._form(request)
            body = self._body(request, form)
            try:
                with self._calling():
                    # A client's own timeout restarts with every byte; this one bounds the whole call.
                    async with asyncio.timeout(self._timeout_s):
                        answer = await self._send(request, body)
                with self._reading(answer):
                    reply = self._reply(answer, body, form)
            except BackboneError as error:
                self._censor(error)
                if error.kind == "rejected" and self._manners.learn(error.reply, form, self._sent(body)):
                    continue
                raise
            return replace(
                self._received(reply),
                latency_s=time.perf_counter() - clock,
                started_at=started.isoformat(timespec="milliseconds"),
            )
        raise BackboneError("rejected", f"{self._asked} refused every form of the request.")

    @property
    def _asked(self) -> str:
        """Who was asked, and where."""
        return f"{self.name} at {address(self._base_url or self.default_url)}"

    def _form(self, request: Request) -> str:
        return self._manners.forms[0] if request.schema else "plain"

    def _censor(self, error: BackboneError) -> None:
        error.args = (self._fit(str(error)),)
        error.reply = self._fit(error.reply)

    def _received(self, reply: Reply) -> Reply:
        """Without our key, and with its price."""
        return replace(
            reply,
            cost_usd=cost_of(self.name, reply.input_tokens, reply.output_tokens),
            text=self._fit(reply.text),
            served=self._fit(reply.served),
            fingerprint=self._fit(reply.fingerprint),
        )

    def _fit(self, text: str) -> str:
        """A server's words without our key, and without halves of characters, which no file takes."""
        return withhold(text, self._api_key).encode("utf-8", "replace").decode()

    @contextmanager
    def _calling(self) -> Generator[None]:
        """Whatever the client raises becomes a BackboneError: no list of its errors is ever whole."""
        try:
            yield
        except SemiosisError:
            raise
        except Exception as error:  # noqa: BLE001 - a Failure that names it
            raise self._meant(error) from None

    def _meant(self, error: Exception) -> BackboneError:
        with suppress(Exception):
            refusal = self._status(error)
            if refusal is not None:
                return refusal
        return from_exception(self._asked, error, self._timeout_s, self._api_key)

    @contextmanager
    def _reading(self, answer: Any) -> Generator[None]:
        """As `_calling`, for an answer that the client did not validate: anything may be in any field."""
        try:
            yield
        except SemiosisError:
            raise
        except Exception as error:  # noqa: BLE001 - a Failure that names it
            raise BackboneError(
                "unparsable",
                f"{self._asked} sent an answer of another shape ({type(error).__name__}).",
                reply=words(answer)[:2000],
            ) from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the client of this loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        closed(self)
        if client is not None:
            await self._disconnect(client)

    def _connected(self) -> Any:
        """The client of this loop: one used on another loop hangs."""
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = self._connect()
            close_at_exit(self)
        return client

    @abstractmethod
    def _connect(self) -> Any: ...

    async def _disconnect(self, client: Any) -> None:
        await client.close()

    @abstractmethod
    def _status(self, error: Exception) -> BackboneError | None:
        """What the client says of an answer with an HTTP status, if that is what it raised."""

    def _refusal(
        self, status: int, message: str, *, code: str, retry_after_s: float | None = None
    ) -> BackboneError:
        complaint = redact(message, self._api_key)[:500]
        status = self._usual_status(status, complaint)
        return from_status(self._asked, status, complaint, code=code, retry_after_s=retry_after_s)

    def _usual_status(self, status: int, complaint: str) -> int:
        """The one that others send for the same complaint."""
        return status

    def _parameters(self, request: Request) -> dict[str, Any]:
        """Those of the request that the server has not refused."""
        wanted = {
            "temperature": request.temperature,
            "seed": request.seed,
            "logprobs": True if request.logprobs else None,
        }
        refused = self._manners.refused
        return {name: value for name, value in wanted.items() if value is not None and name not in refused}

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
    return value if isinstance(value, int) and 0 <= value < MOST_TOKENS else None
