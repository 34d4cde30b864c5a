"""A judgment's verdict: who is ahead, by how much, whether the order mattered, and the evidence for it."""

from ...core.cascade import Cascade
from ...core.certainty import CERTAINTY_WORDS, nearest
from ...core.kinds.pair import Judgment
from ...core.vote import Evidence, Supports, Vote
from ..html.citations import Citation
from ..html.marks import Marks
from ..words import count, shown_as


def headline(judgment: Judgment) -> str:
    if judgment.winner is None:
        return "Undecided: neither picture is ahead"
    name = judgment.winner.upper()
    if judgment.coin_flip:
        return f"A coin flip: {name} was named, and nothing decides"
    if not judgment.measured and judgment.pair.prompt.style is not None:
        return f"Picture {name} is the better stylization"
    if not judgment.measured:
        return f"Picture {name} comes closer to the meaning"
    if judgment.gap_a is None:
        return f"Picture {name} measures higher"
    return f"Picture {name} {'covers more of' if by_coverage(judgment) else 'is read nearer to'} the prompt"


def by_coverage(judgment: Judgment) -> bool:
    """Whether the pictures were compared by how much of the prompt they cover."""
    return judgment.gap_a is not None and judgment.provenance.configuration.get("measure") == "coverage"


def tally(judgment: Judgment) -> str:
    if judgment.measured:
        return "Measured picture by picture, not voted on"
    total = len(judgment.votes)
    if judgment.winner is None:
        won = {side: sum(vote.winner == side for vote in judgment.votes) for side in ("a", "b")}
        return f"{count(won['a'], 'vote').capitalize()} for A, {count(won['b'], 'vote')} for B"
    ahead = sum(vote.winner == judgment.winner for vote in judgment.votes)
    if ahead == total:
        whole = {1: "The only vote went", 2: "Both votes went"}.get(total, f"All {count(total, 'vote')} went")
        return f"{whole} to {judgment.winner.upper()}"
    return f"{count(ahead, 'vote').capitalize()} of {total} for {judgment.winner.upper()}"


def sureness(judgment: Judgment) -> str:
    """How sure the votes are, in a number and in words; empty where none says."""
    if judgment.certainty is None:
        return ""
    level = f"Certainty {judgment.certainty:.3g} of 5"
    if judgment.winner is None:
        return f"{level}, for opposite pictures"
    return f"{level}: {CERTAINTY_WORDS[nearest(judgment.certainty) - 1]}"


def stability(judgment: Judgment) -> str:
    if judgment.measured:
        return "A measure has no order of showing"
    if judgment.flipped is None:
        return "Asked in one order only, so a pull of the order cannot be seen"
    if not judgment.flipped:
        return "The verdict held when the pictures changed places"
    repeats = len({vote.repeat for vote in judgment.votes})
    times = "" if repeats == 1 else f" in {judgment.flips} of {repeats} repeats"
    return f"The verdict flipped when the pictures changed places{times}"


def evidence_of(judgment: Judgment, marks: Marks) -> tuple[tuple[str, tuple[Citation, ...]], ...]:
    """Evidence by the side it speaks for, the winner's first; a node cited twice for one side stands once."""
    grouped: dict[Supports | None, dict[str, list[tuple[Evidence, Vote | None]]]] = {}
    for vote in _speaking(judgment):
        for item in vote.evidence:
            grouped.setdefault(item.supports, {}).setdefault(item.node, []).append((item, vote))
    names: dict[Supports | None, str] = {
        "a": "Speaks for A",
        "b": "Speaks for B",
        "both-ways": "Cuts both ways",
        "both-lack": "Both lack it",
        None: "Decides nothing",
    }
    sides: list[Supports | None] = ["b", "a"] if judgment.winner == "b" else ["a", "b"]
    order: list[Supports | None] = [*sides, "both-ways", "both-lack", None]
    return tuple(
        (names[side], tuple(Citation.of(node, items, marks) for node, items in grouped[side].items()))
        for side in order
        if side in grouped
    )


def _speaking(judgment: Judgment) -> tuple[Vote, ...]:
    """The votes whose evidence the judgment gives."""
    if judgment.apart:
        return (judgment.leading_vote,)
    return tuple(vote for vote in judgment.votes if judgment.winner in (None, vote.winner))


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
    for contrast in judgment.contrasts:
        lines += [
            f"Box {position} of contrast.{each.id} ({each.label}) in {name} is {box.fault}."
            for each in contrast.differences
            for name, version in (("A", each.a), ("B", each.b))
            for position, box in enumerate(version.boxes, start=1)
            if box.fault
        ]
    for vote in judgment.votes:
        lines += [
            f"The vote ({shown_as(vote)}) cites {item.node}, which there is not."
            for item in vote.evidence
            if not item.verified
        ]
    return tuple(lines)
