"""Whether the side a work was shown on can pass for the merit of its method.

In the published tasks each pair of methods is shown one way round only. Then "always a" agrees with people
wherever the methods that are `a` are the better ones, and a judge's lean to a side can look like taste.
"""

import math
from collections.abc import Sequence

from ..core.errors import BadData, NoFit
from ..core.text import share
from ..core.value import Value
from ..stats.estimate import Estimate, wilson
from ..stats.ratings import bradley_terry
from .votes import ForcedChoice, decided


class Lean(Estimate):
    """What being `a` adds to a Bradley-Terry score, with its standard error and two-sided p (Wald)."""

    error: float
    p: float


class Sides(Value):
    """`one_way` of the `pairs` of methods that met were shown one way round only.

    `effect` is None where the data do not determine it, and `why` then says so.
    """

    share_a: Estimate
    pairs: int
    one_way: int
    effect: Lean | None
    why: str = ""

    @property
    def sentence(self) -> str:
        """What a table of scores has to say beside itself."""
        rate = self.share_a
        ways = (
            f"Sides are confounded with methods: {self.one_way} of {self.pairs} pairs of methods were shown "
            "one way round only"
            if self.one_way
            else f"Each of the {self.pairs} pairs of methods was shown both ways round"
        )
        votes = f"people chose side a in {share(rate.value, rate.low, rate.high)}"
        if self.effect is None:
            return f"{ways}; {votes}, and a side effect cannot be estimated: {self.why}"
        effect = self.effect
        verdict = "established" if effect.p < 0.05 else "not established"
        return (
            f"{ways}; {votes}, and with the methods' merits allowed for, side a adds "
            f"{effect.value:z.2f} ({effect.low:z.2f} to {effect.high:z.2f}, p = {effect.p:.2g}) "
            f"to a Bradley-Terry score: a preference for a side is {verdict}."
        )


def sides(rows: Sequence[ForcedChoice]) -> Sides:
    """Of the rows that people decided."""
    choices = decided(rows)
    if not choices:
        raise BadData("People decided no row, so nothing is known of sides.")
    ways = {(row.a, row.b) for row in choices}
    pairs = {tuple(sorted(way)) for way in ways}
    effect, why = _lean(choices)
    return Sides(
        share_a=wilson(sum(row.winner == "a" for row in choices), len(choices)),
        pairs=len(pairs),
        one_way=sum((b, a) not in ways for a, b in ways),
        effect=effect,
        why=why,
    )


def _lean(rows: Sequence[ForcedChoice]) -> tuple[Lean | None, str]:
    try:
        side = bradley_terry(
            [row.a for row in rows],
            [row.b for row in rows],
            [row.winner or "tie" for row in rows],
            side_effect=True,
        ).side
    except NoFit as error:
        return None, f"{str(error)[0].lower()}{str(error)[1:]}"
    if side is None or not side.error:
        return None, "the fit has no standard error for it."
    p = math.erfc(abs(side.value / side.error) / math.sqrt(2))
    return Lean(value=side.value, low=side.low, high=side.high, error=side.error, p=p), ""
