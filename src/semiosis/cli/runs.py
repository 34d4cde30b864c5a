"""`semiosis runs`: what was run, how it stands, what came out."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from ..runs.account import Line
    from ..runs.summary import Share, Summary

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


def show_summary(summary: "Summary", *, as_json: bool) -> None:
    import json
    from dataclasses import asdict

    from .setting import console

    if as_json:
        print(json.dumps(asdict(summary), indent=2))
        return
    out = console()
    about = summary.about
    out.print(_line((about.name, "bold"), f": {about.method} on {about.benchmark}, ", _state(summary)))
    out.print(_facts(_told(summary)))
    if summary.account:
        out.print(_account_table(summary))


def _told(summary: "Summary") -> list[tuple[str, str, str]]:
    """What there is to say, fact by fact: a name, a text and its colour."""
    counts, sessions = summary.counts, summary.sessions
    told = [("items", _progress(summary), "")]
    if sessions.started_at:
        times = "" if sessions.count == 1 else f", {sessions.count:,} sessions"
        told.append(("when", f"{_time(sessions.started_at)} to {_time(sessions.ended_at)}{times}", ""))
    models = {name: summary.about.configuration.get(name) for name in ("builder", "judge")}
    told += [(name, str(model), "") for name, model in models.items() if model]
    if counts.winners:
        told.append(("winners", ", ".join(f"{n:,} {side}" for side, n in counts.winners.items()), ""))
    if counts.flips.of:
        told.append(("flipped", f"{_share(counts.flips)} with the order", ""))
    if counts.agreement.of or counts.labelled_undecided:
        beside = f"; {counts.labelled_undecided:,} more were undecided" if counts.labelled_undecided else ""
        told.append(("as people", f"{_share(counts.agreement)} decided alike{beside}", ""))
    if answered := counts.kinds.get("answer"):
        right = f"{_share(counts.correct)} correct" if counts.correct.of else "none has a known answer"
        told.append(("answers", f"{answered:,}: {right}", ""))
    if counts.mean_score is not None:
        told.append(("scores", f"{counts.scores:,}, mean {counts.mean_score:.4f}", ""))
    if counts.failures:
        told.append(("failed", _kinds(counts.failures), "red"))
    if summary.errors:
        told.append(("no reply", f"calls that ended without one: {_kinds(summary.errors)}", "yellow"))
    if counts.unverified:
        told.append(("unverified", f"{counts.unverified:,} citations, spans and boxes", "yellow"))
    if summary.bad_rows:
        first = summary.first_bad_rows[0]
        told.append(("bad rows", f"{summary.bad_rows:,}; the first: {first.where}: {first.reason}", "yellow"))
    return told


def _progress(summary: "Summary") -> str:
    settled = f"{summary.counts.settled:,} settled"
    if summary.sessions.items is None:
        return settled
    return f"{summary.sessions.items:,}: {settled}, {summary.to_do:,} to do"


def _state(summary: "Summary") -> tuple[str, str]:
    state = summary.sessions.state
    return (state, {"done": "green", "running": "cyan", "imported": "green"}.get(state, "yellow"))


def _kinds(counted: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counted.items())


def _share(share: "Share") -> str:
    if share.value is None or share.low is None or share.high is None:
        return "0 of 0"
    return f"{share.count:,} of {share.of:,} ({share.value:.1%}, 95% {share.low:.1%} to {share.high:.1%})"


def _time(moment: str | None) -> str:
    return moment.replace("T", " ")[:16] if moment else "now"


def _account_table(summary: "Summary") -> "RenderableType":
    from rich.table import Table

    table = Table(title="account", title_justify="left")
    for column in ("task", "model"):
        table.add_column(column, overflow="fold")
    for column in ("calls", "useless", "attempts", "tokens in", "tokens out", "USD"):
        table.add_column(column, justify="right")
    for line in summary.account:
        table.add_row(_line(line.task), _line(line.model), *_numbers(line))
    table.add_section()
    table.add_row("together", "", *_numbers(summary.total))
    return table


def _numbers(line: "Line") -> tuple[str, ...]:
    counted = (line.calls, line.useless, line.attempts, line.input_tokens, line.output_tokens)
    return (*(f"{number:,}" for number in counted), _usd(line.cost_usd, line.unpriced, line.calls))


def _usd(cost_usd: float, unpriced: int, calls: int) -> str:
    if unpriced and unpriced == calls:
        return "unknown"
    known = f"{cost_usd:,.4f}" if cost_usd < 100 else f"{cost_usd:,.2f}"
    return f"{known} + {unpriced:,} unknown" if unpriced else known


def _facts(rows: list[tuple[str, str, str]]) -> "RenderableType":
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, text, style in rows:
        table.add_row(_line((name, "dim")), _line((text, style)))
    return table


def _line(*parts: str | tuple[str, str]) -> "Text":
    """Text without control characters: names and reasons come from outside."""
    from rich.text import Text

    from ..reports.terminal import plain

    return Text.assemble(*((plain(p), "") if isinstance(p, str) else (plain(p[0]), p[1]) for p in parts))
