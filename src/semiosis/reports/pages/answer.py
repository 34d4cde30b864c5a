"""The page of an Answer."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...core.kinds.question import Answer
from ...core.sign import Question, distinct_names, letters
from ..html.cards import Laid, lay
from ..html.citations import Citation, Piece, pieces
from ..html.marks import marks_of, register
from ..html.page import fill_outcome
from ..html.plates import DrawnBox, Plate, plate
from ..lines import facts, line
from ..page import Page, page
from ..words import by_votes, extent, place

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class AnswerView:
    title: str
    plates: tuple[Plate, ...]
    regions: tuple[tuple[str, DrawnBox], ...]
    prose: tuple[Piece, ...]
    cited: tuple[Citation, ...]
    readings: tuple[Laid, ...]
    unverified: int


@page("answer")
class AnswerPage(Page):
    def html(self, outcome: Answer) -> str:
        return fill_outcome("answer.html.j2", outcome, page=_view(outcome))

    def lines(self, outcome: Answer) -> "list[RenderableType]":
        return _lines(outcome)


def _view(answer: Answer) -> AnswerView:
    graphs = [reading.graph for reading in answer.readings]
    named = [
        marks_of(side, graphs[place] if place < len(graphs) else None)
        for place, side in enumerate(letters(max(1, len(answer.artifacts))))
    ]
    marks = register(named)
    plates = [
        plate(artifact, name, own, graphs[place] if place < len(graphs) else None, answer.provenance)
        for place, (artifact, name, own) in enumerate(
            zip(answer.artifacts, distinct_names(answer.artifacts), named, strict=False)
        )
    ]
    return AnswerView(
        title=_title(answer),
        plates=tuple(plates),
        regions=_regions(answer.question),
        prose=pieces(answer.reasoning, marks),
        cited=tuple(Citation.of(item.node, [(item, None)], marks) for item in answer.evidence),
        readings=tuple(lay(reading, own) for reading, own in zip(answer.readings, named, strict=False)),
        unverified=sum(graph.unverified for graph in graphs)
        + sum(not item.verified for item in answer.evidence),
    )


def _title(answer: Answer) -> str:
    verdict = {True: "right", False: "wrong", None: "no key to check it against"}[answer.correct]
    return f"Answered {answer.choice}{by_votes(answer.choice, answer.votes, len(answer.failures))}: {verdict}"


def _regions(question: Question) -> tuple[tuple[str, DrawnBox], ...]:
    """The regions a question names, drawn in ink; they are the question's, not the reading's."""
    base = marks_of("region", None)[0]
    regions: list[tuple[str, DrawnBox]] = []
    for position, (name, (x0, y0, x1, y1)) in enumerate(question.boxes.items(), start=1):
        # Benchmarks write regions in thousandths, our own records as shares.
        scale = 1000 if max(x0, y0, x1, y1) <= 1 else 1
        left, right = sorted(min(1000.0, max(0.0, x * scale)) for x in (x0, x1))
        top, bottom = sorted(min(1000.0, max(0.0, y * scale)) for y in (y0, y1))
        mark = replace(
            base, key=f"region-{position}", name=name, short=name.rpartition("_")[2][:3], label=name
        )
        middle = place((left + right) / 2000, (top + bottom) / 2000)
        where = f"{middle}, {extent((right - left) * (bottom - top) / 1e6)}"
        regions.append(
            (
                name,
                DrawnBox(mark, left, top, right - left, bottom - top, left / 10, top / 10, "", where, False),
            )
        )
    return tuple(regions)


def _lines(answer: Answer) -> "list[RenderableType]":
    verdict = {
        True: ("right", "green"),
        False: ("wrong", "red"),
        None: ("the question file holds no answer to check it against", "dim"),
    }
    return [
        line(answer.question.question),
        facts(
            [
                (f"  {key}", text, "bold" if key == answer.choice else "")
                for key, text in answer.question.choices.items()
            ]
        ),
        line(
            ("Answered ", "bold"),
            (answer.choice, "bold"),
            f"{by_votes(answer.choice, answer.votes, len(answer.failures))}: ",
            verdict[answer.correct],
        ),
        line(answer.reasoning),
    ]
