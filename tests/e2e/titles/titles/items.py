"""Twelve coloured squares, each with a title."""

import io
from collections import Counter
from collections.abc import Iterable, Iterator

from PIL import Image

from semiosis.benchmarks import Artifact, BadRow, Candidate, Column, Settled, Table, benchmark, candidate

from .kinds import TitleItem

COLOURS = (
    "black",
    "white",
    "red",
    "lime",
    "blue",
    "yellow",
    "cyan",
    "magenta",
    "maroon",
    "olive",
    "navy",
    "teal",
)


def square(colour: str) -> Artifact:
    buffer = io.BytesIO()
    Image.new("RGB", (24, 24), colour).save(buffer, "PNG")
    return Artifact.of(buffer.getvalue())


@benchmark("titles")
class Titles:
    name = "titles"

    def candidates(self) -> Iterator[Candidate | BadRow]:
        for number, colour in enumerate(COLOURS):
            item = TitleItem(
                id=f"titles/{number}",
                title=f"Study in {colour}",
                artifact=square(colour),
                labels={"apt": "apt" if number % 2 else "off", "length": len(colour)},
                labels_by="makers",
            )
            yield candidate(item)

    def summarise(self, rows: Iterable[Settled]) -> tuple[Table, ...]:
        verdicts = Counter((row.labels["length"], row.verdict) for row in rows if row.reason is None)
        lengths = sorted({length for length, _ in verdicts}, key=str)
        return (
            Table(
                title="Titles by the length of their colour",
                columns=(Column(name="letters"), Column(name="apt"), Column(name="off")),
                rows=tuple((str(each), verdicts[each, "apt"], verdicts[each, "off"]) for each in lengths),
            ),
        )
