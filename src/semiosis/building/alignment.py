"""How far a judge ranks the methods as people do (Jiang & Chen 2025, VI).

    per_method(rows, predictions).elo.value              one ranking of the methods, over all rows
    per_instance(rows, predictions).bradley_terry        a ranking for each group, averaged

A judge is scored on the rows that people decided and it answered. Where it was undecided the row is a draw
for it; where it failed, or was not asked, the row is left out on both sides and counted. People's ranking is
made from the same rows as the judge's.

Fisher's combination of two-sided p-values, which the paper reports, is blind to the sign: a judge that says
the opposite of another has the same p. `p_greater` beside it is one-sided. Both take instances as independent
tests, and they are not: all of them rank the same methods. `p_methods` does not: it is how often a judge that
knows nothing of the methods, their names shuffled alike in every instance, would do as well.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.errors import BadData
from ..core.value import Value
from ..sources.winners import Winner
from ..stats.arrays import Numbers
from ..stats.correlation import Correlation, fisher_combine, spearman
from ..stats.ratings import Ratings
from ..stats.significance import mean_between
from .filters import AS_PUBLISHED, FilterStep, Rule, filtered
from .rankings import PRIOR, Rankings, people, ranked
from .votes import ForcedChoice, Group, decided, grouped

NOTHING = "The judge answered no row that people decided, so nothing can be compared."

SHUFFLES = 4999

Predictions = Mapping[str, Winner | None]
"""What a judge said by the id of the row: "tie" where it was undecided, None where it failed."""

Scores = Mapping[str, float]


class JudgeCounts(Value):
    """Of the rows that people decided: what the judge said of them. `absent` ones it was not asked about."""

    rows: int
    decided: int
    undecided: int
    failed: int
    absent: int


@dataclass(frozen=True)
class JudgedRows:
    """The rows that people decided and the judge answered, a draw being an answer."""

    rows: tuple[ForcedChoice, ...]
    verdicts: tuple[Winner, ...]
    counts: JudgeCounts

    @property
    def agreed(self) -> int:
        return sum(row.winner == verdict for row, verdict in zip(self.rows, self.verdicts, strict=True))

    @property
    def human(self) -> list[Winner]:
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


class Instance(Value):
    """One group. A rho is None where a ranking has all methods alike, or there are only two."""

    group: Group
    rows: int
    methods: int
    elo: Rho | None
    bradley_terry: Rho | None


class PerInstance(Value):
    elo: MeanRho
    bradley_terry: MeanRho
    instances: tuple[Instance, ...]
    steps: tuple[FilterStep, ...]
    counts: JudgeCounts


def judged(human: Sequence[ForcedChoice], predictions: Predictions) -> JudgedRows:
    """The rows a judge is scored on, and how many it is not scored on."""
    wanted = decided(human)
    present = [row for row in wanted if row.id in predictions]
    answers: list[tuple[ForcedChoice, Winner]] = [
        (row, verdict) for row in present if (verdict := predictions[row.id]) is not None
    ]
    draws = sum(verdict == "tie" for _, verdict in answers)
    return JudgedRows(
        rows=tuple(row for row, _ in answers),
        verdicts=tuple(verdict for _, verdict in answers),
        counts=JudgeCounts(
            rows=len(wanted),
            decided=len(answers) - draws,
            undecided=draws,
            failed=len(present) - len(answers),
            absent=len(wanted) - len(present),
        ),
    )


def per_method(human: Sequence[ForcedChoice], predictions: Predictions, *, prior: float = PRIOR) -> PerMethod:
    """Spearman's rho between people's and the judge's ranking of the methods."""
    both = judged(human, predictions)
    if not both.rows:
        raise BadData(NOTHING)
    ours, theirs = people(both.rows, prior=prior), ranked(both.rows, both.verdicts, prior=prior)
    return PerMethod(
        elo=rank_correlation(scores(ours.elo), scores(theirs.elo)),
        bradley_terry=rank_correlation(scores(ours.bradley_terry), scores(theirs.bradley_terry)),
    )


