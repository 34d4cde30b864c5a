"""An item and what became of it, in the columns that every kind has: what a benchmark sums up.

def summarise(self, rows: Iterable[Settled]) -> tuple[Table, ...]: ...
"""

from dataclasses import dataclass

from .item import Labels, LabelsBy

# No choice has this name.
UNDECIDED = "(undecided)"


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
    graded        the value with each vote as sure as it is; None where it is made of no votes
    certainty     how sure it says it is, from 1 (a coin flip) to 5 (beyond doubt); None where it does not
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
    graded: float | None = None
    certainty: float | None = None
    flipped: bool | None = None
    unverified: int = 0
    agrees: bool | None = None
    reason: str | None = None
