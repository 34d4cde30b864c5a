"""How a run's command ends: what must hold for exit 0, and the last line, which says what did not."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from ..core.errors import BadSetting
from ..core.text import percent, plain
from ..runs.asking import Ended
from ..runs.summary import Counts, FailedItem, Summary
from . import exits


@dataclass(frozen=True)
class Gates:
    """At most so many failures (half of the items, if None), and at least such a share judged as labelled."""

    max_failures: Annotated[
        int | None,
        typer.Option(min=0, help="Exit 3 when more items failed than this; than half of them if left out."),
    ] = None
    min_agreement: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Exit 1 when fewer labelled pairs are judged as labelled (a share)."),
    ] = None

    def leave(self, summary: Summary, ended: Ended, cause: FailedItem | None) -> None:
        """Print the last line, and raise the exit where one of them does not hold."""
        self.leave_all([(summary, ended, cause)])

    def leave_all(self, runs: Sequence[tuple[Summary, Ended, FailedItem | None]]) -> None:
        """The same of several runs: a line of each, and the worst of their exits."""
        worst = 0
        for summary, ended, cause in runs:
            code, sentence = self._judged(summary, ended, cause)
            if sentence:
                name = f"{summary.about.name}: " if len(runs) > 1 else ""
                print(plain(f"{name}{sentence}").rstrip(), file=sys.stderr)
            worst = max(worst, code)
        if worst:
            raise typer.Exit(worst)

    def _judged(self, summary: Summary, ended: Ended, cause: FailedItem | None) -> tuple[int, str]:
        counts = summary.counts
        if ended.how in exits.ENDINGS:
            return exits.ENDINGS[ended.how], _stopped(summary.to_do or 0, ended)
        failed = sum(counts.failures.values())
        allowed = counts.settled // 2 if self.max_failures is None else self.max_failures
        if failed > allowed or not counts.settled:
            return exits.NO_RESULT, _failed(counts, cause)
        return self._agreed(counts) or (0, _failed(counts, cause))

    def _agreed(self, counts: Counts) -> tuple[int, str] | None:
        if self.min_agreement is None:
            return None
        agreements = [each for kind in counts.kinds for each in kind.agreement]
        alike = sum(each.share.count for each in agreements)
        labelled = sum(each.share.of for each in agreements)
        if not labelled:
            raise BadSetting("--min-agreement needs labels, and no item that was settled has one.")
        if alike / labelled >= self.min_agreement:
            return None
        return exits.BELOW, (
            f"{alike:,} of {labelled:,} labelled items came out as labelled ({percent(alike / labelled)}); "
            f"--min-agreement asks for {percent(self.min_agreement)}."
        )


def _stopped(rest: int, ended: Ended) -> str:
    by_budget = ended.how == "budget"
    to_go = (
        f"Stopped{' by the budget' if by_budget else ''} with {rest:,} items to go: "
        f"add --resume{' and a larger --budget-usd' if by_budget else ''} to go on. "
    )
    return f"{to_go if rest else ''}{ended.message}"


def _failed(counts: Counts, cause: FailedItem | None) -> str:
    if cause is None:
        return (
            ""
            if counts.settled
            else "Not one row became an item: `semiosis runs show NAME --bad-rows` says why."
        )
    failed = sum(counts.failures.values())
    most = "" if len(counts.failures) == 1 else "most of them "
    return (
        f"{failed:,} of {counts.settled:,} failed (--resume --retry-failed asks for them again); "
        f"{most}{cause.reason}: {cause.message}"
    )
