"""The page of a Score."""

from typing import TYPE_CHECKING

from ...core.kinds.rating import Score
from ..html.page import fill_outcome
from ..html.single import single_view
from ..lines import line
from ..page import Page, page
from ..words import gap_words

if TYPE_CHECKING:
    from rich.console import RenderableType


@page("score")
class ScorePage(Page):
    def html(self, outcome: Score) -> str:
        rounds = outcome.cascade.rounds if outcome.cascade else ()
        ends = (rounds[0], rounds[-1]) if rounds else ()
        title = ("A score", f"{outcome.value:z.3f}")
        view = single_view(outcome, outcome.prompt, title, outcome.artifact, ends, _lede(outcome))
        return fill_outcome("single.html.j2", outcome, page=view)

    def lines(self, outcome: Score) -> "list[RenderableType]":
        return [line(("Score ", "bold"), (f"{outcome.value:z.3f}", "bold"), " (higher is better)")]


def _lede(score: Score) -> str:
    lede = "One number for one picture; higher is better."
    if score.gap is None:
        return lede
    return f"{lede} Its semiosis gap is {gap_words(score.gap)}."
