"""Methods ranked by what was said of their works, by Elo and by Bradley-Terry.

rankings = people(rows)
rankings.elo.scores, rankings.bradley_terry["DiffArtist"].rank
ranked(rows, verdicts, prior=PRIOR).bradley_terry.scores
"""

from collections.abc import Sequence

from ..core.value import Value
from ..sources.winners import Winner
from ..stats.ratings import Ratings, bradley_terry, elo
from .votes import ForcedChoice, decided

PRIOR = 0.01
"""The precision of a normal prior on Bradley-Terry scores wherever rankings are compared.

A judge that never lets one method lose has no finite scores without one. So weak a prior leaves the order
alone where there is one: people's ranking changes in none of the four published files. In the small groups,
where there is none, its order is as near as any to where the authors' optimiser stops (a mean rank
correlation of 0.988 with it over the paper's 35 instances; 0.987 to 0.959 for priors from 0.0001 to 1).
"""


class Rankings(Value):
    """Elo in the order of the rows (K 32, from 1500); Bradley-Terry scores sum to zero."""

    elo: Ratings
    bradley_terry: Ratings


def people(rows: Sequence[ForcedChoice], *, prior: float = 0.0) -> Rankings:
    """By what people said; what they left open does not count."""
    choices = decided(rows)
    return ranked(choices, [row.winner or "tie" for row in choices], prior=prior)


def ranked(rows: Sequence[ForcedChoice], verdicts: Sequence[Winner], *, prior: float = 0.0) -> Rankings:
    """By a verdict a row; a draw counts half for each."""
    a, b = [row.a for row in rows], [row.b for row in rows]
    return Rankings(elo=elo(a, b, verdicts), bradley_terry=bradley_terry(a, b, verdicts, prior=prior))
