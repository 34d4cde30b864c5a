"""How winners are spelled, in every file of votes, pairs or verdicts:

a, b, tie; left, right; model_a, model_b; leftvote, rightvote, tievote, bothbad_vote; -1 (a), 1 (b) and
0 (tie); or the names of the two. An empty cell, nan, none, null, ignore is nobody's choice.

    ballots = [Ballot("v.csv line 2", "-1", "flux", "sdxl"), Ballot("v.csv line 3", "1", "sdxl", "flux")]
    read = spelling(ballots)
    [read(ballot) for ballot in ballots]        ["a", "b"]

One word may mean two things, so a spelling is told from a column, never from one cell: 0 is a tie beside -1
and 1, and in a column of only 0 and 1 it may be a side.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Literal, NamedTuple

from ..core.errors import BadRecord

Winner = Literal["a", "b", "tie"]

_WORDS: dict[str, Winner | None] = {
    **dict.fromkeys(("a", "left", "model_a", "leftvote", "x", "winner.x"), "a"),
    **dict.fromkeys(("b", "right", "model_b", "rightvote", "y", "winner.y"), "b"),
    **dict.fromkeys(("tie", "both", "tievote", "draw", "winner.draw", "undecided", "(undecided)"), "tie"),
    **dict.fromkeys(("tie (bothbad)", "bothbad", "bothbad_vote", "winner.bothbad"), "tie"),
    **dict.fromkeys(("", "nan", "none", "null", "ignore", "winner.ignore"), None),
}
_SIGNS: dict[str, Winner] = {
    **dict.fromkeys(("-1", "-1.0"), "a"),
    **dict.fromkeys(("0", "0.0", "-0", "-0.0"), "tie"),
    **dict.fromkeys(("1", "1.0", "+1"), "b"),
}


class Ballot(NamedTuple):
    """A row's winner as it stands there, and who `a` and `b` are, where the row names them."""

    where: str
    word: str | None
    a: str | None = None
    b: str | None = None


Spelling = Callable[[Ballot], Winner | None]


def spelling(ballots: Iterable[Ballot], column: str = "winner") -> Spelling:
    """What reads every one of these ballots: by side where each word is one for a side, else by name.

    Raises BadRecord where neither does, and where both do and differ: nothing here says which was meant. A
    ballot that comes later and does not fit raises BadRecord when it is read.
    """
    faults: dict[Spelling, str] = {}
    signs = set[str]()
    torn: Ballot | None = None
    for ballot in ballots:
        winners: dict[Spelling, Winner | None] = {}
        for read in (by_side, _by_name):
            if read not in faults:
                try:
                    winners[read] = read(ballot)
                except BadRecord as error:
                    faults[read] = f"{ballot.where}: {error}"
        if len(set(winners.values())) == 2:
            torn = torn or ballot
        if sign := _sign(ballot):
            signs.add(sign)
    if signs and "a" not in signs:
        # Others write 0 and 1 for the two sides.
        faults.setdefault(
            by_side,
            f"The winners in {column!r} are 0 or 1 and never -1, so 0 may be a draw or a side: "
            "write a, b and tie.",
        )
    if len(faults) == 2:
        raise BadRecord(f"{faults[by_side]} One column spells all its winners in one of these ways.")
    if torn and not faults:
        raise BadRecord(
            f"{torn.where}: the winner {torn.word!r} is the name of a side and of an item, and these differ: "
            "write model_a, model_b and tie."
        )
    return _by_name if by_side in faults else by_side


def by_side(ballot: Ballot) -> Winner | None:
    return _sign(ballot) or winner(ballot.word)


def is_plain(ballot: Ballot) -> bool:
    """Whether it reads the same however the others are spelled."""
    if _sign(ballot):
        return False
    try:
        side = winner(ballot.word)
    except BadRecord:
        return False
    return ballot.word not in (ballot.a, ballot.b) or side == _by_name(ballot)


def is_readable(ballot: Ballot) -> bool:
    """Whether there is a spelling that reads it."""
    for read in (by_side, _by_name):
        with suppress(BadRecord):
            read(ballot)
            return True
    return False


def winner(value: object) -> Winner | None:
    """Whom a word for a side chose; None where nobody was."""
    if value is None:
        return None
    try:
        return _WORDS[str(value).strip().lower()]
    except KeyError:
        raise BadRecord(
            f"The winner {str(value)[:40]!r} is unknown: say a, b or tie; left or right; model_a or model_b; "
            "-1, 1 or 0; or the name of one of the two."
        ) from None


def _sign(ballot: Ballot) -> Winner | None:
    return _SIGNS.get((ballot.word or "").strip())


def _by_name(ballot: Ballot) -> Winner | None:
    """Nobody has a name for a tie, so words for one are known here too."""
    if ballot.word is not None and ballot.word in (ballot.a, ballot.b):
        return "a" if ballot.word == ballot.a else "b"
    if (side := winner(ballot.word)) in ("a", "b"):
        raise BadRecord(f"The winner {str(ballot.word)[:40]!r} is neither of {ballot.a!r} and {ballot.b!r}.")
    return side
