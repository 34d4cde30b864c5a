"""An outcome in the terminal, good at 80 columns. Whatever a model wrote is shown as text, never as markup.

show(judgment)
"""

from typing import TYPE_CHECKING

from ..core.cascade import Cascade, SemiosisGap, iconicity, mismatch
from ..core.graph import HSG
from ..core.outcome import Answer, Evidence, Failure, Interpretation, Judgment, Outcome, Provenance, Score
from ..core.sign import told_apart
from ..core.text import plain
from .provenance import account
from .verdict import headline, is_computed, shown_as, stability, tally
from .words import by_votes, count, doubts

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_TOP = 6


def show(outcome: Outcome, console: "Console | None" = None) -> None:
    from rich.console import Console, Group

    target = console or Console()
    match outcome:
        case Judgment():
            body = _judgment(outcome)
        case Interpretation():
            body = [_line("Read by ", (outcome.reading.interpreter, "")), *_graph(outcome.reading.graph)]
        case Score():
            body = [_line(("Score ", "bold"), (f"{outcome.value:z.3f}", "bold"), " (higher is better)")]
        case Answer():
            body = _answer(outcome)
        case Failure():
            body = _failure(outcome)
    if outcome.provenance:
        body += [_line(), _account(outcome.provenance)]
    target.print(Group(*body))


def _line(*parts: str | tuple[str, str]) -> "Text":
    from rich.text import Text

    return Text.assemble(*((plain(p), "") if isinstance(p, str) else (plain(p[0]), p[1]) for p in parts))


