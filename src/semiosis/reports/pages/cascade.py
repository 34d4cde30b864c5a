"""The page of a CascadeReading: each round with its picture, what it was read as, and how far it went."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.cascade import SemiosisGap, SignKind, iconicity
from ...core.kinds.cascade import CascadeReading
from ...core.sign import distinct_names, letters
from ..html.cards import Laid, lay
from ..html.marks import Mark, marks_of
from ..html.page import fill_outcome
from ..html.plates import Plate, plate
from ..html.spans import Stretch, not_found, stretches
from ..lines import facts, line
from ..page import Page, page
from ..words import count, gap_words

if TYPE_CHECKING:
    from rich.console import RenderableType

_WHAT: dict[SignKind, str] = {
    "prompt": "a prompt, written",
    "artifact": "a picture, made",
    "edit": "a picture, edited",
    "words": "a viewer's words, said",
}


@dataclass(frozen=True)
class Stop:
    """One round after the first. Rounds are counted from 1, as a reader does."""

    number: int
    source: int
    what: str
    maker: str
    sign: str
    name: str
    plate: Plate | None
    laid: Laid
    expected: float | None
    actual: float | None
    mismatch: float | None
    gap: SemiosisGap | None


@dataclass(frozen=True)
class CascadeView:
    kicker: str
    title: str
    lede: str
    prompt: tuple[Stretch, ...]
    lost: tuple[tuple[Mark, str], ...]
    prompt_reading: Laid
    stops: tuple[Stop, ...]


@page("cascade")
class CascadePage(Page):
    def html(self, outcome: CascadeReading) -> str:
        return fill_outcome("cascade.html.j2", outcome, page=_view(outcome))

    def lines(self, outcome: CascadeReading) -> "list[RenderableType]":
        return _lines(outcome)


def _view(outcome: CascadeReading) -> CascadeView:
    first = outcome.cascade.rounds[0]
    marks = marks_of("prompt", first.graph)
    return CascadeView(
        kicker=f"A cascade of {count(len(outcome.cascade.rounds), 'round')}",
        title=_title(outcome),
        lede=_lede(outcome),
        prompt=stretches(outcome.prompt.text, first.graph, marks),
        lost=not_found(first.graph, marks),
        prompt_reading=lay(first, marks),
        stops=_stops(outcome),
    )


def _stops(outcome: CascadeReading) -> tuple[Stop, ...]:
    cascade = outcome.cascade
    pictures = zip(
        letters(len(outcome.artifacts)), outcome.artifacts, distinct_names(outcome.artifacts), strict=True
    )
    stops: list[Stop] = []
    for index, reading in enumerate(cascade.rounds[1:], 1):
        letter, artifact, file = next(pictures) if reading.pictured else (f"r{index + 1}", None, "")
        marks, source = marks_of(letter, reading.graph), cascade.source(index)
        stops.append(
            Stop(
                number=index + 1,
                source=source + 1,
                what=_WHAT[reading.of],
                maker=reading.maker,
                sign=letter,
                name=marks[0].name,
                plate=plate(artifact, file, marks, reading.graph, outcome.provenance) if artifact else None,
                laid=lay(reading, marks),
                expected=iconicity(cascade.rounds[source].graph),
                actual=iconicity(reading.graph),
                mismatch=outcome.mismatches[index - 1],
                gap=outcome.gaps[index - 1] if outcome.gaps else None,
            )
        )
    return tuple(stops)


def _title(outcome: CascadeReading) -> str:
    """How far the last round came, against the first that was made; without a gap, what it was read as."""
    if len(outcome.gaps) < 2:
        return outcome.cascade.rounds[-1].graph.label
    first, last = (round(gap.distance, 3) for gap in (outcome.gaps[0], outcome.gaps[-1]))
    how = "as near to" if last == first else "nearer to" if last < first else "further from"
    than = "as" if last == first else "than"
    return f"The last round is read {how} the prompt {than} the first picture"


def _lede(outcome: CascadeReading) -> str:
    pictures = f"{count(len(outcome.artifacts), 'picture').capitalize()}, each read without the prompt."
    if not outcome.gaps:
        return f"{pictures} No gap was measured: the embedding is not installed."
    widest = outcome.gaps[0].widest
    distances = ", ".join(f"{gap.distance:.3f}" for gap in outcome.gaps)
    return f"{pictures} Gap to the prompt, round by round: {distances} (0 to {widest}, smaller is nearer)."


def _lines(outcome: CascadeReading) -> "list[RenderableType]":
    cascade = outcome.cascade
    names = iter(distinct_names(outcome.artifacts))
    root = cascade.prompt.root
    lines: list[RenderableType] = [
        line(("Prompt  ", "dim"), outcome.prompt.text),
        line(),
        line((_title(outcome), "bold")),
        line(_lede(outcome)),
        line(),
        line(("Round 1 ", "bold"), ("the prompt means", "dim")),
        facts([("  object", root.object, "bold"), ("  interpretant", root.interpretant, "italic")]),
    ]
    for index, reading in enumerate(cascade.rounds[1:], 1):
        root, source = reading.graph.root, cascade.source(index) + 1
        by = f" by {reading.maker}" if reading.maker else ""
        name = f", {next(names)}" if reading.pictured else ""
        lines.append(
            line(
                (f"Round {index + 1} ", "bold"), (f"{_WHAT[reading.of]} from round {source}{by}{name}", "dim")
            )
        )
        rows = [("  object", root.object, "bold"), ("  interpretant", root.interpretant, "italic")]
        share, apart = iconicity(reading.graph), outcome.mismatches[index - 1]
        if share is not None:
            mismatch = "not known" if apart is None else f"{apart:.2f}"
            rows.append(("  iconicity", f"{share:.2f}, mismatch with round {source} {mismatch}", ""))
        if outcome.gaps:
            rows.append(("  gap", gap_words(outcome.gaps[index - 1]), ""))
        lines.append(facts(rows))
    if outcome.unverified:
        pointers = count(outcome.unverified, "pointer").capitalize()
        lines.append(line((f"{pointers} not verified; the page shows which.", "yellow")))
    return lines
