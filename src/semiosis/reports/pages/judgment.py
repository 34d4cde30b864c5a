"""The page of a Judgment: verdict, evidence, chain, votes."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.cascade import Cascade, Reading, SemiosisGap, iconicity, mismatch
from ...core.contrast import Difference
from ...core.grounding import Box
from ...core.kinds.pair import Judgment
from ...core.sign import Side, distinct_names
from ...core.vote import Evidence, Supports, Vote
from ..html.cards import Laid, lay
from ..html.citations import Citation, Piece, pieces
from ..html.marks import Mark, Marks, marks_of, marks_of_contrast, register
from ..html.page import fill_outcome
from ..html.plates import Plate, plate
from ..html.spans import Stretch, not_found, stretches
from ..lines import facts, line
from ..overlay import draw_boxes
from ..page import Page, page
from ..parts import PartsLayout, layout_of, part_lines
from ..words import count, gap_words, shown_as
from .verdict import by_coverage, doubts_of, evidence_of, headline, stability, sureness, tally

if TYPE_CHECKING:
    from rich.console import RenderableType


_TOP = 6
_WHY = 700

Differences = tuple[tuple[Mark, Difference], ...]


@dataclass(frozen=True)
class Branch:
    """One picture's end of the chain from the prompt."""

    side: Side
    object: str
    interpretant: str
    between: tuple[Reading, ...]
    expected: float | None
    actual: float | None
    mismatch: float | None
    gap: SemiosisGap | None


@dataclass(frozen=True)
class Discussion:
    """A vote with its discussion cut at the citations."""

    vote: Vote
    prose: tuple[Piece, ...]
    own_graphs: bool


@dataclass(frozen=True)
class JudgmentView:
    headline: str
    tally: str
    stability: str
    sureness: str
    contrast: tuple[tuple[Mark, Difference], ...]
    prompt: tuple[Stretch, ...]
    lost: tuple[tuple[Mark, str], ...]
    plates: tuple[Plate, Plate]
    cited: tuple[tuple[str, tuple[Citation, ...]], ...]
    discussions: tuple[Discussion, ...]
    readings: tuple[Laid | None, Laid | None, Laid | None]
    prompts_differ: bool
    branches: tuple[Branch, ...]
    by_coverage: bool
    prompted: bool
    doubts: tuple[str, ...]
    parts: PartsLayout | None

    def cited_for(self, mark: Mark) -> tuple[Supports | None, ...]:
        """What a node was cited for."""
        return tuple(item.supports for _, items in self.cited for item in items if item.mark == mark)


@page("judgment")
class JudgmentPage(Page):
    def html(self, outcome: Judgment) -> str:
        return fill_outcome("judgment.html.j2", outcome, page=_view(outcome))

    def lines(self, outcome: Judgment) -> "list[RenderableType]":
        return _lines(outcome)


