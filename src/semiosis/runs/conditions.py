"""Under what conditions a run asks: how fast, for how much, of how many items, and where."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from ..backbones.adaptive_limit import Pace
from ..core.errors import BadSetting
from ..core.settings import AT_ONCE, BUDGET_USD, COUNT, PER_MINUTE, Checked

if TYPE_CHECKING:
    from .ray.cluster import Fleet


@dataclass(frozen=True)
class Conditions(Checked):
    """Under what conditions a run asks.

    at_once             calls in flight, at most
    requests_per_minute what the server allows, where it is known
    tokens_per_minute   the same for tokens
    budget_usd          stop before more than this is spent
    limit               only the first so many items
    strict              stop at the first bad row
    batch               ask by the provider's batch API: cheaper, within a day
    engine              "here", or "ray" for a cluster
    address             the Ray cluster's; without one, processes of this machine
    """

    at_once: Annotated[int, AT_ONCE] = 16
    requests_per_minute: Annotated[float, PER_MINUTE] | None = None
    tokens_per_minute: Annotated[float, PER_MINUTE] | None = None
    budget_usd: Annotated[float, BUDGET_USD] | None = None
    limit: Annotated[int, COUNT] | None = None
    strict: bool = False
    batch: bool = False
    engine: Literal["here", "ray"] = "here"
    address: str | None = None

    def __post_init__(self) -> None:
        if self.batch and self.engine == "ray":
            raise BadSetting("Batches are the provider's work: they need no Ray.")
        if self.address and self.engine != "ray":
            raise BadSetting("An address is of a Ray cluster: add --engine ray.")
        if self.engine == "ray":
            self.fleet()

    def fleet(self) -> "Fleet":
        """Raises where Ray is not installed, or cannot be reached that way."""
        from .ray.cluster import Fleet

        return Fleet(self.pace, self.budget_usd, self.address)

    @property
    def pace(self) -> Pace:
        """How fast it asks."""
        return Pace(
            at_once=self.at_once,
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
        )
