"""Comparisons from a table: who met whom, and who won.

votes = read_votes(open_table("votes.csv"))
stats.bradley_terry(votes.a, votes.b, votes.winner)
votes.read.dropped                              # {"without a winner": 976}
"""

from collections import Counter
from dataclasses import dataclass

from ..core.errors import BadSetting
from ..core.item import BadRow
from ..core.text import brief
from .columns import MODELS, WINNERS
from .table import RowTable, RowTally, label
from .winners import Ballot, Winner, spelling

SIDES = (
    *MODELS,
    ("left", "right"),
    ("a", "b"),
    ("item_a", "item_b"),
    ("item_left", "item_right"),
    ("left_item", "right_item"),
    ("first", "second"),
)


@dataclass(frozen=True)
class At:
    """The columns that hold them; what is None is found by its usual name, clusters are left out."""

    a: str | None = None
    b: str | None = None
    winner: str | None = None
    cluster: str | None = None


@dataclass(frozen=True)
class Votes:
    a: list[str]
    b: list[str]
    winner: list[Winner]
    clusters: list[str] | None
    at: At
    read: RowTally


@dataclass(frozen=True)
class _Meetings:
    """The rows so far, their winners as they stand there; `places` has where each word first stood."""

    a: list[str]
    b: list[str]
    word: list[str | None]
    cluster: list[str | None]
    places: dict[str | None, str]


USUAL = At()
# Of an exported run, whose labels may name another winner.
VERDICT = "verdict"


def read_votes(table: RowTable, at: At = USUAL) -> Votes:
    """Winners are spelled as sources/winners.py has it."""
    columns = _columns(table, at)
    a, b, winner = columns.a or "", columns.b or "", columns.winner or ""
    meetings, names = _Meetings([], [], [], [], {}), dict[str, str]()
    dropped, bad = Counter[str](), list[BadRow]()
    for row in table.good(bad):
        one, two, word = label(row, a), label(row, b), label(row, winner)
        cluster = label(row, columns.cluster) if columns.cluster else None
        if one is None or two is None:
            dropped["without two items"] += 1
        elif one == two:
            dropped["with one item on both sides"] += 1
        elif columns.cluster and cluster is None:
            dropped[f"without {brief(columns.cluster)}"] += 1
        else:
            meetings.a.append(names.setdefault(one, one))
            meetings.b.append(names.setdefault(two, two))
            meetings.word.append(None if word is None else names.setdefault(word, word))
            meetings.cluster.append(None if cluster is None else names.setdefault(cluster, cluster))
            meetings.places.setdefault(word, row.where)
    verdicts = _verdicts(meetings, winner)
    decisions: list[tuple[int, Winner]] = [(at, verdict) for at, verdict in enumerate(verdicts) if verdict]
    if len(decisions) < len(verdicts):
        dropped["without a winner"] = len(verdicts) - len(decisions)
    return Votes(
        a=[meetings.a[at] for at, _ in decisions],
        b=[meetings.b[at] for at, _ in decisions],
        winner=[verdict for _, verdict in decisions],
        clusters=[str(meetings.cluster[at]) for at, _ in decisions] if columns.cluster else None,
        at=columns,
        read=RowTally(dropped.total() + len(decisions), dict(dropped), tuple(bad)),
    )


def _columns(table: RowTable, at: At) -> At:
    for option, name in vars(at).items():
        if name is not None:
            table.column(name, f"--{option}")
    plain = {name.strip().lower(): name for name in reversed(table.names)}
    usual = next(((plain[a], plain[b]) for a, b in SIDES if a in plain and b in plain), (None, None))
    columns = At(
        at.a or usual[0],
        at.b or usual[1],
        at.winner or next((plain[name] for name in (VERDICT, *WINNERS) if name in plain), None),
        at.cluster,
    )
    three = {"a": columns.a, "b": columns.b, "winner": columns.winner}
    lacking = [what for what, name in three.items() if name is None]
    if lacking:
        raise BadSetting(
            f"{table.name} has {table.listed}, and none of them is known as {', '.join(lacking)}: "
            f"say which with {', '.join(f'--{what}' for what in lacking)}."
        )
    turned = (str(columns.b).lower(), str(columns.a).lower())
    if turned in SIDES or len(set(three.values())) < 3:
        raise BadSetting(
            f"a is to be {columns.a!r}, b {columns.b!r} and the winner {columns.winner!r}: "
            "keep the sides that the file has, or its winners would be read the wrong way round."
        )
    return columns


def _verdicts(meetings: _Meetings, column: str) -> list[Winner | None]:
    ballots = [
        Ballot(meetings.places[word], word, a, b)
        for a, b, word in zip(meetings.a, meetings.b, meetings.word, strict=True)
    ]
    read = spelling(ballots, column)
    return [read(ballot) for ballot in ballots]
