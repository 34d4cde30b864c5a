"""What a bias test is: it plants something in items and asks; what came of them is its finding.

    @bias_test("sepia")
    class Sepia(FinishTest):
        planted = "The same picture twice, one copy of it toned sepia."
        fair = "Half of the choices for the toned copy."
        measure = "choices for the sepia copy"
        def altered(self, image: Image) -> Image: ...

A test of pairs reads rulings: what a method made of each pair, in columns.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from ..core.item import BadRow, Item, Labels
from ..core.kinds.pair import Judgment
from ..core.outcome import Outcome
from ..core.settled import Settled
from ..core.sign import Side
from ..core.table import Interval
from ..core.vote import Order

if TYPE_CHECKING:
    from .material import Material

NOTHING_SETTLED = "Not one of its items has a result."


@dataclass(frozen=True)
class BiasFinding:
    """What came out of one test.

    measure     what its number is, in a few words
    effect      the number with its 95% interval; None where there is none
    fair        what a fair judge gives
    scale       the least and the most that it can be
    n           how many units took part: pairs, pictures
    towards     of these, how many lean to what was planted
    against     how many lean away from it
    ties        how many do neither
    failed      items that failed, which are in no other number
    p           of so much or more, were nothing there; None where that cannot be asked
    levels      the ps that it could have had, where these are few
    obstacle    why there is no such number, where there is none
    remarks     what came out beside it, in sentences
    """

    measure: str
    effect: Interval | None = None
    fair: float = 0.5
    scale: tuple[float, float] = (0.0, 1.0)
    n: int = 0
    towards: int = 0
    against: int = 0
    ties: int = 0
    failed: int = 0
    p: float | None = None
    levels: tuple[float, ...] = ()
    obstacle: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def is_share(self) -> bool:
        """Whether its number is a share; else it is a difference of two."""
        return self.scale == (0.0, 1.0)


@dataclass(frozen=True)
class Leanings:
    """Of the units of a test: above 0 where one leans to what was planted, 0 where it leans to nothing."""

    values: Sequence[float]

    def share(self, measure: str, *remarks: str) -> BiasFinding:
        """The share of units that lean to what was planted, ties half: a half is fair."""
        return self._finding(measure, 0.5, (0.0, 1.0), remarks)

    def difference(self, measure: str, *remarks: str) -> BiasFinding:
        """The share that leans to it less the share that leans away: 0 is fair."""
        return self._finding(measure, 0.0, (-1.0, 1.0), remarks)

    def _finding(
        self, measure: str, fair: float, scale: tuple[float, float], remarks: tuple[str, ...]
    ) -> BiasFinding:
        from ..stats.choices import balance

        if not self.values:
            return BiasFinding(measure, fair=fair, scale=scale, obstacle=NOTHING_SETTLED)
        towards, against = (sum(each * way > 0 for each in self.values) for way in (1, -1))
        ties = len(self.values) - towards - against
        tested = balance(towards, against, ties)
        width, low = scale[1] - scale[0], scale[0]
        share = tested.share
        value, *ends = (low + width * each for each in (share.value, share.low, share.high))
        return BiasFinding(
            measure=measure,
            effect=Interval(value=value, low=ends[0], high=ends[1]),
            fair=fair,
            scale=scale,
            n=len(self.values),
            towards=towards,
            against=against,
            ties=ties,
            p=tested.p,
            levels=tested.levels,
            remarks=remarks,
        )


class BiasTest(ABC):
    """One bias that a judge may have.

    name        as it is asked for, and as the ids of its items begin
    planted     what was planted, in one sentence
    fair        what a fair judge gives, in one sentence
    kinds       of its items: a method that takes none of another kind can be asked
    needs       what items it needs of the material, where not every material has them
    """

    name: ClassVar[str] = ""
    planted: ClassVar[str]
    fair: ClassVar[str]
    kinds: ClassVar[frozenset[str]] = frozenset({"pair"})
    needs: ClassVar[str] = ""

    @abstractmethod
    def items(self, material: "Material") -> Iterator[Item | BadRow]:
        """What to ask about; a test that brings pictures of its own passes over the material."""

    @abstractmethod
    def finding(self, rows: Sequence[tuple[Settled, Outcome]]) -> BiasFinding:
        """What came out, from its own items."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a method made of one pair.

    labels      of its item
    winner      the side with more votes; None where it is undecided, and where it failed
    votes       each one's order of showing and its winner
    reason      why it failed; None where it did not
    """

    labels: Labels = field(default_factory=Labels)
    winner: Side | None = None
    votes: tuple[tuple[Order | None, Side | None], ...] = ()
    reason: str | None = None

    @classmethod
    def of(cls, row: Settled, outcome: Outcome) -> "Ruling":
        if not isinstance(outcome, Judgment):
            return cls(row.labels, reason=row.reason or f"{outcome.kind} is no judgment")
        return cls(row.labels, outcome.winner, tuple((vote.order, vote.winner) for vote in outcome.votes))

    def towards(self, side: object) -> int:
        """1 for that side, -1 for the other, 0 for neither, and where it is no side."""
        if self.winner is None or side not in ("a", "b"):
            return 0
        return 1 if self.winner == side else -1


class PairBiasTest(BiasTest):
    """A test of pairs."""

    def finding(self, rows: Sequence[tuple[Settled, Outcome]]) -> BiasFinding:
        rulings = [Ruling.of(*row) for row in rows]
        return replace(self.judged(rulings), failed=len(rulings) - len(sound(rulings)))

    @abstractmethod
    def judged(self, rulings: Sequence[Ruling]) -> BiasFinding:
        """What came out, from what became of each pair; those that failed are counted already."""


def sound(rulings: Iterable[Ruling]) -> list[Ruling]:
    """Those that did not fail."""
    return [ruling for ruling in rulings if ruling.reason is None]


def by_unit(rulings: Iterable[Ruling]) -> dict[str, list[Ruling]]:
    """Those that belong together, by their label `unit`."""
    units: dict[str, list[Ruling]] = {}
    for ruling in rulings:
        units.setdefault(str(ruling.labels.get("unit")), []).append(ruling)
    return units
