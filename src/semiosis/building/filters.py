"""Which of people's answers a per-instance score can stand on: three rules, each by its name and counted.

    usable = filtered(rows)
    usable.kept, [(step.rule, step.removed, step.of) for step in usable.steps]

The paper (Jiang & Chen 2025, VI-A) names two: a vote share in [0.4, 0.6], and more than 0.15 of a group's
answers against any order. Its script has a third, unpublished one between them: fewer than 15 decided
answers. On the first 1,000 instance rows the second number of the paper, 18.6%, is mostly that third rule: 84
answers of 12 groups, against 56 answers of 3 groups for feedback arcs, which are moreover counted by a
one-pass ordering; by an exact minimum no group exceeds 0.15.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from ..core.value import Value
from ..stats.arcs import feedback_arc_set
from .votes import ForcedChoice, Group, decided, grouped


class Rule(Protocol):
    """Keeps some of the rows it is given, all of them annotated: by whole groups, or row by row."""

    name: ClassVar[str]
    by_group: ClassVar[bool]

    def kept(self, rows: Sequence[ForcedChoice]) -> list[ForcedChoice]: ...


class FilterStep(Value):
    """What one rule did. A group of which every row was undecided falls to the first rule about groups."""

    rule: str
    removed: int
    of: int
    groups_removed: int
    of_groups: int

    @property
    def share(self) -> float:
        return self.removed / self.of if self.of else 0.0


class Filtered(Value):
    kept: tuple[ForcedChoice, ...]
    steps: tuple[FilterStep, ...]


@dataclass(frozen=True)
class Undecided:
    """Drops what was skipped, and what nearly as many people saw one way as the other."""

    low: float = 0.4
    high: float = 0.6
    name: ClassVar[str] = "undecided"
    by_group: ClassVar[bool] = False

    def kept(self, rows: Sequence[ForcedChoice]) -> list[ForcedChoice]:
        return [row for row in decided(rows) if not self._even(row.share_a)]

    def _even(self, share: float | None) -> bool:
        return share is not None and self.low <= share <= self.high


@dataclass(frozen=True)
class SmallGroups:
    """Drops groups with fewer decided rows than `least`."""

    least: int = 15
    name: ClassVar[str] = "small groups"
    by_group: ClassVar[bool] = True

    def kept(self, rows: Sequence[ForcedChoice]) -> list[ForcedChoice]:
        enough = {group for group, each in grouped(rows).items() if len(decided(each)) >= self.least}
        return [row for row in rows if row.group in enough]


@dataclass(frozen=True)
class CyclicGroups:
    """Drops groups of which more than `most` of the decided rows contradict an order of the methods.

    `one-pass` is the ordering the authors' script takes, by wins less losses; `exact` is the order that the
    fewest rows contradict, which is what a feedback arc set is.
    """

    most: float = 0.15
    method: Literal["one-pass", "exact"] = "one-pass"
    name: ClassVar[str] = "feedback arcs"
    by_group: ClassVar[bool] = True

    def kept(self, rows: Sequence[ForcedChoice]) -> list[ForcedChoice]:
        cyclic: set[Group] = set()
        for group, each in grouped(rows).items():
            if choices := decided(each):
                winners = [row.a if row.winner == "a" else row.b for row in choices]
                losers = [row.b if row.winner == "a" else row.a for row in choices]
                if feedback_arc_set(winners, losers, method=self.method).share > self.most:
                    cyclic.add(group)
        return [row for row in rows if row.group not in cyclic]


AS_PUBLISHED: tuple[Rule, ...] = (Undecided(), SmallGroups(), CyclicGroups())
NOT_ANNOTATED = "not annotated"


def filtered(rows: Iterable[ForcedChoice], rules: Sequence[Rule] = AS_PUBLISHED) -> Filtered:
    """The rows that every rule keeps, in their order; rows nobody was asked about go first, as a step."""
    every = list(rows)
    usable = [row for row in every if row.annotated]
    groups = _groups(usable)
    steps: list[FilterStep] = []
    if len(usable) < len(every):
        steps.append(_step(NOT_ANNOTATED, every, usable, _groups(every), groups))
    for rule in rules:
        before, usable = usable, rule.kept(usable)
        alive = _groups(usable) if rule.by_group else groups
        steps.append(_step(rule.name, before, usable, groups, alive))
        groups = alive
    return Filtered(kept=tuple(usable), steps=tuple(steps))


def _groups(rows: Iterable[ForcedChoice]) -> set[Group]:
    return {row.group for row in rows}


def _step(
    rule: str,
    before: Sequence[ForcedChoice],
    after: Sequence[ForcedChoice],
    groups: set[Group],
    alive: set[Group],
) -> FilterStep:
    return FilterStep(
        rule=rule,
        removed=len(before) - len(after),
        of=len(before),
        groups_removed=len(groups - alive),
        of_groups=len(groups),
    )
