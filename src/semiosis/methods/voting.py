"""Both orders, any number of repeats: verdicts become votes, votes become a judgment or a failure."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal

from ..backbones.single_flight import together
from ..core.contrast import Contrast
from ..core.graph import HSG
from ..core.kinds.pair import Judgment
from ..core.outcome import Exchange, Failure
from ..core.sign import Pair, Side, other
from ..core.vote import Evidence, Order, Supports, Vote
from .contract import Judges
from .settings import Orders
from .verdict import EvidenceShape, Verdict

# "prompt", "a" and "b" to their graphs, "contrast" to the differences; None where a sign may be cited only as
# a whole
Citable = Mapping[str, HSG | Contrast | None]
WHOLES: Citable = {"prompt": None, "a": None, "b": None}
CastVote = Callable[[Order, int, list[Exchange]], Awaitable[Vote | Failure]]

ORDERS: Mapping[Orders, tuple[Order, ...]] = {"both": ("ab", "ba"), "ab": ("ab",), "ba": ("ba",)}

_NODE = re.compile(
    r"^\W*(?:(prompt|contrast)|(?:picture |image )?([a-z]{1,2}))(?:\.([^\s\].,;:()]+))?\W*$", re.I
)
_SUPPORTS: Mapping[str, Supports | None] = {
    "both ways": "both-ways",
    "both lack": "both-lack",
    "nothing": None,
}


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


async def judged_by_votes(
    method: Judges, pair: Pair, cast: CastVote, orders: Orders, repeats: int
) -> Judgment | Failure:
    """What the votes on `pair` come to, for a method that needs nothing else."""
    log: list[Exchange] = []
    votes, failures = await poll(cast, orders, repeats, log)
    failure = undermined(votes, failures, orders)
    if failure:
        return method.failed(failure, log)
    return Judgment(pair=pair, votes=votes, failures=failures, provenance=method.provenance(log))


def node_ids(citable: Citable) -> tuple[str, ...]:
    """All that may be cited, in the pair's own sides."""
    ids: list[str] = []
    for sign, held in citable.items():
        match held:
            case HSG() as graph:
                ids += [sign, *(f"{sign}.{child.id}" for child in graph.children)]
            case Contrast() as contrast:
                ids += [f"{sign}.{each.id}" for each in contrast.differences]
            case _:
                ids.append(sign)
    return tuple(ids)


def uncited(verdict: Verdict, order: Order, citable: Citable) -> str | None:
    """Which ids the evidence leaves out, as they are shown in that order; None where it has them all."""
    named = {cited(item.node, order, citable)[0] for item in verdict.evidence}
    missing = [_shown(id, order) for id in node_ids(citable) if id not in named]
    return f"evidence has nothing on {', '.join(missing)}; give an item for each id" if missing else None


def _shown(id: str, order: Order) -> str:
    sign, dot, part = id.partition(".")
    match sign:
        case "a" | "b":
            label = sign if order == "ab" else other(sign)
            return f"{label.upper()}{dot}{part}"
        case _:
            return id


def vote_of(verdict: Verdict, order: Order, repeat: int, citable: Citable) -> Vote:
    """The verdict in the pair's own sides."""
    return Vote(
        order=order,
        repeat=repeat,
        winner=own_side(verdict.winner, order),
        certainty=verdict.certainty,
        discussion=verdict.discussion,
        evidence=tuple(_evidence(item, order, citable) for item in verdict.evidence),
    )


def own_side(label: Literal["A", "B"], order: Order) -> Side:
    side: Side = "a" if label == "A" else "b"
    return side if order == "ab" else other(side)


def _evidence(item: EvidenceShape, order: Order, citable: Citable) -> Evidence:
    node, verified = cited(item.node, order, citable)
    match item.supports:
        case "A" | "B":
            supports: Supports | None = own_side(item.supports, order)
        case _:
            supports = _SUPPORTS[item.supports]
    return Evidence(node=node, rationale=item.rationale, supports=supports, verified=verified)


def cited(text: str, order: Order, citable: Citable) -> tuple[str, bool]:
    """The node a citation means, in the pair's own sides, and whether there is one."""
    match = _NODE.match(text[:80])
    if match is None:
        return text.strip(), False
    named, label, part = match.groups()
    sign = named.lower() if named else label.lower()
    if order == "ba" and sign in ("a", "b"):
        sign = "b" if sign == "a" else "a"
    if sign not in citable:
        return text.strip(), False
    if part is None:
        return sign, True
    match citable[sign]:
        case HSG() as graph:
            return f"{sign}.{part}", graph.node(part) is not None
        case Contrast() as contrast:
            return f"{sign}.{part}", contrast.difference(part) is not None
        case _:
            return f"{sign}.{part}", False
