"""Ask for a schema -> parse -> repair -> one bounded re-ask -> a value or a Failure.

valid = await ask(backbone, Query(task="verdict", messages=..., reply=Verdict), log)
"""

import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Generic, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, JsonValue

from ..core.errors import BackboneError, BadSetting
from ..core.outcome import Exchange, Failure
from .backbone import Backbone, Message, Reply, Request, call_key
from .replies import ParsedReply, read
from .schemas import full_text, schema_of

T = TypeVar("T", bound=BaseModel)

MORE_ROOM = 3


@dataclass(frozen=True)
class Query(Generic[T]):
    """A question with the shape its answer must have.

    `check` may name what is wrong with a valid value, which is asked for once more and then a Failure;
    `reconsider` what is odd about it, which is asked for once more and then kept. For a rehearsal,
    `usual_tokens` says how long a reply usually is, and `example` gives fields that cannot be made up from
    the shape alone. With an `opening`, the reply goes on from it where the backbone can; its shape is then
    not imposed, only checked.
    """

    task: str
    messages: tuple[Message, ...]
    reply: type[T]
    stage: str
    subject: tuple[str, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    check: Callable[[T], str | None] | None = None
    reconsider: Callable[[T], str | None] | None = None
    max_tokens: int = 4096
    temperature: float | None = None
    seed: int | None = None
    repeat: int = 0
    usual_tokens: int | None = None
    example: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    opening: str = ""


@dataclass(frozen=True)
class ValidReply(Generic[T]):
    """A value, the reply it was read from, and where the backbone says it came from."""

    value: T
    reply: Reply


async def ask(backbone: Backbone, query: Query[T], log: list[Exchange]) -> ValidReply[T] | Failure:
    """At most three calls: the question, once more with what was wrong, once more with more room."""
    opening = query.opening if backbone.traits.opens else ""
    request: Request = Request(
        messages=query.messages,
        task=query.task,
        subject=query.subject,
        schema=None if opening else schema_of(query.reply),
        opening=opening,
        schema_name=query.task.replace("-", "_"),
        max_tokens=query.max_tokens,
        temperature=query.temperature,
        seed=query.seed,
        repeat=query.repeat,
        usual_tokens=query.usual_tokens,
        example=query.example,
    )
    corrected = False
    cut: BackboneError | None = None
    odd: ValidReply[T] | None = None
    while True:
        try:
            reply = await logged_call(backbone, query, request, log)
        except BackboneError as error:
            if odd is not None:
                return odd
            # A server that refuses the larger room has said nothing new: the reply was cut.
            return Failure.of(cut if cut and error.kind == "rejected" else error, query.stage, error.attempts)
        try:
            parsing = _read(reply, query)
        except BackboneError as error:
            if reply.made_up:
                raise BadSetting(
                    f"What {query.task} takes cannot be estimated: no reply could be made up, and its query "
                    f"gives no example. {error}"
                ) from None
            log.append(exchange_of(backbone, query, request, reply))
            await forget(backbone, request)
            if odd is not None:
                return odd
            if reply.finish == "length" and cut is None:
                cut = error
                request = replace(request, max_tokens=request.max_tokens * MORE_ROOM)
                continue
            if reply.finish == "stop" and error.kind != "refused" and not corrected:
                corrected = True
                request = replace(request, messages=_corrected(query.messages, reply, str(error)))
                continue
            return Failure.of(error, query.stage, reply.attempts)
        log.append(exchange_of(backbone, query, request, reply, parsing.repairs))
        valid = ValidReply(parsing.value, reply)
        # Nobody is there to think again where a reply was made up, or recorded elsewhere.
        thinks = reply.words_known and not reply.made_up
        oddity = query.reconsider(valid.value) if query.reconsider and thinks else None
        if oddity is None or corrected:
            return valid
        odd, corrected = valid, True
        request = replace(request, messages=_corrected(query.messages, reply, f"Think again: {oddity}."))


class Origin(Protocol):
    """What an exchange records of the question it belongs to."""

    @property
    def stage(self) -> str: ...
    @property
    def prompts(self) -> Mapping[str, str]: ...


async def logged_call(backbone: Backbone, origin: Origin, request: Request, log: list[Exchange]) -> Reply:
    """The reply, which the caller logs with what was read in it; a call without one is logged here."""
    started, clock = datetime.now(UTC), time.perf_counter()
    try:
        return await backbone.complete(request)
    except BackboneError as error:
        took = time.perf_counter() - clock
        no_reply = Reply(
            text=error.reply,
            attempts=error.attempts,
            latency_s=took,
            started_at=started.isoformat(timespec="milliseconds"),
            cost_usd=0.0 if error.kind == "budget" else None,
        )
        log.append(exchange_of(backbone, origin, request, no_reply))
        raise


@runtime_checkable
class Remembers(Protocol):
    """A backbone that keeps replies, and can be told that one was of no use."""

    async def forget(self, request: Request) -> None: ...


async def forget(backbone: Backbone, request: Request) -> None:
    """Let it be asked again, where replies are kept."""
    if isinstance(backbone, Remembers):
        await backbone.forget(request)


@asynccontextmanager
async def forgetting(backbone: Backbone, request: Request) -> AsyncGenerator[None]:
    """Whatever is wrong with the reply to that request, it is not kept."""
    try:
        yield
    except BackboneError:
        await forget(backbone, request)
        raise


def check_ended(reply: Reply) -> None:
    """Raise BackboneError unless the model came to its end."""
    match reply.finish:
        case "refused":
            raise BackboneError("refused", "The model declined to answer.", reply=reply.text)
        case "filtered":
            raise BackboneError("filtered", "The provider's filter withheld the reply.", reply=reply.text)
        case "length":
            # A cut reply may still repair into something valid; half a reading must not pass for a whole one.
            raise BackboneError("truncated", "The reply ran out of room.", reply=reply.text)
        case "stop":
            pass


def _read(reply: Reply, query: Query[T]) -> ParsedReply[T]:
    check_ended(reply)
    parsing = read(reply.text, query.reply)
    full = (
        full_text(reply.text, schema_of(query.reply))
        if reply.parameters.get("schema_form") == "bounded"
        else ""
    )
    if full:
        raise BackboneError("truncated", f"The reply may be cut short: {full}.", reply=reply.text)
    wrong = query.check(parsing.value) if query.check and not reply.made_up else None
    if wrong:
        raise BackboneError("invalid", f"The reply does not fit: {wrong}.", reply=reply.text)
    return parsing


def _corrected(messages: tuple[Message, ...], reply: Reply, complaint: str) -> tuple[Message, ...]:
    text = reply.text[:8000] or "(an empty reply)"
    request = (
        f"{complaint} Send the whole answer again, as one JSON object of the required shape and nothing else."
    )
    return (*messages, Message("assistant", (text,)), Message("user", (request,)))


def exchange_of(
    backbone: Backbone, origin: Origin, request: Request, reply: Reply, repairs: tuple[str, ...] = ()
) -> Exchange:
    """What is recorded of a question and its reply."""
    # Values here come from our own code, so validation would only cost time.
    return Exchange.model_construct(
        stage=origin.stage,
        asked=backbone.name,
        call=call_key(backbone, request),
        served=reply.served,
        endpoint=backbone.traits.endpoint,
        fingerprint=reply.fingerprint,
        prompts=dict(origin.prompts) if reply.words_known else {},
        pictures=tuple(picture.record for picture in request.pictures),
        parameters=reply.parameters,
        sent=tuple((message.role, message.text) for message in request.messages) if reply.words_known else (),
        reply=reply.text,
        repairs=repairs,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost_usd=reply.cost_usd,
        latency_s=reply.latency_s,
        started_at=reply.started_at,
        attempts=reply.attempts,
        cached=reply.cached,
        recorded=reply.recorded,
    )
