"""What something asks for, found by doing it with a stand-in for the model.

calls = await rehearse(method, lambda method: method.judge(pair))
calls = await rehearse_item(method, item)
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from ..backbones.budget import input_tokens
from ..backbones.rehearsal import RehearsedCall, StandIn
from ..core.errors import BadSetting, SemiosisError
from ..core.item import Item
from ..core.outcome import Failure, Outcome
from ..core.text import brief
from ..methods.contract import Method, dispatch

M = TypeVar("M", bound=Method)

# A method that asks for more may never end, since no made-up reply tells it to.
MOST_CALLS = 10_000


class Unasked(BadSetting):
    """What is rehearsed fails before anything is asked, as it will in earnest."""


async def rehearse(
    method: M, performance: Callable[[M], Coroutine[Any, Any, Outcome]], chance: Random | None = None
) -> list[RehearsedCall]:
    """The calls that the method makes when it is asked for nothing but this."""
    calls: list[RehearsedCall] = []
    rehearsed = method.with_models(lambda backbone: StandIn(backbone, calls, chance, MOST_CALLS))
    try:
        outcome = await performance(rehearsed)
    except SemiosisError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever another package does
        raise BadSetting(
            brief(f"{method.label} broke in its rehearsal: {type(error).__name__}: {error}")
        ) from None
    if isinstance(outcome, Failure):
        kind = BadSetting if calls else Unasked
        raise kind(f"{method.label} failed in its rehearsal: {outcome.message}")
    return calls


async def rehearse_item(method: Method, item: Item, chance: Random | None = None) -> list[RehearsedCall]:
    """The calls that the method makes for this item alone."""
    return await rehearse(method, lambda each: dispatch(each, item), chance)


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call that will be made. Calls of one node are one call, whatever items need them."""

    stage: str
    model: str
    node: int
    input_tokens: float
    output_tokens: int

    @classmethod
    def of(cls, call: RehearsedCall) -> "PlannedCall":
        """As it was rehearsed, known by its request."""
        request = call.request
        node = hash((call.model, request.sha256))
        return cls(request.task, call.model, node, input_tokens(request), call.output_tokens)
