"""A judgment's verdict in words: who is ahead, by how much, and whether the order mattered."""

from ..core.outcome import Judgment
from .words import count


def is_computed(judgment: Judgment) -> bool:
    """Whether the verdict is a distance between graphs, and nobody was asked to choose."""
    return judgment.gap_a is not None and not any(vote.discussion or vote.evidence for vote in judgment.votes)


def headline(judgment: Judgment) -> str:
    if judgment.winner is None:
        return "Undecided: neither picture is ahead"
    name = judgment.winner.upper()
    return (
        f"Picture {name} is read nearer to the prompt"
        if is_computed(judgment)
        else f"Picture {name} comes closer to the meaning"
    )


def tally(judgment: Judgment) -> str:
    if is_computed(judgment):
        return "Computed from the two graphs, not voted on"
    total = len(judgment.votes)
    if judgment.winner is None:
        won = {side: sum(vote.winner == side for vote in judgment.votes) for side in ("a", "b")}
        return f"{count(won['a'], 'vote').capitalize()} for A, {count(won['b'], 'vote')} for B"
    ahead = sum(vote.winner == judgment.winner for vote in judgment.votes)
    if ahead == total:
        whole = {1: "The only vote went", 2: "Both votes went"}.get(total, f"All {count(total, 'vote')} went")
        return f"{whole} to {judgment.winner.upper()}"
    return f"{count(ahead, 'vote').capitalize()} of {total} for {judgment.winner.upper()}"


def stability(judgment: Judgment) -> str:
    if is_computed(judgment):
        return "A distance has no order of showing"
    if judgment.flipped is None:
        return "Asked in one order only, so a pull of the order cannot be seen"
    if not judgment.flipped:
        return "The verdict held when the pictures changed places"
    repeats = len({vote.repeat for vote in judgment.votes})
    times = "" if repeats == 1 else f" in {judgment.flips} of {repeats} repeats"
    return f"The verdict flipped when the pictures changed places{times}"
