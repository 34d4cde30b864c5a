"""What a stored run of the samples says, by the kinds of pictures that met."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from ...core.settled import Settled
from ...core.table import Cells, Table, numbers, words
from ...stats.estimate import wilson_share
from .items import ROLES


def summarise(rows: Iterable[Settled]) -> tuple[Table, ...]:
    """One table: how often each kind of pair was judged as its makers meant it."""
    by_kind: dict[frozenset[object], list[Settled]] = {frozenset(two): [] for two in combinations(ROLES, 2)}
    others = 0
    for row in rows:
        kind = frozenset((row.labels.get("model_a"), row.labels.get("model_b")))
        if kind in by_kind:
            by_kind[kind].append(row)
        else:
            others += 1
    table = Table(
        title="samples, by the kinds of pictures that met",
        columns=(
            words("pair"),
            numbers("judged"),
            numbers("as the makers meant"),
            numbers("flipped"),
            numbers("failed", alarm=True),
        ),
        rows=tuple(
            _cells(f"{one} and {two}", by_kind[frozenset((one, two))]) for one, two in combinations(ROLES, 2)
        ),
        notes=(
            "Shares are given with their 95% intervals (Wilson); an undecided verdict is as nobody meant.",
            *((f"{others:,} rows are of no such pair.",) if others else ()),
        ),
    )
    return (table,)


def summarise_questions(rows: Iterable[Settled]) -> tuple[Table, ...]:
    """One table: how often each type of question was answered right."""
    by_type: dict[str, list[Settled]] = {}
    for row in rows:
        by_type.setdefault(str(row.labels.get("type")), []).append(row)
    table = Table(
        title="samples, by the types of questions",
        columns=(words("type"), numbers("answered"), numbers("right"), numbers("failed", alarm=True)),
        rows=tuple(
            (name, answered, right, failed)
            for name, of_type in sorted(by_type.items())
            for _, answered, right, _, failed in (_cells(name, of_type),)
        ),
        notes=("Shares are given with their 95% intervals (Wilson).",),
    )
    return (table,)


def _cells(pair: str, rows: Sequence[Settled]) -> Cells:
    judgments = [row for row in rows if row.reason is None]
    agreements = [row.agrees for row in judgments if row.agrees is not None]
    flips = [row.flipped for row in judgments if row.flipped is not None]
    return (
        pair,
        len(judgments),
        wilson_share(sum(agreements), len(agreements)) if agreements else None,
        wilson_share(sum(flips), len(flips)) if flips else None,
        len(rows) - len(judgments),
    )
