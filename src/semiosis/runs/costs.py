"""What a run took, by task and model: every reply that is stored, whatever became of it."""

from collections.abc import Iterable
from dataclasses import dataclass

from .store import Store


@dataclass(frozen=True)
class Line:
    """One kind of call to one model. `useless` ones could not be read, `unpriced` ones have no price."""

    task: str
    model: str
    calls: int
    useless: int
    attempts: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced: int


def account(store: Store) -> tuple[Line, ...]:
    # The index `calls_account` holds all of this: the long texts are not touched.
    rows = store.rows(
        "select task, model, count(*), sum(useless), sum(attempts), ifnull(sum(input_tokens), 0),"
        " ifnull(sum(output_tokens), 0), ifnull(sum(cost_usd), 0.0), sum(cost_usd is null)"
        " from calls group by task, model"
    )
    return tuple(Line(*row) for row in rows)


def total(lines: Iterable[Line]) -> Line:
    every = tuple(lines)
    return Line(
        task="together",
        model="",
        calls=sum(line.calls for line in every),
        useless=sum(line.useless for line in every),
        attempts=sum(line.attempts for line in every),
        input_tokens=sum(line.input_tokens for line in every),
        output_tokens=sum(line.output_tokens for line in every),
        cost_usd=sum(line.cost_usd for line in every),
        unpriced=sum(line.unpriced for line in every),
    )
