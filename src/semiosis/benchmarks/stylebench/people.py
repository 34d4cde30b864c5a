"""What people chose: how much of it can be used, how it ranks the methods, what sides have to do with it."""

from collections.abc import Sequence

from ...building.filters import AS_PUBLISHED, FilterStep, Rule, filtered
from ...building.rankings import Rankings, people
from ...building.sides import Sides, sides
from ...building.votes import ForcedChoice, decided
from ...core.value import Value


class People(Value):
    """Rankings and sides are of the decided rows; `steps` are what the rules drop, `kept` what is left."""

    rows: int
    annotated: int
    decided: int
    steps: tuple[FilterStep, ...]
    kept: int
    rankings: Rankings
    sides: Sides


def summarise(
    rows: Sequence[ForcedChoice], rules: Sequence[Rule] = AS_PUBLISHED, *, prior: float = 0.0
) -> People:
    """`prior` is the precision of a normal prior on Bradley-Terry scores, which few rows need."""
    usable = filtered(rows, rules)
    return People(
        rows=len(rows),
        annotated=sum(row.annotated for row in rows),
        decided=len(decided(rows)),
        steps=usable.steps,
        kept=len(usable.kept),
        rankings=people(rows, prior=prior),
        sides=sides(rows),
    )
