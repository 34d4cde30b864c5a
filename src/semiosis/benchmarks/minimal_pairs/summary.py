"""What a stored run of minimal pairs says: which edits were seen, and whether certainty means anything."""

from collections.abc import Iterable, Sequence

from ...core.certainty import COIN_FLIP_BELOW, is_coin_flip
from ...core.graph import GROUND_TYPES
from ...core.settled import Settled
from ...core.table import Cells, Share, Table, numbers, words
from ...stats.estimate import wilson_share

EDITS = {"broken": "broken", "harmless": "same"}
SIZES = ("large", "medium", "small")
WILSON = "Shares are given with their 95% intervals (Wilson)."
# Votes in two orders have a mean, which is taken to the nearest step of the scale.
STEPS = {"4 to 5": (3.5, 5.0), "3": (2.5, 3.5), "1 to 2": (1.0, 2.5)}


def summarise(rows: Iterable[Settled]) -> tuple[Table, ...]:
    """Two tables: how often the original was preferred, and how sure the verdicts were."""
    every = list(rows)
    pairs = [row for row in every if row.labels.get("edit") in ("broken", "same")]
    others = len(every) - len(pairs)
    notes = (f"{others:,} rows are of no such pair.",) if others else ()
    return _preferences(pairs, notes), _certainties(pairs)


def of_edit(rows: Iterable[Settled], edit: str) -> list[Settled]:
    return [row for row in rows if row.labels.get("edit") == edit]


def parts(rows: Sequence[Settled]) -> list[tuple[str, list[Settled]]]:
    """The broken pairs: all of them, by size, by ground."""
    broken = of_edit(rows, "broken")
    by_label = [("size", size) for size in SIZES] + [("ground", ground) for ground in GROUND_TYPES]
    return [
        ("broken", broken),
        *(
            (f"broken, {value}", [row for row in broken if row.labels.get(label) == value])
            for label, value in by_label
        ),
    ]


def _preferences(rows: Sequence[Settled], notes: tuple[str, ...]) -> Table:
    return Table(
        title="minimal pairs, by what was changed",
        columns=(
            words("edit"),
            numbers("judged"),
            numbers("original preferred"),
            numbers("undecided"),
            numbers("flipped"),
            numbers("failed", alarm=True),
        ),
        rows=tuple(
            _preference(name, some) for name, some in [*parts(rows), ("harmless", of_edit(rows, "same"))]
        ),
        notes=(
            f"{WILSON} An undecided verdict prefers nobody.",
            "A harmless edit keeps the meaning: neither choice is right, and half is what a coin gives.",
            *notes,
        ),
    )


def _preference(name: str, rows: Sequence[Settled]) -> Cells:
    judgments = [row for row in rows if row.reason is None]
    flips = [row.flipped for row in judgments if row.flipped is not None]
    return (
        name,
        len(judgments),
        share_of([row.verdict == "a" for row in judgments]),
        sum(row.verdict not in ("a", "b") for row in judgments),
        share_of(flips),
        len(rows) - len(judgments),
    )


def _certainties(rows: Sequence[Settled]) -> Table:
    return Table(
        title="minimal pairs, by how sure the verdict is",
        columns=(
            words("edit"),
            numbers("says how sure"),
            *(numbers(f"certainty {step}") for step in STEPS),
            numbers("called a coin flip"),
        ),
        rows=tuple(_certainty(name, of_edit(rows, edit)) for name, edit in EDITS.items()),
        notes=(
            f"{WILSON} 1 is a coin flip, 5 beyond doubt; a mean over orders goes to the nearest step.",
            f"Called a coin flip: a certainty below {COIN_FLIP_BELOW}.",
        ),
    )


def _certainty(name: str, rows: Sequence[Settled]) -> Cells:
    levels = [round(row.certainty, 6) for row in rows if row.certainty is not None]
    return (
        name,
        len(levels),
        *(
            share_of([low <= level < high or level == high == 5 for level in levels])
            for low, high in STEPS.values()
        ),
        share_of([is_coin_flip(level) for level in levels]),
    )


def share_of(flags: Sequence[bool]) -> Share | None:
    """How many are true; None of none."""
    return wilson_share(sum(flags), len(flags)) if flags else None
