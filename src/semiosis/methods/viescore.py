"""VIEScore: what was asked and how well it is made, each by a rubric; the weaker half decides.

    score = await VIEScore(backbone).score(prompt, artifact)
    score.value                 square root of semantics times perception, 0 to 10
    score.parts                 the sub-scores, each with its reason

Ku et al. 2024, "VIEScore: Towards Explainable Metrics for Conditional Image Synthesis Evaluation": the
minimum of the sub-scores of semantic consistency, the minimum of those of perceptual quality, and their
geometric mean. The words of the rubrics are ours.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, Field

from ..backbones.backbone import Backbone, Message
from ..backbones.query import Query, ask
from ..backbones.single_flight import together
from ..core.kinds.rating import Measurement, ScorePart
from ..core.outcome import Exchange, Failure
from ..core.sign import Artifact, Prompt
from .card import Card
from .contract import method
from .scorer import Measurer
from .settings import Temperature
from .signs import references, sent, subject_of
from .template import Template, prompt_file
from .verdict import Words

T = TypeVar("T", bound=BaseModel)

MAX_TOKENS = 3000
USUAL_TOKENS = 120


def _no_flag(value: Any) -> Any:
    """True and false are no numbers, though they count as 1 and 0."""
    return str(value) if isinstance(value, bool) else value


Points = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False), BeforeValidator(_no_flag)]
Reason = Annotated[Words, Field(json_schema_extra={"maxLength": 700})]


class FollowingShape(BaseModel):
    reasoning: Reason
    following: Points


class StylizationShape(BaseModel):
    reasoning: Reason
    style: Points
    content: Points


class PerceptionShape(BaseModel):
    reasoning: Reason
    naturalness: Points
    freedom_from_artefacts: Points


@method("viescore")
@dataclass(frozen=True)
class VIEScore(Measurer):
    """Scores what was asked (semantics) and how well it is made (perception), 0 to 10 each.

    backbone    scores
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one
    """

    card: ClassVar[Card] = Card(
        paper="Ku et al. 2024, VIEScore, arXiv 2312.14867",
        needs="a model that sees",
        scale="0 to 10",
        unverified="the wording of the rubrics is ours",
    )
    backbone: Backbone
    temperature: Temperature | None = 0.0
    seed: int | None = None

    async def measurement(
        self, prompt: Prompt, artifact: Artifact, log: list[Exchange]
    ) -> Measurement | Failure:
        logs: tuple[list[Exchange], list[Exchange]] = ([], [])
        semantics, perception = await together(
            self._semantics(prompt, artifact, logs[0]), self._perception(artifact, logs[1])
        )
        for own in logs:
            log.extend(own)
        if isinstance(semantics, Failure):
            return semantics
        if isinstance(perception, Failure):
            return perception
        value = sqrt(_weakest(semantics) * _weakest(perception))
        return Measurement(value=value, parts=(*semantics, *perception))

    async def _semantics(
        self, prompt: Prompt, artifact: Artifact, log: list[Exchange]
    ) -> tuple[ScorePart, ...] | Failure:
        stylized = prompt.style is not None and prompt.content is not None
        template = prompt_file("viescore-stylization" if stylized else "viescore-prompt", __file__)
        words = prompt.style if stylized and prompt.style else prompt.text
        system, user = template.messages(
            fenced=[words],
            prompt=words,
            references=[await sent(self.backbone, prompt.content)]
            if stylized and prompt.content
            else await references(self.backbone, prompt),
            picture=await sent(self.backbone, artifact),
        )
        subject = (*subject_of(prompt), artifact.sha256)
        if stylized:
            reply = await self._ask(StylizationShape, template, (system, user), subject, log)
            if isinstance(reply, Failure):
                return reply
            return (
                _part("style", "the style is taken on", reply.style, reply.reasoning),
                _part("content", "the content is kept", reply.content, reply.reasoning),
            )
        following = await self._ask(FollowingShape, template, (system, user), subject, log)
        if isinstance(following, Failure):
            return following
        return (_part("following", "the prompt is followed", following.following, following.reasoning),)

    async def _perception(self, artifact: Artifact, log: list[Exchange]) -> tuple[ScorePart, ...] | Failure:
        template = prompt_file("viescore-perception", __file__)
        messages = template.messages(fenced=[], picture=await sent(self.backbone, artifact))
        reply = await self._ask(PerceptionShape, template, messages, (artifact.sha256,), log)
        if isinstance(reply, Failure):
            return reply
        free = reply.freedom_from_artefacts
        return (
            _part("naturalness", "it looks natural as what it is", reply.naturalness, reply.reasoning),
            _part("artefacts", "it is free of artefacts", free, reply.reasoning),
        )

    async def _ask(
        self,
        shape: type[T],
        template: Template,
        messages: tuple[Message, ...],
        subject: tuple[str, ...],
        log: list[Exchange],
    ) -> T | Failure:
        query = Query(
            task=template.name,
            messages=messages,
            reply=shape,
            stage=template.name.removeprefix("viescore-"),
            subject=subject,
            prompts={template.name: template.sha256},
            max_tokens=MAX_TOKENS,
            usual_tokens=USUAL_TOKENS,
            temperature=self.temperature,
            seed=self.seed,
        )
        response = await ask(self.backbone, query, log)
        return response if isinstance(response, Failure) else response.value


def _part(id: str, about: str, value: float, reason: str) -> ScorePart:
    return ScorePart(id=id, about=about, value=value, reason=reason)


def _weakest(parts: tuple[ScorePart, ...]) -> float:
    return min(part.value for part in parts if part.value is not None)
