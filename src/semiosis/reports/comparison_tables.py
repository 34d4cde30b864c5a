"""What is shown of two runs side by side."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.settled import UNDECIDED
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
            notes=(INTERVALS, *_untested(comparison.tests)),
        ),
        *_tests_table(comparison.tests),
    )


def _untested(tests: "PairedTests") -> Iterator[str]:
    if not (tests.mcnemar or tests.differences):
        yield "Not tested: no item has a label and was settled by both without a failure."


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


def summaries_table(summaries: "Sequence[Summary]") -> Table:
    """Several runs side by side."""
    givers: set[LabelsBy] = {each.labels_by for summary in summaries for each in _agreements(summary)}
    like = LIKE[givers.pop() if len(givers) == 1 else "unknown"]
    sources = list(dict.fromkeys(summary.about.source for summary in summaries))
    methods = [summary.about.method for summary in summaries]
    told_apart = len(sources) == 1 and len(set(methods)) == len(methods)
    columns = {
        "items": numbers("settled"),
        "agreement": numbers(like),
        "undecided": numbers("undecided"),
        "flipped": numbers("flipped"),
        "mean value": numbers("mean value", 4),
        "failed": numbers("failed", alarm=True),
        "bad rows": numbers("bad rows", alarm=True),
        "cost": numbers("USD", form="usd"),
    }
    rows = [_summary_cells(summary) for summary in summaries]
    always = ("items", "failed", "cost")
    shown = [name for name in columns if name in always or any(row[name] is not None for row in rows)]
    what = "methods" if told_apart else "runs"
    return Table(
        title=f"{len(rows)} {what} on {', '.join(sources)}",
        columns=(words(what.removesuffix("s")), *(columns[name] for name in shown)),
        rows=tuple(
            (method if told_apart else summary.about.name, *(row[name] for name in shown))
            for method, summary, row in zip(methods, summaries, rows, strict=True)
        ),
        notes=(INTERVALS,) if {"agreement", "flipped"} & {*shown} else (),
    )


def _summary_cells(summary: "Summary") -> dict[str, Cell]:
    counts, spent = summary.counts, summary.total
    means = [kind.mean_value for kind in counts.kinds if kind.mean_value is not None]
    return {
        "items": f"{counts.settled:,}/{summary.sessions.items:,}" if summary.to_do else counts.settled,
        "agreement": _together([each.share for each in _agreements(summary)]),
        "undecided": sum(kind.verdicts.get(UNDECIDED, 0) for kind in counts.kinds) or None,
        "flipped": _together([kind.flips for kind in counts.kinds]),
        "mean value": means[0] if len(means) == 1 else None,
        "failed": sum(counts.failures.values()),
        "bad rows": summary.bad_rows or None,
        "cost": expense(spent.cost_usd, spent.unpriced, spent.calls) if spent.unpriced else spent.cost_usd,
    }


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