def save_overlays(judgment: Judgment, folder: str | Path) -> list[Path]:
    """One PNG for each picture whose bytes are at hand and that has a graph; the others are left out."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    sides = (("a", judgment.pair.a, judgment.cascade_a), ("b", judgment.pair.b, judgment.cascade_b))
    for name, artifact, cascade in sides:
        if cascade is None or not artifact.loadable:
            continue
        path = target / f"{name}-boxes.png"
        draw_boxes(artifact, cascade.artifact).save(path, "PNG")
        paths.append(path)
    return paths


def _view(judgment: Judgment) -> JudgmentView:
    cascades = (judgment.cascade_a, judgment.cascade_b)
    first = next((cascade for cascade in cascades if cascade), None)
    graph = first.prompt if first else None
    prompt_marks = marks_of("prompt", graph)
    sides = [marks_of(side, c.artifact if c else None) for side, c in zip("ab", cascades, strict=True)]
    contrast = judgment.contrast or judgment.leading_vote.contrast
    contrast_marks = marks_of_contrast(contrast)
    differences = tuple(zip(contrast_marks, contrast.differences if contrast else (), strict=True))
    marks = register((prompt_marks, *sides, contrast_marks))
    pictures = (judgment.pair.a, judgment.pair.b)
    plates = [
        plate(artifact, name, own, c.artifact if c else None, judgment.provenance, beside=beside)
        for artifact, name, own, c, beside in zip(
            pictures, distinct_names(pictures), sides, cascades, _boxes(differences), strict=True
        )
    ]
    return JudgmentView(
        headline=headline(judgment),
        tally=tally(judgment),
        stability=stability(judgment),
        sureness=sureness(judgment),
        contrast=differences,
        prompt=stretches(judgment.pair.prompt.text, graph, prompt_marks),
        lost=not_found(graph, prompt_marks),
        plates=(plates[0], plates[1]),
        cited=evidence_of(judgment, marks),
        discussions=_discussions(judgment, marks),
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
        by_coverage=by_coverage(judgment),
        prompted=judgment.provenance.configuration.get("reading") == "prompted",
        doubts=doubts_of(judgment),
        parts=layout_of(judgment.score_a, judgment.score_b),
    )


def _boxes(differences: Differences) -> tuple[list[tuple[Mark, Box]], list[tuple[Mark, Box]]]:
    """Of A and of B; what does not matter is told, not drawn."""
    deciding = [(mark, each) for mark, each in differences if each.matters]
    return (
        [(mark, box) for mark, each in deciding for box in each.a.boxes],
        [(mark, box) for mark, each in deciding for box in each.b.boxes],
    )


def _discussions(judgment: Judgment, marks: Marks) -> tuple[Discussion, ...]:
    leading = judgment.leading_vote
    ordered = sorted(judgment.votes, key=lambda vote: (vote is not leading, vote.repeat, vote.order or ""))
    discussions: list[Discussion] = []
    for vote in ordered:
        apart = vote is not leading and (vote.cascade_a is not None or vote.contrast is not None)
        own_marks = _marks_of_vote(vote) if apart else marks
        discussions.append(
            Discussion(vote=vote, prose=pieces(vote.discussion, own_marks, vote), own_graphs=apart)
        )
    return tuple(discussions)


def _marks_of_vote(vote: Vote) -> Marks:
    """The nodes of graphs that were rebuilt for one vote; they have no cards, so nothing to link to."""
    a, b = vote.cascade_a, vote.cascade_b
    groups = [
        marks_of("prompt", a.prompt if a else None),
        marks_of("a", a.artifact if a else None),
        marks_of("b", b.artifact if b else None),
        marks_of_contrast(vote.contrast),
    ]
    return {node: replace(mark, linked=False) for node, mark in register(groups).items()}


def _branch(side: Side, cascade: Cascade, gap: SemiosisGap | None) -> Branch:
    return Branch(
        side=side,
        object=cascade.artifact.root.object,
        interpretant=cascade.artifact.root.interpretant,
        between=cascade.rounds[1:-1],
        expected=iconicity(cascade.prompt),
        actual=iconicity(cascade.artifact),
        mismatch=mismatch(cascade.prompt, cascade.artifact),
        gap=gap,
    )


def _lines(judgment: Judgment) -> "list[RenderableType]":
    lines: list[RenderableType] = [
        line(("Prompt  ", "dim"), judgment.pair.prompt.text),
        line(),
        line((headline(judgment), "bold")),
        line(f"{tally(judgment)} (preference for A: {judgment.preference:.2f}). {stability(judgment)}."),
        *([] if judgment.certainty is None else [line(sureness(judgment))]),
        *([] if judgment.measured else [line(("Votes   ", "dim"), _votes(judgment))]),
        line(),
    ]
    if judgment.cascade_a:
        root = judgment.cascade_a.prompt.root
        lines += [
            line(("The prompt means", "bold")),
            facts([("  object", root.object, "bold"), ("  interpretant", root.interpretant, "italic")]),
        ]
    pictures = distinct_names((judgment.pair.a, judgment.pair.b))
    cascades = (judgment.cascade_a, judgment.cascade_b)
    scores = (judgment.score_a, judgment.score_b)
    for name, picture, cascade, score in zip("AB", pictures, cascades, scores, strict=True):
        number = f"  {score.value:z.3f}" if score else ""
        lines.append(line((f"Picture {name} ", "bold"), (picture, "dim"), (number, "bold")))
        if cascade:
            lines.append(_reading(cascade, judgment.gap_a if name == "A" else judgment.gap_b))
    if parts := layout_of(judgment.score_a, judgment.score_b):
        lines += [line(), *part_lines(parts, ("A", "B"))]
    if judgment.evidence:
        lines += [
            line(),
            line(("Evidence", "bold"), (_checked(judgment.evidence), "dim")),
            _evidence(judgment.evidence, _labels(judgment)),
        ]
    elif why := _why(judgment):
        lines += [line(), line(("Why", "bold")), line(why)]
    if judgment.unverified:
        pointers = count(judgment.unverified, "pointer").capitalize()
        lines.append(
            line(
                (f"{pointers} not verified, over all votes, spans and boxes; the page shows which.", "yellow")
            )
        )
    lines += [
        line((f"Failed: {failure.reason}", "red"), f" at {failure.stage or 'a call'}: {failure.message}")
        for failure in judgment.failures
    ]
    return lines


def _checked(evidence: tuple[Evidence, ...]) -> str:
    """How much of it points at what there is; a whole picture is no pointer to check."""
    pointers = [item for item in evidence if item.node not in ("a", "b")]
    return f", {sum(item.verified for item in pointers)} of {len(pointers)} verified" if pointers else ""


def _why(judgment: Judgment) -> str:
    """What the leading vote says, in the pair's own labels, cut where it would fill the screen."""
    if judgment.measured:
        return ""
    vote = judgment.leading_vote
    spoken = (
        f"{each.text} (here {each.means})" if each.means else each.text
        for each in pieces(vote.discussion, {}, vote)
    )
    why = "".join(spoken)
    return why if len(why) <= _WHY else f"{why[:_WHY].rsplit(' ', 1)[0]} ... (--html has the rest)"


