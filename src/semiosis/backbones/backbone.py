"""What a backbone is asked and what it answers.

class Mine:
    name = "mine/model"
    traits = Traits(endpoint="my server")
    async def complete(self, request: Request) -> Reply: ...
    async def aclose(self) -> None: ...
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol, runtime_checkable

from pydantic import JsonValue, TypeAdapter

from .pictures import Prepared

BoxOrder = Literal["x-first", "y-first"]
BoxScale = Literal["0-1000", "pixels", "0-1"]
Finish = Literal["stop", "length", "filtered", "refused"]
Schema = dict[str, JsonValue]


@dataclass(frozen=True)
class Message:
    """Text and pictures in the order they are read."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[str | Prepared, ...]

    @property
    def text(self) -> str:
        """The parts as text, pictures standing as their hashes."""
        return "\n".join(
            part if isinstance(part, str) else f"[picture {part.sha256[:12]}, {part.width} x {part.height}]"
            for part in self.parts
        )


@dataclass(frozen=True)
class Request:
    """Everything that decides a reply, and what it is about.

    For recordings, `task` and `subject` say what it is about; for rehearsals, `usual_tokens` how long a reply
    usually is, and `example` what a made-up one must hold. `answers` are short beginnings of a reply whose
    probabilities are wanted, and not a reply. A reply begins with `opening`, which only a backbone that
    `opens` replies may be given.
    """

    messages: tuple[Message, ...]
    task: str
    subject: tuple[str, ...] = ()
    schema: Schema | None = None
    schema_name: str = "reply"
    max_tokens: int = 4096
    temperature: float | None = None
    seed: int | None = None
    logprobs: bool = False
    answers: tuple[str, ...] = ()
    opening: str = ""
    repeat: int = 0
    usual_tokens: int | None = None
    example: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    @property
    def system(self) -> str:
        return "\n\n".join(message.text for message in self.messages if message.role == "system")

    @property
    def turns(self) -> tuple[Message, ...]:
        """The messages that are no system's."""
        return tuple(message for message in self.messages if message.role != "system")

    @property
    def pictures(self) -> tuple[Prepared, ...]:
        return tuple(
            part for message in self.messages for part in message.parts if isinstance(part, Prepared)
        )

    @property
    def text(self) -> str:
        """All that is written in it, the schema too."""
        texts = [part for message in self.messages for part in message.parts if isinstance(part, str)]
        return "".join(texts) + (json.dumps(self.schema) if self.schema else "")

    @cached_property
    def sha256(self) -> str:
        """A hash of all of it, pictures by content, sent size and what was done to them."""

        def shown(picture: Prepared) -> JsonValue:
            note: list[JsonValue] = [picture.note] if picture.note else []
            return [picture.sha256, picture.width, picture.height, *note]

        return hashlib.sha256(json.dumps(self.decisive(shown), sort_keys=True).encode()).hexdigest()

    def decisive(self, form: Callable[[Prepared], JsonValue]) -> list[JsonValue]:
        """All that decides a reply, each picture as `form` has it."""
        content: list[JsonValue] = [
            [message.role, [part if isinstance(part, str) else form(part) for part in message.parts]]
            for message in self.messages
        ]
        settings: list[JsonValue] = [self.max_tokens, self.temperature, self.seed, self.logprobs, self.repeat]
        # Left out where they are empty, so that hashes of earlier releases stand.
        answers: list[JsonValue] = [{"answers": list(self.answers)}] if self.answers else []
        opening: list[JsonValue] = [{"opening": self.opening}] if self.opening else []
        return [content, self.schema, *settings, *answers, *opening]


@dataclass(frozen=True)
class TokenLogprob:
    token: str
    logprob: float


@dataclass(frozen=True)
class Reply:
    """What came back, and what it took.

    Of a request with `answers`, `answer_logprobs` has the natural logarithm of the probability that the reply
    begins with each of them, all its tokens counted; a backbone that gives only the likeliest tokens that a
    reply may begin with has these in `first_tokens`.
    """

    text: str
    finish: Finish = "stop"
    served: str = ""
    fingerprint: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    charged_usd: float | None = None
    latency_s: float = 0.0
    started_at: str = ""
    attempts: int = 1
    cached: bool = False
    recorded: bool = False
    words_known: bool = True
    made_up: bool = False
    parameters: dict[str, str | int | float | bool | None] = field(
        default_factory=dict[str, str | int | float | bool | None]
    )
    logprobs: tuple[TokenLogprob, ...] | None = None
    answer_logprobs: dict[str, float] | None = None
    first_tokens: tuple[TokenLogprob, ...] | None = None


REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)


@dataclass(frozen=True)
class Traits:
    """What a model family tends to do. `identity` tells two backbones of one name apart, for the cache.

    One that `opens` replies goes on from the beginning it is given. One that `stands_in` for another in a
    rehearsal makes its replies up, and is sent no pictures.
    """

    endpoint: str
    identity: str = ""
    box_scale: BoxScale = "0-1000"
    box_order: BoxOrder = "x-first"
    max_side: int = 1024
    opens: bool = False
    stands_in: bool = False


def call_key(backbone: "Backbone", request: Request) -> str:
    """A hash of everything that decides a reply: who is asked, and what."""
    call = f"{backbone.name} {backbone.traits.identity} {request.sha256}"
    return hashlib.sha256(call.encode()).hexdigest()


@runtime_checkable
class Backbone(Protocol):
    """Anything that answers. Raises BackboneError where there is no reply."""

    @property
    def name(self) -> str:
        """provider/model."""
        ...

    @property
    def traits(self) -> Traits:
        """What this model tends to do."""
        ...

    async def complete(self, request: Request) -> Reply:
        """The reply to `request`; raises BackboneError where there is none."""
        ...

    async def aclose(self) -> None:
        """Let go of connections and memory."""
        ...


@runtime_checkable
class Requiring(Protocol):
    """A backbone that knows before it is asked whether it can be."""

    def require(self) -> None:
        """Raise one sentence that says what must be set or installed."""
        ...


def require(backbone: Backbone) -> None:
    """Raise where the machine is not ready to ask it: a key or a part is missing."""
    if isinstance(backbone, Requiring):
        backbone.require()
