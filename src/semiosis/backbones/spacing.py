"""When the next call may start, at a rate that is known or learned from refusals. No clock, no loop."""

from collections import Counter
from math import inf

# Of a known rate this much is used, and a start that came late is made up for within so many seconds: 0.99 of
# what a minute allows.
USED = 0.98
SLACK_S, LEAST_SLACK_S = 0.6, 0.02
CUT = 0.1
RISE_S, RISE_CALLS = 40.0, 150
RISE_MAX_S = 150.0
LEAST_S = 2.0
SHORT_S = 9
MINUTE_S = 60


def per_second(per_minute: float | None) -> float:
    """What is used of a known rate; without one, no limit."""
    return inf if per_minute is None else USED * per_minute / MINUTE_S


class Spacing:
    """So much a second, evenly: the generic cell rate algorithm of ATM (ITU-T I.371)."""

    def __init__(self, now: float) -> None:
        self._slack_s = SLACK_S
        self._free_at = now + SLACK_S

    @property
    def due(self) -> float:
        return self._free_at - self._slack_s

    def take(self, now: float, amount: float, per_s: float) -> None:
        self._free_at = max(now, self._free_at) + amount / per_s

    def correct(self, amount: float, per_s: float) -> None:
        """More was taken than was thought, or less."""
        self._free_at += amount / per_s

    def tighten(self) -> None:
        """Starts in a row may be what was refused."""
        self._slack_s = max(LEAST_SLACK_S, self._slack_s / 2)

    def hold(self, until: float) -> None:
        self._free_at = max(self._free_at, until + self._slack_s)


class Learned:
    """The rate of starts a server seems to allow, from what it took in the minute before it refused.

    From a tenth below it rises again as in CUBIC (Ha, Rhee and Xu, 2008): slowly towards the rate that was
    refused, faster the longer nothing happens beyond it; and the sooner, the less is known.
    """

    def __init__(self, now: float) -> None:
        self._taken: Counter[int] = Counter()
        self._since = now
        self._top = inf
        self._from = now
        self._fresh = 0
        self._rise_s = 1.0

    def per_s(self, now: float) -> float:
        if self._top == inf:
            return inf
        return self._top * (1 + (max(0.0, now - self._from) / self._rise_s - CUT ** (1 / 3)) ** 3)

    def started(self, now: float) -> None:
        second = int(now)
        if second not in self._taken:
            for past in [each for each in self._taken if each < second - 2 * MINUTE_S]:
                del self._taken[past]
        self._taken[second] += 1
        self._fresh += 1

    def begin(self, now: float) -> None:
        """No calls were wanted for a while: what was taken says nothing about what would have been."""
        self._taken.clear()
        self._since = now

    def refused(self, started: float, per_s: float, until: float, opens: float) -> None:
        """A call started then, at that rate, was refused; nothing starts before `opens`."""
        self._taken[int(started)] -= 1
        if started >= self._from:
            self._fresh -= 1
        took = self._took(until, MINUTE_S)
        if self._fresh or self._top == inf:
            took = max(took, self._took(until, SHORT_S))
            self._top = min(took, max(per_s, (1 - CUT) * took))
        else:
            self._top = min(self._top, took)
        known = min(1.0, max(LEAST_S, until - self._since) / MINUTE_S)
        self._rise_s = known * min(RISE_MAX_S, max(RISE_S, RISE_CALLS / self._top))
        self._from, self._fresh = opens, 0

    def _took(self, until: float, watched_s: float) -> float:
        """Calls taken a second in so many seconds, or since the first if those are fewer."""
        taken = sum(count for second, count in self._taken.items() if second >= until - watched_s - 1)
        return max(1, taken) / min(watched_s, max(LEAST_S, until - self._since))
