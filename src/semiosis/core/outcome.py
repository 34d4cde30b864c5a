"""What comes out of an item: an outcome of some kind - or a Failure, which is never a score.

outcome = await method.judge(pair)
if isinstance(outcome, Failure):
    print(outcome.reason, outcome.message, outcome.reply)
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from pydantic import ConfigDict

from .certainty import is_coin_flip
from .errors import BackboneError, FailureKind
from .item import Label
from .kinds import kind
from .value import Value
from .vote import Vote


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
        prices = [cost for cost in paid if cost is not None]
        return sum(prices) if len(prices) == len(paid) else None

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


@dataclass(frozen=True)
class Finding:
    """What any outcome can be asked, whatever its kind.

    verdict     a side, a choice, or UNDECIDED of settled.py; None where the kind has none
    value       a number; None where the kind has none
    graded      the value with each vote as sure as it is; None where it is made of no votes
    certainty   how sure it says it is, from 1 (a coin flip) to 5 (beyond doubt); None where it does not
    flipped     whether the order of showing changed the verdict; None where that cannot be told
    unverified  pointers that did not check out
    failures    what failed inside it
    reason      why it failed as a whole; None where it did not
    """

    verdict: str | None = None
    value: float | None = None
    graded: float | None = None
    certainty: float | None = None
    flipped: bool | None = None
    unverified: int = 0
    failures: "tuple[Failure, ...]" = ()
    reason: FailureKind | None = None

    def __post_init__(self) -> None:
        if self.reason is not None and not self.failures:
            raise ValueError("a finding with a reason names the failure behind it")

    @property
    def is_coin_flip(self) -> bool:
        """Whether the verdict says of itself that it might as well have gone the other way."""
        return is_coin_flip(self.certainty)

    def agrees(self, label: Label) -> bool | None:
        """Whether the verdict is the label's, of which an undecided one is none."""
        return None if label is None or self.verdict is None else self.verdict == str(label)


class Outcome(Value):
    """What a kind of outcome must say of itself.

    A subclass fixes `kind` to its own name, lists in `headline` the fields and properties that its record
    begins with, and gives its `finding`. A notebook shows it as its page, which is registered from above.

    provenance  where it came from, call by call
    """

    render: ClassVar[Callable[[Any], str] | None] = None
    headline: ClassVar[tuple[str, ...]] = ()

    kind: Any
    provenance: Any

    @property
    def finding(self) -> Finding:
        """What any outcome can be asked."""
        return Finding()

    @property
    def cells(self) -> dict[str, Any]:
        """The headline, by name: what a table shows of it."""
        return {name: getattr(self, name) for name in self.headline}

    @property
    def rationales(self) -> tuple[str, ...]:
        """What the judge says, in its own words; nothing where it counts or computes."""
        return ()

    @property
    def comparisons(self) -> tuple[float, ...]:
        """The preference for side a, 0 to 1, in each comparison of two that it is made of; 0.5 in a draw."""
        return ()

    def agrees(self, label: Label) -> bool | None:
        """Whether it says what `label` says; None where that cannot be told."""
        return self.finding.agrees(label)

    def _repr_html_(self) -> str | None:
        return Outcome.render(self) if Outcome.render else None


@kind
class Failure(Outcome):
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

    @classmethod
    def of(cls, error: BackboneError, stage: str = "", attempts: int | None = None) -> Self:
        """What a call that gave no usable reply ends as."""
        return cls(
            reason=error.kind,
            message=str(error),
            stage=stage,
            reply=error.reply,
            attempts=error.attempts if attempts is None else attempts,
        )

    @property
    def finding(self) -> Finding:
        """That it failed, and why."""
        return Finding(failures=(self,), reason=self.reason)


class ForeignOutcome(Outcome):
    """An outcome of a kind that is not installed here: as it was stored, to be shown and handed on."""

    model_config = ConfigDict(extra="allow")
    provenance: Provenance | None = None

    @property
    def cells(self) -> dict[str, Any]:
        """What it holds that is a word or a number."""
        held = self.model_extra or {}
        return {name: value for name, value in held.items() if isinstance(value, str | int | float)}
