"""Both orders, any number of repeats: verdicts become votes, votes become a judgment or a failure."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal

from ..backbones.single_flight import together
from ..core.graph import HSG
from ..core.outcome import Exchange, Failure
from ..core.sign import Pair, Side, other
from ..core.vote import Evidence, Order, Vote
from .settings import Orders
from .verdict import EvidenceShape, VerdictShape

# "prompt", "a" and "b" to their graphs; None where a sign may be cited only as a whole
CitableGraphs = Mapping[str, HSG | None]
CastVote = Callable[[Order, int, list[Exchange]], Awaitable[Vote | Failure]]

ORDERS: Mapping[Orders, tuple[Order, ...]] = {"both": ("ab", "ba"), "ab": ("ab",), "ba": ("ba",)}

_NODE = re.compile(r"^\W*(?:(prompt)|(?:picture |image )?([a-z]{1,2}))(?:\.([^\s\].,;:()]+))?\W*$", re.I)


def ordered_pair(pair: Pair, order: Order) -> Pair:
    """The pair as it is shown in that order."""
    return pair if order == "ab" else Pair(prompt=pair.prompt, a=pair.b, b=pair.a)


def verdict_stage(order: Order, repeat: int) -> str:
    return f"verdict, order {order.upper()}" + (f", repeat {repeat + 1}" if repeat else "")


async def poll(
    cast: CastVote, orders: Orders, repeats: int, log: list[Exchange]
) -> tuple[tuple[Vote, ...], tuple[Failure, ...]]:
    """Ask for every vote at once; the log has their exchanges in the order asked, whichever came first."""
    ballots: list[tuple[Order, int, list[Exchange]]] = [
        (order, repeat, []) for repeat in range(repeats) for order in ORDERS[orders]
    ]
    results = await together(*(cast(order, repeat, own) for order, repeat, own in ballots))
    log.extend(exchange for _, _, own in ballots for exchange in own)
    votes = tuple(result for result in results if isinstance(result, Vote))
    failures = tuple(result for result in results if isinstance(result, Failure))
    return votes, failures


def undermined(votes: Sequence[Vote], failures: Sequence[Failure], orders: Orders) -> Failure | None:
    """Half a measurement is none: an order without a single vote fails the judgment."""
    if {vote.order for vote in votes} == set(ORDERS[orders]):
        return None
    return failures[0].model_copy(update={"votes": tuple(votes)})


def vote_of(verdict: VerdictShape, order: Order, repeat: int, graphs: CitableGraphs) -> Vote:
    """The verdict in the pair's own sides."""
    return Vote(
        order=order,
        repeat=repeat,
        winner=_own(verdict.winner, order),
        discussion=verdict.discussion,
        evidence=tuple(_evidence(item, order, graphs) for item in verdict.evidence),
    )


def _own(label: Literal["A", "B"], order: Order) -> Side:
    side: Side = "a" if label == "A" else "b"
    return side if order == "ab" else other(side)


def _evidence(item: EvidenceShape, order: Order, graphs: CitableGraphs) -> Evidence:
    node, verified = cited(item.node, order, graphs)
    supports = None if item.supports == "neither" else _own(item.supports, order)
    return Evidence(node=node, rationale=item.rationale, supports=supports, verified=verified)


def cited(text: str, order: Order, graphs: CitableGraphs) -> tuple[str, bool]:
    """The node a citation means, in the pair's own sides, and whether there is one."""
    match = _NODE.match(text[:80])
    if match is None:
        return text.strip(), False
    prompt, label, part = match.groups()
    sign = "prompt" if prompt else label.lower()
    if order == "ba" and sign in ("a", "b"):
        sign = "b" if sign == "a" else "a"
    if sign not in graphs:
        return text.strip(), False
    graph = graphs[sign]
    if part is None:
        return sign, True
    return f"{sign}.{part}", graph is not None and graph.node(part) is not None
