"""The ledger of a run whose workers are other processes: their way to the store, a file of the driver's.

    ledger = ray.remote(Ledger).remote(store.path)
    journal = RemoteJournal(ledger, worker)        in the worker, in place of StoreJournal

A reply goes on in its worker once the ledger has stored it. A call that one worker is making is waited for by
the others; when a worker dies, what it had under way is free again.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ...backbones.adaptive_limit import Stopped
from ...backbones.backbone import Message, Reply, Request
from ...backbones.pictures import Prepared
from ...backbones.purse import Purse
from ...core.errors import BackboneError, StoreError
from ...core.outcome import SentPicture
from ..asking import Ended, Ending
from ..costs import Spent
from ..store import Store

PULSE_S = 5.0
# No sign of life for so long: a worker that still lives has then at worst a call made twice.
LOST_S = 60.0
MOST_DEATHS = 10


@dataclass
class Claim:
    """A call under way: whose it is, and what became of it, for those who wait."""

    worker: str
    over: asyncio.Event = field(default_factory=asyncio.Event)
    error: BackboneError | None = None


@dataclass
class Presence:
    """A worker as the ledger knows it."""

    alive_at: float
    held_usd: float = 0.0


@dataclass(frozen=True)
class LedgerReport:
    """What the driver asks for now and then. `broken` says why no worker can go on."""

    spent: Spent
    ended: Ended | None
    broken: str


class Ledger:
    """Lives beside the store, in a process of its own; the driver holds the run's lock."""

    def __init__(self, path: Path, budget_usd: float | None = None) -> None:
        self._store = Store.assist(path)
        self._spent = self._store.spent
        charged_usd = self._store.charged_usd
        self._purse = None if budget_usd is None else Purse(budget_usd, spent_usd=charged_usd)
        self._claims: dict[str, Claim] = {}
        self._workers: dict[str, Presence] = {}
        self._stopping = asyncio.Event()
        self._ended: Ended | None = None
        self._broken = ""
        self._enlisted = self._deaths = 0

    def report(self) -> LedgerReport:
        return LedgerReport(self._spent, self._ended, self._broken)

    def stop(self, how: Ending = "stopped", message: str = "") -> None:
        """No more calls, in any worker."""
        self._ended = self._ended or Ended(how, message)
        self._stopping.set()
        for claim in self._claims.values():
            claim.over.set()

    def fail(self, sentence: str) -> None:
        self._broken = self._broken or sentence
        self.stop()

    def enlist(self, actor: str) -> str:
        """A name for a worker that begins. If there was one of the same actor, that one died."""
        for gone in [name for name in self._workers if name.startswith(f"{actor}/")]:
            self._free(gone)
            self._deaths += 1
            if self._deaths >= MOST_DEATHS:
                self.fail(f"Workers died {self._deaths} times, no reply between; Ray's logs may say of what.")
        self._enlisted += 1
        name = f"{actor}/{self._enlisted}"
        self._present(name)
        return name

    async def watch(self, worker: str) -> bool:
        """Whether to stop. Answers in a while in any case: asking again is the worker's sign of life."""
        now = self._present(worker).alive_at = asyncio.get_running_loop().time()
        for name in [name for name, each in self._workers.items() if now - each.alive_at > LOST_S]:
            self._free(name)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), PULSE_S)
        return self._stopping.is_set()

    async def claim(self, worker: str, key: str) -> Reply | BackboneError | Literal["stopped"] | None:
        """A call's reply, or what came instead; None when the worker is the one to make the call."""
        while True:
            with self._telling():
                reply = self._store.reply(key)
            if reply is not None:
                return reply
            if self._ended:
                return "stopped"
            under_way = self._claims.get(key)
            if under_way is None:
                # It may have died while it waited here.
                if worker in self._workers:
                    self._claims[key] = Claim(worker)
                return None
            await under_way.over.wait()
            if under_way.error:
                return under_way.error

    def keep(self, key: str, model: str, request: Request, reply: Reply) -> None:
        with self._telling():
            self._store.keep(key, model, request, reply)
        self._deaths = 0
        self._over(key)

    def mark_useless(self, key: str) -> None:
        with self._telling():
            self._store.mark_useless(key)

    def note_error(self, key: str, model: str, request: Request, error: BackboneError) -> None:
        with self._telling():
            self._store.note_error(key, model, request, error)
        if error.kind in ("budget", "unauthorised"):
            self.stop(error.kind, str(error))
        self._over(key, error)

    async def hold(self, worker: str, worst_usd: float) -> str:
        """Why the purse does not cover a call, or nothing. Waits as the purse does."""
        assert self._purse is not None
        try:
            await self._purse.hold(worst_usd)
        except BackboneError as error:
            return str(error)
        if worker in self._workers:
            self._workers[worker].held_usd += worst_usd
        else:
            self._purse.release(worst_usd, 0.0)
        return ""

    def release(self, worker: str, worst_usd: float, spent_usd: float) -> None:
        assert self._purse is not None
        presence = self._workers.get(worker, Presence(0.0))
        held_usd = min(worst_usd, presence.held_usd)
        presence.held_usd -= held_usd
        self._purse.release(held_usd, spent_usd)

    async def picture(self, sha256: str) -> bytes:
        """Its bytes; none if the file is gone."""
        try:
            return await asyncio.to_thread(self._store.picture(sha256).read_bytes)
        except OSError:
            return b""

    def _present(self, worker: str) -> Presence:
        return self._workers.setdefault(worker, Presence(asyncio.get_running_loop().time()))

    def _free(self, worker: str) -> None:
        for key in [key for key, claim in self._claims.items() if claim.worker == worker]:
            self._over(key)
        held_usd = self._workers.pop(worker).held_usd
        if self._purse and held_usd:
            # Nobody knows what its calls under way were charged: the most it can have been.
            self._purse.release(held_usd, held_usd)
            lost = BackboneError("unreachable", f"The worker {worker} died with calls under way.")
            lost.charged_usd = held_usd
            with self._telling():
                self._store.note_error("", "", Request((), task="unknown"), lost)

    def _over(self, key: str, error: BackboneError | None = None) -> None:
        claim = self._claims.pop(key, None)
        if claim is not None:
            claim.error = error
            claim.over.set()

    @contextmanager
    def _telling(self) -> Generator[None]:
        """A store that fails ends the run: the driver is told why, in the store's own words."""
        try:
            yield
        except StoreError as error:
            self.fail(str(error))
            raise


