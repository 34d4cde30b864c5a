"""What is shown of two runs side by side."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.table import Cell, Cells, Column, Interval, Table, numbers, words
from ..core.text import counted, expense
from ..stats.estimate import wilson_share
from .run_tables import ALARMS, INTERVALS, LIKE

if TYPE_CHECKING:
    from ..core.item import LabelsBy
    from ..core.table import Share
    from ..runs.comparison import ComparedRun, Disagreement, RunComparison
    from ..runs.paired_tests import DifferenceTest, LeftOut, McNemarTest, Measure, PairedTests
    from ..runs.summary import LabelAgreement, Summary


def comparison_tables(comparison: "RunComparison") -> tuple[Table, ...]:
    first, second = comparison.first, comparison.second
    facts: list[tuple[str, Cell]] = [("items", f"{comparison.items:,} settled by both")]
    if comparison.agree.of:
        facts.append(("agree", f"{comparison.agree} that both decided"))
        facts.append(("disagree", comparison.disagree))
    if comparison.undecided:
        facts.append(("undecided", f"{comparison.undecided:,} by one or both"))
    if comparison.one_failed or comparison.both_failed:
        facts.append(("failed", f"{comparison.one_failed:,} by one, {comparison.both_failed:,} by both"))
    one, two = (_run_facts(run, LIKE[comparison.labels_by or "unknown"]) for run in (first, second))
    rows: list[tuple[Cell, ...]] = [(name, one[name], two[name]) for name in one]
    for test in comparison.tests.differences:
        if test.measure == "rank correlation":
            rows.insert(-1, ("rank correlation with the label", test.first, test.second))
    names = first.about.name, second.about.name
    return (
        Table.facts(facts, title=" and ".join(names), alarms=ALARMS),
        Table(
            columns=(words("on these items"), *(Column(name=name, digits=4) for name in names)),
            rows=tuple(row for row in rows if row[1:] != (None, None)),
            notes=(INTERVALS,),
        ),
        *_tests_table(comparison.tests),
    )


def _tests_table(tests: "PairedTests") -> Iterator[Table]:
    """Whether one is better, how many items that rests on, and why no more of them."""
    rows = [_mcnemar_row(tests.mcnemar)] if tests.mcnemar else []
    rows += map(_difference_row, tests.differences)
    if not rows:
        return
    yield Table(
        columns=(
            words("test"),
            words("first less second"),
            numbers("p", form="p"),
            numbers("items"),
            words("left out", flows=True),
        ),
        rows=tuple(rows),
        notes=tuple(_notes(tests)),
    )


def _mcnemar_row(test: "McNemarTest") -> Cells:
    alone = f"{test.first_alone:,} alone less {test.second_alone:,}"
    return "McNemar, both decided", alone, test.p, test.items, _left_out(test.left_out)


def _difference_row(test: "DifferenceTest") -> Cells:
    apart = None if test.difference is None else _apart(test.measure, test.difference)
    return f"{test.measure}, by prompt", apart, test.p, test.items, _left_out(test.left_out)


def _apart(measure: "Measure", by: Interval) -> str:
    if measure == "agreement":
        value, low, high = (100 * (end or 0.0) for end in (by.value, by.low, by.high))
        return f"{value:+z.1f} points ({low:z.1f} to {high:z.1f})"
    return f"{by.value:+z.3f} ({by.low:z.3f} to {by.high:z.3f})"


def _left_out(items: "LeftOut") -> str | None:
    named = vars(items) | {"labelled a tie": items.tied}
    return counted({why: count for why, count in named.items() if count and why != "tied"}) or None


def _notes(tests: "PairedTests") -> Iterator[str]:
    if tests.mcnemar:
        p = f"{tests.mcnemar.exact_p:.4f}"
        yield f"McNemar: those right where the other is wrong; mid-p (exact {p}), items as independent."
    for test in tests.differences:
        undecided = "; an undecided verdict agrees with nobody" if test.measure == "agreement" else ""
        yield test.untold or f"By prompt: {test.prompts:,} prompts, drawn whole{undecided}."


def _run_facts(run: "ComparedRun", like: str) -> dict[str, Cell]:
    cost = expense(run.spent.cost_usd, run.spent.unpriced, run.spent.calls)
    return {
        like: run.agreement if run.agreement.of else None,
        f"{like}, where both decided": run.decided if 0 < run.decided.of < run.agreement.of else None,
        f"{like}, alone": run.alone if run.decided.of else None,
        "flipped": run.flips if run.flips.of else None,
        "undecided": run.undecided or None,
        "failed": run.failed or None,
        "mean value": run.mean_value,
        "whole run": f"{run.settled:,} items, {cost} USD",
    }


def methods_table(summaries: "Sequence[Summary]") -> Table:
    """Several runs side by side, each a method on the same items."""
    givers: set[LabelsBy] = {each.labels_by for summary in summaries for each in _agreements(summary)}
    like = LIKE[givers.pop() if len(givers) == 1 else "unknown"]
    rows = [_method_cells(summary) for summary in summaries]
    if len({summary.about.method for summary in summaries}) < len(rows):
        rows = [(summary.about.name, *row[1:]) for summary, row in zip(summaries, rows, strict=True)]
    settled = rows[0][1]
    alike = all(row[1] == settled for row in rows)
    first, *rest = (
        words("method"),
        numbers("settled"),
        numbers(like, form="percent"),
        numbers("flipped", form="percent"),
        numbers("mean value", 4),
        numbers("failed", alarm=True),
        numbers("USD", form="usd"),
    )
    shown = [
        at for at, _ in enumerate(rest) if (at or not alike) and any(row[at + 1] is not None for row in rows)
    ]
    return Table(
        title=f"{len(rows)} methods on {summaries[0].about.source}{f', {settled} items' if alike else ''}",
        columns=(first, *(rest[at] for at in shown)),
        rows=tuple((row[0], *(row[at + 1] for at in shown)) for row in rows),
        notes=(INTERVALS,),
    )


def _method_cells(summary: "Summary") -> Cells:
    counts, total = summary.counts, summary.total
    agreement = _together([each.share for each in _agreements(summary)])
    flips = _together([kind.flips for kind in counts.kinds])
    means = [kind.mean_value for kind in counts.kinds if kind.mean_value is not None]
    settled = f"{counts.settled:,}/{summary.sessions.items:,}" if summary.to_do else f"{counts.settled:,}"
    return (
        summary.about.method,
        settled,
        agreement and Interval(value=agreement.value or 0.0, low=agreement.low, high=agreement.high),
        flips and Interval(value=flips.value or 0.0, low=flips.low, high=flips.high),
        means[0] if len(means) == 1 else None,
        sum(counts.failures.values()),
        expense(total.cost_usd, total.unpriced, total.calls) if total.unpriced else total.cost_usd,
    )


def _agreements(summary: "Summary") -> "list[LabelAgreement]":
    return [each for kind in summary.counts.kinds for each in kind.agreement]


def _together(shares: "Sequence[Share]") -> "Share | None":
    """Of all kinds of outcomes; None where there is nothing to share."""
    of = sum(each.of for each in shares)
    return wilson_share(sum(each.count for each in shares), of) if of else None


def disagreements_table(comparison: "RunComparison", rows: "Sequence[Disagreement]") -> Table:
    names = ("item", comparison.first.about.name, comparison.second.about.name, "label")
    return Table(
        columns=tuple(map(words, names)),
        rows=tuple((row.id, row.first, row.second, row.label or None) for row in rows),
    )
