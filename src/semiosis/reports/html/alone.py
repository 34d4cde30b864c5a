"""What the pages of an Interpretation, a Score and an Answer say."""

from dataclasses import dataclass, replace

from ...core.cascade import Reading
from ...core.outcome import Answer, Interpretation, Score
from ...core.sign import Artifact, Question, told_apart
from ..words import by_votes, extent, place
from .cards import Laid, lay
from .citations import Piece, pieces
from .evidence import Cited
from .marks import Mark, marks_of, register
from .plates import DrawnBox, Plate, plate
from .spans import Stretch, not_found, stretches

_SIDES = ("a", "b")


@dataclass(frozen=True)
class SinglePage:
    """One prompt, one picture, or both, with what was read in them."""

    outcome: Interpretation | Score
    kicker: str
    title: str
    prompt: tuple[Stretch, ...]
    lost: tuple[tuple[Mark, str], ...]
    plate: Plate | None
    readings: tuple[Laid, ...]
    unverified: int


@dataclass(frozen=True)
class AnswerPage:
    answer: Answer
    title: str
    plates: tuple[Plate, ...]
    regions: tuple[tuple[str, DrawnBox], ...]
    prose: tuple[Piece, ...]
    cited: tuple[Cited, ...]
    readings: tuple[Laid, ...]
    unverified: int


def interpretation_page(outcome: Interpretation) -> SinglePage:
    reading = outcome.reading
    kicker = "A prompt, read" if reading.of == "prompt" else "A picture, read"
    if outcome.prompt is None:
        kicker += " without its prompt"
    return _single(outcome, (kicker, reading.graph.label), outcome.artifact, (reading,))


def score_page(outcome: Score) -> SinglePage:
    rounds = outcome.cascade.rounds if outcome.cascade else ()
    ends = (rounds[0], rounds[-1]) if rounds else ()
    return _single(outcome, ("A score", f"{outcome.value:z.3f}"), outcome.artifact, ends)


def _single(
    outcome: Interpretation | Score,
    title: tuple[str, str],
    artifact: Artifact | None,
    readings: tuple[Reading, ...],
) -> SinglePage:
    text = outcome.prompt.text if outcome.prompt else None
    read = {reading.of: reading for reading in readings}
    prompt, picture = read.get("prompt"), read.get("artifact")
    prompt_marks = marks_of("prompt", prompt.graph if prompt else None)
    marks = marks_of("a", picture.graph if picture else None)
    return SinglePage(
        outcome=outcome,
        kicker=title[0],
        title=title[1],
        prompt=stretches(text, prompt.graph if prompt else None, prompt_marks) if text else (),
        lost=not_found(prompt.graph if prompt else None, prompt_marks),
        plate=plate(artifact, artifact.name, marks, picture.graph if picture else None, outcome.provenance)
        if artifact
        else None,
        readings=tuple(
            lay(reading, prompt_marks if reading.of == "prompt" else marks) for reading in readings
        ),
        unverified=sum(reading.graph.unverified for reading in readings),
    )


def answer_page(answer: Answer) -> AnswerPage:
    graphs = [reading.graph for reading in answer.readings]
    named = [
        marks_of(side, graphs[place] if place < len(graphs) else None)
        for place, side in enumerate(_SIDES[: max(1, len(answer.artifacts))])
    ]
    marks = register(named)
    plates = [
        plate(artifact, name, own, graphs[place] if place < len(graphs) else None, answer.provenance)
        for place, (artifact, name, own) in enumerate(
            zip(answer.artifacts, told_apart(answer.artifacts), named, strict=False)
        )
    ]
    return AnswerPage(
        answer=answer,
        title=_title(answer),
        plates=tuple(plates),
        regions=_regions(answer.question),
        prose=pieces(answer.reasoning, marks),
        cited=tuple(
            Cited(
                mark=marks.get(item.node),
                node=item.node,
                reasons=(pieces(item.rationale, marks),),
                verified=item.verified and item.node in marks,
                supports=None,
            )
            for item in answer.evidence
        ),
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
    found: list[tuple[str, DrawnBox]] = []
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
        found.append(
            (
                name,
                DrawnBox(mark, left, top, right - left, bottom - top, left / 10, top / 10, "", where, False),
            )
        )
    return tuple(found)
