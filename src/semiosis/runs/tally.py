"""How a run stands: counted while it goes on, so that looking costs nothing."""

import time
from collections import Counter
from dataclasses import dataclass, replace

from ..core.outcome import Outcome
from .costs import Spent
from .store import Store


@dataclass(frozen=True)
class RunProgress:
    """A moment of a run. `eta_s` is None until there is something to go by."""

    items: int
    settled: int
    failed: dict[str, int]
    flips: int
    compared: int
    bad_rows: int
    spent: Spent
    elapsed_s: float
    eta_s: float | None


class Tally:
    """Starts from what the store holds."""

    def __init__(self, store: Store) -> None:
        self._spent = store.spent
        self._started = time.monotonic()
        self.items = 0
        self.bad_rows = 0
        self.settled = 0
        self.usable = 0
        self.failed: Counter[str] = Counter()
        self.flips = self.compared = 0
        for reason, flipped, count in store.rows(
            "select reason, flipped, count(*) from outcomes group by kind, reason, flipped"
        ):
            self._add(reason, flipped, count)
        self._settled_before = self.settled

    def count(self, outcome: Outcome) -> None:
        finding = outcome.finding
        self._add(finding.reason, finding.flipped, 1)

    def _add(self, reason: str | None, flipped: bool | None, count: int) -> None:
        self.settled += count
        if reason is not None:
            self.failed[reason] += count
            return
        self.usable += count
        if flipped is not None:
            self.compared += count
            self.flips += count * bool(flipped)

    @property
    def progress(self) -> RunProgress:
        elapsed_s = time.monotonic() - self._started
        lately = self.settled - self._settled_before
        rest = max(0, self.items - self.settled)
        return RunProgress(
            items=self.items,
            settled=self.settled,
            failed=dict(self.failed),
            flips=self.flips,
            compared=self.compared,
            bad_rows=self.bad_rows,
            spent=replace(self._spent),
            elapsed_s=elapsed_s,
            eta_s=elapsed_s / lately * rest if lately else None,
        )
