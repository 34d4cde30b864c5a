"""What every session that asks models does alike: it stops, it weighs what fails, it lands.

class Mine(Asking): ...
session.stop()                                    the calls in flight finish, no more are started
session.weigh(failure, call, usable=3)            or it stops itself, where asking on mends nothing
await session.landed()                            no call is in flight any more
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..backbones.adaptive_limit import Paced
from ..core.outcome import Failure
from .batched import Batched

Ending = Literal["done", "stopped", "budget", "unauthorised", "unreachable"]

HOPELESS_AFTER = 20
_FINAL: dict[str, Ending] = {"budget": "budget", "unauthorised": "unauthorised"}
_NO_SERVER = frozenset({"unreachable", "timeout", "rate-limited"})


@dataclass(frozen=True)
class Ended:
    how: Ending
    message: str = ""


STOPPED_AT_ONCE = Ended("stopped", "at once")


class Asking:
    """`paces` are the limiters inside the backbones that are asked. `ended` is None while it goes on."""

    def __init__(self, paces: Sequence[Paced | Batched] = ()) -> None:
        self._paces = paces
        self._hopeless: set[str] = set()
        self.ended: Ended | None = None

    def stop(self, how: Ending = "stopped", message: str = "") -> None:
        """Finish what is in flight, begin nothing more. The first word counts."""
        self.ended = self.ended or Ended(how, message)
        for pace in self._paces:
            pace.stop()

    def is_void(self, failures: Iterable[Failure]) -> bool:
        """Whether what came with these failures is left to the next session: no money or no key ends this
        one at once, and what fails after its end may fail of it."""
        failures = tuple(failures)
        for failure in failures:
            if failure.reason in _FINAL:
                self.stop(_FINAL[failure.reason], failure.message)
                return True
        return bool(self.ended and failures)

    def weigh(self, failure: Failure | None, call: str = "", *, usable: int) -> None:
        """Give up where calls fail in a row: at any time for want of a server, else from the start."""
        if failure is None:
            self._hopeless.clear()
            return
        if failure.reason in _NO_SERVER or not usable:
            self._hopeless.add(call or failure.message)
        if len(self._hopeless) >= HOPELESS_AFTER:
            self.stop("unreachable", f"{HOPELESS_AFTER} calls failed one after the other: {failure.message}")

    async def landed(self) -> None:
        """Until no call is in flight: one may outlive whoever asked for it, and is paid for."""
        while any(pace.in_flight for pace in self._paces):
            await asyncio.sleep(0.02)
