"""A hard stop in dollars, and the estimate of tokens it rests on."""

import asyncio
from dataclasses import replace
from math import isfinite
from typing import Annotated

from ..core.errors import BackboneError, SetupError
from ..core.settings import BUDGET_USD
from .backbone import Backbone, Reply, Request
from .prices import cost_of, price_of
from .purse import TABS, Purse, Tab
from .wrapper import Wrapper

PICTURE_TOKENS = 1100
CHARACTERS_PER_TOKEN = 3.5


class Budgeted(Wrapper):
    """A hard stop in dollars. A try is let through only if its largest estimated cost still fits.

    inner       the backbone to ask; its price must be known
    usd         the dollars, or a `Purse` that several share
    """

    def __init__(self, inner: Backbone, usd: Annotated[float, BUDGET_USD] | Purse) -> None:
        super().__init__(inner)
        if price_of(inner.name) is None:
            raise SetupError(
                f"No price is known for {inner.name}, so a budget cannot be kept: "
                "give one with SEMIOSIS_PRICES, or leave out the budget."
            )
        self.purse = usd if isinstance(usd, Purse) else Purse(usd)

    async def complete(self, request: Request) -> Reply:
        """The reply to `request`, with what was charged for it; raises BackboneError when money runs out."""
        tab = Tab(self.purse, cost_of(self.name, *estimate_tokens(request)) or 0.0)
        await tab.hold()
        others = TABS.get()
        TABS.set((*others, tab))
        try:
            reply = await self.inner.complete(request)
            cost_usd = reply.cost_usd
            tab.charge(
                tab.worst_usd if cost_usd is None or not isfinite(cost_usd) or cost_usd < 0 else cost_usd
            )
            return replace(reply, charged_usd=tab.charged_usd)
        except BackboneError as error:
            tab.charge_failed(error)
            error.charged_usd = tab.charged_usd
            raise
        except asyncio.CancelledError:
            tab.charge(tab.worst_usd)
            raise
        finally:
            # Not reset by its token: a coroutine whose loop is gone is ended in another context.
            TABS.set(others)
            tab.charge(0.0)


def estimate_tokens(request: Request) -> tuple[int, int]:
    """Tokens in, from the text and the number of pictures; tokens out, at most."""
    return int(input_tokens(request)) + 1, request.max_tokens


def input_tokens(request: Request) -> float:
    """From the text, the schema's too, and the number of pictures."""
    return text_tokens(request.text) + PICTURE_TOKENS * len(request.pictures)


def text_tokens(text: str) -> float:
    """A character outside ASCII counts as a token, which holds for Chinese and overstates most scripts."""
    plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return plain / CHARACTERS_PER_TOKEN + (len(text) - plain)
