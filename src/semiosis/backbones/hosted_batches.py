"""What the batch APIs share: a line a request, named so that its result finds back, read back one by one."""

import asyncio
import base64
import hashlib
import json
import re
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from tempfile import SpooledTemporaryFile
from typing import Any, ClassVar, Self, cast

from ..core.errors import BackboneError
from .backbone import Reply, Request
from .batches import BATCH_DISCOUNT, BatchProgress
from .hosted import Hosted

SLOWEST_BYTES_PER_S = 100_000
IN_MEMORY_BYTES = 8 * 1024 * 1024
# A list of batches comes in pages, and some must be looked into.
CALLS_TO_FIND = 10
_KEY = re.compile(r"[0-9a-f]{64}")
_TICKET = re.compile(r"([\w-]{43})([\w-]{20})([a-z])", re.ASCII)


@dataclass(frozen=True)
class Ticket:
    """The name of a request in a batch: its key, its batch's label (as a mark), its schema form (a letter).

    Anthropic takes 64 characters of these kinds and has no other place for a label. The form is what a
    process needs to read results of a batch that another one submitted.
    """

    key: str
    mark: str
    form: str

    def __str__(self) -> str:
        return _base64url(bytes.fromhex(self.key)) + self.mark + self.form

    @classmethod
    def read(cls, name: object) -> Self | None:
        """None for a name that is none of ours."""
        parts = _TICKET.fullmatch(name) if isinstance(name, str) else None
        return parts and cls(base64.urlsafe_b64decode(parts[1] + "=").hex(), parts[2], parts[3])


def mark_of(label: str) -> str:
    return _base64url(hashlib.sha256(label.encode()).digest()[:15])


@dataclass(frozen=True)
class Submitted:
    """What this process remembers of a batch: when it was sent, and each body without words and pictures."""

    at: str
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])


