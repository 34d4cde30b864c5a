"""How many calls at once: more while more gets done by it, fewer at the first trouble. No clock, no loop."""

from dataclasses import dataclass

BACK_OFF = 0.7
# Two limits this far apart tell which is better; the larger one is if it brings this share of what it could.
TELLING = 1.5
PAYS = 0.2
LEAST_SEEN = 16
PATIENCE, MOST_PATIENCE = 4, 64


@dataclass(frozen=True)
class Found:
    """So many calls done a second under a limit."""

    limit: int
    per_s: float

    def pays(self, smaller: "Found") -> bool:
        return self.per_s >= smaller.per_s * (1 + PAYS * (self.limit / smaller.limit - 1))


def starting_limit(at_once: int) -> int:
    return min(at_once, max(8, at_once // 2))


class Climb:
    """A limit is watched for a round of calls and compared with the best one found so far.

    It doubles while that pays, after trouble it grows by steps. Once more does not pay, fewer are tried while
    that costs nothing; then the best is held, and all of it begins again, ever less often.
    """

    def __init__(self, at_once: int, now: float) -> None:
        self.limit = starting_limit(at_once)
        self._most = at_once
        self._step = max(1, at_once // 8)
        self._soaring = True
        self._best: Found | None = None
        self._patience = PATIENCE
        self._resting = 0
        self._unsettled = 0
        self._seen = 0
        self._since = now

    def done(self, now: float, in_flight: int) -> None:
        """A call was answered while so many were under way."""
        if in_flight < 0.75 * self.limit:
            # Something else held calls back: this says nothing about the limit.
            self._seen, self._since = 0, now
        elif self._unsettled:
            self._unsettled -= 1
            self._since = now
        else:
            self._seen += 1
            if self._seen >= max(self.limit, LEAST_SEEN) and now > self._since:
                self._weigh(Found(self.limit, self._seen / (now - self._since)))
                self._seen, self._since = 0, now

    def back_off(self) -> None:
        self._soaring, self._best = False, None
        self._resting, self._patience = 0, PATIENCE
        self._try(int(BACK_OFF * self.limit))

    def _weigh(self, found: Found) -> None:
        best = self._best
        if best is None:
            self._best = found
            self._more()
        elif found.limit == best.limit:
            self._best = Found(best.limit, (best.per_s + found.per_s) / 2)
            self._resting -= 1
            if self._resting < 0:
                self._more()
        elif best.limit < found.limit < TELLING * best.limit:
            self._more()
        else:
            self._compare(found, best)

    def _compare(self, found: Found, best: Found) -> None:
        larger, smaller = (found, best) if found.limit > best.limit else (best, found)
        if not larger.pays(smaller):
            self._soaring, self._best = False, smaller
            self._try(round(smaller.limit / TELLING))
        elif found is larger:
            self._best, self._patience = larger, PATIENCE
            self._more()
        else:
            self._try(larger.limit)
        if self.limit == smaller.limit == 1 or self.limit == best.limit == larger.limit:
            self._rest()

    def _more(self) -> None:
        self._try(2 * self.limit if self._soaring else self.limit + self._step)

    def _try(self, limit: int) -> None:
        limit = min(self._most, max(1, limit))
        if limit != self.limit:
            # Calls that began under the other limit must be out of the way.
            self._unsettled = max(limit, self.limit)
            self._seen = 0
        self.limit = limit

    def _rest(self) -> None:
        self._resting, self._patience = self._patience, min(MOST_PATIENCE, 2 * self._patience)
