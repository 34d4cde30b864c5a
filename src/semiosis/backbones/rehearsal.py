"""A rehearsal: a method is run with a stand-in that answers at once, plausibly and for nothing, and counts.

calls: list[RehearsedCall] = []
await method.with_models(lambda backbone: StandIn(backbone, calls)).judge(pair)
len(calls)      as many as the model would have been asked
"""

from dataclasses import dataclass, replace
from functools import partial
from math import log
from random import Random

from ..core.errors import BadSetting
from .backbone import Backbone, Reply, Request, TokenLogprob, Traits
from .budget import CHARACTERS_PER_TOKEN
from .marks import reply_mark
from .plausible import plausible

# Of a reply, where its query does not say.
USUAL_TOKENS = 100


@dataclass(frozen=True)
class RehearsedCall:
    """What would have been asked of `model`, and about how long its reply is."""

    model: str
    request: Request
    output_tokens: int


class StandIn:
    """Stands in for `backbone` and writes down in `calls` what it is asked.

    With `chance`, a reply is anything that its schema admits, not always the middle of it. After `most` calls
    it takes no more. The texts of a reply are marked, so that a request is seen to quote them.
    """

    def __init__(
        self,
        backbone: Backbone,
        calls: list[RehearsedCall],
        chance: Random | None = None,
        most: int | None = None,
    ) -> None:
        self._name = backbone.name
        self._traits = replace(backbone.traits, stands_in=True, opens=False)
        self._calls = calls
        self._chance = chance
        self._most = most

    @property
    def name(self) -> str:
        """That of the backbone it stands in for."""
        return self._name

    @property
    def traits(self) -> Traits:
        """Those of the backbone it stands in for, and that it does."""
        return self._traits

    async def complete(self, request: Request) -> Reply:
        """A plausible reply to `request`."""
        if len(self._calls) == self._most:
            raise BadSetting(f"After {self._most:,} calls it goes on asking: that cannot be estimated.")
        tokens = request.usual_tokens or USUAL_TOKENS
        text = plausible(
            request.schema,
            request.example,
            partial(reply_mark, len(self._calls)),
            int(tokens * CHARACTERS_PER_TOKEN),
            self._chance and self._chance.random(),
        )
        self._calls.append(RehearsedCall(self._name, request, tokens))
        logprobs = (TokenLogprob(text[:8], -0.1),) if request.logprobs else None
        return Reply(
            text=text,
            served=self._name,
            cost_usd=0.0,
            logprobs=logprobs,
            answer_logprobs={each: -log(len(request.answers)) for each in request.answers} or None,
            made_up=True,
        )

    async def aclose(self) -> None:
        """Nothing is held."""
