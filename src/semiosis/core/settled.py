"""An item and what became of it, in the columns that every kind has: what a benchmark sums up.

def summarise(self, rows: Iterable[Settled]) -> tuple[Table, ...]: ...
"""

from dataclasses import dataclass

from .item import Labels, LabelsBy

# No choice has this name.
UNDECIDED = "(undecided)"
# A verdict whose certainty, from 1 to 5, lies below this is shown and counted as a coin flip.
COIN_FLIP_BELOW = 2


@dataclass(frozen=True)
class Settled:
    """One item of a run.

    key           hash of the item's id and content
    position      its place in the benchmark
    id            what the benchmark calls it
    item_kind     what kind of item it is
    labels        what the benchmark says of it
    label         of these, the right verdict or value, as text
    labels_by     who gave them
    outcome_kind  what kind of outcome came of it
    verdict       a side, a choice, or UNDECIDED; None where the kind has none
    value         a number; None where the kind has none
    certainty     how sure the verdict is, from 1 (a coin flip) to 5 (beyond doubt), where the method says
    flipped       whether the order of showing changed the verdict; None where that cannot be told
    unverified    pointers that did not check out
    agrees        whether verdict and label are the same; None where that cannot be told
    reason        why it failed; None where it did not
    """

    key: str
    position: int
    id: str
    item_kind: str
    labels: Labels
    label: str | None
    labels_by: LabelsBy
    outcome_kind: str
    verdict: str | None = None
    value: float | None = None
    certainty: float | None = None
    flipped: bool | None = None
    unverified: int = 0
    agrees: bool | None = None
    reason: str | None = None
