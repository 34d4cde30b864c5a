"""Asks a model how apt a title is."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval
from pydantic import BaseModel

from semiosis.methods import (
    Artifact,
    Backbone,
    Exchange,
    Failure,
    Method,
    Query,
    ask,
    method,
    prompt_file,
    sent,
)

from .kinds import Aptness


class AptnessShape(BaseModel):
    points: int
    why: str


@method("titler")
@dataclass(frozen=True)
class Titler(Method):
    backbone: Backbone
    threshold: Annotated[int, Interval(ge=0, le=10)] = 5

    async def weigh(self, title: str, artifact: Artifact) -> Aptness | Failure:
        log: list[Exchange] = []
        template = prompt_file("aptness", __file__)
        query = Query(
            task="aptness",
            messages=template.messages(
                fenced=[title],
                title=title,
                picture=await sent(self.backbone, artifact),
            ),
            reply=AptnessShape,
            stage="aptness",
            prompts={template.name: template.sha256},
        )
        answer = await ask(self.backbone, query, log)
        if isinstance(answer, Failure):
            return self.failed(answer, log)
        return Aptness(
            title=title,
            artifact=artifact,
            points=answer.value.points,
            threshold=self.threshold,
            why=answer.value.why,
            provenance=self.provenance(log),
        )
