"""The page of an Interpretation."""

from typing import TYPE_CHECKING

from ...core.graph import HSG
from ...core.kinds.interpretation import Interpretation
from ..html.page import fill_outcome
from ..html.single import single_view
from ..lines import facts, line
from ..page import Page, page
from ..words import doubts

if TYPE_CHECKING:
    from rich.console import RenderableType


@page("interpretation")
class InterpretationPage(Page):
    def html(self, outcome: Interpretation) -> str:
        reading = outcome.reading
        kicker = "A picture, read" if outcome.artifact else "A prompt, read"
        if outcome.prompt is None:
            kicker += " without its prompt"
        title = (kicker, reading.graph.label if reading else "In prose")
        readings = (reading,) if reading else ()
        view = single_view(outcome, outcome.prompt, title, outcome.artifact, readings)
        return fill_outcome("single.html.j2", outcome, page=view, passages=outcome.passages, parts=None)

    def lines(self, outcome: Interpretation) -> "list[RenderableType]":
        reading = outcome.reading
        graph = [line("Read by ", (reading.interpreter, "")), *_graph(reading.graph)] if reading else []
        prose = [
            each
            for passage in outcome.passages
            for each in (line((passage.title, "bold")), line(passage.text), line())
        ]
        return [*graph, *prose]


def _graph(graph: HSG) -> "list[RenderableType]":
    root = graph.root
    lines: list[RenderableType] = [
        line((graph.label, "bold")),
        facts(
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
        lines.append(facts([(f"  {child.id}", f"{child.label}: {child.object} [{types}]{doubt}", "")]))
    return lines
