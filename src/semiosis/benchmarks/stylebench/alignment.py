"""How far a judge ranks the methods as people do (Jiang & Chen 2025, VI).

    per_method(rows, said).elo.value              one ranking of the methods, over all rows
    per_instance(rows, said).bradley_terry        a ranking for each content and style, averaged
    as_authors(rows, said)                        per method as the published script has it

A judge is scored on the rows that people decided and it answered. Where it was undecided the row is a draw
for it; where it failed, or was not asked, the row is left out on both sides and counted. People's ranking is
made from the same rows as the judge's.

Fisher's combination of two-sided p-values, which the paper reports, is blind to the sign: a judge that says
the opposite of another has the same p. `p_greater` beside it is one-sided. Both take instances, or splits, as
independent tests, and they are not: all of them rank the same methods. `p_methods` does not: it is how often
a judge that knows nothing of the methods, their names shuffled alike in every instance, would do as well.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.errors import BadData, BadSetting
from ...core.value import Value
from ...stats.arrays import Numbers
from ...stats.correlation import Correlation, fisher_combine, spearman
from ...stats.ratings import Ratings
from ...stats.significance import mean_between
from .annotations import Comparison, Group, decided, first_annotated
from .filters import AS_PUBLISHED, Rule, Step, filtered, grouped
from .predictions import Predictions, Verdict
from .rankings import PRIOR, Rankings, ranked

NOTHING = "The judge answered no row that people decided, so nothing can be compared."

SHUFFLES = 4999

Scores = Mapping[str, float]


class Counts(Value):
    """Of the rows that people decided: what the judge said of them. `absent` ones it was not asked about."""

    rows: int
    decided: int
    undecided: int
    failed: int
    absent: int


@dataclass(frozen=True)
class Answered:
    """The rows that people decided and the judge answered, a draw being an answer."""

    rows: tuple[Comparison, ...]
    said: tuple[Verdict, ...]
    counts: Counts

    @property
    def agreed(self) -> int:
        return sum(row.winner == said for row, said in zip(self.rows, self.said, strict=True))

    @property
    def human(self) -> list[Verdict]:
        return [row.winner or "tie" for row in self.rows]


class Rho(Correlation):
    """Spearman's; p is two-sided, `p_greater` one-sided for a positive one."""

    p_greater: float


class PerMethod(Value):
    elo: Rho
    bradley_terry: Rho


class MeanRho(Value):
    """Over groups, with Student's interval over them; `undefined` ones had no rho and are not in it.

    Over splits of the same rows there is no interval: five of them say little of their spread. `p_methods` is
    for the mean over instances alone.
    """

    value: float
    low: float | None
    high: float | None
    p: float
    p_greater: float
    p_methods: float | None = None
    groups: int
    undefined: int


class AsAuthors(Value):
    """Means over splits of the rows and Fisher's p; splits in their order. The judge decided so many rows."""

    rows: int
    decided: int
    elo: MeanRho
    bradley_terry: MeanRho
    elo_splits: tuple[Rho, ...]
    bradley_terry_splits: tuple[Rho, ...]


class Instance(Value):
    """One content and style. A rho is None where a ranking has all methods alike, or there are only two."""

    content: str
    style: str
    rows: int
    methods: int
    elo: Rho | None
    bradley_terry: Rho | None


class PerInstance(Value):
    elo: MeanRho
    bradley_terry: MeanRho
    instances: tuple[Instance, ...]
    steps: tuple[Step, ...]
    counts: Counts


def answered(human: Sequence[Comparison], said: Predictions) -> Answered:
    """The rows a judge is scored on, and how many it is not scored on."""
    wanted = decided(human)
    there = [row for row in wanted if row.id in said]
    answers: list[tuple[Comparison, Verdict]] = [
        (row, verdict) for row in there if (verdict := said[row.id]) is not None
    ]
    draws = sum(verdict == "tie" for _, verdict in answers)
    return Answered(
        rows=tuple(row for row, _ in answers),
        said=tuple(verdict for _, verdict in answers),
        counts=Counts(
            rows=len(wanted),
            decided=len(answers) - draws,
            undecided=draws,
            failed=len(there) - len(answers),
            absent=len(wanted) - len(there),
        ),
    )


def per_method(human: Sequence[Comparison], said: Predictions, *, prior: float = PRIOR) -> PerMethod:
    """Spearman's rho between people's and the judge's ranking of the methods."""
    found = answered(human, said)
    if not found.rows:
        raise BadData(NOTHING)
    ours, theirs = ranked(found.rows, found.human, prior=prior), ranked(found.rows, found.said, prior=prior)
    return PerMethod(
        elo=_rho(_scores(ours.elo), _scores(theirs.elo)),
        bradley_terry=_rho(_scores(ours.bradley_terry), _scores(theirs.bradley_terry)),
    )


