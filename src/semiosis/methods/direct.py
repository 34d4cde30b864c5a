"""The base prompt: one call, the prompt and both pictures, no graph. The check for every claim about graphs.

judgment = await Direct(backbone).judge(pair)
"""

from dataclasses import dataclass
from typing import ClassVar

from ..backbones.backbone import Backbone
from ..core.kinds.pair import Judgment
from ..core.outcome import Exchange, Failure
from ..core.sign import Pair
from ..core.vote import Order, Vote
from .contract import Judges, method
from .settings import Orders, Repeats, Temperature, Wording
from .voter import Case, Voter
from .voting import judged_by_votes


@method("direct", meaning={"wording": "meaning"})
@dataclass(frozen=True)
class Direct(Judges):
    """The base prompt: asks which picture carries the meaning, without graphs.

    backbone    judges
    wording     "neutral", as the paper asks, or "meaning", which tells what counts
    orders      "both", or only "ab" or "ba"
    repeats     votes in each order, 1 to 99
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    """

    version: ClassVar[str] = "2"
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

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        return {
            "judge": self.backbone.name,
            "wording": self.wording,
            "orders": self.orders,
            "repeats": self.repeats,
            "temperature": self.temperature,
            "seed": self.seed,
        }
