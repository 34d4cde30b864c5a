"""The page of a Failure."""

from typing import TYPE_CHECKING

from ...core.outcome import Failure
from ..html.page import fill_outcome
from ..lines import line
from ..page import Page, page

if TYPE_CHECKING:
    from rich.console import RenderableType


@page("failure")
class FailurePage(Page):
    def html(self, outcome: Failure) -> str:
        return fill_outcome("failure.html.j2", outcome)

    def lines(self, outcome: Failure) -> "list[RenderableType]":
        return _lines(outcome)


def _lines(failure: Failure) -> "list[RenderableType]":
    lines: list[RenderableType] = [
        line((f"No result: {failure.reason}", "bold red"), f" at {failure.stage}" if failure.stage else ""),
        line(failure.message),
    ]
    if failure.reply:
        lines.append(
            line(("It replied: ", "dim"), failure.reply[:400] + ("…" if len(failure.reply) > 400 else ""))
        )
    return lines
