"""Whether what a judge cites lies where the picture was changed, and whether its certainty tells edits apart.

Both need whole judgments: the votes and the places that their citations point at.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.grounding import Box
from ...core.kinds.pair import Judgment
from ...core.outcome import Outcome
from ...core.settled import Settled
from ...core.table import Cells, Interval, Table, numbers, words
from ...core.vote import Vote
from .data import WHOLE
from .geometry import cover, iou
from .summary import WILSON, parts, share_of

if TYPE_CHECKING:
    from ...stats.detection import Separation

ON_THE_SPOT = 0.5
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Citation:
    """A cited node that points into a picture: its boxes there, each picture apart, and whether it speaks
    for the vote's own winner."""

    boxes: tuple[tuple[Box, ...], ...]
    for_winner: bool

    def covers(self, place: Box) -> bool:
        """At least half of it, in either picture."""
        return any(cover(place, boxes) >= ON_THE_SPOT - _ROUNDING for boxes in self.boxes)

    def iou(self, place: Box) -> float:
        return max(iou(place, box) for boxes in self.boxes for box in boxes)


@dataclass(frozen=True)
class Spot:
    """How the citations of one judgment lie on the changed place.

    first       whether the first that points into a picture covers half of it or more
    any         whether one for the winner does
    iou         of the cited box that fits it best
    """

    first: bool
    any: bool
    iou: float


def summarise_outcomes(rows: Iterable[tuple[Settled, Outcome]]) -> tuple[Table, ...]:
    """Two tables: how far certainty tells the edits apart, and whether evidence is on the spot."""
    judged: list[Settled] = []
    spots: dict[str, Spot | None] = {}
    ratings: list[tuple[float, bool, str]] = []
    for row, outcome in rows:
        place = place_of(row)
        if place is None or not isinstance(outcome, Judgment):
            continue
        judged.append(row)
        spots[row.key] = spot(outcome, place)
        if outcome.certainty is not None:
            ratings.append((outcome.certainty, row.labels["edit"] == "broken", row.id.rpartition("/")[0]))
    return _separation(ratings), _spots(judged, spots)


def place_of(row: Settled) -> Box | None:
    """Where its edit was made; None for a row of another benchmark."""
    match str(row.labels.get("box")).split():
        case [x0, y0, x1, y1] if row.labels.get("edit") in ("broken", "same"):
            return Box(x0=float(x0) / WHOLE, y0=float(y0) / WHOLE, x1=float(x1) / WHOLE, y1=float(y1) / WHOLE)
        case _:
            return None


def spot(judgment: Judgment, place: Box) -> Spot | None:
    """None where nothing that it cites points into a picture."""
    citations = list(_citations(judgment))
    if not citations:
        return None
    return Spot(
        first=citations[0].covers(place),
        any=any(each.covers(place) for each in citations if each.for_winner),
        iou=max(each.iou(place) for each in citations),
    )


def _citations(judgment: Judgment) -> Iterator[Citation]:
    """Of the votes that agree with the winner, the leading one first; of all votes when undecided."""
    leading = judgment.leading_vote
    others = (
        vote for vote in judgment.votes if vote is not leading and judgment.winner in (None, vote.winner)
    )
    for vote in (leading, *others):
        yield from _cited_in(judgment, vote)


def _cited_in(judgment: Judgment, vote: Vote) -> Iterator[Citation]:
    for item in vote.evidence:
        places = judgment.places(item.node, vote)
        boxes = [tuple(box for box in some if box.verified) for some in places.values()]
        if any(boxes):
            for_winner = vote.winner is not None and item.supports in (vote.winner, "both-ways")
            yield Citation(tuple(filter(None, boxes)), for_winner)


def _separation(ratings: Sequence[tuple[float, bool, str]]) -> Table:
    apart = _apart(ratings)
    return Table(
        title="minimal pairs, how far certainty tells broken from harmless",
        columns=(numbers("broken"), numbers("harmless"), numbers("AUC", 3), numbers("d'", 2)),
        rows=(
            (
                sum(broken for _, broken, _ in ratings),
                sum(not broken for _, broken, _ in ratings),
                apart and Interval.of(apart.auc),
                apart and Interval.of(apart.d_prime),
            ),
        ),
        notes=(
            "A pair is rated by how sure its verdict says it is, whichever picture won; "
            "d' is sqrt(2) z(AUC), with half a comparison off an AUC of 0 or 1.",
            "95% intervals: percentiles of 1,000 resamples of whole initiatives; few initiatives make them "
            "narrow, and without one rating out of place they show no spread.",
        ),
        heading=0,
    )


def _apart(ratings: Sequence[tuple[float, bool, str]]) -> "Separation | None":
    """Resampled by initiative, since the pairs of one share a picture; None without both sorts."""
    from ...stats.detection import separation

    broken = [(rating, initiative) for rating, is_broken, initiative in ratings if is_broken]
    harmless = [(rating, initiative) for rating, is_broken, initiative in ratings if not is_broken]
    if not broken or not harmless:
        return None
    signal, signal_groups = zip(*broken, strict=True)
    noise, noise_groups = zip(*harmless, strict=True)
    groups = (signal_groups, noise_groups) if len({*signal_groups, *noise_groups}) > 1 else None
    return separation(signal, noise, groups=groups)


def _spots(rows: Sequence[Settled], spots: dict[str, Spot | None]) -> Table:
    return Table(
        title="minimal pairs, whether the evidence is on the spot",
        columns=(
            words("edit"),
            numbers("judged"),
            numbers("points nowhere"),
            numbers("first citation on the spot"),
            numbers("one for the winner is"),
            numbers("best IoU, mean", 2),
        ),
        rows=tuple(_spot_cells(name, [spots[row.key] for row in some]) for name, some in parts(rows)),
        notes=(
            f"On the spot: its boxes cover at least half of the changed place, in either picture. {WILSON}",
            "The mean has Student's interval. What points nowhere cites no box, and is in no share.",
        ),
    )


def _spot_cells(name: str, spots: Sequence[Spot | None]) -> Cells:
    pointing = [spot for spot in spots if spot is not None]
    return (
        name,
        len(spots),
        len(spots) - len(pointing),
        share_of([spot.first for spot in pointing]),
        share_of([spot.any for spot in pointing]),
        _mean([spot.iou for spot in pointing]),
    )


def _mean(values: Sequence[float]) -> Interval | None:
    import numpy as np

    from ...stats.significance import mean_between

    return Interval.of(mean_between(np.asarray(values), 0, 1)) if values else None
