"""Judges' replies in free text, and the verdicts that they state.

sides.py        "the image by Model B" is @b
grammar.py      "@b is better" is said of b, plainly
sentences.py    "although @b is better" states nothing
parts.py        a reply as sentences, without the menus that it repeats
stated.py       what weighs most of what they state
"""

from .stated import StatedVerdict, stated_verdict

__all__ = ["StatedVerdict", "stated_verdict"]
