"""What a run took, by task and model: every reply that is stored, whatever became of it."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Self

from ..backbones.backbone import Reply
from .database import Database

# A call that was copied from another run took no attempt in this one.
_SUMS = (
    "ifnull(sum(input_tokens * (attempts > 0)), 0), ifnull(sum(output_tokens * (attempts > 0)), 0),"
    " ifnull(sum(cost_usd), 0.0), ifnull(sum(cost_usd is null), 0)"
)


@dataclass
class Spent:
    """What the replies in a store took so far."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0

    @classmethod
    def of(cls, store: Database) -> Self:
        return cls(*next(store.rows(f"select ifnull(sum(attempts > 0), 0), {_SUMS} from calls")))

    def add(self, reply: Reply) -> None:
        self.calls += 1
        self.input_tokens += reply.input_tokens or 0
        self.output_tokens += reply.output_tokens or 0
        self.cost_usd += reply.cost_usd or 0.0
        self.unpriced += reply.cost_usd is None


@dataclass(frozen=True)
class Line:
    """One kind of call to one model. `useless` ones could not be read, `unpriced` ones have no price.

    `copied` ones were made and paid for by another run of the same command, and are not among the `calls`.
    """

    task: str
    model: str
    calls: int
    useless: int
    attempts: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced: int
    copied: int = 0


def account(store: Database) -> tuple[Line, ...]:
    # The index `calls_account` holds all of this: the long texts are not touched.
    rows = store.rows(
        "select task, model, sum(attempts > 0), sum(useless and attempts > 0), sum(attempts),"
        f" {_SUMS}, sum(attempts = 0) from calls group by task, model"
    )
    return tuple(Line(*row) for row in rows)


def total(lines: Iterable[Line]) -> Line:
    every = tuple(lines)
    figures = (each.name for each in fields(Line)[2:])
    return Line("together", "", *(sum(getattr(line, name) for line in every) for name in figures))
