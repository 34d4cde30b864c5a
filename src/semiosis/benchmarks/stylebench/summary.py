"""What a stored run says by StyleBench's own measures, from its rows alone."""

from collections.abc import Iterable

from ...building.alignment import Predictions
from ...building.votes import ForcedChoice
from ...core.errors import BadData
from ...core.settled import Settled
from ...core.table import Table
from .predictions import LABELS, verdicts
from .scorecard import score
from .tables import scores_tables

JUDGE = "this run"
TITLE = "StyleBench"


def summarise(rows: Iterable[Settled]) -> tuple[Table, ...]:
    """The tables of `semiosis stylebench score`, with the run as the only judge."""
    every = sorted(rows, key=lambda row: row.position)
    choices = [choice for row in every if (choice := _choice(row))]
    predictions: Predictions = {row.key: verdict for row, verdict in verdicts(every)}
    unusable = len(every) - len(choices)
    lacking = (f"{unusable:,} rows do not name two methods, a content and a style.",) if unusable else ()
    try:
        first, *others = scores_tables(TITLE, score(choices, {JUDGE: predictions}))
    except BadData as error:
        return (Table.facts((), title=TITLE, notes=(f"No score: {error}", *lacking)),)
    return first.model_copy(update={"notes": (*first.notes, *lacking)}), *others


def _choice(row: Settled) -> ForcedChoice | None:
    """What people were asked. None where the labels do not tell."""
    content, style, a, b = (row.labels.get(name) for name in LABELS)
    if None in (content, style, a, b) or a == b:
        return None
    winner = row.labels.get("winner")
    return ForcedChoice(
        id=row.key,
        group=(str(content), str(style)),
        prompt="",
        a=str(a),
        b=str(b),
        winner=winner if winner in ("a", "b") else None,
        annotated=winner is not None,
    )
