"""The index over many judgments: one room for each initiative, its pictures on the wall, its pairs below.

save_index([Room("someone-left", prompt, {"meaning": art, "literal": art2}, pairs)], "pages/index.html")
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...backbones.pictures import prepare
from ...core.cascade import SemiosisGap
from ...core.errors import BadPicture
from ...core.kinds.pair import Judgment
from ...core.kinds.question import Answer
from ...core.outcome import Failure
from ...core.sign import Artifact
from ...reports.html.page import fill, write

_THUMBNAIL = 560


@dataclass(frozen=True)
class IndexedPair:
    """One comparison in a room. `a`, `b` and `expected` are keys of the room's pictures.

    `expected` is the picture the makers put first; None when they left the pair open.
    """

    a: str
    b: str
    outcome: Judgment | Failure
    page: str = ""
    expected: str | None = None

    @property
    def winner(self) -> str | None:
        side = self.outcome.winner if isinstance(self.outcome, Judgment) else None
        return None if side is None else self.a if side == "a" else self.b

    @property
    def agrees(self) -> bool | None:
        """Whether the verdict is the makers'; None where either is open or the pair failed."""
        return None if self.expected is None or self.winner is None else self.winner == self.expected


@dataclass(frozen=True)
class Room:
    """One initiative: its prompt, its pictures by name, its judged pairs, and what else was asked of it."""

    name: str
    prompt: str
    pictures: Mapping[str, Artifact]
    pairs: Sequence[IndexedPair]
    gaps: Mapping[str, SemiosisGap] = field(default_factory=dict[str, SemiosisGap])
    answers: Sequence[tuple[Answer | Failure, str]] = ()
    """Each answer with the address of its page, or an empty string."""


@dataclass(frozen=True)
class Thumbnail:
    name: str
    src: str | None
    ratio: float
    won: int
    contests: int


@dataclass(frozen=True)
class Hall:
    """A room as the page shows it: thumbnails in the order of pairs won, gaps from near to far."""

    room: Room
    anchor: str
    thumbnails: tuple[Thumbnail, ...]
    ranking: tuple[tuple[str, SemiosisGap], ...]
    judged: tuple[tuple[IndexedPair, Judgment], ...]
    failed: tuple[tuple[IndexedPair, Failure], ...]
    answered: tuple[tuple[Answer, str], ...]
    unanswered: tuple[tuple[Failure, str], ...]


@dataclass(frozen=True)
class Count:
    """The counts of the summary line."""

    initiatives: int
    pairs: int
    judged: int
    failures: int
    undecided: int
    flipped: int
    both_orders: int
    coin_flips: int
    sure: int
    unverified: int
    labelled: int
    agreeing: int
    right: int
    keyed: int


def save_index(
    rooms: Sequence[Room],
    path: str | Path,
    *,
    title: str = "Judged by meaning",
    note: str = "",
    gap_note: str = "",
) -> Path:
    """Write the index page. `note` says what these pictures are; `gap_note` which embedding gave the gaps."""
    halls = tuple(_hall(room, position) for position, room in enumerate(rooms, start=1))
    page = fill(
        "index.html.j2",
        beside=__file__,
        halls=halls,
        count_of=_count(halls),
        title=title,
        note=note,
        gap_note=gap_note,
    )
    return write(page, path)


def _hall(room: Room, position: int) -> Hall:
    judged = tuple((pair, pair.outcome) for pair in room.pairs if isinstance(pair.outcome, Judgment))
    thumbnails = [_thumbnail(name, artifact, room.pairs) for name, artifact in room.pictures.items()]
    return Hall(
        room=room,
        anchor=f"room-{position}",
        thumbnails=tuple(sorted(thumbnails, key=lambda thumbnail: -thumbnail.won)),
        ranking=tuple(sorted(room.gaps.items(), key=lambda item: item[1].distance)),
        judged=judged,
        failed=tuple((pair, pair.outcome) for pair in room.pairs if isinstance(pair.outcome, Failure)),
        answered=tuple((answer, page) for answer, page in room.answers if isinstance(answer, Answer)),
        unanswered=tuple((answer, page) for answer, page in room.answers if isinstance(answer, Failure)),
    )


def _thumbnail(name: str, artifact: Artifact, pairs: Sequence[IndexedPair]) -> Thumbnail:
    src, ratio = None, 4 / 3
    if artifact.loadable:
        try:
            prepared = prepare(artifact, max_side=_THUMBNAIL)
            src, ratio = prepared.data_url, prepared.width / prepared.height
        except BadPicture:
            src = None
    contests = [pair for pair in pairs if name in (pair.a, pair.b) and isinstance(pair.outcome, Judgment)]
    return Thumbnail(name, src, ratio, sum(pair.winner == name for pair in contests), len(contests))


def _count(halls: Sequence[Hall]) -> Count:
    judged = [pair for hall in halls for pair in hall.judged]
    agreements = [pair.agrees for pair, _ in judged if pair.agrees is not None]
    keyed = [answer.correct for hall in halls for answer, _ in hall.answered if answer.correct is not None]
    return Count(
        initiatives=len(halls),
        pairs=sum(len(hall.room.pairs) for hall in halls),
        judged=len(judged),
        failures=sum(len(hall.failed) + len(hall.unanswered) for hall in halls),
        undecided=sum(judgment.winner is None for _, judgment in judged),
        flipped=sum(judgment.flipped is True for _, judgment in judged),
        both_orders=sum(judgment.flipped is not None for _, judgment in judged),
        coin_flips=sum(judgment.coin_flip is True for _, judgment in judged),
        sure=sum(judgment.certainty is not None for _, judgment in judged),
        unverified=sum(judgment.unverified for _, judgment in judged),
        labelled=len(agreements),
        agreeing=sum(agreements),
        right=sum(keyed),
        keyed=len(keyed),
    )