class HostedBatches(Hosted):
    """A subclass says how a request stands in a batch, how a batch is sent, and where its results are."""

    max_requests: int = 0
    max_bytes: int = 0
    _name_field: ClassVar[str] = "custom_id"

    @cached_property
    def _submitted(self) -> dict[str, Submitted]:
        return {}

    async def submit(self, requests: Mapping[str, Request], label: str) -> str:
        if not all(_KEY.fullmatch(key) for key in requests):
            raise ValueError("A key of a request in a batch is a SHA-256 in hexadecimal.")
        submitted = Submitted(_now())
        with self._dealing():
            batch = await self._deliver(self._entries(requests, label, submitted), label)
        if not isinstance(batch, str) or not re.fullmatch(r"[\w./-]{1,200}", batch):
            raise BackboneError("unparsable", f"{self.name} took a batch and gave it no name.")
        self._submitted[batch] = submitted
        return batch

    async def find(self, label: str) -> str | None:
        with self._dealing():
            async with asyncio.timeout(self._timeout_s * CALLS_TO_FIND):
                return await self._found(label)

    async def progress(self, batch: str) -> BatchProgress:
        with self._dealing():
            async with asyncio.timeout(self._timeout_s):
                progress = await self._progress(batch)
        return replace(progress, message=self._fit(progress.message))

    async def collect(self, batch: str) -> AsyncGenerator[tuple[str, Reply | BackboneError]]:
        if (await self.progress(batch)).state == "waiting":
            raise BackboneError(
                "unreachable", f"{self.name} is still at work on {batch}: collect it when it is done."
            )
        submitted = self._submitted.get(batch)
        bodies, at = (submitted.bodies, submitted.at) if submitted else ({}, _now())
        forms = {form[0]: form for form in self._forms}
        keys: set[str] = set()
        with self._dealing():
            async with aclosing(self._results(batch)) as lines:
                async for line in lines:
                    result = object_of(line)
                    ticket = Ticket.read(result.get(self._name_field))
                    if ticket is None or ticket.form not in forms or ticket.key in keys:
                        continue
                    if submitted and ticket.key not in bodies:
                        continue
                    keys.add(ticket.key)
                    outcome = self._outcome(result, bodies.get(ticket.key), forms[ticket.form])
                    yield (
                        ticket.key,
                        replace(outcome, started_at=at) if isinstance(outcome, Reply) else outcome,
                    )
        for key in bodies.keys() - keys:
            message = f"{self.name} ended the batch without a result for this request that can be read."
            yield key, BackboneError("unreachable", message)
        self._submitted.pop(batch, None)

    def size(self, request: Request) -> int:
        bare = tuple(
            replace(
                message,
                parts=tuple(
                    part if isinstance(part, str) else replace(part, data=b"") for part in message.parts
                ),
            )
            for message in request.messages
        )
        blank = replace(request, messages=bare)
        entry = self._entry("_" * 64, blank, self._body(blank, self._form(request)))
        pictures = sum(-(-len(picture.data) // 3) * 4 for picture in request.pictures)
        return len(_line(entry)) + pictures

    def _entries(
        self, requests: Mapping[str, Request], label: str, submitted: Submitted
    ) -> Generator[dict[str, Any]]:
        mark = mark_of(label)
        same: dict[str, dict[str, Any]] = {}
        for key, request in requests.items():
            form = self._form(request)
            body = self._body(request, form)
            slip = {name: value for name, value in body.items() if not isinstance(value, str | list)}
            submitted.bodies[key] = same.setdefault(repr(slip), slip)
            yield self._entry(str(Ticket(key, mark, form[0])), request, body)

    def _outcome(
        self, result: dict[str, Any], body: dict[str, Any] | None, form: str
    ) -> Reply | BackboneError:
        try:
            with self._reading(result):
                reply = self._reply(self._answer(result), body or {}, form)
        except BackboneError as error:
            self._censor(error)
            if error.kind == "rejected":
                sent = self._manners.droppable if body is None else self._sent(body)
                self._manners.learn(error.reply, form, sent)
            # Thousands of them may be kept, and each would keep its frames.
            error.__traceback__ = error.__context__ = None
            return error
        reply = self._received(reply)
        cost_usd = None if reply.cost_usd is None else reply.cost_usd * BATCH_DISCOUNT
        return replace(reply, cost_usd=cost_usd)

    @contextmanager
    def _dealing(self) -> Generator[None]:
        """As `_calling`, without our key."""
        self.require()
        try:
            with self._calling():
                yield
        except BackboneError as error:
            self._censor(error)
            raise

    def _transfer_s(self, size: int) -> float:
        """How long sending so many bytes may take."""
        return self._timeout_s + size / SLOWEST_BYTES_PER_S

    @abstractmethod
    def _entry(self, name: str, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """The request as it stands in a batch."""

    @abstractmethod
    async def _deliver(self, entries: Iterable[dict[str, Any]], label: str) -> Any:
        """Send a batch; the provider's name for it."""

    @abstractmethod
    async def _found(self, label: str) -> str | None: ...

    @abstractmethod
    async def _progress(self, batch: str) -> BatchProgress: ...

    @abstractmethod
    def _results(self, batch: str) -> AsyncGenerator[bytes]:
        """The results of a batch that ended, as lines."""

    @abstractmethod
    def _answer(self, result: dict[str, Any]) -> Any:
        """What `_reply` reads, or the error that the provider reports."""


def spool() -> "SpooledTemporaryFile[bytes]":
    """A file that stays in memory while it is small."""
    return SpooledTemporaryFile(IN_MEMORY_BYTES)


async def written(entries: Iterable[dict[str, Any]], file: "SpooledTemporaryFile[bytes]") -> int:
    """Entries as the lines of a file, which is then at its start; how many bytes that is."""

    def write() -> int:
        file.writelines(_line(entry) for entry in entries)
        size = file.tell()
        file.seek(0)
        return size

    # Encoding a thousand pictures would hold up the loop for seconds.
    return await asyncio.to_thread(write)


async def lines_of(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """Bytes cut at line feeds only: clients also cut where JSON has a right to other line ends."""
    held: list[bytes] = []
    async for chunk in chunks:
        first, *more = chunk.split(b"\n")
        held.append(first)
        for part in more:
            yield b"".join(held)
            held = [part]
    yield b"".join(held)


def object_of(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, separators=(",", ":"), default=_base64).encode() + b"\n"


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
