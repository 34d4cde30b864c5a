"""What came out of an audit, as tables."""

from collections.abc import Sequence

from ...core.table import Table, numbers, words
from ...core.text import percent
from ..bias import BiasFinding
from .report import ALPHA, AuditedTest, AuditReport


def audit_tables(tests: Sequence[AuditedTest]) -> tuple[Table, ...]:
    """What came out, what was counted, and what has no number, where something has none."""
    measured = [each for each in tests if each.is_measured]
    unmeasured = [each for each in tests if not each.is_measured]
    return _findings(measured), _counts(measured), *((_unmeasured(unmeasured),) if unmeasured else ())


def verdict_words(report: AuditReport) -> str:
    """Who accuses it, in a sentence."""
    measured, count = sum(each.is_measured for each in report.tests), len(report.accused)
    models = ", ".join(dict.fromkeys(report.models.values()))
    named = f": {', '.join(report.accused)}" if report.accused else ""
    what = f"{report.method}, {models}" if models else report.method
    verb = "accuse" if count > 1 else "accuses"
    return f"{report.run}: {what}. {count or 'None'} of {measured:,} tests {verb} it{named}."


def effect_words(finding: BiasFinding) -> str:
    """Its number with its interval: a share, or a difference of shares or of ratings, with its sign."""
    if finding.effect is None:
        return ""
    effect, value = finding.effect, number_words(finding.effect.value, finding)
    if effect.low is None:
        return value
    low, high = (number_words(end, finding).removesuffix("%") for end in (effect.low, effect.high))
    return f"{value} ({low} to {high})"


def number_words(number: float | None, finding: BiasFinding) -> str:
    """As that finding's numbers are written; an interval without a high end goes on for ever."""
    if number is None:
        return "∞"
    if finding.is_share:
        return percent(number, 0)
    written = f"{number:+z,.0%}" if finding.scale == (-1.0, 1.0) else f"{number:+z,.2f}"
    return written if any(digit in written for digit in "123456789") else written.removeprefix("+")


def _findings(tests: Sequence[AuditedTest]) -> Table:
    return Table(
        title="audit, what came out",
        columns=(
            words("test"),
            numbers("came out"),
            numbers("fair"),
            numbers("p", form="p"),
            numbers("among all", form="p"),
            words(),
        ),
        rows=tuple(
            (
                each.test,
                effect_words(each.finding),
                number_words(each.finding.fair, each.finding),
                each.finding.p,
                each.holm,
                "accused" if each.accused else "",
            )
            for each in tests
        ),
        notes=(
            "With 95% intervals. Ties count half on either side, failures in no number.",
            f"Accused: a p below {ALPHA:g} among all, by Holm's correction. A coin is accused by some test "
            "in about one audit of twenty.",
        ),
        alarmed=tuple(at for at, each in enumerate(tests) if each.accused),
    )


def _counts(tests: Sequence[AuditedTest]) -> Table:
    return Table(
        title="audit, what was counted",
        columns=(
            words("test"),
            words("number", flows=True),
            numbers("n"),
            numbers("towards"),
            numbers("against"),
            numbers("ties"),
            numbers("failed", alarm=True),
        ),
        rows=tuple(
            (
                each.test,
                each.finding.measure,
                each.finding.n,
                each.finding.towards,
                each.finding.against,
                each.finding.ties,
                each.finding.failed,
            )
            for each in tests
        ),
        notes=tuple(f"{each.test}: {remark}" for each in tests for remark in each.finding.remarks),
    )


def _unmeasured(tests: Sequence[AuditedTest]) -> Table:
    return Table(
        title="audit, what has no number",
        columns=(words("test"), words("why", flows=True), numbers("failed", alarm=True)),
        rows=tuple((each.test, each.finding.obstacle, each.finding.failed) for each in tests),
    )
