"""What the commands of StyleBench show."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from ...core.text import plain
from ...reports.screens import dim, facts, headed, interval, p, percent, text, title, value
from ...reports.tables import Sheet
from .scorecard import Undefined

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...building.alignment import MeanRho
    from ...building.filters import FilterStep
    from ...stats.estimate import Estimate
    from .improvement import Breakdown
    from .people import People
    from .scorecard import Scorecard, Scorecards


def people_screen(data: str, kind: str, edition: str, found: "People") -> "RenderableType":
    elo = found.rankings.elo
    ranking = Sheet("rank", "method", "Bradley-Terry", "Elo", "comparisons", right=(0, 2, 3, 4), heading=2)
    for each in found.rankings.bradley_terry.ratings:
        ranking.add(
            str(each.rank),
            text(str(each.item)),
            value(each.value, each.low, each.high, 3),
            f"{elo[each.item].value:z,.2f} (rank {elo[each.item].rank})",
            f"{each.comparisons:,.0f}",
        )
    told = [
        ("rows", f"{found.rows:,}, of which {found.annotated:,} annotated, {found.decided:,} decided"),
        *(_steps(found.steps) if found.kept else _steps(found.steps)[:-2]),
    ]
    if found.kept:
        told.append(("kept", f"{found.kept:,} rows for scores by instance"))
    note = "Bradley-Terry over all decided rows, 95% Wald intervals; Elo in the order of the file, K 32."
    heading = title(_name(data), f"{kind} rows, {edition} edition")
    return Group(heading, facts(told), Text(), ranking, Text(), dim(note), Text(plain(found.sides.sentence)))


def scores_screen(data: str, kind: str, edition: str, cards: "Scorecards") -> "RenderableType":
    every = (cards.always_left, *cards.judges)
    agreed = Sheet(
        "judge",
        "decided",
        "undecided",
        "failed",
        "not asked",
        "agrees",
        "at worst",
        "says left",
        right=range(1, 8),
    )
    for card in every:
        counts = card.counts
        agreed.add(
            _judge(card, cards),
            f"{counts.decided:,}",
            f"{counts.undecided:,}",
            text(f"{counts.failed:,}", "red" if counts.failed else ""),
            f"{counts.absent:,}",
            _share(card.agreement),
            "-" if isinstance(card.agreement_at_worst, Undefined) else f"{card.agreement_at_worst.value:.1%}",
            _share(card.left_share),
        )
    decided = cards.always_left.counts.rows
    note = (
        "At worst: as if wrong wherever it failed or was undecided. rho is Spearman's with its 95% interval; "
        "p is for a positive rho, one-sided, per instance by shuffling the methods. As the authors: over 5 "
        "splits of the first 1,000 rows (seed 8), Fisher's p of two-sided tests, which is blind to the sign."
    )
    return Group(
        title(_name(data), f"{kind} rows, {edition} edition, {decided:,} decided by people"),
        Text(),
        agreed,
        Text(),
        _rhos("per method", cards, _per_method),
        Text(),
        _rhos("as the authors", cards, _as_authors),
        Text(),
        *_per_instance(cards),
        *_compared(cards),
        dim(note),
        *(dim(why) for why in _missing(every)),
        Text(plain(cards.confound)),
    )


def attributes_screen(name: str, found: "Sequence[Breakdown]") -> "RenderableType":
    parts = Sheet(
        "attribute", "value", "instances", "Elo rho", "Bradley-Terry rho", right=(2, 3, 4), heading=2
    )
    for each in found:
        parts.add(
            text(each.attribute),
            text(each.value),
            f"{each.instances:,}",
            _mean(each.elo),
            _mean(each.bradley_terry),
        )
    return Group(Text(), title(name, "mean rho within instances, by attribute"), parts)


def _rhos(
    name: str, cards: "Scorecards", cells: "Callable[[Scorecard], Sequence[str] | None]"
) -> "RenderableType":
    """A row a judge: rho and p by Elo, then by Bradley-Terry."""
    ranks = Sheet("", "Elo rho", "p", "Bradley-Terry rho", "p", right=range(1, 5))
    for card in (cards.always_left, *cards.judges):
        ranks.add(_judge(card, cards), *(cells(card) or ["-"] * 4))
    return headed(name, ranks)


def _per_method(card: "Scorecard") -> list[str] | None:
    found = card.per_method
    if isinstance(found, Undefined):
        return None
    return [cell for rho in (found.elo, found.bradley_terry) for cell in (interval(rho, 2), p(rho.p_greater))]


def _as_authors(card: "Scorecard") -> list[str] | None:
    found = card.as_authors
    if isinstance(found, Undefined):
        return None
    return [cell for mean in (found.elo, found.bradley_terry) for cell in (f"{mean.value:z.3f}", p(mean.p))]


def _each_instance(card: "Scorecard") -> list[str] | None:
    found = card.per_instance
    if isinstance(found, Undefined):
        return None
    return [
        cell for mean in (found.elo, found.bradley_terry) for cell in (_mean(mean), p(mean.p_methods or 1))
    ]


def _compared(cards: "Scorecards") -> "Iterator[RenderableType]":
    """Nothing where no judge is the base."""
    found = cards.compared
    if found is None:
        return
    for what, ways in (("per method", found.per_method), ("per instance", found.per_instance)):
        if not ways:
            continue
        names = {"elo": "Elo rho", "bradley_terry": "Bradley-Terry rho", "averaged": "averaged"}
        ranks = Sheet("", *(names[way] for way in ways), right=range(1, 4))
        for changes in zip(*ways.values(), strict=True):
            cells = (
                f"{each.rho:z.3f}" + ("" if each.name == found.base else f" {each.change:+z.0%}")
                for each in changes
            )
            ranks.add(text(changes[0].name, "bold"), *cells)
        yield from (headed(f"over {found.base}, {what}", ranks), Text())
    yield dim(
        f"Over {found.base}: on the {found.rows:,} rows that every judge answered; "
        "a change is the share of the way to a perfect rho."
    )


def _per_instance(cards: "Scorecards") -> "Iterator[RenderableType]":
    """Nothing where the rows are not such that instances can be ranked."""
    if isinstance(cards.always_left.per_instance, Undefined):
        return
    agreed = Sheet("", "KRCC", "instances", right=range(1, 3))
    for card in (cards.always_left, *cards.judges):
        found = card.concordance
        cells = ("-", "-") if isinstance(found, Undefined) else (interval(found, 2), f"{found.groups:,}")
        agreed.add(_judge(card, cards), *cells)
    ranks = _rhos("per instance", cards, _each_instance)
    dropped = "; ".join(f"{name} {told}" for name, told in _steps(cards.steps))
    krcc = "KRCC, over all decided rows: agreeing less opposing pairs of a content and style, averaged."
    yield from (
        ranks,
        dim(f"Dropped before: {dropped}."),
        Text(),
        headed("per instance", agreed),
        dim(krcc),
        Text(),
    )


def _missing(every: "Sequence[Scorecard]") -> Iterator[str]:
    """Why a score is not there, once for all judges that lack it."""
    whys: dict[tuple[str, str], list[str]] = {}
    for card in every:
        for what, found in (
            ("per method", card.per_method),
            ("as the authors", card.as_authors),
            ("per instance", card.per_instance),
        ):
            if isinstance(found, Undefined):
                whys.setdefault((what, found.reason), []).append(card.name)
    for (what, reason), names in whys.items():
        of = "" if len(names) == len(every) else f" for {', '.join(names)}"
        yield f"No score {what}{of}: {reason}"


def _steps(steps: "Sequence[FilterStep]") -> list[tuple[str, str]]:
    return [
        (
            step.rule,
            f"{step.removed:,} of {step.of:,} rows ({step.removed / step.of:.1%})"
            + (f", {step.groups_removed:,} of {step.of_groups:,} groups" if step.groups_removed else ""),
        )
        for step in steps
        if step.of
    ]


def _judge(card: "Scorecard", cards: "Scorecards") -> Text:
    if card is cards.always_left:
        return dim(card.name)
    return text(card.name, "bold")


def _mean(mean: "MeanRho | None") -> str:
    return "-" if mean is None else value(mean.value, mean.low, mean.high, 2)


def _share(found: "Estimate | Undefined") -> str:
    return "-" if isinstance(found, Undefined) else percent(found)


def _name(data: str) -> str:
    return data if data.startswith("hf:") else Path(data).name or data
