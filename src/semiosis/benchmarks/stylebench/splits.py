"""Per method as the authors' published script has it: the mean over splits of the first rows.

as_authors(rows, predictions).elo.value
"""

from collections.abc import Sequence

import numpy as np

from ...building.alignment import MeanRho, Predictions, Rho, Scores, mean_rho, rank_correlation, scores
from ...building.rankings import PRIOR, ranked
from ...building.votes import ForcedChoice
from ...core.errors import BadData, BadSetting
from ...core.value import Value
from ...sources.winners import Winner
from .annotations import first_annotated


class AsAuthors(Value):
    """Means over splits of the rows and Fisher's p; splits in their order. The judge decided so many rows."""

    rows: int
    decided: int
    elo: MeanRho
    bradley_terry: MeanRho
    elo_splits: tuple[Rho, ...]
    bradley_terry_splits: tuple[Rho, ...]


def as_authors(
    human: Sequence[ForcedChoice],
    predictions: Predictions,
    *,
    before: int | None = 1000,
    splits: int = 5,
    seed: int = 8,
) -> AsAuthors:
    """The first `before` annotated rows are shuffled by numpy's old generator and dealt to `splits`; each
    gives a rho; these are averaged, and their p-values combined by Fisher's method.

    As there, each side is ranked by the rows that it decided, a draw being none; every method of the rows is
    ranked, one that was in no decided row standing at 1500 or 0; equals are ranked by name; p is by the t
    distribution. Unlike there, rows are matched by id and not by place, which shifts when a file lacks a row,
    and a split in which a side decided nothing is an error, where there it is ranked by name.
    """
    if splits < 1:
        raise BadSetting(f"Rows cannot be dealt to {splits} splits; the authors' script has 5.")
    rows = first_annotated(human, before)
    methods = sorted({row.a for row in rows} | {row.b for row in rows})
    places = list(range(len(rows)))
    np.random.RandomState(seed).shuffle(places)
    elos: list[Rho] = []
    bradley_terrys: list[Rho] = []
    for split in range(splits):
        part = [rows[place] for place in places[split::splits]]
        ours = _by_decided(part, [row.winner for row in part], "people")
        theirs = _by_decided(part, [predictions.get(row.id) for row in part], "the judge")
        for rhos, one, other, absent in (
            (elos, ours[0], theirs[0], 1500),
            (bradley_terrys, ours[1], theirs[1], 0),
        ):
            rhos.append(
                rank_correlation(_places(one, methods, absent), _places(other, methods, absent), by_t=True)
            )
    return AsAuthors(
        rows=len(rows),
        decided=sum(predictions.get(row.id) in ("a", "b") for row in rows),
        elo=mean_rho(elos, interval=False),
        bradley_terry=mean_rho(bradley_terrys, interval=False),
        elo_splits=tuple(elos),
        bradley_terry_splits=tuple(bradley_terrys),
    )


def _by_decided(
    rows: Sequence[ForcedChoice], verdicts: Sequence[Winner | None], who: str
) -> tuple[Scores, Scores]:
    """Elo and Bradley-Terry scores by the rows that were decided."""
    choices: list[tuple[ForcedChoice, Winner]] = [
        (row, verdict) for row, verdict in zip(rows, verdicts, strict=True) if verdict in ("a", "b")
    ]
    if not choices:
        raise BadData(f"In one of the authors' splits, of {len(rows)} rows, {who} decided none.")
    rankings = ranked([row for row, _ in choices], [verdict for _, verdict in choices], prior=PRIOR)
    return scores(rankings.elo), scores(rankings.bradley_terry)


def _places(scores: Scores, methods: Sequence[str], absent: float) -> Scores:
    """1 for the best; equals in the order of `methods`."""
    best_first = sorted(methods, key=lambda method: -scores.get(method, absent))
    return {method: float(place) for place, method in enumerate(best_first, 1)}
