"""The page of an audit: each finding against what a fair judge gives, and an example of each plant.

save_audit(store, report, summary(store), "audit.html")
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic_core import to_jsonable_python

from ...backbones.pictures import prepare, size_of
from ...core.errors import BadPicture
from ...core.kinds.pair import PairItem
from ...core.records import as_json
from ...core.settled import Settled
from ...core.sign import Artifact, Side
from ...core.text import dollars
from ...reports.html.page import embedded, fill, write
from ...runs.outcomes import items, settled, with_pictures
from ...runs.store import Store
from ...runs.summary import Summary, cause
from ..bias import BiasFinding
from .report import AuditedTest, AuditReport
from .tables import effect_words, number_words

SIDES: tuple[Side, Side] = ("a", "b")
_THUMBNAIL = 480
_MOST_SHOWN = 2
_MOST_KEPT = 10
_STRIDE = 3


@dataclass(frozen=True)
class Strip:
    """Where a finding lies, in percent of its strip; `open` where its interval has no high end."""

    dot: float
    low: float | None
    high: float | None
    open: bool

    @classmethod
    def of(cls, finding: BiasFinding) -> "Strip | None":
        if finding.effect is None:
            return None
        least, most = finding.scale

        def place(number: float) -> float:
            return round(100 * min(1.0, max(0.0, (number - least) / (most - least))), 2)

        effect = finding.effect
        low = None if effect.low is None else place(effect.low)
        high = 100.0 if effect.high is None else place(effect.high)
        return cls(place(effect.value), low, None if low is None else high, effect.high is None)


@dataclass(frozen=True)
class Plated:
    """A picture with the size that it has; `src` is None where its file is not at hand."""

    src: str | None
    width: int
    height: int
    note: str

    @property
    def longer(self) -> int:
        return max(self.width, self.height)


@dataclass(frozen=True)
class Shown:
    """A picture of an example. `share` is its longer side beside that of the larger one."""

    letter: str
    note: str
    planted: bool
    src: str | None
    ratio: float
    share: float


@dataclass(frozen=True)
class Example:
    """A pair as the method was given it, and what it made of it."""

    prompt: str
    pictures: tuple[Shown, ...]
    verdict: str


@dataclass(frozen=True)
class Entry:
    """A test as the page shows it."""

    anchor: str
    test: AuditedTest
    strip: Strip | None
    effect: str
    fair: str
    ends: tuple[str, str]
    examples: tuple[Example, ...]

    @classmethod
    def of(cls, test: AuditedTest, examples: Sequence[Example]) -> "Entry":
        finding = test.finding
        least, most = (number_words(end, finding) for end in finding.scale)
        return cls(
            anchor=f"test-{test.test}",
            test=test,
            strip=Strip.of(finding),
            effect=effect_words(finding),
            fair=number_words(finding.fair, finding),
            ends=(least, most),
            examples=tuple(examples),
        )


def save_audit(store: Store, report: AuditReport, sums: Summary, path: str | Path) -> Path:
    """Write the page of a stored audit, and return its path."""
    examples = _examples(store, [each.test for each in report.tests])
    keys = {item.key for some in examples.values() for item in some}
    verdicts = {row.key: _verdict(row) for row in settled(store) if row.key in keys}
    entries = [
        Entry.of(test, [_example(item, verdicts[item.key], store) for item in examples.get(test.test, ())])
        for test in report.tests
    ]
    page = fill(
        "audit.html.j2",
        beside=__file__,
        report=report,
        measured=sorted(
            (each for each in entries if each.test.is_measured), key=lambda each: not each.test.accused
        ),
        unmeasured=[each for each in entries if not each.test.is_measured],
        sums=sums,
        failures=sums.counts.failures,
        cause=cause(store),
        cost=dollars(sums.total.cost_usd, sums.total.unpriced),
        record=embedded(as_json(to_jsonable_python(report))),
    )
    return write(page, path)


def _examples(store: Store, tests: Sequence[str]) -> dict[str, list[PairItem]]:
    """Of each test some pair, with one that belongs to it: another for each test, to show other pictures."""
    units: dict[str, dict[str, list[PairItem]]] = {}
    for item in items(store):
        if isinstance(item, PairItem):
            of_test = units.setdefault(str(item.labels.get("test")), {})
            unit = str(item.labels.get("unit", item.id))
            if unit in of_test or len(of_test) < _MOST_KEPT:
                of_test.setdefault(unit, []).append(item)
    return {
        test: list(units[test].values())[at * _STRIDE % len(units[test])][:_MOST_SHOWN]
        for at, test in enumerate(tests)
        if test in units
    }


def _verdict(row: Settled) -> str:
    match row.verdict:
        case "a" | "b" as side:
            return f"It chose {side.upper()}."
        case None:
            return f"It gave no result: {row.reason or row.outcome_kind}."
        case _:
            return "It chose neither." + (
                " Its choice changed with the order of showing." if row.flipped else ""
            )


def _example(item: PairItem, verdict: str, store: Store) -> Example:
    restored = with_pictures(item, store)
    plates = {side: _plate(restored.pair.side(side)) for side in SIDES}
    longest = max(plate.longer for plate in plates.values())
    return Example(
        prompt=item.pair.prompt.text,
        pictures=tuple(
            Shown(
                letter=side.upper(),
                note=plate.note,
                planted=item.labels.get("planted") == side,
                src=plate.src,
                ratio=plate.width / plate.height,
                share=plate.longer / longest,
            )
            for side, plate in plates.items()
        ),
        verdict=verdict,
    )


def _plate(artifact: Artifact) -> Plated:
    """As large as it is; a file that is not at hand, or none that can be read, leaves its place empty."""
    try:
        width, height = size_of(artifact)
        src = prepare(artifact, max_side=_THUMBNAIL).data_url
    except BadPicture:
        return Plated(None, 4, 3, artifact.note or artifact.name)
    return Plated(src, width, height, artifact.note or artifact.name)