def per_instance(
    human: Sequence[Comparison],
    said: Predictions,
    rules: Sequence[Rule] = AS_PUBLISHED,
    *,
    prior: float = PRIOR,
    seed: int = 0,
) -> PerInstance:
    """Spearman's rho for each content and style that the rules keep, and its mean.

    A group has about 20 comparisons of 10 methods, in which some method wins or loses every time: its
    Bradley-Terry score has no finite maximum, and the prior is what makes it one. The authors let an
    optimiser stop where it happens to, so their Bradley-Terry column can be approached and not met.
    """
    kept = filtered(human, rules)
    if not kept.kept:
        told = ", ".join(f"{step.rule} {step.removed:,} of {step.of:,}" for step in kept.steps)
        raise BadData(f"The rules leave no content and style to rank methods on; they dropped {told} rows.")
    found = answered(kept.kept, said)
    if not found.rows:
        raise BadData(NOTHING)
    verdicts = dict(zip((row.id for row in found.rows), found.said, strict=True))
    parts = grouped(found.rows)

    def judged(rows: Sequence[Comparison]) -> Rankings | None:
        said: list[Verdict] = [verdicts[row.id] for row in rows]
        return None if set(said) == {"tie"} else ranked(rows, said, prior=prior)

    ranked_by = {
        group: (ranked(rows, [row.winner or "tie" for row in rows], prior=prior), judged(rows))
        for group, rows in parts.items()
    }
    instances = [_instance(group, len(parts[group]), *both) for group, both in ranked_by.items()]

    def mean(of: Callable[[Rankings], Ratings], rhos: Sequence[Rho | None]) -> MeanRho:
        scores = [
            (_scores(of(ours)), _scores(of(theirs)))
            for (ours, theirs), rho in zip(ranked_by.values(), rhos, strict=True)
            if theirs is not None and rho is not None
        ]
        found = mean_rho(rhos)
        return found.model_copy(update={"p_methods": _p_methods(scores, found.value, seed)})

    return PerInstance(
        elo=mean(lambda each: each.elo, [each.elo for each in instances]),
        bradley_terry=mean(lambda each: each.bradley_terry, [each.bradley_terry for each in instances]),
        instances=tuple(instances),
        steps=kept.steps,
        counts=found.counts,
    )


def as_authors(
    human: Sequence[Comparison],
    said: Predictions,
    *,
    before: int | None = 1000,
    splits: int = 5,
    seed: int = 8,
) -> AsAuthors:
    """Per method as the published script computes it.

    The first `before` annotated rows are shuffled by numpy's old generator and dealt to `splits`; each gives
    a rho; these are averaged, and their p-values combined by Fisher's method.

    As there, each side is ranked by the rows that it decided, a draw being none; every method of the rows is
    ranked, one that was in no decided row standing at 1500 or 0; equals are ranked by name; p is by the t
    distribution. Unlike there, rows are matched by id and not by place, which shifts when a file lacks a row,
    and a split in which a side decided nothing is an error, where there it is ranked by name.
    """
    if splits < 1:
        raise BadSetting(f"Rows cannot be dealt to {splits} splits; the authors' script has 5.")
    rows = first_annotated(human, before)
    methods = sorted({row.left for row in rows} | {row.right for row in rows})
    places = list(range(len(rows)))
    np.random.RandomState(seed).shuffle(places)
    elos: list[Rho] = []
    bradley_terrys: list[Rho] = []
    for split in range(splits):
        part = [rows[place] for place in places[split::splits]]
        ours = _by_decided(part, [row.winner for row in part], "people")
        theirs = _by_decided(part, [said.get(row.id) for row in part], "the judge")
        elos.append(_rho(_places(ours[0], methods, 1500), _places(theirs[0], methods, 1500), by_t=True))
        bradley_terrys.append(_rho(_places(ours[1], methods, 0), _places(theirs[1], methods, 0), by_t=True))
    return AsAuthors(
        rows=len(rows),
        decided=sum(said.get(row.id) in ("left", "right") for row in rows),
        elo=mean_rho(elos, interval=False),
        bradley_terry=mean_rho(bradley_terrys, interval=False),
        elo_splits=tuple(elos),
        bradley_terry_splits=tuple(bradley_terrys),
    )


