"""A cascade of readings, and what can be computed from its graphs without a model.

iconicity(cascade.prompt)                 how far a sign works by resemblance, 0..1
mismatch(cascade)                         Proposition 1: expected against found
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
Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]


class Reading(Value):
    """One sign read by one interpreter: a round of the cascade (equation 2).

    of              "prompt" or "artifact"
    graph           what was read
    interpreter     who read: a model, or who gave the graph
    made            "built" here, "given", or "recorded"
    how             what else is to be known of it
    """

    of: Literal["prompt", "artifact"]
    graph: HSG
    interpreter: str
    made: Origin
    how: str = ""


class Cascade(Value):
    """From a prompt to a picture made of it: `rounds` of reading, the prompt's first, the picture's last."""

    rounds: tuple[Reading, ...]

    @model_validator(mode="after")
    def _chain(self) -> Self:
        if len(self.rounds) < 2:
            raise BadGraph(f"A cascade needs at least two rounds, not {len(self.rounds)}.")
        if self.rounds[0].of != "prompt" or self.rounds[-1].of != "artifact":
            raise BadGraph("A cascade begins with a prompt and ends with an artifact.")
        return self

    @property
    def prompt(self) -> HSG:
        """The graph of the first round."""
        return self.rounds[0].graph

    @property
    def artifact(self) -> HSG:
        """The graph of the last round."""
        return self.rounds[-1].graph


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


def mismatch(cascade: Cascade) -> float | None:
    """|expected - found| iconicity of `cascade` (Proposition 1); None where either side has no grounds."""
    expected, actual = iconicity(cascade.prompt), iconicity(cascade.artifact)
    return None if expected is None or actual is None else abs(expected - actual)


class SemiosisGap(Value):
    """How far the object a picture was read as lies from the object its prompt means (equation 4).

    `distance` is one minus the cosine of the root objects, 0..2. `coverage` is the mean, over the
    prompt's parts, of the best cosine any node of the picture reaches; None when the prompt has none.
    """

    distance: float
    coverage: float | None = None

    @property
    def score(self) -> float:
        """Higher is closer: the negated distance, as in the paper's quality measure."""
        return -self.distance


def semiosis_gap(cascade: Cascade, embed: Embed) -> SemiosisGap:
    """The gap of `cascade` (equation 4): how far what was read lies from what was meant.

    `embed` gives a vector for each of a list of texts, as `MiniLM` does.
    """
    prompt, artifact = cascade.prompt, cascade.artifact
    nodes = [prompt.root, *prompt.children, artifact.root, *artifact.children]
    objects = [node.object for node in nodes]
    vectors = [_unit(vector) for vector in embed(objects)]
    if len(vectors) != len(objects):
        raise BadGraph(f"The embedding gave {len(vectors)} vectors for {len(objects)} objects.")
    split = 1 + len(prompt.children)
    prompt_vectors, picture_vectors = vectors[:split], vectors[split:]
    best = [max(_dot(part, node) for node in picture_vectors) for part in prompt_vectors[1:]]
    return SemiosisGap(
        distance=min(2.0, max(0.0, 1.0 - _dot(prompt_vectors[0], picture_vectors[0]))),
        coverage=sum(best) / len(best) if best else None,
    )


def _dot(x: Sequence[float], y: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(x, y, strict=True))


def _unit(vector: Sequence[float]) -> list[float]:
    values = [float(value) for value in vector]
    norm = math.sqrt(_dot(values, values))
    if norm == 0 or not math.isfinite(norm):
        raise BadGraph("The embedding of an object is zero or not finite: is its text empty?")
    return [value / norm for value in values]
