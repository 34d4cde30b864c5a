"""What a stored run says by StyleBench's own measures, from its rows alone."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...building.votes import ForcedChoice, Hand
from ...core.errors import BadData
from ...core.settled import UNDECIDED, Settled
from ...core.table import Table
from ...sources.votes import Verdict
from .scorecard import score
from .tables import scores_tables

if TYPE_CHECKING:
    from ...core.item import Label

JUDGE = "this run"
TITLE = "StyleBench"

_SIDES: "dict[Label, Hand]" = {"a": "left", "b": "right"}
_VERDICTS: dict[str, Verdict] = {"a": "left", "b": "right", UNDECIDED: "tie"}


def summarise(rows: Iterable[Settled]) -> tuple[Table, ...]:
    """The tables of `semiosis stylebench score`, with the run as the only judge."""
    choices: list[ForcedChoice] = []
    verdicts: dict[str, Verdict | None] = {}
    unusable = 0
    for row in sorted(rows, key=lambda row: row.position):
        choice = _choice(row)
        if choice is None:
            unusable += 1
            continue
        choices.append(choice)
        if row.reason is not None:
            verdicts[row.key] = None
        elif row.verdict in _VERDICTS:
            verdicts[row.key] = _VERDICTS[row.verdict]
    lacking = (f"{unusable:,} rows do not name two methods, a content and a style.",) if unusable else ()
    try:
        first, *others = scores_tables(TITLE, score(choices, {JUDGE: verdicts}))
    except BadData as error:
        return (Table.facts((), title=TITLE, notes=(f"No score: {error}", *lacking)),)
    return first.model_copy(update={"notes": (*first.notes, *lacking)}), *others


def _choice(row: Settled) -> ForcedChoice | None:
    """What people were asked; a is the left. None where the labels do not tell."""
    content, style, left, right = (
        row.labels.get(name) for name in ("content", "style", "model_a", "model_b")
    )
    if None in (content, style, left, right) or left == right:
        return None
    winner = row.labels.get("winner")
    return ForcedChoice(
        id=row.key,
        group=(str(content), str(style)),
        prompt="",
        left=str(left),
        right=str(right),
        winner=_SIDES.get(winner),
        annotated=winner is not None,
    )
