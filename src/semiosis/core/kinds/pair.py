"""Two pictures of one prompt, and the judgment between them."""

from collections.abc import Iterable
from statistics import stdev
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ..cascade import Cascade, SemiosisGap
from ..certainty import is_coin_flip
from ..contrast import Contrast
from ..graph import SubSemiosis
from ..grounding import Box
from ..item import Item, Label
from ..outcome import Failure, Finding, Outcome, Provenance
from ..settled import UNDECIDED
from ..sign import Artifact, Hashed, Pair, Side, hashes
from ..vote import Evidence, Order, Vote
from . import kind
from .rating import Measurement


@kind
class PairItem(Item):
    """Two pictures of one prompt, to be judged. The label `winner` is "a", "b" or "tie"."""

    capability = "judge"
    kind: Literal["pair"] = "pair"
    pair: Pair

    @property
    def identity(self) -> tuple[str, ...]:
        prompt = self.pair.prompt
        return self.identity_of(prompt.text, prompt.references, self.pair.a, self.pair.b)

    @staticmethod
    def identity_of(prompt: str, references: Iterable[Hashed], a: Hashed, b: Hashed) -> tuple[str, ...]:
        return (prompt, *hashes(*references, a, b))

    @property
    def arguments(self) -> tuple[Pair]:
        return (self.pair,)

    @property
    def pictures(self) -> tuple[Artifact, ...]:
        return (*self.pair.prompt.references, self.pair.a, self.pair.b)

    @property
    def words(self) -> str:
        return self.pair.prompt.text

    @property
    def subject(self) -> tuple[str, ...]:
        return self.pair.prompt.identity

    @property
    def label(self) -> Label:
        return self.labels.get("winner")

    @property
    def generators(self) -> dict[str, str]:
        named = {side: self.labels.get(f"model_{side}") for side in ("a", "b")}
        return {side: str(name) for side, name in named.items() if name is not None}


