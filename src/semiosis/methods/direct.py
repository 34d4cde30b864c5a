"""The base prompt: one call, the prompt and both pictures, no graph. The check for every claim about graphs.

judgment = await Direct(backbone).judge(pair)
"""

from dataclasses import dataclass

from ..backbones.backbone import Backbone
from ..backbones.query import Query, ask
from ..backbones.single_flight import together
from ..core.kinds.pair import Judgment
from ..core.outcome import Exchange, Failure
from ..core.sign import Pair
from ..core.vote import Order, Vote
from .contract import Judges, method
from .settings import Orders, Repeats, Temperature
from .signs import pair_subject, references, sent
from .template import prompt_file
from .verdict import MAX_VERDICT_TOKENS, VerdictShape
from .voting import ordered_pair, poll, undermined, verdict_stage, vote_of

# Of a reply without graphs to speak of.
USUAL_TOKENS = 400


@method("direct")
@dataclass(frozen=True)
class Direct(Judges):
    """The base prompt: asks which picture carries the meaning, without graphs.

    backbone    judges
    orders      "both", or only "ab" or "ba"
    repeats     votes in each order, 1 to 99
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    """

    backbone: Backbone
    orders: Orders = "both"
    repeats: Repeats = 1
    temperature: Temperature | None = 0.0
    seed: int | None = None

    async def judge(self, pair: Pair) -> Judgment | Failure:
        log: list[Exchange] = []

        async def ballot(order: Order, repeat: int, own: list[Exchange]) -> Vote | Failure:
            return await self._vote(pair, order, repeat, own)

        votes, failures = await poll(ballot, self.orders, self.repeats, log)
        failure = undermined(votes, failures, self.orders)
        if failure:
            return self.failed(failure, log)
        return Judgment(pair=pair, votes=votes, failures=failures, provenance=self.provenance(log))

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        return {
            "judge": self.backbone.name,
            "orders": self.orders,
            "repeats": self.repeats,
            "temperature": self.temperature,
            "seed": self.seed,
        }

    async def _vote(self, pair: Pair, order: Order, repeat: int, log: list[Exchange]) -> Vote | Failure:
        template = prompt_file("direct", __file__)
        seed = None if self.seed is None else self.seed + repeat
        view = ordered_pair(pair, order)
        a, b = await together(sent(self.backbone, view.a), sent(self.backbone, view.b))
        query = Query(
            task="direct",
            messages=template.messages(
                fenced=[pair.prompt.text],
                prompt=pair.prompt.text,
                references=await references(self.backbone, pair.prompt),
                picture_a=a,
                picture_b=b,
            ),
            reply=VerdictShape,
            stage=verdict_stage(order, repeat),
            subject=pair_subject(view),
            prompts={template.name: template.sha256},
            max_tokens=MAX_VERDICT_TOKENS,
            usual_tokens=USUAL_TOKENS,
            temperature=self.temperature,
            seed=seed,
            repeat=repeat,
        )
        response = await ask(self.backbone, query, log)
        if isinstance(response, Failure):
            return response
        return vote_of(response.value, order, repeat, {"prompt": None, "a": None, "b": None})
