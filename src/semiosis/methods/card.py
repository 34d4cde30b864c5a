"""What a method says of itself, for those who choose among many.

@method("clipscore")
class ClipScore(Scorer):
    card = Card(paper="Hessel et al. 2021", licence="MIT", needs="weights of a CLIP", ...)
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    """What a method says of itself; what is empty is not known.

    paper       whose it is, and where that is written
    licence     of the weights or the data it stands on, where it stands on any
    needs       what it cannot do without, in words
    model       the one model that its prompts are for, as a hub names it; any that sees where it is empty
    scale       of its numbers, where it gives numbers
    sees_prompt whether the prompt has a part in what it says of a picture
    unverified  what could not be checked against the authors' own weights, data or prompts
    """

    paper: str = ""
    licence: str = ""
    needs: str = ""
    model: str = ""
    scale: str = ""
    sees_prompt: bool = True
    unverified: str = ""
