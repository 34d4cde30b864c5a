"""What the commands of StyleBench show, as tables."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.table import Cell, Cells, Interval, Table, numbers, words
from ...core.text import counted, dollars, percent
from ...reports.run_tables import account_table
from .scorecard import Scorecard, Scorecards, Undefined
from .script import BEFORE

if TYPE_CHECKING:
    from ...building.filters import FilterStep
    from ...building.report import BuildStep
    from ...core.table import Ends
    from ...runs.costs import Line, Spent
    from .building.report import StyleBenchReport
    from .improvement import Breakdown
    from .people import People

LISTED = 5

_RANKED = "Bradley-Terry over all decided rows, 95% Wald intervals; Elo in the order of the file, K 32."
_AT_WORST = "At worst: as if wrong wherever it failed or was undecided."
_RHO = "rho is Spearman's with its 95% interval; p is for a positive rho, one-sided."
_SHUFFLED = "p is for a positive rho, one-sided, by shuffling the methods."
_FISHER = "Fisher's p of two-sided tests, which is blind to the sign."
_KRCC = "KRCC, over all decided rows: agreeing less opposing pairs of a content and style, averaged."
_WAYS = {"elo": "Elo rho", "bradley_terry": "Bradley-Terry rho", "averaged": "averaged"}


def file_title(data: str, kind: str, edition: str) -> str:
    name = data if data.startswith("hf:") else Path(data).name or data
    return f"{name}: {kind} rows, {edition} edition"


def people_tables(data: str, kind: str, edition: str, people: "People") -> tuple[Table | str, ...]:
    elo = people.rankings.elo
    dropped = _dropped(people.steps) if people.kept else _dropped(people.steps)[:-2]
    rest = [("kept", f"{people.kept:,} rows for scores by instance")] if people.kept else []
    rows = f"{people.rows:,}, of which {people.annotated:,} annotated, {people.decided:,} decided"
    return (
        Table.facts([("rows", rows), *dropped, *rest], title=file_title(data, kind, edition)),
        Table(
            columns=(
                numbers("rank"),
                words("method"),
                numbers("Bradley-Terry", 3),
                numbers("Elo", 2),
                numbers("Elo rank"),
                numbers("comparisons", 0),
            ),
            rows=tuple(
                (
                    each.rank,
                    str(each.item),
                    Interval.of(each),
                    elo[each.item].value,
                    elo[each.item].rank,
                    each.comparisons,
                )
                for each in people.rankings.bradley_terry.ratings
            ),
            heading=2,
            notes=(_RANKED,),
        ),
        people.sides.sentence,
    )


def scores_tables(title: str, cards: Scorecards) -> tuple[Table, ...]:
    """Judges beside what looks at no picture. A score that none of them has is a note and no rows."""
    every = (*cards.baselines, *cards.judges)
    first = "" if cards.first is None else f", first {cards.first:,} annotated rows"
    splits = f"Means over 5 splits of the first {cards.first or BEFORE:,} annotated rows (seed 8), {_FISHER}"
    dropped = "; ".join(f"{name} {rows}" for name, rows in _dropped(cards.steps))
    return (
        _agreement_table(
            f"{title}{first}, {cards.always_a.counts.rows:,} decided by people", every, cards.confound
        ),
        _rhos_table("per method", every, _per_method, (_RHO,)),
        _rhos_table("per method, as the authors", every, _as_authors, (splits,), digits=3),
        _rhos_table("per instance", every, _per_instance, (_SHUFFLED, f"Dropped before: {dropped}.")),
        *_authors_instances_tables(every, cards.first or BEFORE),
        *_concordance_tables(every),
        *_compared_tables(cards),
    )


def attributes_table(name: str, parts: "Sequence[Breakdown]") -> Table:
    return Table(
        title=f"{name}: mean rho within instances, by attribute",
        columns=(
            words("attribute"),
            words("value"),
            numbers("instances"),
            numbers("Elo rho", 2),
            numbers("Bradley-Terry rho", 2),
        ),
        rows=tuple(
            (each.attribute, each.value, each.instances, _interval(each.elo), _interval(each.bradley_terry))
            for each in parts
        ),
        heading=2,
    )


def build_tables(
    report: "StyleBenchReport", lines: "Sequence[Line]", spent: "Spent"
) -> tuple[Table | str, ...]:
    steps = Table(
        columns=(
            words("step"),
            numbers("made"),
            numbers("of"),
            words("failed", alarm=True),
            numbers("bad", alarm=True),
            words(flows=True),
        ),
        rows=tuple(
            (
                step.step,
                step.made if step.wanted else None,
                step.wanted or None,
                counted(dict(sorted(step.failed.items()))) or None,
                len(step.bad) or None,
                step.note,
            )
            for step in report.steps
        ),
    )
    tokens = f"{spent.input_tokens:,} + {spent.output_tokens:,} tokens"
    cost = dollars(spent.cost_usd, spent.unpriced)
    return (
        steps,
        *((account_table(lines),) if lines else ()),
        *(sentence for step in report.steps for sentence in _useless(step)),
        f"{spent.calls:,} calls, {tokens}, {cost} in all sessions",
    )


def _useless(step: "BuildStep") -> Iterator[str]:
    """The first of what failed or was of no use."""
    every = [*step.failures, *step.bad]
    yield from (f"{step.step}: {each.where}: {each.reason}" for each in every[:LISTED])
    if len(every) > LISTED:
        yield f"{step.step}: {len(every) - LISTED:,} more; --json lists them all."


def _agreement_table(title: str, cards: Sequence[Scorecard], confound: str) -> Table:
    return Table(
        title=title,
        columns=(
            words("judge"),
            numbers("decided"),
            numbers("undecided"),
            numbers("failed", alarm=True),
            numbers("not asked"),
            numbers("agrees", form="percent"),
            numbers("at worst", form="percent"),
            numbers("says a", form="percent"),
        ),
        rows=tuple(
            (
                card.name,
                card.counts.decided,
                card.counts.undecided,
                card.counts.failed,
                card.counts.absent,
                _interval(card.agreement),
                None if isinstance(card.agreement_at_worst, Undefined) else card.agreement_at_worst.value,
                _interval(card.share_a),
            )
            for card in cards
        ),
        notes=(_AT_WORST, confound),
    )


def _rhos_table(
    title: str,
    cards: Sequence[Scorecard],
    cells: Callable[[Scorecard], "Cells | Undefined"],
    notes: tuple[str, ...],
    digits: int = 2,
) -> Table:
    """A row a judge: rho and p by Elo, then by Bradley-Terry."""
    rows: list[Cells] = []
    lacking: dict[str, list[str]] = {}
    for card in cards:
        score = cells(card)
        if isinstance(score, Undefined):
            lacking.setdefault(score.reason, []).append(card.name)
        rows.append((card.name, *([None] * 4 if isinstance(score, Undefined) else score)))
    some = sum(map(len, lacking.values())) < len(cards)
    whys: list[str] = []
    for reason, names in lacking.items():
        of = "" if len(names) == len(cards) else f" for {', '.join(names)}"
        whys.append(f"No score {title}{of}: {reason}")
    return Table(
        title=title,
        columns=(
            words("judge"),
            numbers("Elo rho", digits),
            numbers("p", form="p"),
            numbers("Bradley-Terry rho", digits),
            numbers("p", form="p"),
        ),
        rows=tuple(rows) if some else (),
        notes=(*(notes if some else ()), *whys),
    )


def _per_method(card: Scorecard) -> "Cells | Undefined":
    score = card.per_method
    if isinstance(score, Undefined):
        return score
    elo, bradley_terry = score.elo, score.bradley_terry
    return Interval.of(elo), elo.p_greater, Interval.of(bradley_terry), bradley_terry.p_greater


def _as_authors(card: Scorecard) -> "Cells | Undefined":
    score = card.as_authors
    if isinstance(score, Undefined):
        return score
    return score.elo.value, score.elo.p, score.bradley_terry.value, score.bradley_terry.p


def _authors_instances_tables(cards: Sequence[Scorecard], first: int) -> Iterator[Table]:
    """None where the rows are not such that instances can be ranked."""
    if isinstance(cards[0].as_authors_per_instance, Undefined):
        return
    note = (
        f"Of the first {first:,} annotated rows. All methods are ranked in every instance, equals by name, "
        f"the judge by all its rows there; {_FISHER}"
    )
    yield _rhos_table("per instance, as the authors", cards, _as_authors_per_instance, (note,), digits=3)


def _as_authors_per_instance(card: Scorecard) -> "Cells | Undefined":
    score = card.as_authors_per_instance
    if isinstance(score, Undefined):
        return score
    return score.elo.value, score.elo.p, score.bradley_terry.value, score.bradley_terry.p


def _per_instance(card: Scorecard) -> "Cells | Undefined":
    score = card.per_instance
    if isinstance(score, Undefined):
        return score
    elo, bradley_terry = score.elo, score.bradley_terry
    return Interval.of(elo), elo.p_methods, Interval.of(bradley_terry), bradley_terry.p_methods


def _concordance_tables(cards: Sequence[Scorecard]) -> Iterator[Table]:
    """None where the rows are not such that instances can be ranked."""
    if isinstance(cards[0].per_instance, Undefined):
        return
    rows: list[Cells] = []
    for card in cards:
        score = card.concordance
        groups = None if isinstance(score, Undefined) else score.groups
        rows.append((card.name, _interval(score), groups))
    columns = (words("judge"), numbers("KRCC", 2), numbers("instances"))
    yield Table(title="per instance, by pairs", columns=columns, rows=tuple(rows), notes=(_KRCC,))


def _compared_tables(cards: Scorecards) -> Iterator[Table]:
    """None where no judge is the base."""
    compared = cards.compared
    if compared is None:
        return
    if not (compared.per_method or compared.per_instance):
        why = (
            "There is no change: it ranks as people do, or has no rank on the rows that every judge answered."
        )
        yield Table(title=f"over {compared.base}", columns=(words(),), rows=((why,),))
    for what, ways in (("per method", compared.per_method), ("per instance", compared.per_instance)):
        if not ways:
            continue
        rows: list[Cells] = []
        for changes in zip(*ways.values(), strict=True):
            name = changes[0].name
            cells = ((each.rho, None if name == compared.base else each.change) for each in changes)
            rows.append((name, *(cell for pair in cells for cell in pair)))
        columns = [
            column
            for way in ways
            for column in (numbers(_WAYS[way], 3), numbers("change", 0, form="percent", sign=True))
        ]
        yield Table(
            title=f"over {compared.base}, {what}",
            columns=(words("judge"), *columns),
            rows=tuple(rows),
            notes=(
                f"On the {compared.rows:,} rows that every judge answered; "
                "a change is the share of the way to a perfect rho.",
            ),
        )


def _dropped(steps: "Sequence[FilterStep]") -> list[tuple[str, str]]:
    return [
        (
            step.rule,
            f"{step.removed:,} of {step.of:,} rows ({percent(step.removed / step.of)})"
            + (f", {step.groups_removed:,} of {step.of_groups:,} groups" if step.groups_removed else ""),
        )
        for step in steps
        if step.of
    ]


def _interval(estimate: "Ends | Undefined | None") -> Cell:
    return None if estimate is None or isinstance(estimate, Undefined) else Interval.of(estimate)
