"""What a stored audit says: each test's finding, and which of them accuse the method.

audited(rows)[0].accused
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..bias import BiasFinding, BiasTest
from .items import every_test

if TYPE_CHECKING:
    from ...core.outcome import Outcome
    from ...core.settled import Settled

ALPHA = 0.05
NOT_HERE = "No item of it is in this run."
BAD_ROWS = "What could be none, and why, is told by `semiosis runs show --bad-rows`."


@dataclass(frozen=True)
class AuditedTest:
    """A test and what came of it.

    test        its name
    planted     what was planted
    fair        what a fair judge gives
    finding     what came out
    holm        its p among those of all tests, by Holm; None where it has none
    accused     whether that is below 0.05
    """

    test: str
    planted: str
    fair: str
    finding: BiasFinding
    holm: float | None = None
    accused: bool = False

    @property
    def is_measured(self) -> bool:
        """Whether a number came out."""
        return not self.finding.obstacle


@dataclass(frozen=True)
class AuditReport:
    """`semiosis audit`: what came out of which run, and the tests that accuse it."""

    run: str
    method: str
    models: dict[str, str]
    accused: tuple[str, ...]
    tests: tuple[AuditedTest, ...]


def audited(
    rows: "Iterable[tuple[Settled, Outcome]]", asked: Collection[str] = ()
) -> tuple[AuditedTest, ...]:
    """Every test that is installed here; or those `asked` for, by name, and what else there are rows of."""
    by_test: dict[str, list[tuple[Settled, Outcome]]] = {}
    for row, outcome in rows:
        by_test.setdefault(str(row.labels.get("test")), []).append((row, outcome))
    tests = [test for test in every_test() if not asked or test.name in {*asked, *by_test}]
    return accused(tests, [_finding(test, by_test.get(test.name, [])) for test in tests])


def accused(tests: Sequence[BiasTest], findings: Sequence[BiasFinding]) -> tuple[AuditedTest, ...]:
    """Each test with its finding; those accuse whose p is below 0.05 among all, however many there are."""
    from ...stats.families import holm

    among = [at for at, finding in enumerate(findings) if finding.p is not None]
    ps, levels = [findings[at].p or 0.0 for at in among], [findings[at].levels for at in among]
    adjusted = dict(zip(among, holm(ps, levels=levels), strict=True))
    return tuple(
        AuditedTest(
            test=test.name,
            planted=test.planted,
            fair=test.fair,
            finding=finding,
            holm=adjusted.get(at),
            accused=at in adjusted and adjusted[at] < ALPHA,
        )
        for at, (test, finding) in enumerate(zip(tests, findings, strict=True))
    )


def _finding(test: BiasTest, rows: "Sequence[tuple[Settled, Outcome]]") -> BiasFinding:
    if not rows:
        return BiasFinding(measure="", obstacle=" ".join(filter(None, (NOT_HERE, test.needs, BAD_ROWS))))
    try:
        return test.finding(rows)
    except Exception as error:  # noqa: BLE001 - whatever a test does, the run is paid for and the others are shown
        return BiasFinding(measure="", obstacle=f"It cannot be read: {type(error).__name__}: {error}")
