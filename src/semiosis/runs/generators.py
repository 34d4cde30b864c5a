"""Where the generators of a run's pictures stand, by its verdicts: for items that name them.

    for each in generators(store).standings:
        print(each.name, each.score, each.low, each.high)

A pair is one comparison and an undecided one a draw. Scores are Bradley and Terry's, in logits against the
average generator, with 95% intervals; where no finite ones fit there are none, and it is said why.
"""

from collections import Counter
from dataclasses import dataclass

from ..core.errors import BadData
from .store import Store

# The work grows with the cube of their number.
MOST_SCORED = 200
_SIDES = {"a": "left", "b": "right", None: "tie"}


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


@dataclass(frozen=True)
class Generators:
    """Best first, by score or else by share won; `unscored` says why there are no scores."""

    standings: tuple[GeneratorStanding, ...] = ()
    unscored: str = ""


_MEETINGS = """
select json_extract(labels, '$.model_a') as a, json_extract(labels, '$.model_b') as b, winner, count(*)
from outcomes join items on key = outcomes.item
where outcomes.kind = 'judgment' and a is not null and b is not null and a != b
group by 1, 2, 3
"""


def generators(store: Store) -> Generators:
    meetings = [(str(a), str(b), winner, count) for a, b, winner, count in store.rows(_MEETINGS)]
    if not meetings:
        return Generators()
    if (names := len({name for a, b, *_ in meetings for name in (a, b)})) > MOST_SCORED:
        why = (
            f"{names:,} generators are not scored here, only up to {MOST_SCORED}: `semiosis stats rate` does."
        )
        return Generators(_standings(meetings, {}), why)
    from ..stats.ratings import bradley_terry

    left, right, winners, counts = zip(*meetings, strict=True)
    try:
        rated = bradley_terry(left, right, [_SIDES[each] for each in winners], weights=counts)
    except BadData as error:
        # The rest of its sentence is a way out for whoever calls the function.
        return Generators(_standings(meetings, {}), f"{str(error).partition(';')[0].rstrip('.')}.")
    return Generators(
        _standings(meetings, {str(each.item): (each.value, each.low, each.high) for each in rated.ratings})
    )


ScoreInterval = tuple[float, float | None, float | None]


def _standings(
    meetings: list[tuple[str, str, str | None, int]], scores: dict[str, ScoreInterval]
) -> tuple[GeneratorStanding, ...]:
    won, drawn, lost = Counter[str](), Counter[str](), Counter[str]()
    for a, b, winner, count in meetings:
        for name, side in ((a, "a"), (b, "b")):
            (drawn if winner is None else won if winner == side else lost)[name] += count
    names = sorted({name for a, b, *_ in meetings for name in (a, b)})
    standings = [
        GeneratorStanding(
            name,
            *scores.get(name, (None, None, None)),
            comparisons=won[name] + drawn[name] + lost[name],
            won=won[name],
            drawn=drawn[name],
            lost=lost[name],
        )
        for name in names
    ]

    def place(each: GeneratorStanding) -> float:
        share_won = (each.won + each.drawn / 2) / each.comparisons
        return -(share_won if each.score is None else each.score)

    return tuple(sorted(standings, key=place))
