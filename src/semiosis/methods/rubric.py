"""The strict judge from 1 to 4: does the picture show what the text says, whatever it looks like?

    score = await Rubric(backbone).score(prompt, artifact)

"ProtoBias", table 6; its guide and its checks, in our words.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator

from ..backbones.backbone import Backbone
from ..backbones.query import Query, ask
from ..core.outcome import Exchange, Failure
from ..core.sign import Artifact, Prompt
from .card import Card
from .contract import method
from .scorer import Scorer
from .settings import Temperature
from .signs import references, sent, subject_of
from .template import prompt_file

MAX_TOKENS = 2000
USUAL_TOKENS = 8


def _whole(value: Any) -> Any:
    """Models write numbers as text; a fraction is left to fail."""
    word = value.strip() if isinstance(value, str) else value
    if isinstance(word, bool):
        return str(word)
    return next((level for level in (1, 2, 3, 4) if word in (level, str(level), float(level))), value)


class RubricShape(BaseModel):
    score: Annotated[Literal[1, 2, 3, 4], BeforeValidator(_whole)]


@method("rubric")
@dataclass(frozen=True)
class Rubric(Scorer):
    """Rates how well the picture matches the text, 1 to 4, by what it shows and nothing else.

    backbone    rates
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one
    """

    card: ClassVar[Card] = Card(
        paper="ProtoBias, table 6",
        needs="a model that sees",
        scale="1 to 4, whole numbers",
        unverified="the wording of the rubric is ours",
    )
    backbone: Backbone
    temperature: Temperature | None = 0.0
    seed: int | None = None

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        template = prompt_file("rubric", __file__)
        query = Query(
            task="rubric",
            messages=template.messages(
                fenced=[prompt.text],
                prompt=prompt.text,
                references=await references(self.backbone, prompt),
                picture=await sent(self.backbone, artifact),
            ),
            reply=RubricShape,
            stage="rating",
            subject=(*subject_of(prompt), artifact.sha256),
            prompts={template.name: template.sha256},
            max_tokens=MAX_TOKENS,
            usual_tokens=USUAL_TOKENS,
            temperature=self.temperature,
            seed=self.seed,
        )
        response = await ask(self.backbone, query, log)
        return response if isinstance(response, Failure) else float(response.value.score)
