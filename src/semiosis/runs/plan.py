"""What a run will ask for, before it asks: calls, not pairs, so that shared work counts once.

plan = Plan(method)
for row in rows:
    plan.add(row)          a Candidate
plan.stages()              calls, tokens and dollars by stage and model, shared and item by item

The method is rehearsed with one item of each shape; the calls of others are counted. Some items, drawn at
random, are rehearsed whole with replies at random: where these ask for more or less, the stages have a range.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Iterator, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from random import Random
from typing import Any, Generic, TypeVar

from ..backbones.batches import BATCH_DISCOUNT
from ..backbones.prices import cost_of
from ..core import loop
from ..core.errors import BadSetting
from ..core.item import Candidate, is_hash
from ..core.outcome import Outcome
from ..methods.contract import Method, asks_a_model
from .rehearsal import PlannedCall, Unasked, rehearse, rehearse_item
from .script import Marked, Script

SAMPLE = 200
# With replies at random, of a sample that is smaller than that.
TRIALS = 50
SEED = 0
_PARTS = 64
_COMPACT_AT = 4096

Shape = tuple[object, ...]
Stage = tuple[str, str]
M = TypeVar("M", bound=Method)
Performance = Callable[[M], Coroutine[Any, Any, Outcome]]


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

    def __sub__(self, other: "Load") -> "Load":
        return Load(
            max(0, self.calls - other.calls),
            max(0, self.input_tokens - other.input_tokens),
            max(0, self.output_tokens - other.output_tokens),
        )

    def __mul__(self, times: float) -> "Load":
        return Load(
            round(self.calls * times), round(self.input_tokens * times), round(self.output_tokens * times)
        )


@dataclass(frozen=True)
class PlannedStage:
    """One kind of call to one model, between `least` and `most`.

    `alone` is what it would take if each item were asked about by itself and nothing shared. `elsewhere` are
    calls that another method makes, and that are none of `shared`, `least` and `most`.
    """

    stage: str
    model: str
    shared: Load
    alone: Load
    least: Load
    most: Load
    price_share: float = 1.0
    elsewhere: Load = Load()

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


@dataclass(frozen=True)
class Parts:
    """Which entries of an identity are neither pictures nor free texts, and whether one is several texts."""

    categories: tuple[int, ...]
    several: bool

    @classmethod
    def of(cls, marked: Marked) -> "Parts":
        texts, entries = list(marked.places.values()), enumerate(marked.item.identity)
        others = tuple(at for at, entry in entries if not is_hash(entry) and at not in texts)
        return cls(others, len(set(texts)) < len(texts))


class Plan(Generic[M]):
    """Counts the calls of items; memory grows by 16 bytes a distinct call."""

    def __init__(self, method: M, *, batch: bool = False) -> None:
        self._method = method
        self._price_share = BATCH_DISCOUNT if batch else 1.0
        self._counts: defaultdict[Stage, _Count] = defaultdict(_Count)
        self._scripts: dict[Shape, Script | None] = {}
        self._parts: dict[Shape, Parts] = {}
        self._chance = Random(SEED)
        self._sample: list[Candidate] = []
        self._performances: list[Performance[M]] = []
        self.items = 0
        self.first_prompt = ""

    @cached_property
    def _asks(self) -> bool:
        return asks_a_model(self._method)

    def add(self, row: Candidate) -> None:
        """Count the calls of one more item."""
        if not self.items:
            self.first_prompt = row.make().words
        self.items += 1
        # A method without a model asks for nothing, however much it works.
        if self._asks:
            self._draw(row)
            self._count(self._calls_of(row))

    def rehearse(self, performance: "Performance[M]") -> None:
        """Count the calls of whatever else the method can be asked for."""
        self.items += 1
        if self._asks:
            self._performances.append(performance)
            self._count(self._performed(performance))

    def stages(self, beside: "Iterable[Plan[Any]]" = ()) -> tuple[PlannedStage, ...]:
        """What was counted, with how far it may be off; less the calls of the plans `beside` it."""
        ranges = self._ranges()
        made = {node for plan in beside for node in plan.nodes()}
        stages = dict.fromkeys((*self._counts, *ranges))
        return tuple(self._stage(stage, ranges[stage], made) for stage in stages)

    def nodes(self) -> Iterator[int]:
        """Every call that was counted, once or more often."""
        for count in self._counts.values():
            yield from count.nodes()

    def _count(self, calls: Iterable[PlannedCall]) -> None:
        for call in calls:
            self._counts[call.stage, call.model].add(call)

    def _draw(self, row: Candidate) -> None:
        """Every item is as likely as any other to be in the sample (Vitter 1985, algorithm R)."""
        if len(self._sample) < SAMPLE:
            self._sample.append(row)
        elif (place := self._chance.randrange(self.items)) < SAMPLE:
            self._sample[place] = row

    def _calls_of(self, row: Candidate) -> Iterable[PlannedCall]:
        identity = row.identity
        pattern = tuple("" if not entry else "picture" if is_hash(entry) else "text" for entry in identity)
        alike = (row.kind, pattern, tuple(map(identity.index, identity)))
        if alike not in self._parts:
            self._parts[alike] = Parts.of(Marked.of(row.make()))
        parts = self._parts[alike]
        # How many texts there are in an entry that may hold several, only the item tells.
        texts = len(Marked.of(row.make()).places) if parts.several else 0
        shape = (alike, texts, *(identity[place] for place in parts.categories))
        if shape not in self._scripts:
            self._scripts[shape] = self._script(row)
        script = self._scripts[shape]
        return script.calls_for(identity) if script else self._rehearsed(row)

    def _script(self, row: Candidate) -> Script | None:
        """None where the method takes no marks for texts: then each item is rehearsed by itself."""
        marked = Marked.of(row.make())
        try:
            return Script.of(loop.run(rehearse_item(self._method, marked.item)), marked)
        except BadSetting:
            self._rehearsed(row)  # raises where it is not for the marks
            return None

    def _rehearsed(self, row: Candidate, chance: Random | None = None) -> list[PlannedCall]:
        item = row.make()
        try:
            calls = loop.run(rehearse_item(self._method, item, chance))
        except Unasked:
            return []
        return list(Script.of(calls, Marked(item)).calls_for(item.identity))

    def _performed(self, performance: "Performance[M]", chance: Random | None = None) -> list[PlannedCall]:
        return [PlannedCall.of(call) for call in loop.run(rehearse(self._method, performance, chance))]

    def _ranges(self) -> defaultdict[Stage, "_Range"]:
        chance = Random(SEED)
        ranges: defaultdict[Stage, _Range] = defaultdict(_Range)
        trials = max(1, TRIALS // max(1, len(self._sample) + len(self._performances)))
        for row in self._sample:
            counted, whole = list(self._calls_of(row)), self._rehearsed(row)
            _compare(ranges, counted, whole, _trials(partial(self._rehearsed, row, chance), trials))
        for performance in self._performances:
            whole = self._performed(performance)
            _compare(ranges, whole, whole, _trials(partial(self._performed, performance, chance), trials))
        return ranges

    def _stage(self, stage: Stage, spread: "_Range", made: Set[int]) -> PlannedStage:
        count = self._counts[stage]
        shared, alone = count.distinct(), count.alone
        sampled = len(self._sample) + len(self._performances)
        least, most = spread.around(shared, alone, self.items, sampled)
        elsewhere = count.among(made)
        loads = (shared - elsewhere, alone, least - elsewhere, most - elsewhere)
        return PlannedStage(*stage, *loads, self._price_share, elsewhere)


def _trials(rehearsal: Callable[[], list[PlannedCall]], count: int) -> list[list[PlannedCall]]:
    """With replies at random; one that the method does not stand tells nothing of its calls."""
    trials: list[list[PlannedCall]] = []
    for _ in range(count):
        with suppress(BadSetting):
            trials.append(rehearsal())
    return trials


def _loads(calls: Iterable[PlannedCall]) -> defaultdict[Stage, Load]:
    loads: defaultdict[Stage, Load] = defaultdict(Load)
    for call in calls:
        loads[call.stage, call.model] += Load(1, round(call.input_tokens), call.output_tokens)
    return loads


def _compare(
    ranges: "defaultdict[Stage, _Range]",
    counted: list[PlannedCall],
    whole: list[PlannedCall],
    trials: list[list[PlannedCall]],
) -> None:
    """Of one item: what was counted, what it asks for with the usual replies, and what with any."""
    for call in counted:
        ranges[call.stage, call.model].counted.add(call.node)
    for call in whole:
        ranges[call.stage, call.model].whole.add(call.node)
    usual = _loads(counted)
    every = [_loads(whole), *map(_loads, trials)]
    for stage in {name for loads in (usual, *every) for name in loads}:
        ranges[stage].add(usual[stage], [loads[stage] for loads in every])


class _Range:
    """How far the calls of a stage may be from what was counted.

    `counted` and `whole` are the distinct calls of the sample, as counted and as rehearsed item by item:
    where the first are fewer, items differ in something that no sign of theirs tells.
    """

    def __init__(self) -> None:
        self.counted: set[int] = set()
        self.whole: set[int] = set()
        self._usual = Load()
        self._least: list[int] = []
        self._most = Load()
        self._differs = False

    def add(self, usual: Load, loads: list[Load]) -> None:
        """One item that asks for it, in some trial at least."""
        self._usual += usual
        self._least.append(min(load.calls for load in loads))
        self._most = max(self._most, *loads, key=_calls)
        self._differs |= any(load.calls != usual.calls for load in loads)

    def around(self, shared: Load, alone: Load, items: int, sampled: int) -> tuple[Load, Load]:
        """The least and the most that all items ask for, of which `shared` was counted."""
        least, most = shared, shared
        if self._differs and self._usual.calls:
            usual = self._usual.calls / sampled
            fewest = 0 if len(self._least) < sampled else min(self._least)
            least, most = shared * (fewest / usual), shared * (self._most.calls / usual)
        elif self._differs:
            least, most = Load(), self._most * items
        elif len(self.counted) < len(self.whole):
            most = alone
        return min(least, shared, key=_calls), max(most, shared, key=_calls)


def _calls(load: Load) -> int:
    return load.calls


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

    def among(self, nodes: Set[int]) -> Load:
        """Those of the distinct calls that are among these nodes."""
        return sum((part.among(nodes) for part in self._parts), Load()) if nodes else Load()

    def nodes(self) -> Iterator[int]:
        for part in self._parts:
            yield from part.nodes()


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

    def nodes(self) -> Iterator[int]:
        return iter(self._nodes)

    def among(self, nodes: Set[int]) -> Load:
        self._thin()
        places = [at for at, node in enumerate(self._nodes) if node in nodes]
        tokens = self._tokens
        return Load(
            len(places), sum(tokens[2 * at] for at in places), sum(tokens[2 * at + 1] for at in places)
        )

    def distinct(self) -> Load:
        self._thin()
        return Load(len(self._nodes), sum(self._tokens[::2]), sum(self._tokens[1::2]))

    def _thin(self) -> None:
        by_node = {
            node: (self._tokens[2 * at], self._tokens[2 * at + 1]) for at, node in enumerate(self._nodes)
        }
        self._nodes = array("q", by_node)
        self._tokens = array("I", (count for pair in by_node.values() for count in pair))