def per_instance(
    human: Sequence[ForcedChoice],
    predictions: Predictions,
    rules: Sequence[Rule] = AS_PUBLISHED,
    *,
    prior: float = PRIOR,
    seed: int = 0,
) -> PerInstance:
    """Spearman's rho for each group that the rules keep, and its mean.

    In the paper a group has about 20 comparisons of 10 methods, in which some method wins or loses every
    time: its Bradley-Terry score has no finite maximum, and the prior is what makes it one. The authors let
    an optimiser stop where it happens to, so their Bradley-Terry column can be approached and not met.
    """
    usable = filtered(human, rules)
    if not usable.kept:
        drops = ", ".join(f"{step.rule} {step.removed:,} of {step.of:,}" for step in usable.steps)
        raise BadData(f"The rules leave no group to rank methods on; they dropped {drops} rows.")
    both = judged(usable.kept, predictions)
    if not both.rows:
        raise BadData(NOTHING)
    verdicts = dict(zip((row.id for row in both.rows), both.verdicts, strict=True))
    parts = grouped(both.rows)

    def by_judge(rows: Sequence[ForcedChoice]) -> Rankings | None:
        some: list[Winner] = [verdicts[row.id] for row in rows]
        return None if set(some) == {"tie"} else ranked(rows, some, prior=prior)

    rankings = {group: (people(rows, prior=prior), by_judge(rows)) for group, rows in parts.items()}
    instances = [_instance(group, len(parts[group]), *pair) for group, pair in rankings.items()]

    def mean(of: Callable[[Rankings], Ratings], rhos: Sequence[Rho | None]) -> MeanRho:
        pairs = [
            (scores(of(ours)), scores(of(theirs)))
            for (ours, theirs), rho in zip(rankings.values(), rhos, strict=True)
            if theirs is not None and rho is not None
        ]
        average = mean_rho(rhos)
        return average.model_copy(update={"p_methods": _p_methods(pairs, average.value, seed)})

    return PerInstance(
        elo=mean(lambda each: each.elo, [each.elo for each in instances]),
        bradley_terry=mean(lambda each: each.bradley_terry, [each.bradley_terry for each in instances]),
        instances=tuple(instances),
        steps=usable.steps,
        counts=both.counts,
    )


def mean_rho(rhos: Sequence[Rho | None], *, interval: bool = True) -> MeanRho:
    """The mean of those that are defined. Of a single one there is no interval."""
    defined = [rho for rho in rhos if rho is not None]
    if not defined:
        raise BadData(f"In none of {len(rhos)} groups has the judge a ranking that can be compared.")
    values = np.array([rho.value for rho in defined])
    spread = mean_between(values, -1, 1) if interval and len(defined) > 1 else None
    return MeanRho(
        value=float(values.mean()),
        low=spread.low if spread else None,
        high=spread.high if spread else None,
        p=_combined([rho.p for rho in defined]),
        p_greater=_combined([rho.p_greater for rho in defined]),
        groups=len(defined),
        undefined=len(rhos) - len(defined),
    )


def scores(ratings: Ratings) -> Scores:
    """Methods with the same record have the same score but for its last digits, and are to tie."""
    return {str(item): round(score, 6) for item, score in ratings.scores.items()}


def rank_correlation(human: Scores, judge: Scores, *, by_t: bool = False) -> Rho:
    """Spearman's rho, its p exact where it can be, or `by_t` by the t distribution."""
    one, other = list(human.values()), [judge[method] for method in human]
    for who, values in (("People", one), ("The judge", other)):
        if len(set(values)) == 1:
            raise BadData(f"{who} ranked all {len(values)} methods alike, so there is no order to compare.")
    method = "t" if by_t else "auto"
    rho = spearman(one, other, method=method)
    greater = spearman(one, other, method=method, alternative="greater").p
    return Rho(**rho.model_dump(), p_greater=greater)


def _p_methods(pairs: Sequence[tuple[Scores, Scores]], observed: float, seed: int) -> float:
    """One-sided, by shuffling which method is which for the judge, in all instances alike."""
    products: dict[tuple[str, ...], Numbers] = {}
    for human, judge in pairs:
        names = tuple(sorted(human))
        one, other = (_standard([by[name] for name in names]) for by in (human, judge))
        products[names] = products.get(names, np.zeros((len(names), len(names)))) + np.outer(one, other)
    every = sorted({name for names in products for name in names})
    keys = np.random.default_rng(seed).random((SHUFFLES, len(every)))
    sums = np.zeros(SHUFFLES)
    for names, product in products.items():
        order = np.argsort(keys[:, [every.index(name) for name in names]], axis=1)
        sums += product[np.arange(len(names)), order].sum(axis=1)
    reached = int((sums / len(pairs) >= observed - 1e-12).sum())
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
        one, other = scores(of(ours)), scores(of(theirs))
        alike = min(len(set(one.values())), len(set(other.values()))) == 1
        return None if alike or len(one) < 3 else rank_correlation(one, other)

    return Instance(
        group=group,
        rows=rows,
        methods=len(ours.elo.ratings),
        elo=rho(lambda each: each.elo),
        bradley_terry=rho(lambda each: each.bradley_terry),
    )


def _combined(ps: Sequence[float]) -> float:
    """By the t distribution a perfect rho has a p of 0, which decides alone."""
    return 0.0 if 0.0 in ps else fisher_combine(ps).p
