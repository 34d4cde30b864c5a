"""Citations: of nodes as evidence, and inside prose, where "[a.2]" becomes a link, in the pair's own names.

A vote in order "ba" was written with the labels exchanged, so its "[a.2]" is the pair's b.2.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from ...core.sign import Side, other
from ...core.vote import Evidence, Supports, Vote
from .marks import Mark, Marks

_NODE = r"(?:prompt|contrast|[ab])(?:\.[^\s\[\].,;/&]+)?"
_BETWEEN = r"(?:\s*[,;/&]\s*(?:and\s+)?|\s+and\s+)"
_CITATION = re.compile(rf"\[\s*({_NODE}(?:{_BETWEEN}{_NODE})*)\s*\]", re.IGNORECASE)
# A capital B alone is a label; a capital A only inside a sentence, where it cannot be the article.
_LABEL = re.compile(
    r"\b(?:(?i:picture|image|artifact|artwork)\s+(?P<named>[ABab])"
    r"|(?<=[\w,;:)\]] )(?P<a>A)|(?P<b>B))\b(?:['’]s\b)?"
)


@dataclass(frozen=True)
class Piece:
    """A run of prose: plain, a citation (with its mark when the node exists), or a label to gloss."""

    text: str
    cites: bool = False
    mark: Mark | None = None
    means: str = ""


@dataclass(frozen=True)
class Citation:
    """A node with everything said of it for one side."""

    mark: Mark | None
    node: str
    reasons: tuple[tuple[Piece, ...], ...]
    verified: bool
    supports: Supports | None

    @classmethod
    def of(cls, node: str, evidence: Sequence[tuple[Evidence, Vote | None]], marks: Marks) -> Self:
        """Each reason is read in the order its vote was shown in."""
        return cls(
            mark=marks.get(node),
            node=node,
            reasons=tuple(dict.fromkeys(pieces(item.reason, marks, vote) for item, vote in evidence)),
            verified=all(item.verified for item, _ in evidence) and node in marks,
            supports=evidence[0][0].supports,
        )


def pieces(text: str, marks: Marks, vote: Vote | None = None) -> tuple[Piece, ...]:
    prose: list[Piece] = []
    at = 0
    for match in _CITATION.finditer(text):
        prose += _plain(text[at : match.start()], vote)
        for written in re.split(_BETWEEN, match.group(1), flags=re.IGNORECASE):
            node = own_name(written, vote)
            prose.append(Piece(text=written, cites=True, mark=marks.get(node)))
        at = match.end()
    return tuple(prose + _plain(text[at:], vote))


def own_name(written: str, vote: Vote | None) -> str:
    """The pair's own name for a node the judge cited."""
    sign, dot, part = written.partition(".")
    label = sign.casefold()
    if vote is None or label not in ("a", "b"):
        return f"{label}{dot}{part}"
    side: Side = "a" if label == "a" else "b"
    return f"{vote.side_shown_as(side)}{dot}{part}"


def _plain(text: str, vote: Vote | None) -> list[Piece]:
    if not text:
        return []
    if vote is None or vote.order != "ba":
        return [Piece(text=text)]
    prose: list[Piece] = []
    at = 0
    for match in _LABEL.finditer(text):
        label = match["named"] or match["a"] or match["b"]
        side: Side = "a" if label.casefold() == "a" else "b"
        prose.append(Piece(text=text[at : match.start()]))
        prose.append(Piece(text=match.group(0), means=other(side).upper()))
        at = match.end()
    return [piece for piece in (*prose, Piece(text=text[at:])) if piece.text]
