"""The two prompts that ArtCoT is compared with: the base prompt, and zero-shot chain of thought (table VII).

    judgment = await BasePrompt(backbone).judge(pair)

What the prompts say follows the paper's table; the words are ours.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ...backbones.backbone import Backbone
from ...core.kinds.pair import Judgment
from ...core.outcome import Exchange, Failure
from ...core.sign import Pair
from ...core.vote import Order, Vote
from ..card import Card
from ..contract import Judges, method
from ..settings import Orders, Repeats, Temperature
from ..signs import pair_subject
from ..voting import judged_by_votes, ordered_pair, own_side
from .dialogue import Dialogue, Sampling, ThinkingShape, WinnerShape
from .exhibit import Showing
from .settings import Layout, Resolution, Without

PAPER = "Jiang & Chen 2025, Multimodal LLMs Can Reason about Aesthetics in Zero-Shot, arXiv 2501.09012"
UNVERIFIED = "the wording of the prompts is ours; the paper's figures stand on its own wording"
NO_STYLIZATION = "The prompt is no stylization, so there is no content and no style to leave out."
OPENING = '{"thinking": "Let us think step by step. '


@dataclass(frozen=True)
class DialogueJudge(Judges):
    """Judges by a dialogue over one exhibit in each order.

    backbone    judges
    layout      of a stylization: "composed" (the source on top of both results) or "separate"
    resolution  of each picture: "full", "half", "quarter", "eighth"; half for a stylization, unless said
    without     what is not told of a stylization: "nothing", "content", "style", "both"
    orders      "both", or only "ab" or "ba"
    repeats     votes in each order, 1 to 99
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    """

    card: ClassVar[Card] = Card(paper=PAPER, needs="a model that sees", unverified=UNVERIFIED)
    backbone: Backbone
    layout: Layout = "composed"
    resolution: Resolution | None = None
    without: Without = "nothing"
    orders: Orders = "both"
    repeats: Repeats = 1
    temperature: Temperature | None = 0.0
    seed: int | None = None

    @property
    def showing(self) -> Showing:
        return Showing(self.layout, self.resolution, self.without)

    async def judge(self, pair: Pair) -> Judgment | Failure:
        if self.without != "nothing" and pair.prompt.style is None:
            return self.failed(Failure(reason="invalid", message=NO_STYLIZATION), [])

        async def cast(order: Order, repeat: int, log: list[Exchange]) -> Vote | Failure:
            return await self.vote(pair, order, repeat, log)

        return await judged_by_votes(self, pair, cast, self.orders, self.repeats)

    async def vote(self, pair: Pair, order: Order, repeat: int, log: list[Exchange]) -> Vote | Failure:
        """One verdict, the pictures shown in this order."""
        view = ordered_pair(pair, order)
        dialogue = Dialogue(
            self.backbone,
            await self.showing.exhibit(self.backbone, view),
            pair_subject(view),
            order,
            Sampling(self.temperature, self.seed, repeat),
        )
        return await self.verdict(dialogue, log)

    @abstractmethod
    async def verdict(self, dialogue: Dialogue, log: list[Exchange]) -> Vote | Failure:
        """What the dialogue comes to, in the pair's own sides."""


@method("direct/base")
@dataclass(frozen=True)
class BasePrompt(DialogueJudge):
    """Asks for the winner and nothing else."""

    async def verdict(self, dialogue: Dialogue, log: list[Exchange]) -> Vote | Failure:
        reply = await dialogue.ask("base", WinnerShape, log)
        if isinstance(reply, Failure):
            return reply
        winner = own_side(reply.winner, dialogue.order)
        return Vote(order=dialogue.order, repeat=dialogue.sampling.repeat, winner=winner)


@method("direct/cot")
@dataclass(frozen=True)
class ZeroShotCoT(DialogueJudge):
    """Asks for reasons, step by step, and then for the winner.

    Where the backbone goes on from the beginning of a reply, that beginning is given, as in the paper;
    elsewhere the prompt ends with it.
    """

    async def verdict(self, dialogue: Dialogue, log: list[Exchange]) -> Vote | Failure:
        reply = await dialogue.ask("cot", ThinkingShape, log, opening=OPENING)
        if isinstance(reply, Failure):
            return reply
        return Vote(
            order=dialogue.order,
            repeat=dialogue.sampling.repeat,
            winner=own_side(reply.winner, dialogue.order),
            discussion=reply.thinking,
        )
