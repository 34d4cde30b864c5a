"""What the page of a Judgment says, computed before it is set: verdict, evidence, chain, votes."""

from dataclasses import dataclass, replace

from ...core.cascade import Cascade, Reading, SemiosisGap, iconicity, mismatch
from ...core.outcome import Judgment, Vote
from ...core.sign import Side, told_apart
from ..verdict import headline, is_computed, stability, tally
from .cards import Laid, lay
from .citations import Piece, pieces
from .evidence import Cited, doubts_of, evidence_of
from .marks import Mark, Marks, marks_of, register
from .plates import Plate, plate
from .spans import Stretch, not_found, stretches


@dataclass(frozen=True)
class Branch:
    """One picture's end of the chain from the prompt."""

    side: Side
    object: str
    interpretant: str
    between: tuple[Reading, ...]
    expected: float | None
    found: float | None
    mismatch: float | None
    gap: SemiosisGap | None


@dataclass(frozen=True)
class Spoken:
    """A vote with its discussion cut at the citations."""

    vote: Vote
    prose: tuple[Piece, ...]
    own_graphs: bool


@dataclass(frozen=True)
class JudgmentPage:
    judgment: Judgment
    headline: str
    tally: str
    stability: str
    computed: bool
    prompt: tuple[Stretch, ...]
    lost: tuple[tuple[Mark, str], ...]
    plates: tuple[Plate, Plate]
    cited: tuple[tuple[str, tuple[Cited, ...]], ...]
    spoken: tuple[Spoken, ...]
    readings: tuple[Laid | None, Laid | None, Laid | None]
    prompts_differ: bool
    branches: tuple[Branch, ...]
    doubts: tuple[str, ...]

    def cited_for(self, mark: Mark) -> tuple[Side | None, ...]:
        """The sides a node was cited for."""
        return tuple(item.supports for _, items in self.cited for item in items if item.mark == mark)


def judgment_page(judgment: Judgment) -> JudgmentPage:
    cascades = (judgment.cascade_a, judgment.cascade_b)
    first = next((cascade for cascade in cascades if cascade), None)
    graph = first.prompt if first else None
    prompt_marks = marks_of("prompt", graph)
    sides = [marks_of(side, c.artifact if c else None) for side, c in zip("ab", cascades, strict=True)]
    marks = register((prompt_marks, *sides))
    pictures = (judgment.pair.a, judgment.pair.b)
    plates = [
        plate(artifact, name, own, c.artifact if c else None, judgment.provenance)
        for artifact, name, own, c in zip(pictures, told_apart(pictures), sides, cascades, strict=True)
    ]
    computed = is_computed(judgment)
    return JudgmentPage(
        judgment=judgment,
        headline=headline(judgment),
        tally=tally(judgment),
        stability=stability(judgment),
        computed=computed,
        prompt=stretches(judgment.pair.prompt.text, graph, prompt_marks),
        lost=not_found(graph, prompt_marks),
        plates=(plates[0], plates[1]),
        cited=evidence_of(judgment, marks),
        spoken=_spoken(judgment, marks),
        readings=(
            lay(first.rounds[0], prompt_marks) if first else None,
            lay(cascades[0].rounds[-1], sides[0]) if cascades[0] else None,
            lay(cascades[1].rounds[-1], sides[1]) if cascades[1] else None,
        ),
        prompts_differ=all(cascades) and len({c.prompt.model_dump_json() for c in cascades if c}) > 1,
        branches=tuple(
            _branch(side, c, gap)
            for side, c, gap in zip(("a", "b"), cascades, (judgment.gap_a, judgment.gap_b), strict=True)
            if c
        ),
        doubts=doubts_of(judgment),
    )


def _spoken(judgment: Judgment, marks: Marks) -> tuple[Spoken, ...]:
    leading = judgment.leading_vote
    ordered = sorted(judgment.votes, key=lambda vote: (vote is not leading, vote.repeat, vote.order or ""))
    found: list[Spoken] = []
    for vote in ordered:
        apart = vote is not leading and vote.cascade_a is not None
        known = _marks_of_vote(vote) if apart else marks
        found.append(Spoken(vote=vote, prose=pieces(vote.discussion, known, vote), own_graphs=apart))
    return tuple(found)


def _marks_of_vote(vote: Vote) -> Marks:
    """The nodes of graphs that were rebuilt for one vote; they have no cards, so nothing to link to."""
    a, b = vote.cascade_a, vote.cascade_b
    groups = [
        marks_of("prompt", a.prompt if a else None),
        marks_of("a", a.artifact if a else None),
        marks_of("b", b.artifact if b else None),
    ]
    return {node: replace(mark, linked=False) for node, mark in register(groups).items()}


def _branch(side: Side, cascade: Cascade, gap: SemiosisGap | None) -> Branch:
    return Branch(
        side=side,
        object=cascade.artifact.root.object,
        interpretant=cascade.artifact.root.interpretant,
        between=cascade.rounds[1:-1],
        expected=iconicity(cascade.prompt),
        found=iconicity(cascade.artifact),
        mismatch=mismatch(cascade),
        gap=gap,
    )