def mean_rho(rhos: Sequence[Rho | None], *, interval: bool = True) -> MeanRho:
    """The mean of those that are defined. Of a single one there is no interval."""
    found = [rho for rho in rhos if rho is not None]
    if not found:
        raise BadData(f"In none of {len(rhos)} groups has the judge a ranking that can be compared.")
    values = np.array([rho.value for rho in found])
    spread = mean_between(values, -1, 1) if interval and len(found) > 1 else None
    return MeanRho(
        value=float(values.mean()),
        low=spread.low if spread else None,
        high=spread.high if spread else None,
        p=_combined([rho.p for rho in found]),
        p_greater=_combined([rho.p_greater for rho in found]),
        groups=len(found),
        undefined=len(rhos) - len(found),
    )


def _p_methods(scores: Sequence[tuple[Scores, Scores]], observed: float, seed: int) -> float:
    """One-sided, by shuffling which method is which for the judge, in all instances alike."""
    products: dict[tuple[str, ...], Numbers] = {}
    for human, judge in scores:
        names = tuple(sorted(human))
        one, other = (_standard([by[name] for name in names]) for by in (human, judge))
        products[names] = products.get(names, np.zeros((len(names), len(names)))) + np.outer(one, other)
    every = sorted({name for names in products for name in names})
    keys = np.random.default_rng(seed).random((SHUFFLES, len(every)))
    sums = np.zeros(SHUFFLES)
    for names, product in products.items():
        order = np.argsort(keys[:, [every.index(name) for name in names]], axis=1)
        sums += product[np.arange(len(names)), order].sum(axis=1)
    reached = int((sums / len(scores) >= observed - 1e-12).sum())
    return (1 + reached) / (1 + SHUFFLES)


def _standard(values: Sequence[float]) -> Numbers:
    """Mid-ranks, centred and of length one, so that a product of two is Spearman's rho."""
    ranks = np.searchsorted(np.sort(values), values, "left") + np.searchsorted(
        np.sort(values), values, "right"
    )
    centred = ranks - ranks.mean()
    return centred / np.linalg.norm(centred)


def _instance(group: Group, rows: int, ours: Rankings, theirs: Rankings | None) -> Instance:
    def rho(of: Callable[[Rankings], Ratings]) -> Rho | None:
        if theirs is None:
            return None
        one, other = _scores(of(ours)), _scores(of(theirs))
        alike = min(len(set(one.values())), len(set(other.values()))) == 1
        return None if alike or len(one) < 3 else _rho(one, other)

    return Instance(
        content=group[0],
        style=group[1],
        rows=rows,
        methods=len(ours.elo.ratings),
        elo=rho(lambda each: each.elo),
        bradley_terry=rho(lambda each: each.bradley_terry),
    )


def _by_decided(
    rows: Sequence[Comparison], said: Sequence[Verdict | None], who: str
) -> tuple[Scores, Scores]:
    """Elo and Bradley-Terry scores by the rows that were decided."""
    chosen: list[tuple[Comparison, Verdict]] = [
        (row, verdict) for row, verdict in zip(rows, said, strict=True) if verdict in ("left", "right")
    ]
    if not chosen:
        raise BadData(f"In one of the authors' splits, of {len(rows)} rows, {who} decided none.")
    found = ranked([row for row, _ in chosen], [verdict for _, verdict in chosen], prior=PRIOR)
    return _scores(found.elo), _scores(found.bradley_terry)


def _scores(ratings: Ratings) -> Scores:
    """Methods with the same record have the same score but for its last digits, and are to tie."""
    return {str(item): round(score, 6) for item, score in ratings.scores.items()}


def _places(scores: Scores, methods: Sequence[str], absent: float) -> Scores:
    """1 for the best; equals in the order of `methods`."""
    best_first = sorted(methods, key=lambda method: -scores.get(method, absent))
    return {method: float(place) for place, method in enumerate(best_first, 1)}


def _rho(human: Scores, judge: Scores, *, by_t: bool = False) -> Rho:
    one, other = list(human.values()), [judge[method] for method in human]
    for who, scores in (("People", one), ("The judge", other)):
        if len(set(scores)) == 1:
            raise BadData(f"{who} ranked all {len(scores)} methods alike, so there is no order to compare.")
    method = "t" if by_t else "auto"
    found = spearman(one, other, method=method)
    greater = spearman(one, other, method=method, alternative="greater").p
    return Rho(**found.model_dump(), p_greater=greater)


def _combined(ps: Sequence[float]) -> float:
    """By the t distribution a perfect rho has a p of 0, which decides alone."""
    return 0.0 if 0.0 in ps else fisher_combine(ps).p
