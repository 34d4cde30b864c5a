"""Where the generators of a run's pictures stand, by its verdicts: for items that name them.

    for each in generators(store).standings:
        print(each.name, each.score, each.low, each.high)

A pair is one comparison: a win, a draw where it is undecided, or, where its votes say how sure they are, part
of a win for each side. Scores are Bradley and Terry's, in logits against the average generator, with 95%
intervals; where no finite ones fit there are none, and it is said why.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..core.certainty import COIN_FLIP_BELOW
from ..core.errors import BadData
from ..sources.winners import Winner
from .store import Store

# A sentence ends in what can be done, after a semicolon that is in no bracket.
_WAY_OUT = re.compile(r"; (?![^(]*\))")
# The work grows with the cube of their number.
MOST_SCORED = 200


@dataclass(frozen=True)
class GeneratorStanding:
    name: str
    score: float | None
    low: float | None
    high: float | None
    comparisons: int
    won: int
    drawn: int
    lost: int
    coin_flips: int | None = None


@dataclass(frozen=True)
class Generators:
    """Best first, by score or else by share won; `unscored` says why there are no scores.

    `coin_flips` of a generator are None where no verdict says how sure it is.
    """

    standings: tuple[GeneratorStanding, ...] = ()
    unscored: str = ""


@dataclass(frozen=True)
class Meeting:
    """Verdicts alike on two generators: who won, and how many there are.

    `preference` is for a, each vote as sure as it is. Of those that say how sure they are (`graded` of them),
    so many are coin flips.
    """

    a: str
    b: str
    winner: Winner
    preference: float
    count: int
    graded: int
    coin_flips: int

    @property
    def parts(self) -> Iterator[tuple[str, str, Winner, float]]:
        """As comparisons with weights: what goes beyond a draw for its side, and the rest as a draw."""
        beyond = abs(2 * self.preference - 1)
        if beyond > 0:
            yield self.a, self.b, "a" if self.preference > 0.5 else "b", self.count * beyond
        if beyond < 1:
            yield self.a, self.b, "tie", self.count * (1 - beyond)


_MEETINGS = """
select generators, verdict, graded, count(*), count(certainty), ifnull(sum(certainty < ?), 0)
from outcomes join items on key = outcomes.item
where generators is not null and verdict is not null
group by 1, 2, 3
"""
_PREFERENCES: dict[Winner, float] = {"a": 1.0, "b": 0.0, "tie": 0.5}


def generators(store: Store) -> Generators:
    meetings = list(_meetings(store))
    if not meetings:
        return Generators()
    if (names := len({name for each in meetings for name in (each.a, each.b)})) > MOST_SCORED:
        why = (
            f"{names:,} generators are not scored here, only up to {MOST_SCORED}: `semiosis stats rate` does."
        )
        return Generators(_standings(meetings, {}), why)
    from ..stats.ratings import bradley_terry

    a, b, winners, weights = zip(*(part for each in meetings for part in each.parts), strict=True)
    try:
        rated = bradley_terry(a, b, winners, weights=weights)
    except BadData as error:
        # The rest of its sentence is a way out for whoever calls the function.
        return Generators(_standings(meetings, {}), f"{_WAY_OUT.split(str(error))[0].rstrip('.')}.")
    return Generators(
        _standings(meetings, {str(each.item): (each.value, each.low, each.high) for each in rated.ratings})
    )


def _meetings(store: Store) -> Iterator[Meeting]:
    """Of two generators each; a verdict for neither of them is a draw."""
    for generators, verdict, graded, *counts in store.rows(_MEETINGS, (COIN_FLIP_BELOW,)):
        (first, a), (second, b) = list(json.loads(generators).items())[:2]
        if a != b:
            winner: Winner = "a" if verdict == first else "b" if verdict == second else "tie"
            preference = _PREFERENCES[winner] if graded is None else graded
            yield Meeting(str(a), str(b), winner, preference, *counts)


ScoreInterval = tuple[float, float | None, float | None]


def _standings(
    meetings: Sequence[Meeting], scores: dict[str, ScoreInterval]
) -> tuple[GeneratorStanding, ...]:
    won, drawn, lost, coin_flips = (Counter[str]() for _ in range(4))
    for each in meetings:
        for name, side in ((each.a, "a"), (each.b, "b")):
            (drawn if each.winner == "tie" else won if each.winner == side else lost)[name] += each.count
            if each.graded:
                coin_flips[name] += each.coin_flips
    names = sorted({name for each in meetings for name in (each.a, each.b)})
    standings = [
        GeneratorStanding(
            name,
            *scores.get(name, (None, None, None)),
            comparisons=won[name] + drawn[name] + lost[name],
            won=won[name],
            drawn=drawn[name],
            lost=lost[name],
            coin_flips=coin_flips.get(name),
        )
        for name in names
    ]

    def place(each: GeneratorStanding) -> float:
        share_won = (each.won + each.drawn / 2) / each.comparisons
        return -(share_won if each.score is None else each.score)

    return tuple(sorted(standings, key=place))
