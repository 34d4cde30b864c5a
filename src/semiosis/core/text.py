"""What may be shown in a terminal, and how money and shares are written.

plain("a\x1b[31mb")       'a\\x1b[31mb': what a text from outside hides is seen, and steers nothing
usd(0.0123)               '0.0123'
percent(0.5)              '50.0%'
share(0.5, 0.2, 0.8)      '50.0% (20.0 to 80.0)'
"""

import re
from collections.abc import Mapping

LONGEST = 400

# Control characters, line and paragraph separators, marks that turn the direction, halves of surrogate pairs.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BREAKS = "\r\n\t"


def plain(text: str) -> str:
    """One line that can be shown and stored, whatever a hostile text put in it."""
    return _HIDDEN.sub(_visible, text)


def brief(text: str) -> str:
    """The same, cut where it would fill a screen."""
    return plain(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")


def _visible(match: "re.Match[str]") -> str:
    return " " if match[0] in _BREAKS else ascii(match[0])[1:-1]


def usd(amount: float | None) -> str:
    """Dollars without their sign; what nobody priced is unknown."""
    if amount is None:
        return "unknown"
    return f"{amount:,.4f}" if amount < 100 else f"{amount:,.2f}"


def price(amount: float | None) -> str:
    """The same in a sentence."""
    if amount is None:
        return "price unknown"
    return f"${usd(amount)}" if amount else "$0"


def expense(amount: float, unpriced: int, calls: int) -> str:
    """What so many calls took, of which some have no price."""
    if unpriced and unpriced == calls:
        return usd(None)
    return f"{usd(amount)} + {unpriced:,} unknown" if unpriced else usd(amount)


def dollars(amount: float, unpriced: int) -> str:
    """The same in a sentence."""
    if unpriced and not amount:
        return "no price known"
    return f"{price(amount)} and {unpriced:,} calls without a price" if unpriced else price(amount)


def counted(counts: Mapping[str, int]) -> str:
    """counted({"refused": 2, "timeout": 1}) == "2 refused, 1 timeout"."""
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def percent(value: float, digits: int = 1) -> str:
    return f"{value:z,.{digits}%}"


def share(value: float, low: float, high: float) -> str:
    """A share and its interval."""
    low_end, high_end = (percent(end).removesuffix("%") for end in (low, high))
    return f"{percent(value)} ({low_end} to {high_end})"
