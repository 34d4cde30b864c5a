"""Every score of a judge, and what has to stand beside it.

    cards = score(rows, {"ArtCoT": read("artcot.json", rows), "direct": read("direct.csv", rows)})
    cards.judges[0].per_method.elo.value, cards.always_left.per_method.elo.value, cards.sides.sentence

Nothing a judge failed on is scored: it is counted. A score that is not defined on the rows at hand says why.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from ...core.errors import BadData, BadSetting
from ...core.value import Value
from ...stats.estimate import Estimate, wilson
from ...stats.within import WithinGroups, concordance_within
from . import catalogue
from .alignment import (
    Answered,
    AsAuthors,
    Counts,
    PerInstance,
    PerMethod,
    answered,
    as_authors,
    per_instance,
    per_method,
)
from .annotations import Comparison
from .baselines import always_left
from .filters import AS_PUBLISHED, Rule, Step, filtered
from .predictions import Predictions
from .rankings import PRIOR, Rankings, people
from .sides import Sides, sides
from .tables import Breakdown, Change, ablation, average, by_attribute, improvement

ALWAYS_LEFT = "always left"

S = TypeVar("S")


class Undefined(Value):
    """Why there is no such score."""

    reason: str


class Scorecard(Value):
    """One judge on the rows that people decided.

    `agreement` and `left_share` are over the rows that the judge decided. `concordance` (KRCC) is over those
    it answered, a draw counting zero; it and `agreement` do not depend on how rankings are made.
    """

    name: str
    counts: Counts
    agreement: Estimate | Undefined
    left_share: Estimate | Undefined
    concordance: WithinGroups | Undefined
    per_method: PerMethod | Undefined
    as_authors: AsAuthors | Undefined
    per_instance: PerInstance | Undefined


class Improvement(Value):
    """Over the base judge, as table II prints it; None where either has no such score."""

    per_method_elo: float | None
    per_method_bradley_terry: float | None
    per_instance_elo: float | None
    per_instance_bradley_terry: float | None


class Scorecards(Value):
    """`people` is their own ranking, `steps` what the rules dropped before the per-instance scores.

    `improvements` are over the judge `base`, where one was named.
    """

    rows: int
    people: Rankings | Undefined
    sides: Sides
    steps: tuple[Step, ...]
    always_left: Scorecard
    judges: tuple[Scorecard, ...]
    base: str | None = None
    improvements: dict[str, Improvement] = {}

    @property
    def confound(self) -> str:
        """What a table of these scores has to say beside itself."""
        agreed, ranked = self.always_left.agreement, self.always_left.per_method
        said = [self.sides.sentence]
        if isinstance(agreed, Estimate):
            said.append(
                f'A judge that always says "left" agrees with people in {agreed.value:.1%} of the rows'
            )
            if isinstance(ranked, PerMethod):
                elo, bradley_terry = ranked.elo.value, ranked.bradley_terry.value
                said[-1] += f", and in rank by {elo:.2f} (Elo) and {bradley_terry:.2f} (Bradley-Terry)"
            said[-1] += "."
        return " ".join(said)


def score(
    rows: Sequence[Comparison],
    judges: Mapping[str, Predictions],
    *,
    rules: Sequence[Rule] = AS_PUBLISHED,
    before: int | None = 1000,
    prior: float = PRIOR,
    base: str | None = None,
) -> Scorecards:
    """Each judge against people, on the same rows; `before` is for the authors' variant alone.

    A file of global rows gives no per-instance score, and says so: its groups are too small.
    """
    if ALWAYS_LEFT in judges:
        raise BadSetting(f"A judge cannot be called {ALWAYS_LEFT!r}: that row is always there.")
    if base is not None and base not in judges:
        raise BadSetting(f"There is no judge {base!r} to improve on; there are {', '.join(judges)}.")
    asked = [row for row in rows if row.annotated]

    def card(name: str, said: Predictions) -> Scorecard:
        found = answered(asked, said)
        return Scorecard(
            name=name,
            counts=found.counts,
            agreement=_defined(lambda: _agreement(found)),
            left_share=_defined(lambda: _left_share(found)),
            concordance=_defined(lambda: _concordance(found)),
            per_method=_defined(lambda: per_method(asked, said, prior=prior)),
            as_authors=_defined(lambda: as_authors(asked, said, before=before)),
            per_instance=_defined(lambda: per_instance(asked, said, rules, prior=prior)),
        )

    cards = {name: card(name, said) for name, said in judges.items()}
    return Scorecards(
        rows=len(rows),
        people=_defined(lambda: people(asked)),
        sides=sides(asked),
        steps=filtered(rows, rules).steps,
        always_left=card(ALWAYS_LEFT, always_left(asked)),
        judges=tuple(cards.values()),
        base=base,
        improvements={
            name: _improvement(each, cards[base]) for name, each in cards.items() if base and name != base
        },
    )


def breakdowns(cards: Scorecards, folder: str | Path) -> dict[str, tuple[Breakdown, ...]]:
    """For each judge its per-instance scores by attribute of content and style, as figure 3 has them."""
    found = {
        card.name: by_attribute(card.per_instance, catalogue.load(folder))
        for card in (cards.always_left, *cards.judges)
        if isinstance(card.per_instance, PerInstance)
    }
    if not found and isinstance(cards.always_left.per_instance, Undefined):
        raise BadData(
            f"There are no per-instance scores to break down: {cards.always_left.per_instance.reason}"
        )
    return found


def ablations(cards: Scorecards) -> dict[str, tuple[Change, ...]]:
    """Elo and Bradley-Terry averaged, and the change over the base, as tables IV and V have them."""
    if cards.base is None:
        raise BadSetting("An ablation is over a base: name the judge that is the full method.")
    found: dict[str, tuple[Change, ...]] = {}
    for what in ("per_method", "per_instance"):
        rhos = {
            card.name: average(scored.elo.value, scored.bradley_terry.value)
            for card in cards.judges
            if not isinstance(scored := getattr(card, what), Undefined)
        }
        if cards.base in rhos and rhos[cards.base] < 1:
            found[what] = ablation(rhos, cards.base)
    return found


def _improvement(card: Scorecard, base: Scorecard) -> Improvement:
    def over(of: Callable[[Scorecard], float | None]) -> float | None:
        rho, before = of(card), of(base)
        return None if rho is None or before is None or before == 1 else improvement(rho, before)

    return Improvement(
        per_method_elo=over(lambda each: _rho_of(each.per_method, "elo")),
        per_method_bradley_terry=over(lambda each: _rho_of(each.per_method, "bradley_terry")),
        per_instance_elo=over(lambda each: _rho_of(each.per_instance, "elo")),
        per_instance_bradley_terry=over(lambda each: _rho_of(each.per_instance, "bradley_terry")),
    )


def _rho_of(found: PerMethod | PerInstance | Undefined, how: Literal["elo", "bradley_terry"]) -> float | None:
    if isinstance(found, Undefined):
        return None
    return found.elo.value if how == "elo" else found.bradley_terry.value


def _defined(make: Callable[[], S]) -> S | Undefined:
    try:
        return make()
    except BadData as error:
        return Undefined(reason=str(error))


def _agreement(found: Answered) -> Estimate:
    agreed = sum(row.winner == said for row, said in zip(found.rows, found.said, strict=True))
    return wilson(agreed, _some(found))


def _left_share(found: Answered) -> Estimate:
    return wilson(sum(said == "left" for said in found.said), _some(found))


def _concordance(found: Answered) -> WithinGroups:
    if not found.rows:
        raise BadData("The judge answered no row that people decided.")
    return concordance_within([row.group for row in found.rows], found.said, found.human)


def _some(found: Answered) -> int:
    if not found.counts.decided:
        raise BadData("The judge decided no row that people decided.")
    return found.counts.decided
