"""What a run will ask for, before it asks: calls, not pairs, so that shared work counts once.

plan = Plan(method)
for item in items:
    plan.add(item)
plan.stages                calls, tokens and dollars by stage and model, shared and one by one
"""

from array import array
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from ..backbones.batches import BATCH_DISCOUNT
from ..backbones.prices import cost_of
from ..core.item import Item
from ..methods.contract import Method, PlannedCall

_PARTS = 64
_COMPACT_AT = 4096


@dataclass(frozen=True)
class Load:
    """So many calls, and their tokens."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Load") -> "Load":
        return Load(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True)
class PlannedStage:
    """One kind of call to one model. `alone` is what it would take if nothing were shared."""

    stage: str
    model: str
    shared: Load
    alone: Load
    price_share: float = 1.0

    @property
    def cost_usd(self) -> float | None:
        return self._cost(self.shared)

    @property
    def cost_alone_usd(self) -> float | None:
        return self._cost(self.alone)

    def _cost(self, load: Load) -> float | None:
        cost = cost_of(self.model, load.input_tokens, load.output_tokens)
        return None if cost is None else cost * self.price_share


class Plan:
    """Counts the calls of items; memory grows by 16 bytes a distinct call."""

    def __init__(self, method: Method, *, batch: bool = False) -> None:
        self._method = method
        self._price_share = BATCH_DISCOUNT if batch else 1.0
        self._stages: dict[tuple[str, str], _Counted] = {}
        self.items = 0
        self.first_prompt = ""

    def add(self, item: Item) -> None:
        self.items += 1
        self.first_prompt = self.first_prompt or item.words
        self.count(self._method.plan(item))

    def count(self, calls: Iterable[PlannedCall]) -> None:
        own: set[Hashable] = set()
        for call in calls:
            # Within one item a node is one call even without a run around it.
            if call.node not in own:
                own.add(call.node)
                self._counted(call.stage, call.backbone).add(call)

    def _counted(self, stage: str, model: str) -> "_Counted":
        counted = self._stages.get((stage, model))
        if counted is None:
            counted = self._stages[stage, model] = _Counted()
        return counted

    @property
    def stages(self) -> tuple[PlannedStage, ...]:
        return tuple(
            PlannedStage(stage, model, counted.distinct(), counted.alone, self._price_share)
            for (stage, model), counted in self._stages.items()
        )


class _Counted:
    """Calls of one stage: all of them, and the distinct ones.

    A node is kept as a 64-bit hash beside its tokens, in parts that are thinned out when they have doubled; a
    set of objects would take ten times the room.
    """

    def __init__(self) -> None:
        self.alone = Load()
        self._parts = [_Part() for _ in range(_PARTS)]

    def add(self, call: PlannedCall) -> None:
        uses = call.uses
        self.alone += Load(uses, uses * call.input_tokens, uses * call.output_tokens)
        node = hash(call.node)
        self._parts[node % _PARTS].add(node, call.input_tokens, call.output_tokens)

    def distinct(self) -> Load:
        return sum((part.distinct() for part in self._parts), Load())


class _Part:
    def __init__(self) -> None:
        self._nodes = array("q")
        self._tokens = array("I")
        self._thin_at = _COMPACT_AT

    def add(self, node: int, input_tokens: int, output_tokens: int) -> None:
        self._nodes.append(node)
        self._tokens.extend((input_tokens, output_tokens))
        if len(self._nodes) >= self._thin_at:
            self._thin()
            self._thin_at = max(_COMPACT_AT, 2 * len(self._nodes))

    def distinct(self) -> Load:
        self._thin()
        return Load(len(self._nodes), sum(self._tokens[::2]), sum(self._tokens[1::2]))

    def _thin(self) -> None:
        by_node = {
            node: (self._tokens[2 * at], self._tokens[2 * at + 1]) for at, node in enumerate(self._nodes)
        }
        self._nodes = array("q", by_node)
        self._tokens = array("I", (count for pair in by_node.values() for count in pair))
