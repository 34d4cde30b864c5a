"""A cascade of readings, and what can be computed from its graphs without a model.

iconicity(cascade.prompt)                 how far a sign works by resemblance, 0..1
mismatch(one, other)                      Proposition 1: two readings of one sign
mismatches(cascade)                       the same along a cascade, round by round
semiosis_gap(cascade, embed).distance     equation 4, through an embedding
"""

import math
from collections.abc import Callable, Sequence
from typing import Literal, Self

from pydantic import model_validator

from .errors import BadGraph
from .graph import HSG, Semiosis
from .value import Value

Origin = Literal["built", "given", "recorded"]
SignKind = Literal["prompt", "artifact", "edit", "words"]
Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]


class Reading(Value):
    """One sign read by one interpreter: a round of the cascade (equation 2).

    of              "prompt", "artifact" (a picture), "edit" (a picture made by changing one) or "words" (what
                    a viewer said of a picture)
    graph           what was read
    interpreter     who read: a model, or who gave the graph
    made            the graph: "built" here, "given", or "recorded"
    how             what else is to be known of it
    maker           who made the sign; empty where that is not known
    source          the round whose interpretant the sign was made from, counted from 0; None for the first,
                    and where it is not said, which is the round before
    """

    of: SignKind
    graph: HSG
    interpreter: str
    made: Origin
    how: str = ""
    maker: str = ""
    source: int | None = None

    @property
    def pictured(self) -> bool:
        """Whether the sign is a picture."""
        return self.of in ("artifact", "edit")


class Cascade(Value):
    """From a prompt to a picture made of it, or on to what a viewer says of that: `rounds` of reading.

    The first round is a prompt, the last a picture or words. Each sign is made from an earlier round; an edit
    and a viewer's words are made from a picture.
    """

    rounds: tuple[Reading, ...]

    @model_validator(mode="after")
    def _chain(self) -> Self:
        if len(self.rounds) < 2:
            raise BadGraph(f"A cascade needs at least two rounds, not {len(self.rounds)}.")
        first, last = self.rounds[0], self.rounds[-1]
        if first.of != "prompt" or last.of == "prompt":
            raise BadGraph(
                "A cascade begins with a prompt and ends with an artifact, an edit or words, "
                f"not from {first.of} to {last.of}."
            )
        if first.source is not None:
            raise BadGraph(f"The first round of a cascade has no source, so {first.source} cannot be one.")
        for index in range(1, len(self.rounds)):
            self._check(index)
        return self

    def _check(self, index: int) -> None:
        reading, source = self.rounds[index], self.source(index)
        if not 0 <= source < index:
            raise BadGraph(f"Round {index} of a cascade has the source {source}: give an earlier round.")
        if reading.of in ("edit", "words") and not self.rounds[source].pictured:
            raise BadGraph(
                f"Round {index} of a cascade ({reading.of}) is made from a picture, "
                f"and round {source} is {self.rounds[source].of}."
            )

    def source(self, index: int) -> int:
        """The round that round `index`, from 1, was made from: as it says, else the one before."""
        source = self.rounds[index].source
        return index - 1 if source is None else source

    @property
    def prompt(self) -> HSG:
        """The graph of the first round."""
        return self.rounds[0].graph

    @property
    def artifact(self) -> HSG:
        """The graph of the last picture."""
        return next(reading.graph for reading in reversed(self.rounds) if reading.pictured)


def iconicity(graph: HSG) -> float | None:
    """The share of iconic grounds in `graph`, half from the root, half from the children; None without any.

    The paper leaves the intended iconicity of Proposition 1 as a symbol; this estimate from a graph's
    grounds is our reading of it. Where one half has no grounds the other stands alone.
    """
    children = [_share(child) for child in graph.children]
    shares = [share for share in children if share is not None]
    halves = [_share(graph.root), sum(shares) / len(shares) if shares else None]
    parts = [half for half in halves if half is not None]
    return sum(parts) / len(parts) if parts else None


def _share(semiosis: Semiosis) -> float | None:
    if not semiosis.grounds:
        return None
    return sum(ground.type == "iconic" for ground in semiosis.grounds) / len(semiosis.grounds)


