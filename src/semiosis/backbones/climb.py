"""How many calls at once: more while more gets done by it, fewer at the first trouble. No clock, no loop."""

from dataclasses import dataclass

BACK_OFF = 0.7
# Limits this many times apart can be told apart. To be kept, a larger one must bring half of what it could; to be
# gone back to, a tenth.
TELLING = 1.5
PAYS, MATTERS = 0.5, 0.1
LEAST_SEEN = 48
PATIENCE, MOST_PATIENCE = 8, 64


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

    def __init__(self, at_once: int) -> None:
        self.limit = starting_limit(at_once)
        self._most = at_once
        self._step = max(1, at_once // 8)
        self._soaring = True
        self._best: Found | None = None
        self._resting, self._patience = 0, PATIENCE
        # The first calls began together, and those begun under another limit say nothing about this one.
        self._unsettled = self.limit
        self._seen, self._since = 0, 0.0

    def done(self, now: float, pressed: bool) -> None:
        """A call was answered; `pressed` if it was this limit that held others back."""
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

    def back_off(self) -> None:
        self._soaring, self._best = False, None
        self._resting, self._patience = 0, PATIENCE
        self._try(int(BACK_OFF * self.limit))

    @property
    def _passing(self) -> bool:
        """On the way to a limit that can be told from the best one."""
        best = self._best
        return best is None or best.limit < self.limit < min(TELLING * best.limit, self._most)

    @property
    def _enough(self) -> int:
        """Calls to be seen: a round, or more where chance must not decide."""
        if self._soaring or self._passing:
            return max(self.limit, LEAST_SEEN // 4)
        return max(LEAST_SEEN, 2 * self.limit)

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
        elif found.limit < min(TELLING * best.limit, self._most):
            self._try(self.limit + self._step)
        elif found.brings(PAYS, best):
            self._patience = PATIENCE
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
        limit = min(self._most, max(1, limit))
        if limit != self.limit:
            self._unsettled, self._seen = max(limit, self.limit), 0
        self.limit = limit
