"""Ask for prose, or for how probable short answers are: for models that were tuned to write no JSON.

reply = await ask_prose(backbone, ProseQuery(task="critique", messages=..., stage="critique"), log)
reply.text
likely = await ask_answers(backbone, ProseQuery(..., answers=("Yes", "No")), log)
likely["Yes"]       natural logarithm of the probability that the reply begins with "Yes"
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, inf, isnan, log

from ..core.errors import BackboneError
from ..core.outcome import Exchange, Failure
from .backbone import Backbone, Message, Reply, Request, TokenLogprob
from .query import MORE_ROOM, check_ended, exchange_of, forget, forgetting, logged_call
from .replies import declines

# By how much probabilities that were summed up may come out above 1.
SLACK = 1e-3
# What is less likely is 0 to the last digit: servers write -inf or -9999 for what cannot come.
LEAST = -700.0


@dataclass(frozen=True)
class ProseQuery:
    """A question whose reply is read as it is written, or whose `answers` are weighed.

    With an `opening`, the reply goes on from it; a backbone that cannot is not asked. `check` may name what
    is wrong with a reply, which is then of no use.
    """

    task: str
    messages: tuple[Message, ...]
    stage: str
    subject: tuple[str, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    answers: tuple[str, ...] = ()
    opening: str = ""
    check: Callable[[str], str | None] | None = None
    max_tokens: int = 2048
    temperature: float | None = None
    seed: int | None = None
    repeat: int = 0
    usual_tokens: int | None = None

    def request(self) -> Request:
        return Request(
            messages=self.messages,
            task=self.task,
            subject=self.subject,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            seed=self.seed,
            answers=self.answers,
            opening=self.opening,
            repeat=self.repeat,
            usual_tokens=self.usual_tokens,
        )


async def ask_prose(backbone: Backbone, query: ProseQuery, exchanges: list[Exchange]) -> Reply | Failure:
    """What the model wrote; one that was cut short is asked for once more, with more room."""
    request = query.request()
    try:
        reply = await _call(backbone, query, request, exchanges)
        if reply.finish == "length":
            await forget(backbone, request)
            request = replace(request, max_tokens=request.max_tokens * MORE_ROOM)
            reply = await _call(backbone, query, request, exchanges)
        async with forgetting(backbone, request):
            _check(reply, query)
    except BackboneError as error:
        return Failure.of(error, query.stage)
    return reply


async def ask_answers(
    backbone: Backbone, query: ProseQuery, exchanges: list[Exchange]
) -> dict[str, float] | Failure:
    """The natural logarithm of the probability that the reply begins with each of the query's answers.

    From a backbone that weighs whole answers, these are of all their tokens; from one that gives its
    likeliest first tokens only, an answer is the sum of its spellings among them.
    """
    request = replace(query.request(), max_tokens=1)
    try:
        reply = await _call(backbone, query, request, exchanges)
        async with forgetting(backbone, request):
            return _likely(backbone, query, reply)
    except BackboneError as error:
        return Failure.of(error, query.stage)


def spelled(answers: Sequence[str], tokens: Sequence[TokenLogprob]) -> dict[str, float]:
    """Of each answer that stands among the tokens, the logarithm of the sum of its spellings.

    " yes" and "Yes" are spellings of one answer; a token that is only the beginning of an answer is none.
    """
    sums: dict[str, float] = {}
    for answer in answers:
        spellings = [each.logprob for each in tokens if _bare(each.token) == _bare(answer)]
        # What cannot come is as absent as what is not listed.
        possible = [each for each in spellings if not each < LEAST]
        if possible:
            likeliest = max(possible, key=lambda each: (isnan(each), each))
            rest = log(sum(exp(each - likeliest) for each in possible)) if likeliest < inf else 0.0
            sums[answer] = _rounded(likeliest + rest)
    return sums


def _rounded(logprob: float) -> float:
    """No more than 0, where it is more by rounding only."""
    return 0.0 if 0 < logprob <= SLACK else logprob


def _bare(token: str) -> str:
    # Some servers hand out a tokenizer's own signs for a space.
    return token.strip(" \t\n\u2581\u0120\u010a").casefold()


async def _call(backbone: Backbone, query: ProseQuery, request: Request, log: list[Exchange]) -> Reply:
    if query.opening and not (backbone.traits.opens or backbone.traits.stands_in):
        raise BackboneError(
            "invalid",
            f"{backbone.name} cannot go on from the beginning of a reply, and {query.task} gives one: serve "
            "the model with vLLM or llama.cpp (vllm/..., llamacpp/...).",
        )
    reply = await logged_call(backbone, query, request, log)
    log.append(exchange_of(backbone, query, request, reply))
    return reply


def _check(reply: Reply, query: ProseQuery) -> None:
    check_ended(reply)
    if not reply.text.strip():
        raise BackboneError("unparsable", "The reply is empty.", reply=reply.text)
    if declines(reply.text):
        raise BackboneError("refused", "The model declined to answer.", reply=reply.text)
    wrong = query.check(reply.text) if query.check and not reply.made_up else None
    if wrong:
        raise BackboneError("unparsable", wrong, reply=reply.text)


def _likely(backbone: Backbone, query: ProseQuery, reply: Reply) -> dict[str, float]:
    likely = reply.answer_logprobs
    if likely is None and reply.first_tokens is not None:
        likely = spelled(query.answers, reply.first_tokens)
    if likely is None:
        raise BackboneError(
            "invalid",
            f"{backbone.name} gives no probabilities of answers, and {query.task} is made of these: "
            "ask a model inside this process (transformers/...) or a server that gives log-probabilities "
            "(vllm/..., llamacpp/..., openai/...).",
            reply=reply.text,
        )
    untrue = [each for each in likely.values() if isnan(each) or each > SLACK]
    if untrue:
        raise BackboneError(
            "invalid",
            f"{backbone.name} gave {untrue[0]} as the logarithm of a probability.",
            reply=reply.text,
        )
    absent = [answer for answer in query.answers if likely.get(answer, -inf) < LEAST]
    if absent:
        raise BackboneError(
            "invalid",
            f"{backbone.name} says nothing of {', '.join(map(repr, absent))}, and {query.task} is made "
            "of it: it gives only the likeliest tokens that a reply may begin with.",
            reply=reply.text,
        )
    return {answer: _rounded(each) for answer, each in likely.items()}
