"""What a run will ask for, before it asks: calls, not pairs, so that shared work counts once.

plan = Plan(method)
for row in benchmark.candidates():
    plan.add(row)
plan.stages                calls, tokens and dollars by stage and model, shared and item by item

The method is rehearsed with one item of each shape; the calls of others are counted. Some items, drawn at
random, are rehearsed whole with replies at random: where these ask for more or less, the stages have a range.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, TypeVar

from ..backbones.batches import BATCH_DISCOUNT
from ..backbones.prices import cost_of
from ..core import loop
from ..core.errors import InputError
from ..core.item import Candidate, is_hash
from ..core.outcome import Outcome
from ..methods.contract import Method
from .script import Marked, PlannedCall, Script, rehearse, rehearse_item, whole

SAMPLE = 200
SEED = 0
_PARTS = 64
_COMPACT_AT = 4096

Shape = tuple[object, ...]
Stage = tuple[str, str]
M = TypeVar("M", bound=Method)


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

    def __mul__(self, times: float) -> "Load":
        return Load(
            round(self.calls * times), round(self.input_tokens * times), round(self.output_tokens * times)
        )


@dataclass(frozen=True)
class PlannedStage:
    """One kind of call to one model, between `least` and `most`.

    `alone` is what it would take if each item were asked about by itself and nothing shared.
    """

    stage: str
    model: str
    shared: Load
    alone: Load
    least: Load
    most: Load
    price_share: float = 1.0

    @property
    def is_exact(self) -> bool:
        """Whether the number of calls depends on no reply."""
        return self.least == self.shared == self.most

    def cost_usd(self, load: Load) -> float | None:
        """What so many calls would cost; None where no price is known."""
        cost = cost_of(self.model, load.input_tokens, load.output_tokens)
        return None if cost is None else cost * self.price_share


def exact_stages(calls: Iterable[PlannedCall]) -> tuple[PlannedStage, ...]:
    """Of calls that are made once each and depend on no reply."""
    return tuple(PlannedStage(*stage, load, load, load, load) for stage, load in _loads(calls).items())


class Plan(Generic[M]):
    """Counts the calls of items; memory grows by 16 bytes a distinct call."""

    def __init__(self, method: M, *, batch: bool = False) -> None:
        self._method = method
        self._price_share = BATCH_DISCOUNT if batch else 1.0
        self._counts: defaultdict[Stage, _Count] = defaultdict(_Count)
        self._scripts: dict[Shape, Script | None] = {}
        self._categories: dict[Shape, tuple[int, ...]] = {}
        self._chance = Random(SEED)
        self._sample: list[Candidate] = []
        self.items = 0
        self.first_prompt = ""

    def add(self, row: Candidate) -> None:
        """Count the calls of one more item."""
        if not self.items:
            self.first_prompt = row.make().words
        self.items += 1
        # A method without a model asks for nothing, however much it works.
        if self._method.backbones:
            self._draw(row)
            self._count(self._calls_of(row))

    def rehearse(self, performance: Callable[[M], Coroutine[Any, Any, Outcome]]) -> None:
        """Count the calls of whatever else the method can be asked for."""
        self._count(map(whole, loop.run(rehearse(self._method, performance))))

    def _count(self, calls: Iterable[PlannedCall]) -> None:
        for call in calls:
            self._counts[call.stage, call.model].add(call)

    @property
    def stages(self) -> tuple[PlannedStage, ...]:
        ranges = self._ranges()
        return tuple(self._stage(stage, ranges.get(stage)) for stage in {**self._counts, **ranges})

    def _draw(self, row: Candidate) -> None:
        """Every item is as likely as any other to be in the sample (Vitter 1985, algorithm R)."""
        if len(self._sample) < SAMPLE:
            self._sample.append(row)
        elif (place := self._chance.randrange(self.items)) < SAMPLE:
            self._sample[place] = row

    def _calls_of(self, row: Candidate) -> Iterable[PlannedCall]:
        identity = row.identity
        alike = (row.kind, tuple(map(is_hash, identity)), tuple(map(identity.index, identity)))
        if alike not in self._categories:
            places = set(Marked.of(row.make()).places.values())
            self._categories[alike] = tuple(
                place for place, entry in enumerate(identity) if not is_hash(entry) and place not in places
            )
        shape = (alike, *(identity[place] for place in self._categories[alike]))
        if shape not in self._scripts:
            self._scripts[shape] = loop.run(self._script(row))
        script = self._scripts[shape]
        return script.calls_for(identity) if script else loop.run(self._whole(row, None))

    async def _script(self, row: Candidate) -> Script | None:
        """None where the method does not take marks for texts: then each item is rehearsed by itself."""
        marked = Marked.of(row.make())
        try:
            return Script.of(await rehearse_item(self._method, marked.item), marked)
        except InputError:
            raise
        except Exception:  # noqa: BLE001 - whatever a method may raise that goes by the words of a text
            return None

    async def _whole(self, row: Candidate, chance: Random | None) -> list[PlannedCall]:
        return [whole(call) for call in await rehearse_item(self._method, row.make(), chance)]

    def _ranges(self) -> dict[Stage, "_Range"]:
        """Of the stages that some item of the sample asks for more or less often than was counted."""
        ranges: defaultdict[Stage, _Range] = defaultdict(_Range)
        for row in self._sample:
            counted = _loads(self._calls_of(row))
            rehearsed = _loads(loop.run(self._whole(row, self._chance)))
            for stage in {**counted, **rehearsed}:
                ranges[stage].add(counted[stage], rehearsed[stage])
        return {stage: each for stage, each in ranges.items() if each.differs}

    def _stage(self, stage: Stage, spread: "_Range | None") -> PlannedStage:
        count = self._counts[stage]
        shared = count.distinct()
        least, most = spread.around(shared, self.items) if spread else (shared, shared)
        return PlannedStage(*stage, shared, count.alone, least, most, self._price_share)


def _loads(calls: Iterable[PlannedCall]) -> defaultdict[Stage, Load]:
    loads: defaultdict[Stage, Load] = defaultdict(Load)
    for call in calls:
        loads[call.stage, call.model] += Load(1, round(call.input_tokens), call.output_tokens)
    return loads


class _Range:
    """How far the calls of an item are from what was counted, for one stage."""

    def __init__(self) -> None:
        self.differs = False
        self._counted = Load()
        self._items = 0
        self._least: Load | None = None
        self._most = Load()

    def add(self, counted: Load, rehearsed: Load) -> None:
        self.differs |= counted.calls != rehearsed.calls
        self._items += 1
        self._counted += counted
        self._least = min(self._least or rehearsed, rehearsed, key=lambda load: load.calls)
        self._most = max(self._most, rehearsed, key=lambda load: load.calls)

    def around(self, shared: Load, items: int) -> tuple[Load, Load]:
        """The least and the most that all items ask for, of which `shared` was counted."""
        least = self._least or Load()
        if not self._counted.calls:
            return least * items, self._most * items
        usual = self._counted.calls / self._items
        return shared * (least.calls / usual), shared * (self._most.calls / usual)


class _Count:
    """Calls of one stage: all of them, and the distinct ones.

    A node is kept as a 64-bit hash beside its tokens, in parts that are thinned out when they have doubled; a
    set of objects would take ten times the room.
    """

    def __init__(self) -> None:
        self._calls = 0
        self._input_tokens = 0.0
        self._output_tokens = 0
        self._parts = [_Part() for _ in range(_PARTS)]

    @property
    def alone(self) -> Load:
        return Load(self._calls, round(self._input_tokens), self._output_tokens)

    def add(self, call: PlannedCall) -> None:
        self._calls += 1
        self._input_tokens += call.input_tokens
        self._output_tokens += call.output_tokens
        self._parts[call.node % _PARTS].add(call.node, round(call.input_tokens), call.output_tokens)

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
