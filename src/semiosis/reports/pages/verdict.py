"""A judgment's verdict in words: who is ahead, by how much, and whether the order mattered."""

from ...core.kinds.pair import Judgment
from ...core.vote import Vote
from ..words import count


def shown_as(vote: Vote) -> str:
    return "no order" if vote.order is None else f"shown {' then '.join(vote.order.upper())}"


def headline(judgment: Judgment) -> str:
    if judgment.winner is None:
        return "Undecided: neither picture is ahead"
    name = judgment.winner.upper()
    if not judgment.measured:
        return f"Picture {name} comes closer to the meaning"
    return f"Picture {name} {'measures higher' if judgment.gap_a is None else 'is read nearer to the prompt'}"


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
