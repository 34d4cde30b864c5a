"""One step of a judgment: asked of a model with what came before, its reply valid or a failure.

dialogue = Dialogue(backbone, exhibit, subject, "ab", Sampling(0.0, None))
analysis = await dialogue.ask("analysis", AnalysisShape, log)
critique = await dialogue.ask("critique", CritiqueShape, log, earlier="earlier-analysis")
"""

from dataclasses import dataclass, field
from typing import Annotated, TypeVar

from pydantic import BaseModel, Field

from ...backbones.backbone import Backbone, Message
from ...backbones.query import Query, ask
from ...core.outcome import Exchange, Failure
from ...core.vote import Order
from ..template import Filling, prompt_file
from ..verdict import SideShape, Words
from ..voter import Talk
from .exhibit import Exhibit, hashes

T = TypeVar("T", bound=BaseModel)

# With room for models that think before they answer: their thoughts count.
MAX_TOKENS = 6000
USUAL_TOKENS = {"base": 10, "cot": 150, "analysis": 150, "critique": 500, "summary": 10}
SEEN = "(This is about what was shown above; it is not shown again.)"

Reason = Annotated[Words, Field(json_schema_extra={"maxLength": 600})]


class WinnerShape(BaseModel):
    winner: SideShape


class ThinkingShape(BaseModel):
    thinking: Annotated[Words, Field(json_schema_extra={"maxLength": 1600})]
    winner: SideShape


class AnalysisShape(BaseModel):
    style_reason: Reason
    content_reason: Reason
    style_winner: SideShape
    content_winner: SideShape


class CritiqueShape(BaseModel):
    reflection: Annotated[Words, Field(json_schema_extra={"maxLength": 3000})]


@dataclass(frozen=True)
class Sampling:
    """How every step is asked. The seed counts on with the repeats."""

    temperature: float | None
    seed: int | None
    repeat: int = 0

    @property
    def seed_now(self) -> int | None:
        return None if self.seed is None else self.seed + self.repeat

    @property
    def repeated(self) -> str:
        """What the name of a stage ends with, where it is asked again."""
        return f", repeat {self.repeat + 1}" if self.repeat else ""


@dataclass
class Dialogue:
    """The steps over one exhibit: one conversation, or each step without the ones before.

    backbone    is asked
    exhibit     what is shown, in the order of showing
    subject     what the pair is known by, in that order
    order       of showing
    sampling    how it is asked
    forgetful   each step is sent by itself, as the authors' script does
    """

    backbone: Backbone
    exhibit: Exhibit
    subject: tuple[str, ...]
    order: Order
    sampling: Sampling
    forgetful: bool = False
    talk: Talk = field(default_factory=Talk)

    async def ask(
        self, step: str, shape: type[T], log: list[Exchange], *, earlier: str = "", opening: str = ""
    ) -> T | Failure:
        """The reply to the prompt file of that name; `earlier` names the file on what came before."""
        template, spoken = prompt_file(step, __file__), bool(self.talk.messages)
        before = prompt_file(earlier, __file__) if earlier and spoken else None
        fillings: dict[str, Filling] = dict(self.exhibit.fillings)
        fillings["earlier"] = before.text if before else ""
        if spoken:
            fillings |= {"told": "", "pictures": SEEN}
        turns = self.talk.turn(*template.messages(fenced=self.exhibit.fenced, **fillings))
        files = [template, *([before] if before else [])]
        query = Query(
            task=f"art-{step}",
            messages=turns,
            reply=shape,
            stage=f"{step}, order {self.order.upper()}{self.sampling.repeated}",
            subject=self.subject,
            prompts={**hashes(*files), **self.exhibit.files},
            max_tokens=MAX_TOKENS,
            usual_tokens=USUAL_TOKENS[step],
            temperature=self.sampling.temperature,
            seed=self.sampling.seed_now,
            repeat=self.sampling.repeat,
            opening=opening,
        )
        response = await ask(self.backbone, query, log)
        if isinstance(response, Failure):
            return response
        if not self.forgetful:
            self.talk = Talk((*turns, Message("assistant", (response.reply.text,))))
        return response.value