def _rows(rows: list[tuple[str, str, str]]) -> "RenderableType":
    """Two columns: a short name and a text that wraps beside it."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(min_width=12, max_width=24, overflow="fold")
    table.add_column(overflow="fold")
    for name, text, style in rows:
        table.add_row(_line((name, "dim")), _line((text, style)))
    return table


def _judgment(judgment: Judgment) -> "list[RenderableType]":
    said: list[RenderableType] = [
        _line(("Prompt  ", "dim"), judgment.pair.prompt.text),
        _line(),
        _line((headline(judgment), "bold")),
        _line(f"{tally(judgment)} (preference for A: {judgment.preference:.2f}). {stability(judgment)}."),
        *([] if is_computed(judgment) else [_line(("Votes   ", "dim"), _votes(judgment))]),
        _line(),
    ]
    if judgment.cascade_a:
        meant = judgment.cascade_a.prompt.root
        said += [
            _line(("The prompt means", "bold")),
            _rows([("  object", meant.object, "bold"), ("  interpretant", meant.interpretant, "italic")]),
        ]
    pictures = told_apart((judgment.pair.a, judgment.pair.b))
    cascades = (judgment.cascade_a, judgment.cascade_b)
    for name, picture, cascade in zip("AB", pictures, cascades, strict=True):
        said.append(_line((f"Picture {name} ", "bold"), (picture, "dim")))
        if cascade:
            said.append(_reading(cascade, judgment.gap_a if name == "A" else judgment.gap_b))
    if judgment.evidence:
        checked = sum(item.verified for item in judgment.evidence)
        said += [
            _line(),
            _line(("Evidence", "bold"), (f", {checked} of {len(judgment.evidence)} verified", "dim")),
            _evidence(judgment.evidence, _labels(judgment)),
        ]
    if judgment.unverified:
        pointers = count(judgment.unverified, "pointer").capitalize()
        said.append(
            _line(
                (f"{pointers} not verified, over all votes, spans and boxes; the page shows which.", "yellow")
            )
        )
    said += [
        _line((f"Failed: {failure.reason}", "red"), f" at {failure.stage or 'a call'}: {failure.message}")
        for failure in judgment.failures
    ]
    return said


def _votes(judgment: Judgment) -> str:
    return ", ".join(
        f"{vote.winner.upper() if vote.winner else 'neither'} ({shown_as(vote)})" for vote in judgment.votes
    )


def _reading(cascade: Cascade, gap: SemiosisGap | None) -> "RenderableType":
    root = cascade.artifact.root
    rows = [("  object", root.object, "bold"), ("  interpretant", root.interpretant, "italic")]
    found, apart = iconicity(cascade.artifact), mismatch(cascade)
    if found is not None and apart is not None:
        rows.append(("  iconicity", f"{found:.2f}, mismatch with the prompt {apart:.2f}", ""))
    if gap is not None:
        rows.append(("  gap", f"{gap.distance:.3f} (0 to 2, smaller is nearer)", ""))
    return _rows(rows)


def _labels(judgment: Judgment) -> dict[str, str]:
    """What each node is called, by the name it is cited with."""
    labels: dict[str, str] = {}
    for side, cascade in (("a", judgment.cascade_a), ("b", judgment.cascade_b)):
        for sign, graph in (("prompt", cascade.prompt), (side, cascade.artifact)) if cascade else ():
            labels[sign] = graph.label
            labels |= {f"{sign}.{child.id}": child.label for child in graph.children}
    return labels


def _evidence(evidence: tuple[Evidence, ...], labels: dict[str, str]) -> "RenderableType":
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(max_width=24, overflow="fold")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for item in evidence[:_TOP]:
        side = f"for {item.supports.upper()}" if item.supports else "for neither"
        label = labels.get(item.node, "")
        text = f"{label}: {item.rationale}" if label else item.rationale
        text = text if item.verified else f"(not verified) {text}"
        table.add_row(
            _line((f"  {item.node}", "bold")),
            _line((side, "dim")),
            _line((text, "" if item.verified else "yellow")),
        )
    if len(evidence) > _TOP:
        table.add_row(_line(""), _line(""), _line((f"and {len(evidence) - _TOP} more", "dim")))
    return table


def _graph(graph: HSG) -> "list[RenderableType]":
    root = graph.root
    said: list[RenderableType] = [
        _line((graph.label, "bold")),
        _rows(
            [
                ("  sign", root.sign, ""),
                ("  object", root.object, "bold"),
                ("  interpretant", root.interpretant, "italic"),
                ("  grounds", "; ".join(f"{each.type} ({each.reason})" for each in root.grounds), ""),
            ]
        ),
    ]
    for child in graph.children:
        doubt = f" ({doubts(child)})" if child.unverified else ""
        types = ", ".join(dict.fromkeys(ground.type for ground in child.grounds))
        said.append(_rows([(f"  {child.id}", f"{child.label}: {child.object} [{types}]{doubt}", "")]))
    return said


def _answer(answer: Answer) -> "list[RenderableType]":
    verdict = {
        True: ("right", "green"),
        False: ("wrong", "red"),
        None: ("the question file holds no answer to check it against", "dim"),
    }
    return [
        _line(answer.question.question),
        _rows(
            [
                (f"  {key}", text, "bold" if key == answer.choice else "")
                for key, text in answer.question.choices.items()
            ]
        ),
        _line(
            ("Answered ", "bold"),
            (answer.choice, "bold"),
            f"{by_votes(answer.choice, answer.votes, len(answer.failures))}: ",
            verdict[answer.correct],
        ),
        _line(answer.reasoning),
    ]


def _failure(failure: Failure) -> "list[RenderableType]":
    said: list[RenderableType] = [
        _line((f"No result: {failure.reason}", "bold red"), f" at {failure.stage}" if failure.stage else ""),
        _line(failure.message),
    ]
    if failure.reply:
        said.append(
            _line(("It replied: ", "dim"), failure.reply[:400] + ("…" if len(failure.reply) > 400 else ""))
        )
    return said


def _account(provenance: Provenance) -> "Text":
    told = account(provenance)
    parts = [told.method, ", ".join(told.models), f"tokens: {told.tokens}", f"cost: {told.cost}"]
    if told.cached:
        parts.append(f"{told.cached} of {len(told.calls)} calls from the cache")
    if told.recorded:
        parts.append(f"{told.recorded} of {len(told.calls)} replayed from a recording")
    return _line((" · ".join(part for part in parts if part), "dim"))
