"""The page of a Score."""

from typing import TYPE_CHECKING

from ...core.kinds.rating import Score
from ..html.page import fill_outcome
from ..html.single import single_view
from ..lines import line
from ..page import Page, page
from ..parts import PartsLayout, layout_of, part_lines
from ..words import gap_words

if TYPE_CHECKING:
    from rich.console import RenderableType


@page("score")
class ScorePage(Page):
    def html(self, outcome: Score) -> str:
        rounds = outcome.cascade.rounds if outcome.cascade else ()
        ends = (rounds[0], rounds[-1]) if rounds else ()
        title = ("A score", f"{outcome.value:z.3f}")
        parts = layout_of(outcome.measurement)
        lede = _lede(outcome, parts)
        view = single_view(outcome, outcome.prompt, title, outcome.artifact, ends, lede)
        return fill_outcome("single.html.j2", outcome, page=view, passages=(), parts=parts)

    def lines(self, outcome: Score) -> "list[RenderableType]":
        parts = layout_of(outcome.measurement)
        return [
            line(("Score ", "bold"), (f"{outcome.value:z.3f}", "bold"), " (higher is better)"),
            *([line(_sum(parts))] if _sum(parts) else []),
            *(part_lines(parts) if parts else []),
        ]


def _lede(score: Score, parts: PartsLayout | None) -> str:
    lede = " ".join(filter(None, ["One number for one picture; higher is better.", _sum(parts)]))
    if score.gap is None:
        return lede
    return f"{lede} Its semiosis gap is {gap_words(score.gap)}."


def _sum(parts: PartsLayout | None) -> str:
    return f"{parts.sums[0].capitalize()}." if parts and parts.sums[0] else ""
