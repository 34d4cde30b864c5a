"""Numbers, counts and doubts as plain words."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ..core.cascade import SemiosisGap
from ..core.graph import SubSemiosis
from ..core.grounding import Box
from ..core.vote import Vote

_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def count(number: int, one: str, many: str = "") -> str:
    """count(2, "vote") == "two votes"."""
    word = _SMALL[number] if 0 <= number < len(_SMALL) else f"{number:,}"
    return f"{word} {one if number == 1 else many or one + 's'}"


def by_votes(choice: str, votes: Sequence[str], failed: int) -> str:
    """by_votes("B", "BBA", 0) == " by 2 of 3 votes"; nothing where it was asked once."""
    if len(votes) + failed < 2:
        return ""
    beside = f" ({failed:,} more failed)" if failed else ""
    return f" by {votes.count(choice):,} of {len(votes):,} votes{beside}"


def shown_as(vote: Vote) -> str:
    """In which order the pictures were shown for it."""
    return "no order" if vote.order is None else f"shown {' then '.join(vote.order.upper())}"


def faults(boxes: Iterable[Box]) -> str:
    """What is wrong with them: "one box without area; two boxes not inside the picture"."""
    counts = Counter(box.fault for box in boxes if box.fault)
    return "; ".join(f"{count(number, 'box', 'boxes')} {fault}" for fault, number in counts.items())


def doubts(part: SubSemiosis) -> str:
    """What of a part's pointers does not check out."""
    lost = "these words are not in the prompt" if part.span and not part.span.verified else ""
    return "; ".join(filter(None, [faults(part.boxes), lost]))


def fraction(value: float) -> str:
    return f"{value:.2f}"


def gap_words(gap: SemiosisGap) -> str:
    """A gap with its scale: "0.310 (0 to 1, smaller is nearer), coverage 0.62"."""
    coverage = "" if gap.coverage is None else f", coverage {gap.coverage:.2f}"
    return f"{gap.distance:.3f} (0 to {gap.widest}, smaller is nearer){coverage}"


def seconds(value: float) -> str:
    if value < 0.05:
        return "under 0.1 s"
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"


def kilobytes(value: int) -> str:
    return f"{value:,} bytes" if value < 2048 else f"{value / 1024:,.0f} kB"


def place(x: float, y: float) -> str:
    """Where the middle of a box lies, for those who do not see it."""
    row = "upper" if y < 0.36 else "lower" if y > 0.64 else "middle"
    column = "left" if x < 0.36 else "right" if x > 0.64 else "centre"
    if (row, column) == ("middle", "centre"):
        return "in the centre"
    return f"{row} {column}"


def extent(area: float) -> str:
    if area >= 0.6:
        return "most of the picture"
    if area >= 0.35:
        return "about half of the picture"
    if area >= 0.18:
        return "about a quarter of the picture"
    if area >= 0.07:
        return "about a tenth of the picture"
    return "a small part of the picture"
