"""What the commands about runs show. Names and reasons come from outside: they are shown as plain text."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from ..core import text
from ..core.text import plain
from .tables import Sheet

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..core.item import BadRow, LabelsBy
    from ..runs.comparison import Comparison, Disagreement, Side
    from ..runs.costs import Line
    from ..runs.generators import Generators
    from ..runs.inspect_logs import InspectLog
    from ..runs.store import Spent
    from ..runs.summary import Entry, FailedItem, KindCounts, Share, Summary

Part = str | tuple[str, str]
_INTERVALS = Text("Shares are given with their 95% intervals (Wilson).", style="dim")
LIKE: "dict[LabelsBy, str]" = {
    "people": "as people",
    "makers": "as the makers",
    "unknown": "as labelled",
}
SHOWN = 100
_COLOURS = {"done": "green", "imported": "green", "running": "cyan"}


def summary_screen(summary: "Summary") -> "RenderableType":
    about, state = summary.about, summary.sessions.state
    title = _line((about.name, "bold"), f": {about.method} on {about.source}, ", (state, _colour(state)))
    facts = _facts(_told(summary))
    account = [_account(summary)] if summary.account else []
    standings = [_generators(summary.generators)] if summary.generators.standings else []
    return Group(title, facts, *standings, *account, _INTERVALS)


def runs_table(entries: "Iterable[Entry]") -> "RenderableType":
    sheet = Sheet("name", "method", "model", "done", "failed", "USD", "state", right=(3, 4, 5))
    for entry in entries:
        sheet.add(
            _line((entry.name, "bold")),
            _line(entry.method),
            _line(", ".join(model.rpartition("/")[2] for model in entry.models)),
            f"{entry.settled:,}" if entry.items is None else f"{entry.settled:,}/{entry.items:,}",
            _line((f"{entry.failed:,}", "red" if entry.failed else "dim")),
            text.spent(entry.cost_usd, entry.unpriced, entry.calls),
            _line((entry.state, _colour(entry.state))),
        )
    return sheet


def failures_table(failures: "Sequence[FailedItem]") -> "RenderableType":
    sheet = Sheet("reason", "item", "message", flow=(2,), heading=2)
    for failed in failures:
        sheet.add(_line((failed.reason, "red")), failed.id, failed.message)
    return sheet


def bad_rows_table(rows: "Sequence[BadRow]") -> "RenderableType":
    sheet = Sheet("where", "why it is no item", flow=(1,))
    for row in rows:
        sheet.add(row.where, row.reason)
    return sheet


def comparison_screen(comparison: "Comparison") -> "RenderableType":
    first, second = comparison.first, comparison.second
    told = [("items", f"{comparison.items:,} settled by both", "")]
    if comparison.agree.of:
        told.append(("agree", f"{share(comparison.agree)} that both decided", "bold"))
        told.append(("disagree", f"{comparison.disagree:,}", ""))
    if comparison.undecided:
        told.append(("undecided", f"{comparison.undecided:,} by one or both", ""))
    if comparison.one_failed or comparison.both_failed:
        told.append(
            ("failed", f"{comparison.one_failed:,} by one, {comparison.both_failed:,} by both", "red")
        )
    sheet = Sheet("on these items", first.about.name, second.about.name)
    like = LIKE[comparison.labels_by or "unknown"]
    for name, one, two in zip(
        (
            like,
            f"{like}, where both decided",
            f"{like}, alone",
            "flipped",
            "undecided",
            "failed",
            "mean score",
            "whole run",
        ),
        _side(first),
        _side(second),
        strict=True,
    ):
        if one or two:
            sheet.add(_line((name, "dim")), one or "-", two or "-")
    title = _line((first.about.name, "bold"), " and ", (second.about.name, "bold"))
    return Group(title, _facts(told), sheet, _INTERVALS)


def _side(side: "Side") -> tuple[str, ...]:
    return (
        share(side.agreement) if side.agreement.of else "",
        share(side.decided) if side.decided.of and side.decided.of < side.agreement.of else "",
        f"{side.alone:,}" if side.decided.of else "",
        share(side.flips) if side.flips.of else "",
        f"{side.undecided:,}" if side.undecided else "",
        f"{side.failed:,}" if side.failed else "",
        "" if side.mean_value is None else f"{side.mean_value:z.4f}",
        f"{side.settled:,} items, {_spent(side.spent)} USD",
    )


def disagreements_table(comparison: "Comparison", rows: "Sequence[Disagreement]") -> "RenderableType":
    sheet = Sheet("item", comparison.first.about.name, comparison.second.about.name, "label")
    for row in rows:
        sheet.add(row.id, row.first, row.second, row.label or "-")
    return sheet


def log_screen(name: str, log: "InspectLog") -> "RenderableType":
    title = _line((name, "bold"), f": {log.task} by {log.model}, ", (log.status, ""))
    told = [("samples", f"{log.samples:,}, an epoch counting as one", "")]
    if log.errors:
        told.append(("errors", f"{len(log.errors):,}; the first: {_error(log)}", "red"))
    sheet = Sheet("scorer", "scores", "not numbers", "mean", right=(1, 2, 3))
    for scored in log.scored:
        mean = "-" if scored.mean is None else f"{scored.mean:z.4f}"
        sheet.add(scored.scorer, f"{scored.scores:,}", f"{scored.scores - scored.numbers:,}", mean)
    return Group(title, _facts(told), sheet)


def _spent(spent: "Spent") -> str:
    return text.spent(spent.cost_usd, spent.unpriced, spent.calls)


def _error(log: "InspectLog") -> str:
    first = log.errors[0]
    return f"{first.sample_id}: {first.message}"


def _told(summary: "Summary") -> list[tuple[str, str, str]]:
    """What there is to say, fact by fact: a name, a text and its colour."""
    counts, sessions = summary.counts, summary.sessions
    told = [("items", _progress(summary), "")]
    if sessions.started_at:
        times = "" if sessions.count == 1 else f", {sessions.count:,} sessions"
        told.append(
            ("when", f"{_time(sessions.started_at)} to {_end(sessions.ended_at, sessions.state)}{times}", "")
        )
    told += [(name, model, "") for name, model in summary.about.models.items()]
    for kind in counts.kinds:
        told += _of_kind(kind)
    if counts.failures:
        told.append(("failed", _kinds(counts.failures), "red"))
    if summary.errors:
        told.append(("no reply", f"{_kinds(summary.errors)}: calls that ended without one", "yellow"))
    if summary.account:
        told.append(("calls", _calls(summary.total), ""))
    if counts.unverified:
        told.append(("unverified", f"{counts.unverified:,} citations, spans and boxes", "yellow"))
    if summary.bad_rows:
        first = summary.first_bad_rows[0]
        told.append(("bad rows", f"{summary.bad_rows:,}; the first: {first.where}: {first.reason}", "yellow"))
    return told


def _of_kind(counts: "KindCounts") -> list[tuple[str, str, str]]:
    told = [(f"{counts.kind}s", _verdicts(counts), "")]
    if counts.flips.of:
        told.append(("flipped", f"{share(counts.flips)}, when the pictures changed places", ""))
    for each in counts.agreement:
        undecided = each.share.of - each.decided.of
        beside = f"; without {undecided:,} undecided {share(each.decided)}" if undecided else ""
        told.append((LIKE[each.labels_by], f"{share(each.share)}{beside}", ""))
    return told


def _verdicts(counts: "KindCounts") -> str:
    if counts.verdicts:
        return f"{counts.settled:,}: {_kinds(counts.verdicts)}"
    if counts.mean_value is not None:
        return f"{counts.settled:,}, mean {counts.mean_value:z.4f}"
    return f"{counts.settled:,}"


def _progress(summary: "Summary") -> str:
    failed = sum(summary.counts.failures.values())
    settled = f"{summary.counts.settled:,} settled{f', {failed:,} of them failed' if failed else ''}"
    if summary.sessions.items is None:
        return settled
    return f"{summary.sessions.items:,}: {settled}, {summary.to_do:,} to do"


def _kinds(counted: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counted.items())


def share(share: "Share") -> str:
    if share.value is None or share.low is None or share.high is None:
        return "0 of 0"
    return f"{text.share(share.value, share.low, share.high)}, {share.count:,} of {share.of:,}"


def _generators(generators: "Generators") -> "RenderableType":
    sheet = Sheet("generator", "score", "95% interval", "won", "drawn", "lost", right=range(1, 6))
    for each in generators.standings[:SHOWN]:
        scored = each.score is not None and each.low is not None and each.high is not None
        sheet.add(
            each.name,
            f"{each.score:+z.2f}" if scored else "-",
            f"{each.low:+z.2f} to {each.high:+z.2f}" if scored else "-",
            f"{each.won:,}",
            f"{each.drawn:,}",
            f"{each.lost:,}",
        )
    more = len(generators.standings) - SHOWN
    notes = [generators.unscored, f"and {more:,} more: --json lists them all." if more > 0 else ""]
    return Group(sheet, *(_line((note, "dim")) for note in notes if note))


def _account(summary: "Summary") -> "RenderableType":
    """By task, and by model where there are several."""
    several = len({line.model for line in summary.account}) > 1
    names = ("task", *(("model",) if several else ()))
    numbers = ("calls", "tokens in", "tokens out", "USD")
    first = len(names)
    sheet = Sheet(*names, *numbers, right=range(first, first + len(numbers)), heading=first)
    for line in (*summary.account, summary.total):
        sheet.add(
            line.task,
            *((line.model,) if several else ()),
            f"{line.calls:,}",
            f"{line.input_tokens:,}",
            f"{line.output_tokens:,}",
            "-" if line.unpriced == line.calls else text.usd(line.cost_usd),
            style="bold" if line is summary.total else "",
        )
    return sheet


def _calls(total: "Line") -> str:
    beside = {
        "could not be read": total.useless,
        "without a price": total.unpriced,
        "more attempts": total.attempts - total.calls,
    }
    return ", ".join((f"{total.calls:,}", *(f"{n:,} {what}" for what, n in beside.items() if n)))


def _time(moment: str) -> str:
    return moment.replace("T", " ")[:16]


def _end(moment: str | None, state: str) -> str:
    return _time(moment) if moment else "now" if state == "running" else "an unknown time"


def _colour(state: str) -> str:
    return _COLOURS.get(state, "yellow")


def _facts(rows: list[tuple[str, str, str]]) -> "RenderableType":
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, fact, style in rows:
        table.add_row(_line((name, "dim")), _line((fact, style)))
    return table


def _line(*parts: Part) -> Text:
    return Text.assemble(*((plain(p), "") if isinstance(p, str) else (plain(p[0]), p[1]) for p in parts))
