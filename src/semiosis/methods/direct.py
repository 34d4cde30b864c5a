"""No graphs: one call, the prompt and the pictures. The check for every claim about graphs.

judgment = await Direct(backbone).judge(pair)
answer = await Direct(backbone).answer(question, artifact)
interpretation = await DirectReading(backbone).interpret(artifact)
"""

import hashlib
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field

from ..backbones.backbone import Backbone
from ..backbones.pictures import Prepared
from ..backbones.query import Query, ask
from ..core.kinds.interpretation import Interpretation, Passage
from ..core.kinds.pair import Judgment
from ..core.kinds.question import Answer
from ..core.outcome import Exchange, Failure
from ..core.sign import Artifact, Pair, Prompt, Question, letters
from ..core.vote import Order, Vote
from .answers import Chosen, answered_by_votes, check_pictured
from .card import Card
from .choices import answer_shape, stated
from .contract import Answers, Interprets, Judges, method
from .settings import Orders, Repeats, Temperature, Wording
from .signs import references, sent, subject_of
from .template import prompt_file
from .verdict import CertaintyShape, LongWords, Words
from .voter import Case, Voter
from .voting import judged_by_votes

MAX_TOKENS = 4000
USUAL_ANSWER_TOKENS = 150
USUAL_READING_TOKENS = 350


class ChoiceShape(BaseModel):
    reasoning: LongWords
    answer: Words
    certainty: CertaintyShape = None


class ReadingShape(BaseModel):
    interpretation: Annotated[Words, Field(json_schema_extra={"maxLength": 4000})]


@method("direct", meaning={"wording": "meaning"})
@dataclass(frozen=True)
class Direct(Judges, Answers):
    """Asks which picture carries the meaning, or which choice is right, without graphs.

    backbone    judges and answers
    wording     "neutral", as the paper asks, or "meaning", which tells what counts
    orders      "both", or only "ab" or "ba"
    repeats     votes in each order, or on each question, 1 to 99
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    """

    version: ClassVar[str] = "2"
    card: ClassVar[Card] = Card(paper="SemJudge, table 3, without graphs", needs="a model that sees")
    backbone: Backbone
    wording: Wording = "neutral"
    orders: Orders = "both"
    repeats: Repeats = 1
    temperature: Temperature | None = 0.0
    seed: int | None = None

    @property
    def label(self) -> str:
        return self.name if self.wording == "neutral" else f"{self.name}/{self.wording}"

    async def judge(self, pair: Pair) -> Judgment | Failure:
        voter = Voter(self.backbone, self.wording, self.temperature, self.seed)

        async def cast(order: Order, repeat: int, log: list[Exchange]) -> Vote | Failure:
            return await voter.vote(pair, order, repeat, Case(), log)

        return await judged_by_votes(self, pair, cast, self.orders, self.repeats)

    async def answer(self, question: Question, *artifacts: Artifact) -> Answer | Failure:
        check_pictured(artifacts)

        async def choose(repeat: int, log: list[Exchange]) -> Chosen | Failure:
            return await self._choice(question, artifacts, repeat, log)

        return await answered_by_votes(self, question, artifacts, choose, log=[])

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        return {
            "judge": self.backbone.name,
            "wording": self.wording,
            "orders": self.orders,
            "repeats": self.repeats,
            "temperature": self.temperature,
            "seed": self.seed,
        }

    async def _choice(
        self, question: Question, artifacts: tuple[Artifact, ...], repeat: int, log: list[Exchange]
    ) -> Chosen | Failure:
        template, asked = prompt_file("choice", __file__), stated(question)
        query = Query(
            task="choice",
            messages=template.messages(
                fenced=[asked],
                pictures=await pictures_by_letter(self.backbone, artifacts),
                question=asked,
                letters=", ".join(question.choices),
            ),
            reply=answer_shape(ChoiceShape, question),
            stage="choice" + (f", repeat {repeat + 1}" if repeat else ""),
            subject=question_subject(asked, artifacts),
            prompts={template.name: template.sha256},
            max_tokens=MAX_TOKENS,
            usual_tokens=USUAL_ANSWER_TOKENS,
            temperature=self.temperature,
            seed=None if self.seed is None else self.seed + repeat,
            repeat=repeat,
        )
        response = await ask(self.backbone, query, log)
        if isinstance(response, Failure):
            return response
        reply = response.value
        return Chosen(reply.answer, reply.reasoning, certainty=reply.certainty)


@method("direct/interpret")
@dataclass(frozen=True)
class DirectReading(Interprets):
    """Says in prose what one sign means, without a graph.

    backbone    reads
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one
    """

    card: ClassVar[Card] = Card(
        paper="the base MLLM of SemJudge's figure 4; its prompt is not published", needs="a model that sees"
    )
    backbone: Backbone
    temperature: Temperature | None = 0.0
    seed: int | None = None

    async def interpret(self, sign: Prompt | Artifact) -> Interpretation | Failure:
        log: list[Exchange] = []
        if isinstance(sign, Prompt):
            template, texts, subject = prompt_file("read-prompt", __file__), [sign.text], subject_of(sign)
            material = {"prompt": sign.text, "references": await references(self.backbone, sign)}
        else:
            template, texts, subject = prompt_file("read-picture", __file__), [], (sign.sha256,)
            material = {"picture": await sent(self.backbone, sign)}
        query = Query(
            task="read-prose",
            messages=template.messages(fenced=texts, **material),
            reply=ReadingShape,
            stage="reading",
            subject=subject,
            prompts={template.name: template.sha256},
            max_tokens=MAX_TOKENS,
            usual_tokens=USUAL_READING_TOKENS,
            temperature=self.temperature,
            seed=self.seed,
        )
        response = await ask(self.backbone, query, log)
        if isinstance(response, Failure):
            return self.failed(response, log)
        return Interpretation(
            prompt=sign if isinstance(sign, Prompt) else None,
            artifact=sign if isinstance(sign, Artifact) else None,
            passages=(Passage(title="Interpretation", text=response.value.interpretation),),
            provenance=self.provenance(log),
        )


def question_subject(asked: str, artifacts: tuple[Artifact, ...]) -> tuple[str, ...]:
    """What a question over pictures is known by in recordings."""
    return (hashlib.sha256(asked.encode()).hexdigest(), *(artifact.sha256 for artifact in artifacts))


async def pictures_by_letter(
    backbone: Backbone, artifacts: tuple[Artifact, ...], scale: float = 1.0
) -> list[str | Prepared]:
    """Each picture after what it is called."""
    shown: list[str | Prepared] = []
    for letter, artifact in zip(letters(len(artifacts)), artifacts, strict=True):
        shown += [f"\nPicture {letter.upper()}:\n", await sent(backbone, artifact, scale)]
    return shown