def mismatch(one: Reading | HSG, other: Reading | HSG) -> float | None:
    """How far apart two interpreters of one sign put its iconicity (Proposition 1).

    `one` and `other` are their readings; None where either has no grounds.
    """
    expected, actual = (iconicity(each.graph if isinstance(each, Reading) else each) for each in (one, other))
    return None if expected is None or actual is None else abs(expected - actual)


def mismatches(cascade: Cascade) -> tuple[float | None, ...]:
    """The mismatch of each round of `cascade`, after the first, with the round that its sign was made from.

    What a maker meant a sign to be is not observed: the reading it was made from stands for it.
    """
    rounds = cascade.rounds
    return tuple(mismatch(rounds[cascade.source(n)], rounds[n]) for n in range(1, len(rounds)))


class SemiosisGap(Value):
    """How far the object a sign was read as lies from the object its prompt means (equation 4).

    distance    between the root objects: with the metric "angular" the angle over pi, 0..1
    coverage    the mean, over the prompt's parts, of the best cosine any node of the other graph reaches;
                None when the prompt has none
    metric      "angular"; "cosine", one minus the cosine and 0..2, in records that do not say
    """

    distance: float
    coverage: float | None = None
    metric: Literal["angular", "cosine"] = "cosine"

    @property
    def score(self) -> float:
        """Higher is closer: the negated distance, as in the paper's quality measure."""
        return -self.distance

    @property
    def widest(self) -> int:
        """The largest distance there can be."""
        return 1 if self.metric == "angular" else 2


def semiosis_gap(cascade: Cascade, embed: Embed) -> SemiosisGap:
    """The gap of `cascade` (equation 4): how far what was read last lies from what was meant.

    `embed` gives a vector for each of a list of texts, as `MiniLM` does.
    """
    return _gap(cascade.prompt, cascade.rounds[-1].graph, embed)


def semiosis_gaps(cascade: Cascade, embed: Embed) -> tuple[SemiosisGap, ...]:
    """The gap of each round of `cascade`, after the first, to the first, through `embed`."""
    return tuple(_gap(cascade.prompt, reading.graph, embed) for reading in cascade.rounds[1:])


def angular_distance(one: Sequence[float], other: Sequence[float]) -> float:
    """The angle between two vectors over pi, arccos(cosine)/pi: a metric on directions, 0..1."""
    return _angle(_unit(one), _unit(other))


def _gap(prompt: HSG, other: HSG, embed: Embed) -> SemiosisGap:
    # What is missing from a picture covers nothing.
    present = [child for child in other.children if not child.absent]
    nodes = [prompt.root, *prompt.children, other.root, *present]
    objects = [node.object for node in nodes]
    vectors = [_unit(vector) for vector in embed(objects)]
    if len(vectors) != len(objects):
        raise BadGraph(f"The embedding gave {len(vectors)} vectors for {len(objects)} objects.")
    split = 1 + len(prompt.children)
    prompt_vectors, other_vectors = vectors[:split], vectors[split:]
    best = [max(_dot(part, node) for node in other_vectors) for part in prompt_vectors[1:]]
    return SemiosisGap(
        distance=_angle(prompt_vectors[0], other_vectors[0]),
        coverage=sum(best) / len(best) if best else None,
        metric="angular",
    )


def _angle(x: Sequence[float], y: Sequence[float]) -> float:
    # The arccosine of a cosine near one loses half its digits; these two chords do not (Kahan).
    apart = math.dist(x, y)
    together = math.dist(x, [-value for value in y])
    return min(1.0, 2 * math.atan2(apart, together) / math.pi)


def _dot(x: Sequence[float], y: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(x, y, strict=True))


def _unit(vector: Sequence[float]) -> list[float]:
    values = [float(value) for value in vector]
    norm = math.sqrt(_dot(values, values))
    if norm == 0 or not math.isfinite(norm):
        raise BadGraph("The embedding of an object is zero or not finite: is its text empty?")
    return [value / norm for value in values]
