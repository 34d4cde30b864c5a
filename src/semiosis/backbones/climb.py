"""How many calls at once: more while more gets done by it, fewer at the first trouble. No clock, no loop."""

from dataclasses import dataclass

# Trouble cuts the limit by twice the share of calls that had it, within these.
LEAST_CUT, MOST_CUT = 0.1, 0.5
# Limits this many times apart can be told apart. To be kept, a larger one must bring half of what it could;
# to be gone back to, a tenth; and with most of it, there is no hurry to look again.
TELLING = 1.5
PAYS, MATTERS, CLEARLY = 0.5, 0.1, 0.7
# Calls watched where chance must not decide, and where it may.
MANY, FEW = 48, 12
PATIENCE, MOST_PATIENCE = 4, 64


@dataclass(frozen=True)
class Found:
    """So many calls done a second under a limit."""

    limit: int
    per_s: float

    def brings(self, share: float, smaller: "Found") -> bool:
        return self.per_s >= smaller.per_s * (1 + share * (self.limit / smaller.limit - 1))


def starting_limit(at_once: int) -> int:
    return min(at_once, max(8, at_once // 2))


class Climb:
    """A limit is watched for a round of calls and compared with the best one found so far.

    It doubles while that pays, and after trouble grows by steps. Where more does not pay, fewer are tried
    while that costs nothing; then the best is held, and all of it begins again, ever less often.
    """

    def __init__(self, at_once: int, now: float) -> None:
        self.limit = starting_limit(at_once)
        self._most = at_once
        self._step = max(1, at_once // 8)
        self._soaring = True
        self._best: Found | None = None
        self._resting, self._patience = 0, PATIENCE
        self._unsettled = 0
        self._seen, self._since = 0, now
        self._troubled = 0.0

    def done(self, now: float, pressed: bool) -> None:
        """A call was answered; `pressed` if it was this limit that held others back."""
        self._blame(0)
        if not pressed:
            if not self._passing:
                self._seen, self._since = 0, now
        elif self._unsettled:
            self._unsettled -= 1
            self._since = now
        else:
            self._seen += 1
            if self._seen >= self._enough and now > self._since:
                self._weigh(Found(self.limit, self._seen / (now - self._since)))
                self._seen, self._since = 0, now

    def failed(self, new: bool) -> None:
        """A call had trouble; `new` if it began after the trouble before."""
        self._blame(1)
        if new:
            self._soaring, self._best = False, None
            self._resting, self._patience = 0, PATIENCE
            cut = min(MOST_CUT, max(LEAST_CUT, 2 * self._troubled))
            self._try(int((1 - cut) * self.limit))

    def _blame(self, trouble: int) -> None:
        self._troubled += (trouble - self._troubled) / max(self.limit, MANY // 2)

    @property
    def _passing(self) -> bool:
        """On the way to a limit that can be told from the best one."""
        best = self._best
        return best is None or best.limit < self.limit < min(TELLING * best.limit, self._most)

    @property
    def _enough(self) -> int:
        return max(FEW, self.limit) if self._soaring or self._passing else max(MANY, 2 * self.limit)

    def _weigh(self, found: Found) -> None:
        best = self._best
        if best is None:
            self._more(found)
        elif found.limit == best.limit:
            self._hold(Found(best.limit, (best.per_s + found.per_s) / 2))
        elif found.limit < best.limit:
            if best.brings(MATTERS, found):
                self._rest(best)
            else:
                self._fewer(found)
        elif self._passing:
            self._try(self.limit + self._step)
        elif found.brings(PAYS, best):
            self._patience = MOST_PATIENCE if found.brings(CLEARLY, best) else 4 * PATIENCE
            self._more(found)
        else:
            worth = max(1.0, found.per_s / best.per_s)
            self._fewer(Found(round(worth * best.limit), found.per_s))

    def _hold(self, best: Found) -> None:
        self._resting -= 1
        if self._resting >= 0:
            self._best = best
        elif self.limit < self._most:
            self._more(best)
        else:
            self._fewer(best)

    def _more(self, best: Found) -> None:
        self._best = best
        if self.limit == self._most:
            self._rest(best)
        else:
            self._try(2 * self.limit if self._soaring else self.limit + self._step)

    def _fewer(self, best: Found) -> None:
        self._best, self._soaring = best, False
        if best.limit == 1:
            self._rest(best)
        else:
            self._try(round(best.limit / TELLING))

    def _rest(self, best: Found) -> None:
        self._best = best
        self._resting, self._patience = self._patience, min(MOST_PATIENCE, 2 * self._patience)
        self._try(best.limit)

    def _try(self, limit: int) -> None:
        before, self.limit = self.limit, min(self._most, max(1, limit))
        if self.limit != before:
            # Calls that began under the other limit say nothing about this one.
            self._unsettled, self._seen = 0 if self._passing else max(before, self.limit), 0
