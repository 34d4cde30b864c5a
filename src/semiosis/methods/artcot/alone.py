"""Pictures read alone, without a prompt: an analysis, a critique that sees it, an answer where one is asked.

reading = FormalAnalysis(backbone, (artifact,), Sampling(temperature=0.0, seed=None))
passages = await reading.passages(log)
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

from pydantic import BaseModel, Field

from ...backbones.backbone import Backbone, Message
from ...backbones.pictures import Prepared
from ...backbones.query import Query, ask
from ...core.kinds.interpretation import Passage
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Question
from ..answers import Chosen
from ..choices import answer_shape, stated
from ..direct import ChoiceShape, pictures_by_letter, question_subject
from ..template import Filling, prompt_file
from ..verdict import Words
from ..voter import Talk
from .dialogue import MAX_TOKENS, SEEN, Sampling
from .settings import SCALES, Resolution

T = TypeVar("T", bound=BaseModel)

USUAL_TOKENS = {"alone-analysis": 350, "alone-critique": 400, "alone-answer": 200}

Long = Annotated[Words, Field(json_schema_extra={"maxLength": 900})]
Short = Annotated[Words, Field(json_schema_extra={"maxLength": 600})]
Feature = Annotated[Words, Field(json_schema_extra={"maxLength": 300})]


class PictureAnalysisShape(BaseModel):
    style: Long
    content: Long
    visual_features: Annotated[list[Feature], Field(json_schema_extra={"minItems": 3, "maxItems": 8})]


class PictureCritiqueShape(BaseModel):
    essential_features: Long
    content_and_style: Long
    artefacts: Short
    harmony: Short


@dataclass
class FormalAnalysis:
    """One conversation about pictures that are shown at its start.

    backbone    is asked
    artifacts   the pictures
    sampling    how it is asked
    resolution  of each picture; full, unless said
    analysis    whether the pictures are analysed first
    critique    whether a critic reflects on them
    forgetful   each step is sent without the replies before it
    """

    backbone: Backbone
    artifacts: tuple[Artifact, ...]
    sampling: Sampling
    resolution: Resolution | None = None
    analysis: bool = True
    critique: bool = True
    forgetful: bool = False
    talk: Talk = field(default_factory=Talk)

    async def passages(self, log: list[Exchange]) -> tuple[Passage, ...] | Failure:
        """What was analysed, and what a critic made of it."""
        passages: list[Passage] = []
        subject = tuple(artifact.sha256 for artifact in self.artifacts)
        if self.analysis:
            analysis = await self._ask("alone-analysis", PictureAnalysisShape, subject, log)
            if isinstance(analysis, Failure):
                return analysis
            passages += _passages("Analysis", analysis)
        if self.critique:
            critique = await self._ask("alone-critique", PictureCritiqueShape, subject, log)
            if isinstance(critique, Failure):
                return critique
            passages += _passages("Critique", critique)
        return tuple(passages)

    async def answer(self, question: Question, log: list[Exchange]) -> Chosen | Failure:
        """A choice, from the analysis and the critique."""
        passages = await self.passages(log)
        if isinstance(passages, Failure):
            return passages
        asked = stated(question)
        reply = await self._ask(
            "alone-answer",
            answer_shape(ChoiceShape, question),
            question_subject(asked, self.artifacts),
            log,
            question=asked,
            letters=", ".join(question.choices),
        )
        if isinstance(reply, Failure):
            return reply
        return Chosen(reply.answer, reply.reasoning, certainty=reply.certainty)

    async def _ask(
        self, step: str, shape: type[T], subject: tuple[str, ...], log: list[Exchange], **texts: str
    ) -> T | Failure:
        template = prompt_file(step, __file__)
        fillings: dict[str, Filling] = {"pictures": await self._pictures(), **texts}
        turns = self.talk.turn(*template.messages(fenced=list(texts.values()), **fillings))
        sampling = self.sampling
        query = Query(
            task=step,
            messages=turns,
            reply=shape,
            stage=step.removeprefix("alone-")
            + (f", repeat {sampling.repeat + 1}" if sampling.repeat else ""),
            subject=subject,
            prompts={template.name: template.sha256},
            max_tokens=MAX_TOKENS,
            usual_tokens=USUAL_TOKENS[step],
            temperature=sampling.temperature,
            seed=sampling.seed_now,
            repeat=sampling.repeat,
        )
        response = await ask(self.backbone, query, log)
        if isinstance(response, Failure):
            return response
        if not self.forgetful:
            self.talk = Talk((*turns, Message("assistant", (response.reply.text,))))
        return response.value

    async def _pictures(self) -> list[str | Prepared] | str:
        """Once, at the start."""
        if self.talk.messages:
            return SEEN
        return await pictures_by_letter(self.backbone, self.artifacts, SCALES[self.resolution or "full"])


def _passages(title: str, shape: BaseModel) -> Iterator[Passage]:
    """The fields of a reply, each under its name."""
    for name in type(shape).model_fields:
        value: str | list[str] = getattr(shape, name)
        text = value if isinstance(value, str) else "\n".join(value)
        yield Passage(title=f"{title}: {name.replace('_', ' ')}", text=text)
