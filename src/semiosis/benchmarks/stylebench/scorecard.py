"""Every score of a judge, and what has to stand beside it.

    cards = score(rows, {"ArtCoT": read("artcot.json", rows), "direct": read("direct.csv", rows)})
    cards.judges[0].per_method.elo.value, cards.always_a.per_method.elo.value, cards.sides.sentence

Nothing a judge failed on is scored: it is counted. A score that is not defined on the rows at hand says why.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from ...building.alignment import (
    JudgeCounts,
    JudgedRows,
    PerInstance,
    PerMethod,
    Predictions,
    judged,
    per_instance,
    per_method,
)
from ...building.baselines import always_a, random_guess
from ...building.filters import AS_PUBLISHED, FilterStep, Rule, filtered
from ...building.rankings import PRIOR, Rankings, people
from ...building.sides import Sides, sides
from ...building.votes import ForcedChoice, decided
from ...core.errors import BadData, BadSetting
from ...core.text import percent
from ...core.value import Value
from ...stats.estimate import Estimate, wilson
from ...stats.within import WithinGroups, concordance_within
from . import catalogue
from .annotations import first_annotated
from .improvement import Breakdown, Change, ablation, average, by_attribute
from .script import BEFORE, AsAuthors, AsAuthorsPerInstance, as_authors, as_authors_per_instance

ALWAYS_A = "always a"
RANDOM = "random guess"

Way = Literal["elo", "bradley_terry", "averaged"]

S = TypeVar("S")


class Undefined(Value):
    """Why there is no such score."""

    reason: str


class Scorecard(Value):
    """One judge on the rows that people decided.

    `agreement` and `share_a` are over the rows that the judge decided; `agreement_at_worst` is over all,
    as if it had been wrong wherever it failed or was undecided. `concordance` (KRCC) is over those that it
    answered, a draw counting zero; it and the agreements do not depend on how rankings are made.
    """

    name: str
    counts: JudgeCounts
    agreement: Estimate | Undefined
    agreement_at_worst: Estimate | Undefined
    share_a: Estimate | Undefined
    concordance: WithinGroups | Undefined
    per_method: PerMethod | Undefined
    as_authors: AsAuthors | Undefined
    per_instance: PerInstance | Undefined
    as_authors_per_instance: AsAuthorsPerInstance | Undefined


class Compared(Value):
    """All judges on the `rows` that each of them answered, so that none gains by refusing what is hard.

    Each rho has its improvement over the judge `base` (table II); by "elo", "bradley_terry" and "averaged"
    (tables IV and V). What is not defined on these rows is not there.
    """

    base: str
    rows: int
    per_method: dict[Way, tuple[Change, ...]]
    per_instance: dict[Way, tuple[Change, ...]]


class Scorecards(Value):
    """`people` is their own ranking, `steps` what the rules dropped before the per-instance scores.

    `first` is there where only so many annotated rows are scored; `compared`, where a judge was named as the
    base.
    """

    rows: int
    first: int | None = None
    people: Rankings | Undefined
    sides: Sides
    steps: tuple[FilterStep, ...]
    always_a: Scorecard
    random_guess: Scorecard
    judges: tuple[Scorecard, ...]
    compared: Compared | None = None

    @property
    def baselines(self) -> tuple[Scorecard, Scorecard]:
        """The rows that look at no picture; the guess is one seeded toss a row."""
        return self.always_a, self.random_guess

    @property
    def confound(self) -> str:
        """What a table of these scores has to say beside itself."""
        agreed, ranked = self.always_a.agreement, self.always_a.per_method
        sentences = [self.sides.sentence]
        if isinstance(agreed, Estimate):
            sentences.append(
                f'A judge that always says "a" agrees with people in {percent(agreed.value)} of the rows'
            )
            if isinstance(ranked, PerMethod):
                elo, bradley_terry = ranked.elo.value, ranked.bradley_terry.value
                sentences[-1] += f", and in rank by {elo:z.2f} (Elo) and {bradley_terry:z.2f} (Bradley-Terry)"
            sentences[-1] += "."
        return " ".join(sentences)


class ScoredJudges(Scorecards):
    """What `semiosis stylebench score` prints; `by_attribute` is there with that option, by judge."""

    by_attribute: dict[str, tuple[Breakdown, ...]] | None = None


def score(
    rows: Sequence[ForcedChoice],
    judges: Mapping[str, Predictions],
    *,
    rules: Sequence[Rule] = AS_PUBLISHED,
    first: int | None = None,
    prior: float = PRIOR,
    base: str | None = None,
) -> Scorecards:
    """Each judge against people, on the same rows: all of them, or the `first` so many annotated ones.

    The authors' variants look at no more than the first 1,000 unless `first` says otherwise. A file of global
    rows gives no per-instance score, and says so: its groups are too small.
    """
    for name in (ALWAYS_A, RANDOM):
        if name in judges:
            raise BadSetting(f"A judge cannot be called {name!r}: that row is always there.")
    if base is not None and base not in judges:
        raise BadSetting(f"There is no judge {base!r} to improve on; there are {', '.join(judges)}.")
    annotated = first_annotated(rows, first)
    before = first or BEFORE

    def card(name: str, predictions: Predictions) -> Scorecard:
        answers = judged(annotated, predictions)
        return Scorecard(
            name=name,
            counts=answers.counts,
            agreement=_defined(lambda: wilson(answers.agreed, _decided(answers))),
            agreement_at_worst=_defined(lambda: wilson(answers.agreed, _asked(answers))),
            share_a=_defined(lambda: _share_a(answers)),
            concordance=_defined(lambda: _concordance(answers)),
            per_method=_defined(lambda: per_method(annotated, predictions, prior=prior)),
            as_authors=_defined(lambda: as_authors(rows, predictions, before=before)),
            per_instance=_defined(lambda: per_instance(annotated, predictions, rules, prior=prior)),
            as_authors_per_instance=_defined(
                lambda: as_authors_per_instance(rows, predictions, before=before)
            ),
        )

    return Scorecards(
        rows=len(rows),
        first=first,
        people=_defined(lambda: people(annotated)),
        sides=sides(annotated),
        steps=filtered(annotated if first else rows, rules).steps,
        always_a=card(ALWAYS_A, always_a(annotated)),
        random_guess=card(RANDOM, random_guess(annotated)),
        judges=tuple(card(name, predictions) for name, predictions in judges.items()),
        compared=None if base is None else _compared(annotated, judges, base, rules, prior),
    )


def breakdowns(cards: Scorecards, folder: str | Path) -> dict[str, tuple[Breakdown, ...]]:
    """For each judge its per-instance scores by attribute of content and style, as figure 3 has them."""
    parts = {
        card.name: by_attribute(card.per_instance, catalogue.load(folder))
        for card in (cards.always_a, *cards.judges)
        if isinstance(card.per_instance, PerInstance)
    }
    if not parts and isinstance(cards.always_a.per_instance, Undefined):
        raise BadData(f"There are no per-instance scores to break down: {cards.always_a.per_instance.reason}")
    return parts


def _compared(
    annotated: Sequence[ForcedChoice],
    judges: Mapping[str, Predictions],
    base: str,
    rules: Sequence[Rule],
    prior: float,
) -> Compared:
    rows = [row for row in decided(annotated) if all(each.get(row.id) for each in judges.values())]
    every = {ALWAYS_A: always_a(rows), RANDOM: random_guess(rows), **judges}
    shared: dict[str, Predictions] = {
        name: {row.id: predictions[row.id] for row in rows} for name, predictions in every.items()
    }
    one = {
        name: _defined(lambda shared=each: per_method(annotated, shared, prior=prior))
        for name, each in shared.items()
    }
    several = {
        name: _defined(lambda shared=each: per_instance(annotated, shared, rules, prior=prior))
        for name, each in shared.items()
    }
    return Compared(
        base=base, rows=len(rows), per_method=_changes(one, base), per_instance=_changes(several, base)
    )


def _changes(
    scored: Mapping[str, PerMethod | PerInstance | Undefined], base: str
) -> dict[Way, tuple[Change, ...]]:
    rhos: dict[Way, dict[str, float]] = {"elo": {}, "bradley_terry": {}, "averaged": {}}
    for name, each in scored.items():
        if not isinstance(each, Undefined):
            rhos["elo"][name] = each.elo.value
            rhos["bradley_terry"][name] = each.bradley_terry.value
            rhos["averaged"][name] = average(each.elo.value, each.bradley_terry.value)
    return {way: ablation(by, base) for way, by in rhos.items() if base in by and by[base] < 1}


def _defined(make: Callable[[], S]) -> S | Undefined:
    try:
        return make()
    except BadData as error:
        return Undefined(reason=str(error))


def _share_a(rows: JudgedRows) -> Estimate:
    return wilson(sum(verdict == "a" for verdict in rows.verdicts), _decided(rows))


def _concordance(rows: JudgedRows) -> WithinGroups:
    if not rows.rows:
        raise BadData("The judge answered no row that people decided.")
    return concordance_within([row.group for row in rows.rows], rows.verdicts, rows.human)


def _decided(rows: JudgedRows) -> int:
    if not rows.counts.decided:
        raise BadData("The judge decided no row that people decided.")
    return rows.counts.decided


def _asked(rows: JudgedRows) -> int:
    if not rows.counts.rows > rows.counts.absent:
        raise BadData("The judge was asked about no row that people decided.")
    return rows.counts.rows - rows.counts.absent
