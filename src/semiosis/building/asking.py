"""Asks to a model: each a prompt file with its slots, answered by a value or a Failure, paid for once.

    season = Ask(prompt_file("season", __file__), Season, {"poem": poem}, fenced=(poem,))
    responses = await asker.each([season, ...])
    responses[0].value      what the shape was asked for, or a Failure
    responses[0].by         the model, the prompt file's hash, the calls

Every reply is in the build's store before anything is made of it, so a build that was killed asks only what
has no reply yet.
"""

import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, JsonValue

from ..backbones.adaptive_limit import Pace, Stopped
from ..backbones.backbone import Backbone
from ..backbones.lookup import bare
from ..backbones.purse import Purse
from ..backbones.query import Query, ask
from ..backbones.single_flight import together
from ..core.outcome import Exchange, Failure
from ..core.sign import Artifact
from ..core.value import Value
from ..methods.signs import sent
from ..methods.template import Filling, Template
from ..runs.asking import Asking, Ended
from ..runs.execution import Equipment
from ..runs.journal import StoreJournal
from ..runs.store import Store
from ..runs.tally import RunProgress

T = TypeVar("T", bound=BaseModel)


class Made(Value):
    """Where an answer came from: the model asked and served, the prompt file, the calls in the store."""

    model: str
    served: str = ""
    prompt: str
    prompt_sha256: str
    calls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ask(Generic[T]):
    """`fenced` are the texts from outside among the slots; the last two are for rehearsals, as in a Query."""

    prompt: Template
    shape: type[T]
    slots: Mapping[str, str | Artifact]
    fenced: tuple[str, ...] = ()
    check: Callable[[T], str | None] | None = None
    temperature: float | None = 0.0
    # With room for models that think before they answer: their thoughts count.
    room: int = 4096
    usual_tokens: int = 60
    example: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    async def query(self, backbone: Backbone) -> Query[T]:
        slots: dict[str, Filling] = {
            name: slot if isinstance(slot, str) else await sent(backbone, slot)
            for name, slot in self.slots.items()
        }
        return Query(
            task=self.prompt.name,
            messages=self.prompt.messages(fenced=self.fenced, **slots),
            reply=self.shape,
            stage=self.prompt.name.replace("-", " "),
            prompts={self.prompt.name: self.prompt.sha256},
            check=self.check,
            max_tokens=self.room,
            temperature=self.temperature,
            usual_tokens=self.usual_tokens,
            example=self.example,
        )


@dataclass(frozen=True)
class Response(Generic[T]):
    """What came of an ask."""

    value: T | Failure
    by: Made


@dataclass(frozen=True)
class Means:
    """Which model is asked, how fast and for how much. Without a model, the first that is in reach."""

    model: str | None = None
    base_url: str | None = None
    timeout_s: float = 120.0
    pace: Pace = field(default_factory=Pace)
    budget_usd: float | None = None

    def bare(self) -> Backbone:
        return bare(self.model, base_url=self.base_url, timeout_s=self.timeout_s)


class Asker(Asking):
    """Asks one model, many asks at once. What asking on cannot mend (no money, no key, no server) ends it."""

    def __init__(self, store: Store, means: Means) -> None:
        budget = means.budget_usd
        purse = None if budget is None else Purse(budget, spent_usd=store.charged_usd)
        self._equipment = Equipment(StoreJournal(store), means.pace, purse)
        super().__init__(self._equipment.paces)
        self._store = store
        self._means = means
        self.progress = Progress(store)

    @cached_property
    def backbone(self) -> Backbone:
        """Looked for when there is something to ask: most sessions of a build need no model."""
        return self._equipment.equip(self._means.bare())

    async def session(self, steps: Coroutine[Any, Any, None]) -> Ended:
        """The steps, as far as they come before something ends it, and then what is in flight."""
        try:
            with suppress(Stopped):
                await steps
            await self.landed()
        finally:
            if "backbone" in self.__dict__:
                await self.backbone.aclose()
        return self.ended or Ended("done")

    async def each(self, asks: Sequence[Ask[T]]) -> list[Response[T]]:
        """The responses in the order of the asks. Raises Stopped where the build has ended first."""
        responses: dict[int, Response[T]] = {}
        waiting = iter(enumerate(asks))
        self.progress.expect(len(asks))

        async def work(waiting: Iterator[tuple[int, Ask[T]]]) -> None:
            for place, each in waiting:
                responses[place] = await self._respond(each)

        # Twice as many as calls in flight: while some wait for replies, the others make pictures ready.
        await together(*(work(waiting) for _ in range(min(len(asks), 2 * self._means.pace.at_once))))
        return [responses[place] for place in range(len(asks))]

    def retire(self, calls: Iterable[str]) -> None:
        """Make room to ask again what came to nothing; replies that were of use stay."""
        self._store.retire(calls)

    async def _respond(self, asking: Ask[T]) -> Response[T]:
        if self.ended:
            raise Stopped
        log: list[Exchange] = []
        query = await asking.query(self.backbone)
        reply = await ask(self.backbone, query, log)
        failure = reply if isinstance(reply, Failure) else None
        if not (failure and self.is_void([failure])):
            self.weigh(failure, log[-1].call, usable=self.progress.usable)
        if failure and self.ended:
            raise Stopped
        self.progress.count(failure)
        by = Made(
            model=self.backbone.name,
            served=log[-1].served,
            prompt=asking.prompt.name,
            prompt_sha256=asking.prompt.sha256,
            calls=tuple(exchange.call for exchange in log),
        )
        return Response(reply if isinstance(reply, Failure) else reply.value, by)


class Progress:
    """How a build stands, for whoever shows it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._started = time.monotonic()
        self.asks = 0
        self.answered = 0
        self.failed: Counter[str] = Counter()
        self._messages: dict[str, str] = {}

    @property
    def usable(self) -> int:
        return self.answered - self.failed.total()

    @property
    def cause(self) -> str:
        """The first failure of the most frequent kind; empty where nothing failed."""
        for reason, _ in self.failed.most_common(1):
            most = "" if len(self.failed) == 1 else "most of them "
            return f"{most}{reason}: {self._messages[reason]}"
        return ""

    def expect(self, asks: int) -> None:
        self.asks += asks

    def count(self, failure: Failure | None) -> None:
        self.answered += 1
        if failure:
            self.failed[failure.reason] += 1
            self._messages.setdefault(failure.reason, failure.message)

    @property
    def standing(self) -> RunProgress:
        elapsed_s = time.monotonic() - self._started
        unanswered = self.asks - self.answered
        return RunProgress(
            items=self.asks,
            settled=self.answered,
            failed=dict(self.failed),
            flips=0,
            compared=0,
            bad_rows=0,
            spent=self._store.spent,
            elapsed_s=elapsed_s,
            eta_s=elapsed_s / self.answered * unanswered if self.answered else None,
        )
