"""Scores as the authors' published script has them (songrise/MLLM4Art, benchmark.py), over the first rows.

    as_authors(rows, predictions).elo.value                 per method: the mean over splits of the rows
    as_authors_per_instance(rows, predictions).elo.value    per instance: the mean over contents and styles

In both each side is ranked by the rows that it decided, a draw being none; every method of the file is
ranked, one that was in no decided row standing at 1500 or 0; equals are ranked by name; p is by the t
distribution, and combined by Fisher's method. Unlike there, rows are matched by id and not by place, which
shifts when a file lacks a row, and who decided nothing has no ranking, where the script ranks by name.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...building.alignment import (
    Instance,
    MeanRho,
    Predictions,
    Rho,
    Scores,
    mean_rho,
    rank_correlation,
    scores,
)
from ...building.filters import filtered
from ...building.rankings import PRIOR, ranked
from ...building.votes import ForcedChoice, grouped
from ...core.errors import BadData, BadSetting
from ...core.value import Value
from ...sources.winners import Winner
from .annotations import first_annotated

BEFORE = 1000
"""How many rows the script looks at unless told otherwise."""


class AsAuthors(Value):
    """Means over splits of the rows and Fisher's p; splits in their order. The judge decided so many rows."""

    rows: int
    decided: int
    elo: MeanRho
    bradley_terry: MeanRho
    elo_splits: tuple[Rho, ...]
    bradley_terry_splits: tuple[Rho, ...]


class AsAuthorsPerInstance(Value):
    """Means over instances, with Student's interval over them and Fisher's p. `rows` are those of these
    instances that people were asked about; the judge decided so many of them."""

    rows: int
    decided: int
    elo: MeanRho
    bradley_terry: MeanRho
    instances: tuple[Instance, ...]


class _Places(NamedTuple):
    """Of every method, 1 for the best."""

    elo: Scores
    bradley_terry: Scores


class _Rhos(NamedTuple):
    elo: Rho
    bradley_terry: Rho


def as_authors(
    human: Sequence[ForcedChoice],
    predictions: Predictions,
    *,
    before: int = BEFORE,
    splits: int = 5,
    seed: int = 8,
) -> AsAuthors:
    """The first `before` annotated rows are shuffled by numpy's old generator and dealt to `splits`; each
    gives a rho, and these are averaged. A split in which a side decided nothing is an error."""
    if splits < 1:
        raise BadSetting(f"Rows cannot be dealt to {splits} splits; the authors' script has 5.")
    rows, methods = first_annotated(human, before), _methods(human)
    places = list(range(len(rows)))
    np.random.RandomState(seed).shuffle(places)
    rhos: list[_Rhos] = []
    for split in range(splits):
        part = [rows[place] for place in places[split::splits]]
        ours = _ranked(part, [row.winner for row in part], methods)
        theirs = _ranked(part, [predictions.get(row.id) for row in part], methods)
        if ours is None or theirs is None:
            who = "people" if ours is None else "the judge"
            raise BadData(f"In one of the authors' splits, of {len(part)} rows, {who} decided none.")
        rhos.append(_correlated(ours, theirs))
    return AsAuthors(
        rows=len(rows),
        decided=_decided(rows, predictions),
        elo=mean_rho([each.elo for each in rhos], interval=False),
        bradley_terry=mean_rho([each.bradley_terry for each in rhos], interval=False),
        elo_splits=tuple(each.elo for each in rhos),
        bradley_terry_splits=tuple(each.bradley_terry for each in rhos),
    )


def as_authors_per_instance(
    human: Sequence[ForcedChoice], predictions: Predictions, *, before: int = BEFORE
) -> AsAuthorsPerInstance:
    """Of the first `before` annotated rows, the instances that the published filters keep; each gives a rho.

    The judge is ranked by all its rows of an instance, those that people skipped among them. An instance of
    which it decided none has no rho, and is counted.
    """
    rows, methods = first_annotated(human, before), _methods(human)
    kept = grouped(filtered(rows).kept)
    if not kept:
        raise BadData("The published filters leave no instance to rank methods on.")
    asked = grouped(row for row in rows if row.group in kept)
    instances: list[Instance] = []
    for group, part in kept.items():
        ours = _ranked(part, [row.winner for row in part], methods)
        theirs = _ranked(asked[group], [predictions.get(row.id) for row in asked[group]], methods)
        rhos = _correlated(ours, theirs) if ours and theirs else None
        instances.append(
            Instance(
                group=group,
                rows=len(part),
                methods=len(methods),
                elo=rhos and rhos.elo,
                bradley_terry=rhos and rhos.bradley_terry,
            )
        )
    every = [row for part in asked.values() for row in part]
    return AsAuthorsPerInstance(
        rows=len(every),
        decided=_decided(every, predictions),
        elo=mean_rho([each.elo for each in instances]),
        bradley_terry=mean_rho([each.bradley_terry for each in instances]),
        instances=tuple(instances),
    )


def _methods(human: Sequence[ForcedChoice]) -> list[str]:
    """Of the whole file, also where few of its rows are looked at."""
    rows = first_annotated(human, None)
    return sorted({row.a for row in rows} | {row.b for row in rows})


def _decided(rows: Sequence[ForcedChoice], predictions: Predictions) -> int:
    return sum(predictions.get(row.id) in ("a", "b") for row in rows)


def _ranked(
    rows: Sequence[ForcedChoice], verdicts: Sequence[Winner | None], methods: Sequence[str]
) -> _Places | None:
    """By the rows that were decided; None where there is none."""
    choices: list[tuple[ForcedChoice, Winner]] = [
        (row, verdict) for row, verdict in zip(rows, verdicts, strict=True) if verdict in ("a", "b")
    ]
    if not choices:
        return None
    rankings = ranked([row for row, _ in choices], [verdict for _, verdict in choices], prior=PRIOR)
    return _Places(
        _places(scores(rankings.elo), methods, 1500), _places(scores(rankings.bradley_terry), methods, 0)
    )


def _places(scores: Scores, methods: Sequence[str], absent: float) -> Scores:
    """1 for the best; equals in the order of `methods`."""
    best_first = sorted(methods, key=lambda method: -scores.get(method, absent))
    return {method: float(place) for place, method in enumerate(best_first, 1)}


def _correlated(ours: _Places, theirs: _Places) -> _Rhos:
    return _Rhos(*(rank_correlation(one, other, by_t=True) for one, other in zip(ours, theirs, strict=True)))
