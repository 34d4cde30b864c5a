"""What people chose: how much of it can be used, how it ranks the methods, what sides have to do with it."""

from collections.abc import Sequence

from ...core.value import Value
from .annotations import Comparison, decided
from .filters import AS_PUBLISHED, Rule, Step, filtered
from .rankings import Rankings, people
from .sides import Sides, sides


class People(Value):
    """Rankings and sides are of the decided rows; `steps` are what the rules drop, `kept` what is left."""

    rows: int
    annotated: int
    decided: int
    steps: tuple[Step, ...]
    kept: int
    rankings: Rankings
    sides: Sides


def summarise(
    rows: Sequence[Comparison], rules: Sequence[Rule] = AS_PUBLISHED, *, prior: float = 0.0
) -> People:
    """`prior` is the precision of a normal prior on Bradley-Terry scores, which few rows need."""
    found = filtered(rows, rules)
    return People(
        rows=len(rows),
        annotated=sum(row.annotated for row in rows),
        decided=len(decided(rows)),
        steps=found.steps,
        kept=len(found.kept),
        rankings=people(rows, prior=prior),
        sides=sides(rows),
    )
