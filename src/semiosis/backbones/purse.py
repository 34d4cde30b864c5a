"""Money for calls: what several backbones may spend together, and what one call runs up."""

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated

from ..core.errors import BackboneError
from ..core.settings import BUDGET_USD, Checked


class Purse(Checked):
    """Money that several backbones may share. What a call may cost at most is held until it has answered."""

    def __init__(self, usd: Annotated[float, BUDGET_USD], *, spent_usd: float = 0.0) -> None:
        self.usd = usd
        self.spent_usd = spent_usd
        self.held_usd = 0.0
        self._waiting: list[asyncio.Future[None]] = []

    async def hold(self, worst_usd: float) -> None:
        """Waits while calls under way might leave enough; raises when they cannot."""
        while self.spent_usd + self.held_usd + worst_usd > self.usd:
            if self.held_usd <= 0 or self.spent_usd + worst_usd > self.usd:
                raise BackboneError(
                    "budget",
                    f"The budget of ${self.usd:g} does not cover the next call "
                    f"(spent ${self.spent_usd:.4f}, this call up to ${worst_usd:.4f}).",
                )
            released = asyncio.get_running_loop().create_future()
            self._waiting.append(released)
            await released
        self.held_usd += worst_usd

    def release(self, worst_usd: float, spent_usd: float) -> None:
        self.held_usd = max(0.0, self.held_usd - worst_usd)
        self.spent_usd += spent_usd
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            future.get_loop().call_soon_threadsafe(lambda each=future: each.done() or each.set_result(None))


@dataclass
class Tab:
    """What one call runs up: a try holds the most it can cost, and is charged before the next one begins."""

    purse: Purse
    worst_usd: float
    charged_usd: float = 0.0
    holding: bool = False

    async def hold(self) -> None:
        await self.purse.hold(self.worst_usd)
        self.holding = True

    def charge(self, usd: float) -> None:
        if self.holding:
            self.holding = False
            self.charged_usd += usd
            self.purse.release(self.worst_usd, usd)

    def charge_failed(self, error: BackboneError) -> None:
        """Nobody knows what a try without a reply was billed: the most it can have been."""
        self.charge(self.worst_usd if error.billable else 0.0)

    async def next_try(self, failed: BackboneError) -> None:
        if not self.holding:
            # Whoever opened it has gone, and paid.
            return
        self.charge_failed(failed)
        try:
            await self.hold()
        except BackboneError as error:
            error.attempts = failed.attempts
            raise


# The tabs of the call at hand, written to by whoever tries again inside it.
TABS: ContextVar[tuple[Tab, ...]] = ContextVar("tabs", default=())
