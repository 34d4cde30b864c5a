"""In what do the pictures differ, and does it matter? One call an order: differences first, then the verdict.

    judgment = await Contrasting(backbone).judge(pair)
    judgment.leading_vote.contrast.differences

Ours, not a paper's: a judge that must first list every sign in which the pictures differ, where it is, and
whether it keeps or breaks the meaning, can tell a finding from a coin flip.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field

from ..backbones.backbone import Backbone
from ..backbones.query import Query, ask
from ..backbones.single_flight import together
from ..core.kinds.pair import Judgment
from ..core.outcome import Exchange, Failure
from ..core.sign import Pair
from ..core.vote import Order, Vote
from .card import Card
from .contract import Judges, method
from .differences import Differences, contrast_of, listing
from .settings import Orders, Repeats, Temperature
from .signs import pair_subject, references, sent
from .template import prompt_file
from .verdict import (
    MAX_VERDICT_TOKENS,
    MOST_EVIDENCE,
    CertaintyShape,
    EvidenceShape,
    LongWords,
    SideShape,
    Words,
    oddity,
)
from .voting import WHOLES, judged_by_votes, ordered_pair, verdict_stage, vote_of

# Of a reply with two or three differences.
USUAL_TOKENS = 650


class ContrastVerdictShape(BaseModel):
    # Said first, so that differences are held against what was meant; it stays in the reply.
    intended: Annotated[Words, Field(json_schema_extra={"maxLength": 600})]
    differences: Differences
    discussion: LongWords
    evidence: Annotated[list[EvidenceShape], Field(json_schema_extra={"maxItems": MOST_EVIDENCE})]
    winner: SideShape
    certainty: CertaintyShape = None


@method("contrast")
@dataclass(frozen=True)
class Contrasting(Judges):
    """Lists the signs in which the pictures differ and what each does to the meaning, then judges by them.

    backbone    judges
    orders      "both", or only "ab" or "ba"
    repeats     votes in each order, 1 to 99
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    """

    card: ClassVar[Card] = Card(paper="ours", needs="a model that sees")
    backbone: Backbone
    orders: Orders = "both"
    repeats: Repeats = 1
    temperature: Temperature | None = 0.0
    seed: int | None = None

    async def judge(self, pair: Pair) -> Judgment | Failure:
        return await judged_by_votes(self, pair, partial(self._vote, pair), self.orders, self.repeats)

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        return {
            "judge": self.backbone.name,
            "orders": self.orders,
            "repeats": self.repeats,
            "temperature": self.temperature,
            "seed": self.seed,
        }

    async def _vote(self, pair: Pair, order: Order, repeat: int, log: list[Exchange]) -> Vote | Failure:
        template, certainty = prompt_file("contrast", __file__), prompt_file("certainty", __file__)
        differences = listing()
        view = ordered_pair(pair, order)
        a, b = await together(sent(self.backbone, view.a), sent(self.backbone, view.b))
        query = Query(
            task="contrast",
            messages=template.messages(
                fenced=[pair.prompt.text],
                prompt=pair.prompt.text,
                references=await references(self.backbone, pair.prompt),
                picture_a=a,
                picture_b=b,
                differences=differences.text,
                certainty=certainty.text,
            ),
            reply=ContrastVerdictShape,
            stage=verdict_stage(order, repeat),
            subject=pair_subject(view),
            prompts={file.name: file.sha256 for file in (template, differences, certainty)},
            reconsider=oddity,
            max_tokens=MAX_VERDICT_TOKENS,
            usual_tokens=USUAL_TOKENS,
            temperature=self.temperature,
            seed=None if self.seed is None else self.seed + repeat,
            repeat=repeat,
        )
        response = await ask(self.backbone, query, log)
        if isinstance(response, Failure):
            return response
        shown = contrast_of(response.value.differences, self.backbone.traits, (a, b))
        contrast = shown if order == "ab" else shown.exchanged()
        vote = vote_of(response.value, order, repeat, {**WHOLES, "contrast": contrast})
        return vote.model_copy(update={"contrast": contrast})