def _votes(judgment: Judgment) -> str:
    return ", ".join(
        f"{vote.winner.upper() if vote.winner else 'neither'} ({shown_as(vote)}"
        f"{f', certainty {vote.certainty}' if vote.certainty else ''})"
        for vote in judgment.votes
    )


def _reading(cascade: Cascade, gap: SemiosisGap | None) -> "RenderableType":
    root = cascade.artifact.root
    rows = [("  object", root.object, "bold"), ("  interpretant", root.interpretant, "italic")]
    share, apart = iconicity(cascade.artifact), mismatch(cascade.prompt, cascade.artifact)
    if share is not None and apart is not None:
        rows.append(("  iconicity", f"{share:.2f}, mismatch with the prompt {apart:.2f}", ""))
    if gap is not None:
        rows.append(("  gap", gap_words(gap), ""))
    return facts(rows)


def _labels(judgment: Judgment) -> dict[str, str]:
    """What each node is called, by the name it is cited with."""
    labels: dict[str, str] = {}
    for side, cascade in (("a", judgment.cascade_a), ("b", judgment.cascade_b)):
        for sign, graph in (("prompt", cascade.prompt), (side, cascade.artifact)) if cascade else ():
            labels[sign] = graph.label
            labels |= {f"{sign}.{child.id}": child.label for child in graph.children}
    contrast = judgment.contrast or judgment.leading_vote.contrast
    labels |= {f"contrast.{each.id}": each.label for each in (contrast.differences if contrast else ())}
    return labels


_SPEAKS = {
    "a": "for A",
    "b": "for B",
    "both-ways": "cuts both ways",
    "both-lack": "both lack it",
    None: "decides nothing",
}


def _evidence(evidence: tuple[Evidence, ...], labels: dict[str, str]) -> "RenderableType":
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(max_width=24, overflow="fold")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for item in evidence[:_TOP]:
        side = _SPEAKS[item.supports]
        label = labels.get(item.node, "")
        text = f"{label}: {item.reason}" if label else item.reason
        text = text if item.verified else f"(not verified) {text}"
        table.add_row(
            line((f"  {item.node}", "bold")),
            line((side, "dim")),
            line((text, "" if item.verified else "yellow")),
        )
    if len(evidence) > _TOP:
        table.add_row(line(""), line(""), line((f"and {len(evidence) - _TOP} more", "dim")))
    return table
