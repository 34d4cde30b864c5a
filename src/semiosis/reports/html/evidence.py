"""What was cited for a verdict, and what of all that was pointed at did not check out."""

from dataclasses import dataclass

from ...core.cascade import Cascade
from ...core.kinds.pair import Judgment
from ...core.sign import Side
from ...core.vote import Evidence, Vote
from ..pages.verdict import shown_as
from .citations import Piece, pieces
from .marks import Mark, Marks


@dataclass(frozen=True)
class Cited:
    """A node with everything said of it for one side."""

    mark: Mark | None
    node: str
    reasons: tuple[tuple[Piece, ...], ...]
    verified: bool
    supports: Side | None


def evidence_of(judgment: Judgment, marks: Marks) -> tuple[tuple[str, tuple[Cited, ...]], ...]:
    """Evidence by the side it speaks for, the winner's first; a node cited twice for one side stands once."""
    grouped: dict[Side | None, dict[str, list[tuple[Evidence, Vote]]]] = {}
    for vote in _speaking(judgment):
        for item in vote.evidence:
            grouped.setdefault(item.supports, {}).setdefault(item.node, []).append((item, vote))
    names: dict[Side | None, str] = {"a": "Speaks for A", "b": "Speaks for B", None: "Speaks for neither"}
    order: list[Side | None] = ["b", "a", None] if judgment.winner == "b" else ["a", "b", None]
    return tuple(
        (names[side], tuple(_one(node, items, marks) for node, items in grouped[side].items()))
        for side in order
        if side in grouped
    )


def _speaking(judgment: Judgment) -> tuple[Vote, ...]:
    """The votes whose evidence the judgment gives."""
    if judgment.rebuilt == "graphs":
        return (judgment.leading_vote,)
    return tuple(vote for vote in judgment.votes if judgment.winner in (None, vote.winner))


def _one(node: str, items: list[tuple[Evidence, Vote]], marks: Marks) -> Cited:
    """A node's reasons, each read in the order its vote was shown in."""
    return Cited(
        mark=marks.get(node),
        node=node,
        reasons=tuple(dict.fromkeys(pieces(item.rationale, marks, vote) for item, vote in items)),
        verified=all(item.verified for item, _ in items) and node in marks,
        supports=items[0][0].supports,
    )


def doubts_of(judgment: Judgment) -> tuple[str, ...]:
    """What did not check out, one line each; their number is the judgment's own count."""
    lines: list[str] = []
    prompts: dict[str, Cascade] = {}
    for name, cascade in (("A", judgment.cascade_a), ("B", judgment.cascade_b)):
        if cascade is None:
            continue
        prompts.setdefault(cascade.prompt.model_dump_json(), cascade)
        for child in cascade.artifact.children:
            lines += [
                f"Box {position} of {name}.{child.id} ({child.label}) is {box.fault}."
                for position, box in enumerate(child.boxes, start=1)
                if box.fault
            ]
    for cascade in prompts.values():
        lines += [
            f"prompt.{child.id} ({child.label}) quotes “{child.span.quote}”, which is not in the prompt."
            for child in cascade.prompt.children
            if child.span and not child.span.verified
        ]
    for vote in judgment.votes:
        lines += [
            f"The vote ({shown_as(vote)}) cites {item.node}, which is not in the graphs."
            for item in vote.evidence
            if not item.verified
        ]
    return tuple(lines)
