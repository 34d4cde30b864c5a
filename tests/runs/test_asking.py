"""What every session that asks does alike: it stops once, gives up where that is wise, and lands."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from semiosis.core.errors import FailureKind
from semiosis.core.outcome import Failure
from semiosis.runs.asking import HOPELESS_AFTER, Asking, Ended


@dataclass
class Flights:
    """A limiter with so many calls in flight."""

    in_flight: int = 0
    stopped: int = 0

    def stop(self) -> None:
        self.stopped += 1


def failure(reason: FailureKind) -> Failure:
    return Failure(reason=reason, message=f"It was {reason}.", stage="", reply="", attempts=1)


def asking(*flights: Any) -> Asking:
    return Asking(flights)


def test_the_first_word_on_the_end_counts_and_every_limiter_hears_of_it() -> None:
    one, other = Flights(), Flights()
    session = asking(one, other)
    session.stop("budget", "spent")
    session.stop()
    assert session.ended == Ended("budget", "spent")
    assert one.stopped == other.stopped == 2


@pytest.mark.parametrize("reason", ["budget", "unauthorised"])
def test_no_money_and_no_key_end_it_at_once(reason: Any) -> None:
    session = asking()
    assert not session.is_void([failure("refused")])
    assert session.is_void([failure("refused"), failure(reason)])
    assert session.ended == Ended(reason, f"It was {reason}.")


def test_what_fails_after_the_end_is_left_to_the_next_session_and_what_came_is_not() -> None:
    session = asking()
    session.stop()
    assert session.is_void([failure("timeout")])
    assert not session.is_void([])


@pytest.mark.parametrize(
    ("reason", "usable", "gives_up"),
    [("unreachable", 5, True), ("timeout", 5, True), ("refused", 5, False), ("refused", 0, True)],
)
def test_calls_that_fail_in_a_row_are_given_up_for_want_of_a_server_or_from_the_start(
    reason: Any, usable: int, gives_up: bool
) -> None:
    session = asking()
    for number in range(HOPELESS_AFTER):
        assert session.ended is None
        session.weigh(failure(reason), f"call {number}", usable=usable)
    assert (session.ended is not None) == gives_up


def test_one_call_counts_once_and_an_answer_begins_the_count_anew() -> None:
    session = asking()
    for _ in range(2 * HOPELESS_AFTER):
        session.weigh(failure("timeout"), "the same", usable=0)
    for number in range(HOPELESS_AFTER - 2):
        session.weigh(failure("timeout"), f"call {number}", usable=0)
    session.weigh(None, usable=1)
    session.weigh(failure("timeout"), "another", usable=1)
    assert session.ended is None


async def test_it_has_landed_when_nothing_is_in_flight() -> None:
    flights = Flights(in_flight=1)
    landing = asyncio.create_task(asking(flights).landed())
    await asyncio.sleep(0)
    assert not landing.done()
    flights.in_flight = 0
    await asyncio.wait_for(landing, 1)