@kind
class Judgment(Outcome):
    """Which picture carries the intended meaning, by votes in both orders.

    pair        what was judged
    votes       one or more, by order and repeat
    cascade_a   how the prompt and picture A were read, where the method reads
    cascade_b   the same for B
    contrast    where the pictures differ: as the votes share it, or as the leading one has it
    rebuilt     "judgment": the votes share their graphs; "graphs": each vote has its own
    failures    votes that came to nothing
    score_a     the number that A was given, where the method measures each picture by itself
    score_b     the same for B
    gap_a       how far A was read from the prompt, where the method measures it
    gap_b       the same for B
    provenance  where all of it came from, call by call
    """

    headline = (
        "winner",
        "preference",
        "flipped",
        "certainty",
        "coin_flip",
        "graded",
        "flips",
        "unverified",
        "unsupported",
    )
    kind: Literal["judgment"] = "judgment"
    pair: Pair
    votes: Annotated[tuple[Vote, ...], Field(min_length=1)]
    cascade_a: Cascade | None = None
    cascade_b: Cascade | None = None
    contrast: Contrast | None = None
    rebuilt: Literal["judgment", "graphs"] = "judgment"
    failures: tuple[Failure, ...] = ()
    score_a: Measurement | None = None
    score_b: Measurement | None = None
    gap_a: SemiosisGap | None = None
    gap_b: SemiosisGap | None = None
    provenance: Provenance

    @property
    def preference(self) -> float:
        """The share of votes for A, each order counting alike; a vote for neither counts half.

        Where votes failed, one order may have more of them than the other: a plain share would then measure
        the place of a picture.
        """
        return _mean_by_order(
            (vote.order, 0.5 if vote.winner is None else float(vote.winner == "a")) for vote in self.votes
        )

    @property
    def graded(self) -> float:
        """The preference for A with each vote as sure as it is: 0.5 + (certainty - 1) / 8 for its winner.

        Each order counts alike. A vote without a certainty counts in full, as in `preference`.
        """
        return _mean_by_order((vote.order, vote.graded) for vote in self.votes)

    @property
    def certainty(self) -> float | None:
        """How sure the votes say they are, 1 to 5: their mean, each order counting alike.

        Whether they agree is another matter: a judge may be sure in either order, and flip. None where no
        vote says.
        """
        levels: list[tuple[Order | None, float]] = [
            (vote.order, float(vote.certainty)) for vote in self.votes if vote.certainty is not None
        ]
        return _mean_by_order(levels) if levels else None

    @property
    def coin_flip(self) -> bool | None:
        """Whether its votes say that it might as well have gone the other way: a certainty below 2.

        None where no vote says.
        """
        return None if self.certainty is None else is_coin_flip(self.certainty)

    @property
    def spread(self) -> float | None:
        """How far the repeats lie apart: the standard deviation of their graded preferences; None for one."""
        repeats: dict[int, list[tuple[Order | None, float]]] = {}
        for vote in self.votes:
            repeats.setdefault(vote.repeat, []).append((vote.order, vote.graded))
        return stdev(_mean_by_order(each) for each in repeats.values()) if len(repeats) > 1 else None

    @property
    def winner(self) -> Side | None:
        """The side with more votes; None for an even split, which stays undecided."""
        share = self.preference
        return None if share == 0.5 else "a" if share > 0.5 else "b"

    @property
    def flips(self) -> int:
        """In how many repeats the verdict changed with the order."""
        return sum(one.winner != other.winner for one, other in self._compared())

    @property
    def flipped(self) -> bool | None:
        """Whether the order changed the verdict in any repeat; None when no repeat has both orders."""
        return self.flips > 0 if self._compared() else None

    @property
    def comparisons(self) -> tuple[float, ...]:
        """The graded preference for A of each comparison: votes in both orders are one, repeats are others.

        Two orders are two looks of one judge, not two judges: where they differ, the surer one counts for
        more, and equals are a draw. A vote without an order is a comparison by itself; one whose counterpart
        failed is none, since it may be about the place of a picture.
        """
        alone = [vote.graded for vote in self.votes if vote.order is None]
        return (*alone, *((one.graded + other.graded) / 2 for one, other in self._compared()))

    def _compared(self) -> list[tuple[Vote, Vote]]:
        by = {(vote.order, vote.repeat): vote for vote in self.votes}
        return [(by["ab", n], by["ba", n]) for order, n in by if order == "ab" and ("ba", n) in by]

    @property
    def leading_vote(self) -> Vote:
        """The vote whose discussion is shown first: for the winner, in the pair's own order if any."""
        return min(self.votes, key=lambda vote: (vote.winner != self.winner, vote.order or "", vote.repeat))

    @property
    def discussion(self) -> str:
        """The words of the leading vote."""
        return self.leading_vote.discussion

    @property
    def rationales(self) -> tuple[str, ...]:
        """The words of every vote, whichever side it is for, and the reasons behind numbers."""
        measured = (score.reasons for score in (self.score_a, self.score_b) if score)
        return (
            *(words for vote in self.votes for words in vote.rationales),
            *(reason for reasons in measured for reason in reasons),
        )

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Everything cited by the votes that agree with the winner, once each (all votes when undecided).

        Where each vote has graphs or a contrast of its own, only what the leading vote cites.
        """
        if self.apart:
            return self.leading_vote.evidence
        agreeing = [vote for vote in self.votes if self.winner in (None, vote.winner)]
        return tuple(dict.fromkeys(item for vote in agreeing for item in vote.evidence))

    @property
    def apart(self) -> bool:
        """Whether each vote has graphs or a contrast of its own, so that a node of one is no other's."""
        return self.rebuilt == "graphs" or any(vote.contrast for vote in self.votes)

    @property
    def unsupported(self) -> int:
        """Votes of a judge that cite nothing, or only what speaks for the other side."""
        return sum(vote.order is not None and not vote.supported for vote in self.votes)

    def places(self, node: str, vote: Vote | None = None) -> dict[Side, tuple[Box, ...]]:
        """Where a cited node points in the pictures; a node of the prompt, or a whole picture, nowhere.

        A `vote` with graphs or a contrast of its own is read by these.
        """
        sign, _, part = node.partition(".")
        if sign == "contrast":
            contrast = (vote and vote.contrast) or self.contrast
            difference = contrast.difference(part) if contrast else None
            return {"a": difference.a.boxes, "b": difference.b.boxes} if difference else {}
        chains: dict[str, Cascade | None] = {
            "a": (vote and vote.cascade_a) or self.cascade_a,
            "b": (vote and vote.cascade_b) or self.cascade_b,
        }
        cascade = chains.get(sign)
        child = cascade.artifact.node(part) if cascade and part else None
        if not isinstance(child, SubSemiosis) or not child.boxes:
            return {}
        return {"a": child.boxes} if sign == "a" else {"b": child.boxes}

    @property
    def unverified(self) -> int:
        """Citations, boxes and spans that did not check out, over all votes, graphs and contrasts."""
        cited = sum(not item.verified for vote in self.votes for item in vote.evidence)
        chains = [
            (self.cascade_a, self.cascade_b),
            *((vote.cascade_a, vote.cascade_b) for vote in self.votes),
        ]
        graphs = [graph for chain in chains for c in chain if c for graph in (c.prompt, c.artifact)]
        distinct = {graph.model_dump_json(): graph.unverified for graph in graphs}
        return cited + sum(distinct.values()) + sum(each.unverified for each in self.contrasts)

    @property
    def contrasts(self) -> tuple[Contrast, ...]:
        """Those of the judgment and of its votes, once each."""
        return tuple(dict.fromkeys(filter(None, (self.contrast, *(vote.contrast for vote in self.votes)))))

    @property
    def measured(self) -> bool:
        """Whether each picture was measured by itself, and nobody was asked to choose."""
        return all(vote.order is None for vote in self.votes)

    @property
    def finding(self) -> Finding:
        """The winner as its verdict, the preference for A as its value."""
        return Finding(
            verdict=self.winner or UNDECIDED,
            value=self.preference,
            graded=self.graded,
            certainty=self.certainty,
            flipped=self.flipped,
            unverified=self.unverified,
            failures=self.failures,
        )

    def agrees(self, label: Label) -> bool | None:
        """Whether the winner is the label's; None where that is neither side."""
        return self.winner == label if label in ("a", "b") else None

    @model_validator(mode="before")
    @classmethod
    def _unordered(cls, record: Any) -> Any:
        """Earlier releases wrote what was measured as a vote in the order AB, without a word."""
        match record:
            case {"gap_a": dict(), "votes": [{"order": "ab"} as vote]}:
                words = vote.get("discussion") or vote.get("evidence")
                return record if words else {**record, "votes": [{**vote, "order": None}]}
            case _:
                return record


def _mean_by_order(preferences: Iterable[tuple[Order | None, float]]) -> float:
    shares: dict[Order | None, list[float]] = {}
    for order, share in preferences:
        shares.setdefault(order, []).append(share)
    return sum(sum(each) / len(each) for each in shares.values()) / len(shares)
