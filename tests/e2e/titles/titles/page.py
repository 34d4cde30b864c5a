"""The page of an Aptness."""

from semiosis.benchmarks import Page, fill_outcome, line, page

from .kinds import Aptness


@page("aptness")
class AptnessPage(Page):
    def html(self, outcome: Aptness) -> str:
        return fill_outcome("aptness.html.j2", outcome, beside=__file__)

    def lines(self, outcome: Aptness) -> list[object]:
        return [line((outcome.title, "bold"), f" is {outcome.verdict}: {outcome.points} of 10 points.")]
