"""How a build stands, step by step: what was made, what failed, what was no use, what it waits for."""

from collections import Counter
from collections.abc import Iterable

from ..core.item import BadRow
from ..core.outcome import Failure
from ..core.value import Value
from ..sources.rows import bad_row

UNFINISHED = "not made yet: run again"


class BuildStep(Value):
    """`made` of `wanted`; `failed` by kind, each in `failures`; `bad` is what was given and is of no use."""

    step: str
    made: int = 0
    wanted: int = 0
    failed: dict[str, int] = {}
    failures: tuple[BadRow, ...] = ()
    bad: tuple[BadRow, ...] = ()
    missing: tuple[str, ...] = ()
    note: str = ""


class StepReport(Value):
    """How a session ended: `message` is why, `way_out` what can be done about failures."""

    folder: str
    ended: str
    message: str
    way_out: str = ""
    steps: tuple[BuildStep, ...]


def build_step(
    name: str,
    count: int,
    wanted: int,
    outcomes: Iterable[tuple[str, Failure | None]],
    *,
    bad: tuple[BadRow, ...] = (),
    note: str = "",
) -> BuildStep:
    """`outcomes` are what was asked for, by where it belongs, and its failure, if it has one."""
    failures = [(where, failure) for where, failure in outcomes if failure is not None]
    return BuildStep(
        step=name,
        made=count,
        wanted=wanted,
        failed=dict(Counter(failure.reason for _, failure in failures)),
        failures=tuple(bad_row(where, f"{failure.reason}: {failure.message}") for where, failure in failures),
        bad=bad,
        note=note,
    )
