"""What the commands about runs show, as tables."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..core.certainty import CERTAINTY_WORDS
from ..core.table import Cell, Interval, Table, numbers, words
from ..core.text import counted, dollars, expense, percent
from ..runs.costs import total
from ..stats.estimate import wilson_share

if TYPE_CHECKING:
    from ..core.item import BadRow, LabelsBy
    from ..runs.costs import Line
    from ..runs.generators import Generators
    from ..runs.inspect_logs import InspectLog
    from ..runs.ranking import Ranking
    from ..runs.summary import DoubtfulVerdict, FailedItem, KindCounts, RunEntry, Summary

LIKE: "dict[LabelsBy, str]" = {
    "people": "as people",
    "makers": "as the makers",
    "unknown": "as labelled",
}
SHOWN = 100
INTERVALS = "Shares are given with their 95% intervals (Wilson)."
ALARMS = ("failed", "errors", "no reply", "unverified", "bad rows")


def summary_tables(summary: "Summary") -> tuple[Table, ...]:
    about = summary.about
    title = f"{about.name}: {about.method} on {about.source}, {summary.sessions.state}"
    facts = Table.facts(_facts(summary), title=title, notes=(INTERVALS,), alarms=ALARMS)
    standings = (_generators_table(summary.generators),) if summary.generators.standings else ()
    account = (account_table(summary.account),) if summary.account else ()
    certainties = (_certainty_table(kind) for kind in summary.counts.kinds if kind.certainties)
    return facts, *certainties, *standings, *account


def runs_table(entries: "Iterable[RunEntry]") -> Table:
    return Table(
        columns=(
            words("name"),
            words("method"),
            words("model"),
            numbers("done"),
            numbers("failed", alarm=True),
            numbers("USD", form="usd"),
            words("state"),
        ),
        rows=tuple(
            (
                entry.name,
                entry.method,
                ", ".join(model.rpartition("/")[2] for model in entry.models),
                entry.settled if entry.items is None else f"{entry.settled:,}/{entry.items:,}",
                entry.failed,
                expense(entry.cost_usd, entry.unpriced, entry.calls) if entry.unpriced else entry.cost_usd,
                entry.state,
            )
            for entry in entries
        ),
    )


def failures_table(failures: "Sequence[FailedItem]") -> Table:
    return Table(
        columns=(words("reason", alarm=True), words("item"), words("message", flows=True)),
        rows=tuple((failed.reason, failed.id, failed.message) for failed in failures),
        heading=2,
    )


def bad_rows_table(rows: "Sequence[BadRow]") -> Table:
    columns = (words("where"), words("why it is no item", flows=True))
    return Table(columns=columns, rows=tuple((row.where, row.reason) for row in rows))


def doubtful_table(entries: "Sequence[DoubtfulVerdict]") -> Table:
    return Table(
        columns=(words("item"), words("verdict"), numbers("certainty", 2), words("flipped"), words("label")),
        rows=tuple(
            (
                each.id,
                each.verdict,
                each.certainty,
                None if each.flipped is None else "yes" if each.flipped else "no",
                each.label,
            )
            for each in entries
        ),
    )


def log_tables(name: str, log: "InspectLog") -> tuple[Table, ...]:
    facts: list[tuple[str, Cell]] = [("samples", f"{log.samples:,}, an epoch counting as one")]
    if log.errors:
        first = log.errors[0]
        facts.append(("errors", f"{len(log.errors):,}; the first: {first.sample_id}: {first.message}"))
    return (
        Table.facts(facts, title=f"{name}: {log.task} by {log.model}, {log.status}", alarms=ALARMS),
        Table(
            columns=(words("scorer"), numbers("scores"), numbers("not numbers"), numbers("mean", 4)),
            rows=tuple(
                (scored.scorer, scored.scores, scored.scores - scored.numbers, scored.mean)
                for scored in log.scored
            ),
        ),
    )


def ranking_tables(ranking: "Ranking") -> tuple[Table | str, ...]:
    table = Table(
        columns=(
            numbers(""),
            words("picture"),
            numbers("score (95% interval)", 2, sign=True),
            numbers("above the next", 0, form="percent"),
            numbers("pairs"),
            numbers("won"),
            numbers("drawn"),
            numbers("lost"),
        ),
        rows=tuple(
            (
                each.rank,
                each.name,
                Interval(value=each.score, low=each.low, high=each.high),
                each.above_next,
                each.comparisons,
                each.won,
                each.drawn,
                each.lost,
            )
            for each in ranking.standings
        ),
        heading=2,
    )
    sentences = [_ending(ranking)]
    if ranking.both_orders:
        flipped = wilson_share(ranking.flips, ranking.both_orders)
        sentences.append(f"Flipped when the pictures changed places: {flipped}.")
    if ranking.coin_flips:
        sentences.append(
            f"Coin flips, by the judge's own word: {ranking.coin_flips:,} of {ranking.said_how_sure:,} "
            "pairs; in the score a verdict counts as far as it is sure."
        )
    if ranking.failures:
        sentences.append(f"Failed, and left out: {counted(dict(sorted(ranking.failures.items())))}.")
    if ranking.unranked:
        sentences.append(f"Without a comparison, so without a place: {', '.join(ranking.unranked)}.")
    sentences.append(f"{ranking.calls:,} calls, {dollars(ranking.cost_usd, ranking.unpriced)}.")
    return *((table,) if ranking.standings else ()), *sentences


def account_table(lines: "Sequence[Line]") -> Table:
    """By task, by model where there are several, and together."""
    several = len({line.model for line in lines}) > 1
    useless = any(line.useless for line in lines)
    copied = any(line.copied for line in lines)
    return Table(
        columns=(
            words("task"),
            *((words("model"),) if several else ()),
            numbers("calls"),
            *((numbers("of no use", alarm=True),) if useless else ()),
            *((numbers("copied"),) if copied else ()),
            numbers("tokens in"),
            numbers("tokens out"),
            numbers("USD", form="usd"),
        ),
        rows=tuple(
            (
                line.task,
                *((line.model,) if several else ()),
                line.calls,
                *((line.useless,) if useless else ()),
                *((line.copied,) if copied else ()),
                line.input_tokens,
                line.output_tokens,
                None if line.calls and line.unpriced == line.calls else line.cost_usd,
            )
            for line in (*lines, total(lines))
        ),
        heading=2 if several else 1,
        notes=("Copied: made and paid for by another run.",) if copied else (),
        emphasised=(len(lines),),
    )


def _facts(summary: "Summary") -> list[tuple[str, Cell]]:
    counts, sessions = summary.counts, summary.sessions
    facts: list[tuple[str, Cell]] = [("items", _progress(summary))]
    if sessions.started_at:
        times = "" if sessions.count == 1 else f", {sessions.count:,} sessions"
        end = _end(sessions.ended_at, sessions.state)
        facts.append(("when", f"{_time(sessions.started_at)} to {end}{times}"))
    facts += summary.about.models.items()
    for kind in counts.kinds:
        facts += _kind_facts(kind)
    if counts.failures:
        facts.append(("failed", counted(counts.failures)))
    if summary.errors:
        facts.append(("no reply", f"{counted(summary.errors)}: calls that ended without one"))
    if summary.account:
        facts.append(("calls", _calls(summary.total)))
    if counts.unverified:
        facts.append(("unverified", f"{counts.unverified:,} citations, spans and boxes"))
    if summary.bad_rows:
        first = summary.first_bad_rows[0]
        facts.append(("bad rows", f"{summary.bad_rows:,}; the first: {first.where}: {first.reason}"))
    return facts


def _kind_facts(counts: "KindCounts") -> list[tuple[str, Cell]]:
    facts: list[tuple[str, Cell]] = [(counts.kind, _verdicts(counts))]
    if counts.flips.of:
        facts.append(("flipped", f"{counts.flips}, when the pictures changed places"))
    for each in counts.agreement:
        undecided = each.share.of - each.decided.of
        beside = f"; without {undecided:,} undecided {each.decided}" if undecided else ""
        facts.append((LIKE[each.labels_by], f"{each.share}{beside}"))
    if counts.certainties:
        said = sum(each.settled for each in counts.certainties)
        facts.append(("coin flips", f"{counts.coin_flips:,} of {said:,} that say how sure they are"))
    return facts


def _certainty_table(counts: "KindCounts") -> Table:
    """How often a verdict of each certainty was right, and how often the order changed it."""
    return Table(
        title=f"{counts.kind}, by how sure it is",
        columns=(words("certainty"), numbers("settled"), numbers("as labelled"), numbers("flipped")),
        rows=tuple(
            (
                f"{each.level} {CERTAINTY_WORDS[each.level - 1]}",
                each.settled,
                each.right if each.right.of else None,
                each.flips if each.flips.of else None,
            )
            for each in counts.certainties
        ),
        notes=("Shares are given with their 95% intervals (Wilson).",),
    )


def _verdicts(counts: "KindCounts") -> str:
    if counts.verdicts:
        return f"{counts.settled:,}: {counted(counts.verdicts)}"
    if counts.mean_value is not None:
        return f"{counts.settled:,}, mean {counts.mean_value:z.4f}"
    return f"{counts.settled:,}"


def _progress(summary: "Summary") -> str:
    failed = sum(summary.counts.failures.values())
    settled = f"{summary.counts.settled:,} settled{f', {failed:,} of them failed' if failed else ''}"
    if summary.sessions.items is None:
        return settled
    return f"{summary.sessions.items:,}: {settled}, {summary.to_do:,} to do"


def _generators_table(generators: "Generators") -> Table:
    more = len(generators.standings) - SHOWN
    graded = any(each.coin_flips is not None for each in generators.standings)
    notes = (
        generators.unscored,
        "In the score a verdict counts as far as it is sure: a coin flip as a draw." if graded else "",
        f"and {more:,} more: --json lists them all." if more > 0 else "",
    )
    return Table(
        columns=(
            words("generator"),
            numbers("score (95% interval)", 2, sign=True),
            numbers("won"),
            numbers("drawn"),
            numbers("lost"),
            *([numbers("coin flips")] if graded else ()),
        ),
        rows=tuple(
            (
                each.name,
                None if each.score is None else Interval(value=each.score, low=each.low, high=each.high),
                each.won,
                each.drawn,
                each.lost,
                *([each.coin_flips] if graded else ()),
            )
            for each in generators.standings[:SHOWN]
        ),
        notes=tuple(filter(None, notes)),
    )


def _calls(account: "Line") -> str:
    beside = {
        "could not be read": account.useless,
        "without a price": account.unpriced,
        "more attempts": account.attempts - account.calls,
        "copied from another run": account.copied,
    }
    return ", ".join((f"{account.calls:,}", *(f"{n:,} {what}" for what, n in beside.items() if n)))


def _time(moment: str) -> str:
    return moment.replace("T", " ")[:16]


def _end(moment: str | None, state: str) -> str:
    return _time(moment) if moment else "now" if state == "running" else "an unknown time"


def _ending(ranking: "Ranking") -> str:
    """Why it ended, and how sure the order is, in a sentence."""
    pairs = f"{ranking.comparisons:,} of {ranking.pairs:,} pairs"
    match ranking.ended:
        case "settled":
            why = f"Settled by {pairs}: each picture was compared with the next one"
        case "exhausted":
            why = f"No pair is left to ask ({pairs} were judged)"
        case "comparisons":
            why = f"Stopped after {pairs}, as told"
        case "budget":
            why = f"Stopped by the budget after {pairs}"
        case "stopped":
            why = f"Stopped after {pairs}"
        case _:
            why = f"Stopped ({ranking.ended}) after {pairs}"
    if ranking.least_sure is None:
        return f"{why}."
    return f"{why}. The closest two are told apart at {percent(ranking.least_sure, 0)}."
