"""What comes out: a Judgment, Score, Answer or Interpretation - or a Failure, which is never a score.

outcome = await method.judge(pair)
if isinstance(outcome, Failure):
    print(outcome.reason, outcome.message, outcome.reply)
"""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from .cascade import Cascade, Reading, SemiosisGap
from .errors import FailureKind
from .sign import Artifact, Pair, Prompt, Question, Side, other
from .value import Value

Order = Literal["ab", "ba"]


class SentPicture(Value):
    """What was really sent for a picture: its own hash and the size after resizing."""

    sha256: str
    width: int
    height: int
    bytes: int
    note: str = ""


class Exchange(Value):
    """One question put to a backbone, and its reply.

    `prompts` names the prompt files it was made from, with their SHA-256. For a recording made elsewhere the
    words that were sent are not known: `sent` and `prompts` are empty. `call` is the hash of all that decides
    the reply.
    """

    stage: str
    asked: str
    call: str = ""
    served: str = ""
    endpoint: str = ""
    fingerprint: str = ""
    prompts: dict[str, str] = {}
    pictures: tuple[SentPicture, ...] = ()
    parameters: dict[str, str | int | float | bool | None] = {}
    sent: tuple[tuple[str, str], ...] = ()
    reply: str = ""
    repairs: tuple[str, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float = 0.0
    started_at: str = ""
    attempts: int = 1
    cached: bool = False
    recorded: bool = False


class Provenance(Value):
    """Where an outcome came from, call by call."""

    method: str
    method_version: str
    package_version: str
    configuration: dict[str, str | int | float | bool | None] = {}
    exchanges: tuple[Exchange, ...] = ()

    @property
    def cost_usd(self) -> float | None:
        """The sum over the calls that were paid for now; None when a price is unknown."""
        paid = [call.cost_usd for call in self.exchanges if not (call.cached or call.recorded)]
        known = [cost for cost in paid if cost is not None]
        return sum(known) if len(known) == len(paid) else None

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens in and out, as far as the servers said."""
        return (
            sum(exchange.input_tokens or 0 for exchange in self.exchanges),
            sum(exchange.output_tokens or 0 for exchange in self.exchanges),
        )

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(exchange.asked for exchange in self.exchanges))


class Evidence(Value):
    """A node, and why it speaks for a side.

    node        "prompt", "a", "b" or one of their parts, as "a.2"
    rationale   why, in the judge's words
    supports    "a", "b", or None for neither
    verified    whether there is such a node
    """

    node: str
    rationale: str
    supports: Side | None = None
    verified: bool = True


class Vote(Value):
    """One verdict. Sides are the pair's own, whatever order they were shown in.

    order       "ab" or "ba": which picture was shown first; None where a method measured each by itself
    repeat      0 for the first time this order was asked
    winner      "a" or "b", which a model must choose between; None where a method measured both as equal
    discussion  the judge's words, in the labels of that order
    evidence    what it cites
    cascade_a   how the prompt and picture A were read for this vote, where its graphs are its own
    cascade_b   the same for B
    """

    order: Order | None = None
    repeat: int = 0
    winner: Side | None
    discussion: str = ""
    evidence: tuple[Evidence, ...] = ()
    cascade_a: Cascade | None = None
    cascade_b: Cascade | None = None

    def side_shown_as(self, label: Side) -> Side:
        """The pair's own side for the `label` the judge saw, as its discussion speaks of it."""
        return other(label) if self.order == "ba" else label


class Shown(Value):
    """A value a notebook shows as a page; the page is registered from above, since this layer has none."""

    render: ClassVar[Callable[[Any], str] | None] = None
    headline: ClassVar[tuple[str, ...]] = ()
    """What a record begins with: fields and properties."""

    def _repr_html_(self) -> str | None:
        return Shown.render(self) if Shown.render else None


class Judgment(Shown):
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
    failures: tuple["Failure", ...] = ()
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


class Interpretation(Shown):
    """One sign read alone.

    prompt      the prompt that was read, or None
    artifact    the picture that was read, or None
    reading     its graph, and who read it
    provenance  where it came from, call by call
    """

    headline = ("object", "interpretant", "unverified")
    kind: Literal["interpretation"] = "interpretation"
    prompt: Prompt | None = None
    artifact: Artifact | None = None
    reading: Reading
    provenance: Provenance

    @property
    def object(self) -> str:
        """What the whole sign stands for."""
        return self.reading.graph.root.object

    @property
    def interpretant(self) -> str:
        """What it leaves in a viewer."""
        return self.reading.graph.root.interpretant

    @property
    def unverified(self) -> int:
        """Boxes and spans that did not check out."""
        return self.reading.graph.unverified


class Score(Shown):
    """An absolute number for one picture; higher is better.

    prompt      what the picture was made from
    artifact    the picture
    value       the number
    gap         the gap it comes from, if it does
    cascade     how prompt and picture were read, if they were
    provenance  where it came from, call by call
    """

    headline = ("value",)
    kind: Literal["score"] = "score"
    prompt: Prompt
    artifact: Artifact
    value: Annotated[float, Field(allow_inf_nan=False)]
    gap: SemiosisGap | None = None
    cascade: Cascade | None = None
    provenance: Provenance


class Answer(Shown):
    """A choice, given from graphs that were built without the prompt.

    question    what was asked
    artifacts   the one or two pictures it was asked of
    choice      the key of the choice that most votes made, and of several the first
    reasoning   why, in the words of its first vote
    evidence    the nodes it cites
    readings    how each picture was read
    votes       the choices of the repeats
    failures    repeats that gave none
    provenance  where it came from, call by call
    """

    headline = ("choice", "correct")
    kind: Literal["answer"] = "answer"
    question: Question
    artifacts: tuple[Artifact, ...]
    choice: str
    reasoning: str
    evidence: tuple[Evidence, ...] = ()
    readings: tuple[Reading, ...] = ()
    votes: tuple[str, ...] = ()
    failures: tuple["Failure", ...] = ()
    provenance: Provenance

    @property
    def correct(self) -> bool | None:
        """Whether it is the right one; None where that is not known."""
        return None if self.question.answer is None else self.choice == self.question.answer


class Failure(Shown):
    """No result, and why. It is never a score.

    reason      its kind, as "refused", "timeout" or "budget"
    message     one sentence
    stage       what was being asked for
    reply       what came back, if anything did
    attempts    how often it was tried
    votes       those there were, where only some of them failed
    provenance  where it came from, call by call
    """

    headline = ("reason", "message", "stage")
    kind: Literal["failure"] = "failure"
    reason: FailureKind
    message: str
    stage: str = ""
    reply: str = ""
    attempts: int = 1
    votes: tuple[Vote, ...] = ()
    provenance: Provenance | None = None


Judgment.model_rebuild()
Answer.model_rebuild()

Outcome = Judgment | Interpretation | Score | Answer | Failure
