"""Two pictures of one prompt, and the judgment between them."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ..cascade import Cascade, SemiosisGap
from ..item import Item, Label
from ..outcome import Failure, Finding, Outcome, Provenance
from ..settled import UNDECIDED
from ..sign import Artifact, Hashed, Pair, Side, hashes
from ..vote import Evidence, Order, Vote
from . import kind


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
    rebuilt     "judgment": the votes share their graphs; "graphs": each vote has its own
    failures    votes that came to nothing
    gap_a       how far A was read from the prompt, where the method measures it
    gap_b       the same for B
    provenance  where all of it came from, call by call
    """

    headline = ("winner", "preference", "flipped", "flips", "unverified")
    kind: Literal["judgment"] = "judgment"
    pair: Pair
    votes: Annotated[tuple[Vote, ...], Field(min_length=1)]
    cascade_a: Cascade | None = None
    cascade_b: Cascade | None = None
    rebuilt: Literal["judgment", "graphs"] = "judgment"
    failures: tuple[Failure, ...] = ()
    gap_a: SemiosisGap | None = None
    gap_b: SemiosisGap | None = None
    provenance: Provenance

    @property
    def preference(self) -> float:
        """The share of votes for A, each order counting alike; a vote for neither counts half.

        Where votes failed, one order may have more of them than the other: a plain share would then measure
        the place of a picture.
        """
        shares: dict[Order | None, list[float]] = {}
        for vote in self.votes:
            share = 0.5 if vote.winner is None else float(vote.winner == "a")
            shares.setdefault(vote.order, []).append(share)
        return sum(sum(each) / len(each) for each in shares.values()) / len(shares)

    @property
    def winner(self) -> Side | None:
        """The side with more votes; None for an even split, which stays undecided."""
        share = self.preference
        return None if share == 0.5 else "a" if share > 0.5 else "b"

    @property
    def flips(self) -> int:
        """In how many repeats the verdict changed with the order."""
        return sum(one != other for one, other in self._compared())

    @property
    def flipped(self) -> bool | None:
        """Whether the order changed the verdict in any repeat; None when no repeat has both orders."""
        return self.flips > 0 if self._compared() else None

    @property
    def comparisons(self) -> tuple[Side | None, ...]:
        """The winner of each comparison, None in a draw: votes in both orders are one, repeats are others.

        Two orders are two looks of one judge, not two judges: where they differ it is a draw. A vote without
        an order is a comparison by itself; one whose counterpart failed is none, since it may be about the
        place of a picture.
        """
        winners: list[Side | None] = [vote.winner for vote in self.votes if vote.order is None]
        for one, other in self._compared():
            winners.append(one if one == other else None)
        return tuple(winners)

    def _compared(self) -> list[tuple[Side | None, Side | None]]:
        by: dict[tuple[Order | None, int], Side | None] = {(v.order, v.repeat): v.winner for v in self.votes}
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
    def evidence(self) -> tuple[Evidence, ...]:
        """Everything cited by the votes that agree with the winner, once each (all votes when undecided).

        Where each vote has graphs of its own, only what the leading vote cites.
        """
        if self.rebuilt == "graphs":
            return self.leading_vote.evidence
        agreeing = [vote for vote in self.votes if self.winner in (None, vote.winner)]
        return tuple(dict.fromkeys(item for vote in agreeing for item in vote.evidence))

    @property
    def unverified(self) -> int:
        """Citations, boxes and spans that did not check out, over all votes and graphs."""
        cited = sum(not item.verified for vote in self.votes for item in vote.evidence)
        chains = [
            (self.cascade_a, self.cascade_b),
            *((vote.cascade_a, vote.cascade_b) for vote in self.votes),
        ]
        graphs = [graph for chain in chains for c in chain if c for graph in (c.prompt, c.artifact)]
        distinct = {graph.model_dump_json(): graph.unverified for graph in graphs}
        return cited + sum(distinct.values())

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
