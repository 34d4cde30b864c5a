"""When the next call may start, at a rate that is known or learned from refusals. No clock, no loop."""

from collections import Counter
from math import inf

MINUTE_S = 60
# Of a known rate this much is used, and a start that came late is made up for within so many seconds:
# together 0.99 of what any minute allows.
USED = 0.98
SLACK_S, LEAST_SLACK_S = 0.6, 0.02
# A rate is learned from a minute, or from its last seconds if more was taken in those. A refusal cuts it, and
# it is regained in half a rise, which takes so many seconds and so many calls, within reason.
SHORT_S = 8
LEAST_KNOWN_S = 2.0
CUT = 0.1
RISE_S, RISE_CALLS, LONGEST_RISE_S = 40.0, 150, 150.0


def per_second(per_minute: float | None) -> float:
    """What is used of a known rate; without one, no limit."""
    return inf if per_minute is None else USED * per_minute / MINUTE_S


class Spacing:
    """So much a second, evenly: the generic cell rate algorithm (ITU-T I.371)."""

    def __init__(self, now: float) -> None:
        self._slack_s = SLACK_S
        self._free_at = now + SLACK_S

    @property
    def due(self) -> float:
        return self._free_at - self._slack_s

    def take(self, now: float, amount: float, per_s: float) -> None:
        self._free_at = max(now, self._free_at) + amount / per_s

    def correct(self, amount: float, per_s: float) -> None:
        """So much more was taken than was thought."""
        self._free_at += amount / per_s

    def hold(self, until: float) -> None:
        self._free_at = max(self._free_at, until + self._slack_s)

    def tighten(self) -> None:
        """What was refused may have been starts too close together."""
        self._slack_s = max(LEAST_SLACK_S, self._slack_s / 2)


class Learned:
    """The rate of starts a server seems to allow, from what it took before it refused.

    From a tenth below, it rises again as in CUBIC (Ha, Rhee and Xu, 2008): slowly towards the rate that was
    refused, and faster the longer nothing happens beyond it; sooner while little is known.
    """

    def __init__(self, now: float) -> None:
        self._taken: Counter[int] = Counter()
        self._known_since = now
        self._top = inf
        self._rises_from = now
        self._rise_s = RISE_S
        self._untried = 0

    def per_s(self, now: float) -> float:
        if self._top == inf:
            return inf
        return self._top * (1 + (max(0.0, now - self._rises_from) / self._rise_s - CUT ** (1 / 3)) ** 3)

    def begin(self, now: float) -> None:
        """Calls were not wanted for a while: what was taken does not say what would have been."""
        self._taken.clear()
        self._known_since = now

    def started(self, now: float) -> None:
        second = int(now)
        if second not in self._taken:
            for past in [each for each in self._taken if each < second - 2 * MINUTE_S]:
                del self._taken[past]
        self._taken[second] += 1
        self._untried += 1

    def refused(self, started: float, per_s: float, known_until: float, opens: float) -> None:
        """A call that started then, at that rate, was refused; nothing will start before `opens`."""
        self._taken[int(started)] -= 1
        if started >= self._rises_from:
            self._untried -= 1
        took = self._took(known_until, MINUTE_S)
        if self._untried or self._top == inf:
            took = max(took, self._took(known_until, SHORT_S))
            self._top = min(took, max(per_s, (1 - CUT) * took))
        else:
            # Nothing was taken in between: the server is still closed, which says nothing about its rate.
            self._top = min(self._top, took)
        known = min(1.0, max(LEAST_KNOWN_S, known_until - self._known_since) / MINUTE_S)
        self._rise_s = known * min(LONGEST_RISE_S, max(RISE_S, RISE_CALLS / self._top))
        self._rises_from, self._untried = opens, 0

    def _took(self, until: float, within_s: float) -> float:
        """Calls taken a second: counted by whole seconds, so one more is looked at than is divided by."""
        taken = sum(count for second, count in self._taken.items() if second >= until - within_s - 1)
        return max(1, taken) / min(within_s, max(LEAST_KNOWN_S, until - self._known_since))
