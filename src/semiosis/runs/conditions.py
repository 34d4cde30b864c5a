"""Under what conditions a run asks, and the session that asks so.

with Store.create(path, about_of("first", benchmark, method)) as store:
    session = begin(store, benchmark, recipe, Conditions(at_once=64, budget_usd=5))
    ended = await session.run()
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from ..backbones.base import Backbone
from ..backbones.pace import Pace
from ..backbones.wrappers import Purse
from ..core.errors import BadSetting
from ..core.item import Benchmark
from ..methods.base import Method, package_version
from .batched import Batched
from .execute import Equipment, Execution, Session, check_usable, survey
from .journal import StoreJournal
from .recipe import Recipe
from .store import About, Store
from .tally import Tally

if TYPE_CHECKING:
    from .cluster import Fleet

# An item asks for one or two calls at a time: enough items for every call that may be in flight.
ITEMS_PER_CALL = 2
# Items that go through a method's stages side by side when each stage of them is a batch.
BATCHED_ITEMS = 500


@dataclass(frozen=True)
class Conditions:
    """`at_once` is of calls in flight, at most; `limit` of items. `address` is a Ray cluster's."""

    at_once: int = 16
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    budget_usd: float | None = None
    limit: int | None = None
    strict: bool = False
    batch: bool = False
    engine: Literal["here", "ray"] = "here"
    address: str | None = None

    def __post_init__(self) -> None:
        if self.budget_usd is not None:
            # Raises where it is no number of dollars.
            Purse(self.budget_usd)
        if self.batch and self.engine == "ray":
            raise BadSetting("Batches are the provider's work: they need no Ray.")
        if self.address and self.engine != "ray":
            raise BadSetting("An address is of a Ray cluster: add --engine ray.")
        if self.engine == "ray":
            self.fleet()

    def fleet(self) -> "Fleet":
        """Raises where Ray is not installed, or cannot be reached that way."""
        from .cluster import Fleet

        return Fleet(self.pace, self.budget_usd, self.address)

    @property
    def pace(self) -> Pace:
        return Pace(
            at_once=self.at_once,
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
        )


def about_of(name: str, benchmark: Benchmark, method: Method) -> About:
    asked = {
        f"{field} at": _address(backbone.traits.identity)
        for field, backbone in method.backbones.items()
        if backbone.traits.identity
    }
    return About(
        name=name,
        benchmark=benchmark.name,
        method=method.label,
        method_version=method.version,
        package_version=package_version(),
        configuration=method.configuration() | asked,
    )


def _address(identity: str) -> str:
    """A server's address without what may be secret in it, and a hash of the whole."""
    parts = urlsplit(identity)
    shown = f"{parts.hostname or ''}:{parts.port}{parts.path}" if parts.hostname else ""
    return f"{shown} #{hashlib.sha256(identity.encode()).hexdigest()[:12]}".strip()


def begin(
    store: Store,
    benchmark: Benchmark,
    recipe: Recipe,
    conditions: Conditions,
    *,
    retry_failed: bool = False,
    tell: Callable[[str], None] = lambda line: None,
    on_item: Callable[[int], None] | None = None,
) -> Session:
    """Look through the items, note that a session begins, and make it. Nothing is asked yet."""
    session = _session(store, benchmark, recipe, conditions, tell)
    store.forget_bad()
    found = survey(benchmark, store, limit=conditions.limit, strict=conditions.strict, on_item=on_item)
    check_usable(benchmark, found.items, found.first_bad)
    gone = store.outcome_count - (found.items - found.to_do)
    if gone > 0:
        tell(f"{gone:,} outcomes are of rows that {benchmark.name} does not hold now; they stay and count.")
    again = store.retire_failed() if retry_failed else 0
    if again:
        session.tally = Tally(store)
    session.expect(found.to_do + again)
    session.tally.items, session.tally.bad_rows = found.items, found.bad_rows
    store.begin(found.items)
    return session


def _session(
    store: Store, benchmark: Benchmark, recipe: Recipe, conditions: Conditions, tell: Callable[[str], None]
) -> Session:
    if conditions.engine == "ray":
        from .ray import RayExecution

        return RayExecution(
            store,
            benchmark,
            recipe,
            conditions.fleet(),
            limit=conditions.limit,
            strict=conditions.strict,
        )

    equipment = equipped(store, conditions, tell)
    return Execution(
        store,
        benchmark,
        recipe.make(equipment.equip),
        equipment.paces,
        items_at_once=BATCHED_ITEMS if conditions.batch else ITEMS_PER_CALL * conditions.at_once,
        limit=conditions.limit,
        strict=conditions.strict,
    )


def equipped(store: Store, conditions: Conditions, tell: Callable[[str], None]) -> Equipment:
    """What makes backbones that ask under these conditions and keep every reply in the store."""

    def batched(backbone: Backbone) -> Batched:
        return Batched(backbone, store, tell)

    budget = conditions.budget_usd
    purse = None if budget is None else Purse(budget, spent_usd=store.charged_usd)
    return Equipment(StoreJournal(store), conditions.pace, purse, batched if conditions.batch else None)
