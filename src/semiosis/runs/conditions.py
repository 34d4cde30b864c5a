"""Under what conditions a run asks, and the session that asks so.

with Store.create(path, about_of("first", benchmark, method)) as store:
    session = begin(store, benchmark, recipe, Conditions(at_once=64, budget_usd=5))
    ended = await session.run()
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

from ..backbones.adaptive_limit import Pace
from ..backbones.backbone import Backbone
from ..backbones.purse import Purse
from ..core.errors import BadSetting
from ..core.item import Benchmark, Candidate, Summarises
from ..core.settings import AT_ONCE, BUDGET_USD, COUNT, PER_MINUTE, Checked
from ..methods.contract import Method, check_takes, find, package_version
from ..methods.recipe import Recipe
from .batched import Batched
from .execution import Equipment, Execution, Session, candidates, check_usable, survey
from .journal import StoreJournal
from .store import About, Store
from .tally import Tally

if TYPE_CHECKING:
    from .ray.cluster import Fleet

# An item asks for one or two calls at a time: enough items for every call that may be in flight.
ITEMS_PER_CALL = 2
# Items that go through a method's stages side by side when each stage of them is a batch.
BATCHED_ITEMS = 500


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


def about_of(name: str, benchmark: Benchmark, method: Method) -> About:
    asked = {
        f"{field}_at": _address(backbone.traits.identity)
        for field, backbone in method.backbones.items()
        if backbone.traits.identity
    }
    configuration = method.configuration()
    labels_by: str | None = getattr(benchmark, "labels_by", None)
    if labels_by:
        asked["labels_by"] = labels_by
    return About(
        name=name,
        source=benchmark.name,
        benchmark=benchmark.name if isinstance(benchmark, Summarises) else "",
        method=method.label,
        method_version=method.version,
        package_version=package_version(),
        configuration=configuration | asked,
        models=_models(method, configuration),
    )


def _models(method: Method, configuration: Mapping[str, object]) -> dict[str, str]:
    """By the words of its configuration where it names them there, else by field."""
    by_field = {field: backbone.name for field, backbone in method.backbones.items()}
    named = {word: str(name) for word, name in configuration.items() if name in by_field.values()}
    return named if set(named.values()) == set(by_field.values()) else by_field


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
    for kind, where in found.kinds.items():
        check_takes(find(recipe.method).cls, recipe.method, kind, where)
    gone = store.outcome_count - (found.items - found.to_do)
    if gone > 0 and conditions.limit is None:
        tell(f"{gone:,} outcomes are of rows that {benchmark.name} does not hold now; they stay and count.")
    again = store.retire_failed(_keys(benchmark, conditions.limit)) if retry_failed else 0
    if again:
        session.tally = Tally(store)
    to_do = found.to_do + again
    session.expect(to_do)
    session.tally.items, session.tally.bad_rows = store.outcome_count + to_do, found.bad_rows
    store.begin(session.tally.items)
    return session


def _keys(benchmark: Benchmark, limit: int | None) -> set[str] | None:
    """Of the items within the limit, where there is one."""
    if limit is None:
        return None
    return {row.key for row in candidates(benchmark, limit) if isinstance(row, Candidate)}


def _session(
    store: Store, benchmark: Benchmark, recipe: Recipe, conditions: Conditions, tell: Callable[[str], None]
) -> Session:
    if conditions.engine == "ray":
        from .ray.execution import RayExecution

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
