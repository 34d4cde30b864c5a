"""Questions to a model: each a prompt file with its slots, answered by a value or a Failure, paid for once.

    told = await asker.each([caption_of(picture), ...])
    told[0].value           what the shape was asked for, or a Failure
    told[0].by              the model, the prompt file's hash, the calls

Every reply is in the build's store before anything is made of it, so a build that was killed asks only what
has no reply yet.
"""

import asyncio
import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Generic, TypeVar

from pydantic import BaseModel

from ....backbones.adaptive_limit import Pace, Stopped
from ....backbones.backbone import Backbone
from ....backbones.budget import CHARACTERS_PER_TOKEN, PICTURE_TOKENS
from ....backbones.lookup import bare
from ....backbones.pictures import prepared
from ....backbones.purse import Purse
from ....backbones.query import Query, ask
from ....backbones.schemas import schema_of
from ....backbones.single_flight import together
from ....core.outcome import Exchange, Failure
from ....core.sign import Artifact
from ....core.value import Value
from ....methods.template import Filling, Template
from ....runs.execution import HOPELESS_AFTER, Ended, Ending, Equipment
from ....runs.journal import StoreJournal
from ....runs.plan import Load
from ....runs.store import Store
from ....runs.tally import RunProgress

T = TypeVar("T", bound=BaseModel)

_NO_SERVER = frozenset({"unreachable", "timeout", "rate-limited"})
_FINAL: dict[str, Ending] = {"budget": "budget", "unauthorised": "unauthorised"}


@cache
def load(name: str) -> Template:
    data = files("semiosis.benchmarks.stylebench.building").joinpath("prompts", f"{name}.txt").read_bytes()
    return Template(name, data.decode().strip(), hashlib.sha256(data).hexdigest())


class Made(Value):
    """Where an answer came from: the model asked and served, the prompt file, the calls in the store."""

    model: str
    served: str = ""
    prompt: str
    prompt_sha256: str
    calls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question(Generic[T]):
    """`fenced` are the texts from outside among the slots; `write` is what a reply is likely to take."""

    prompt: str
    shape: type[T]
    slots: Mapping[str, str | Artifact]
    fenced: tuple[str, ...] = ()
    check: Callable[[T], str | None] | None = None
    temperature: float | None = 0.0
    write: int = 60
    # With room for models that think before they answer: their thoughts count.
    room: int = 4096

    @property
    def load(self) -> Load:
        """About what it will take."""
        texts = [load(self.prompt).text, json.dumps(schema_of(self.shape))]
        texts += [slot for slot in self.slots.values() if isinstance(slot, str)]
        pictures = sum(isinstance(slot, Artifact) for slot in self.slots.values())
        characters = sum(map(len, texts))
        return Load(1, int(characters / CHARACTERS_PER_TOKEN) + pictures * PICTURE_TOKENS, self.write)

    async def query(self, max_side: int) -> Query[T]:
        template = load(self.prompt)
        slots: dict[str, Filling] = {
            name: slot if isinstance(slot, str) else await prepared(slot, max_side)
            for name, slot in self.slots.items()
        }
        return Query(
            task=self.prompt,
            messages=template.messages(fenced=self.fenced, **slots),
            reply=self.shape,
            stage=self.prompt.replace("-", " "),
            prompts={template.name: template.sha256},
            check=self.check,
            max_tokens=self.room,
            temperature=self.temperature,
        )


@dataclass(frozen=True)
class Told(Generic[T]):
    """What came of a question."""

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


class Asker:
    """Asks one model. What asking on cannot mend (no money, no key, no server) ends the session."""

    def __init__(self, store: Store, means: Means) -> None:
        budget = means.budget_usd
        purse = None if budget is None else Purse(budget, spent_usd=store.charged_usd)
        self._equipment = Equipment(StoreJournal(store), means.pace, purse)
        self._means = means
        self.progress = Progress(store)
        self.ended: Ended | None = None
        self._hopeless = 0

    @cached_property
    def backbone(self) -> Backbone:
        """Looked for when there is something to ask: most sessions of a build need no model."""
        return self._equipment.equip(self._means.bare())

    async def each(self, questions: Sequence[Question[T]]) -> list[Told[T]]:
        """The answers in the order of the questions. Raises Stopped where the build has ended first."""
        told: dict[int, Told[T]] = {}
        waiting = iter(enumerate(questions))
        self.progress.expect(len(questions))

        async def work(waiting: Iterator[tuple[int, Question[T]]]) -> None:
            for place, question in waiting:
                told[place] = await self._ask(question)

        # Twice as many as calls in flight: while some wait for replies, the others make pictures ready.
        await together(*(work(waiting) for _ in range(min(len(questions), 2 * self._means.pace.at_once))))
        return [told[place] for place in range(len(questions))]

    def stop(self, how: Ending = "stopped", message: str = "") -> None:
        """Finish the calls in flight, start no more."""
        self.ended = self.ended or Ended(how, message)
        for pace in self._equipment.paces:
            pace.stop()

    async def landed(self) -> None:
        """Until no call is in flight: one may outlive whoever asked for it, and is paid for."""
        while any(pace.in_flight for pace in self._equipment.paces):
            await asyncio.sleep(0.02)

    async def close(self) -> None:
        if "backbone" in self.__dict__:
            await self.backbone.aclose()

    async def _ask(self, question: Question[T]) -> Told[T]:
        if self.ended:
            raise Stopped
        log: list[Exchange] = []
        query = await question.query(self.backbone.traits.max_side)
        asked = await ask(self.backbone, query, log)
        if isinstance(asked, Failure):
            self._weigh(asked)
        else:
            self._hopeless = 0
        self.progress.count(asked if isinstance(asked, Failure) else None)
        template = load(question.prompt)
        by = Made(
            model=self.backbone.name,
            served=log[-1].served,
            prompt=template.name,
            prompt_sha256=template.sha256,
            calls=tuple(exchange.call for exchange in log),
        )
        return Told(asked if isinstance(asked, Failure) else asked.value, by)

    def _weigh(self, failure: Failure) -> None:
        """Give up where calls fail in a row: at any time for want of a server, else from the start."""
        if failure.reason in _FINAL:
            self.stop(_FINAL[failure.reason], failure.message)
        elif failure.reason in _NO_SERVER or not self.progress.usable:
            self._hopeless += 1
            if self._hopeless >= HOPELESS_AFTER:
                message = f"{HOPELESS_AFTER} calls failed one after the other: {failure.message}"
                self.stop("unreachable", message)
        if self.ended:
            raise Stopped


class Progress:
    """How a build stands, for whoever shows it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._started = time.monotonic()
        self.questions = 0
        self.answered = 0
        self.failed: Counter[str] = Counter()

    @property
    def usable(self) -> int:
        return self.answered - self.failed.total()

    def expect(self, questions: int) -> None:
        self.questions += questions

    def count(self, failure: Failure | None) -> None:
        self.answered += 1
        if failure:
            self.failed[failure.reason] += 1

    @property
    def standing(self) -> RunProgress:
        elapsed_s = time.monotonic() - self._started
        left = self.questions - self.answered
        return RunProgress(
            items=self.questions,
            settled=self.answered,
            failed=dict(self.failed),
            flips=0,
            compared=0,
            bad_rows=0,
            spent=self._store.spent,
            elapsed_s=elapsed_s,
            eta_s=elapsed_s / self.answered * left if self.answered else None,
        )
