"""Asking a picture: each question in a call of its own, parents first.

parts = await parts_of(propositions, lambda question, log: viewer.answer(question, artifact, log), log)
"""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ...backbones.backbone import Backbone
from ...backbones.query import Query, ask
from ...backbones.single_flight import together
from ...core.kinds.rating import ScorePart
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact
from ..signs import sent
from ..template import prompt_file
from .propositions import Proposition, Propositions, waves
from .shapes import AnswerShape

# With room for models that think before they answer: their thoughts count.
MAX_TOKENS = 3000
USUAL_TOKENS = 45

Answering = Callable[[str, list[Exchange]], Awaitable[AnswerShape | Failure]]


@dataclass(frozen=True)
class Viewer:
    """Answers questions about pictures with one backbone, which sees neither prompt nor graph."""

    backbone: Backbone
    temperature: float | None = 0.0
    seed: int | None = None

    async def answer(self, question: str, artifact: Artifact, log: list[Exchange]) -> AnswerShape | Failure:
        """Yes or no, and why."""
        template = prompt_file("look", __file__)
        query = Query(
            task="dsg-answer",
            messages=template.messages(
                fenced=[question], question=question, picture=await sent(self.backbone, artifact)
            ),
            reply=AnswerShape,
            stage=f"question: {question}",
            subject=(artifact.sha256, hashlib.sha256(question.encode("utf-8", "replace")).hexdigest()),
            prompts={template.name: template.sha256},
            max_tokens=MAX_TOKENS,
            usual_tokens=USUAL_TOKENS,
            temperature=self.temperature,
            seed=self.seed,
        )
        response = await ask(self.backbone, query, log)
        return response if isinstance(response, Failure) else response.value


async def parts_of(
    propositions: Propositions, answer: Answering, log: list[Exchange]
) -> tuple[ScorePart, ...] | Failure:
    """Each proposition with its answer: 1 for yes, 0 for no, and 0 unasked where one that it needs is 0.

    One question that came to nothing leaves no score: what it would have said is not known.
    """
    parts: dict[str, ScorePart] = {}
    for wave in waves(propositions):
        asked = [each for each in wave if all(parts[need].value for need in each.needs)]
        logs: list[list[Exchange]] = [[] for _ in asked]
        replies = await together(*(answer(each.question, own) for each, own in zip(asked, logs, strict=True)))
        log.extend(call for own in logs for call in own)
        for each, reply in zip(asked, replies, strict=True):
            if isinstance(reply, Failure):
                return reply
            parts[each.id] = _part(each, reply)
        parts |= {each.id: _part(each, None) for each in wave if each.id not in parts}
    return tuple(parts[each.id] for each in propositions)


def _part(proposition: Proposition, reply: AnswerShape | None) -> ScorePart:
    return ScorePart(
        id=proposition.id,
        about=proposition.question,
        value=float(reply is not None and reply.answer == "yes"),
        reason=reply.reason if reply else "",
        needs=proposition.needs,
        asked=reply is not None,
        yes_no=True,
    )