class RemoteJournal:
    """The journal of a worker: each word goes to the ledger, and is waited for."""

    def __init__(self, ledger: Any, worker: str) -> None:
        self._ledger = ledger
        self._worker = worker
        self.writing = 0

    async def reply(self, key: str) -> Reply | None:
        match await self._ledger.claim.remote(self._worker, key):
            case "stopped":
                raise Stopped
            case BackboneError() as error:
                raise error
            case reply:
                return reply

    async def keep(self, key: str, model: str, request: Request, reply: Reply) -> None:
        self.writing += 1
        try:
            await self._ledger.keep.remote(key, model, light(request), reply)
        finally:
            self.writing -= 1

    async def mark_useless(self, key: str) -> None:
        await self._ledger.mark_useless.remote(key)

    async def note_error(self, key: str, model: str, request: Request, error: BackboneError) -> None:
        await self._ledger.note_error.remote(key, model, light(request), error)


class RemotePurse(Purse):
    """The purse of all workers, which the ledger keeps."""

    def __init__(self, ledger: Any, worker: str) -> None:
        super().__init__(0.0)
        self._ledger = ledger
        self._worker = worker

    async def hold(self, worst_usd: float) -> None:
        refusal: str = await self._ledger.hold.remote(self._worker, worst_usd)
        if refusal:
            raise BackboneError("budget", refusal)

    def release(self, worst_usd: float, spent_usd: float) -> None:
        self._ledger.release.remote(self._worker, worst_usd, spent_usd)


@dataclass(frozen=True)
class Described(Prepared):
    """A picture that was sent, without its bytes: all that a store's row says of it."""

    sent_picture: SentPicture | None = None

    @property
    def record(self) -> SentPicture:
        return self.sent_picture or super().record


def light(request: Request) -> Request:
    """The request as it is stored: pictures are only described, and the schema stays behind."""
    return replace(request, messages=tuple(_described(each) for each in request.messages), schema=None)


def _described(message: Message) -> Message:
    return replace(
        message,
        parts=tuple(
            Described(each.sha256, b"", each.media_type, each.width, each.height, each.note, each.record)
            if isinstance(each, Prepared)
            else each
            for each in message.parts
        ),
    )
