"""How a build stands, step by step: what was made, what failed, what was no use, what it waits for."""

from collections import Counter
from collections.abc import Iterable

from ....core.outcome import Failure
from ....core.text import brief
from ....core.value import Value
from ....runs.costs import Line
from ....runs.execution import Ended
from ....runs.store import Spent
from .artefacts import Bad
from .attributes import Annotation
from .due import Given
from .kept import Kept
from .results import missing

ASKED_AGAIN = "What failed is kept as a failure: --retry-failed asks again."
STYLES_ASKED_AGAIN = "The calls for styles that failed are asked again by --retry-failed with --keywords."
STYLES_FIXED = (
    "The calls for styles that failed are not asked again, since styles are fixed once they are combined: "
    "delete steps/combination.json, which discards the paintings taken in so far, and give --keywords and "
    "--retry-failed."
)
UNFINISHED = "not made yet: run again"
UNMATCHED = "Its name says no content and style that were combined."


class Step(Value):
    """`made` of `wanted`; `failed` by kind, each in `failures`; `bad` is what was given and is of no use."""

    step: str
    made: int = 0
    wanted: int = 0
    failed: dict[str, int] = {}
    failures: tuple[Bad, ...] = ()
    bad: tuple[Bad, ...] = ()
    missing: tuple[str, ...] = ()
    note: str = ""


class Report(Value):
    """`message` is why it ended, `way_out` what can be done about failures, `unpainted` says of the first
    stylizer without a picture what is missing."""

    folder: str
    ended: str
    message: str
    way_out: str = ""
    unpainted: str = ""
    steps: tuple[Step, ...]


class BuildReport(Report):
    """What `semiosis build` prints, with what all its sessions took."""

    account: tuple[Line, ...]
    spent: Spent


def report(kept: Kept, ended: Ended, given: Given) -> Report:
    steps = (
        *_contents(kept, given),
        *_styles(kept, given),
        *_attributes(kept),
        _combination(kept, given),
        *_results(kept, given),
        _tasks(kept),
    )
    return Report(
        folder=brief(str(kept.folder)),
        ended=ended.how,
        message=ended.message,
        way_out=_way_out(kept, steps),
        unpainted=_unpainted(kept),
        steps=steps,
    )


def _way_out(kept: Kept, steps: tuple[Step, ...]) -> str:
    told: list[str] = []
    if any(step.failures for step in steps if step.step != "styles"):
        told.append(ASKED_AGAIN)
    if kept.styles and kept.styles.failed:
        told.append(STYLES_FIXED if kept.combination else STYLES_ASKED_AGAIN)
    return " ".join(told)


def _unpainted(kept: Kept) -> str:
    wanted = len(kept.combination.instances) if kept.combination else 0
    none = (name for name, stylizer in kept.results.stylizers.items() if not stylizer.pictures)
    name = next(none, None)
    if not wanted or name is None:
        return ""
    return (
        f"Not one of the {wanted:,} pictures of {name} is there: painting/to_paint.jsonl lists them; name "
        f"each CONTENT_STYLE.png and give their folder as --results {name}=DIR."
    )


def _lacking(kept: Kept, given: Given) -> str:
    """The options without which nothing can be combined."""
    contents, styles = (kept.contents or given.contents), (kept.styles or given.keywords)
    options = ("" if contents else "--contents", "" if styles else "--keywords")
    return " and ".join(filter(None, options))


def _contents(kept: Kept, given: Given) -> tuple[Step, ...]:
    if kept.contents is None:
        return (Step(step="contents", note=UNFINISHED if given.contents else "waits for --contents"),)
    listed = kept.contents.contents
    captions = kept.captions()
    captioned = [each for each in listed if captions[each.sha256] is not None]
    by = Counter("people" if captions[each.sha256] != each.caption else each.captioned for each in captioned)
    return (
        Step(step="contents", made=len(listed), wanted=len(listed), bad=kept.contents.bad),
        _step(
            "captions",
            len(captioned),
            len(listed),
            ((f"content {each.index}", each.failure) for each in listed if each not in captioned),
            note=f"{by['given']:,} given, {by['model']:,} by a model"
            + (f", {by['people']:,} by people" if by["people"] else ""),
        ),
    )


def _styles(kept: Kept, given: Given) -> tuple[Step, ...]:
    styles = kept.styles
    if styles is None:
        return (Step(step="styles", note=UNFINISHED if given.keywords else "waits for --keywords"),)
    note = (
        f"{styles.candidates:,} written, {styles.repeated:,} repeated to the letter, {styles.merged:,} merged"
    )
    failures = ((f"a call to {each.by.prompt}", each.failure) for each in styles.failed)
    return (_step("styles", len(styles.styles), styles.wanted, failures, bad=styles.bad, note=note),)


def _attributes(kept: Kept) -> tuple[Step, ...]:
    known = kept.reviewed()
    of_contents = [
        (f"content {each.index}", known.contents.get(each.sha256, Annotation()))
        for each in (kept.contents.contents if kept.contents else ())
    ]
    of_styles = [
        (f"style {each.index}", known.styles.get(each.prompt, Annotation()))
        for each in (kept.styles.styles if kept.styles else ())
    ]
    return tuple(
        _step(
            name,
            sum(annotation.attributes is not None for _, annotation in listed),
            len(listed),
            ((where, annotation.failure) for where, annotation in listed),
            note=f"{sum(annotation.reviewed for _, annotation in listed):,} reviewed by people",
        )
        for name, listed in (("content attributes", of_contents), ("style attributes", of_styles))
        if listed
    )


def _combination(kept: Kept, given: Given) -> Step:
    if kept.combination is None:
        note = UNFINISHED
        if lacking := _lacking(kept, given):
            note = f"wait for {lacking}"
        elif kept.styles and not kept.styles.styles:
            note = "wait for styles, of which not one was made"
        return Step(step="combinations", note=note)
    instances = len(kept.combination.instances)
    return Step(step="combinations", made=instances, wanted=instances)


def _results(kept: Kept, given: Given) -> tuple[Step, ...]:
    if kept.combination is None or not kept.results.stylizers:
        note = "wait for --results"
        if given.results and kept.combination:
            note = UNFINISHED
        elif given.results:
            lacking = _lacking(kept, given)
            note = f"wait for a combination: give {lacking}" if lacking else "wait for a combination"
        return (Step(step="results", note=note),)
    steps: list[Step] = []
    for name, stylizer in kept.results.stylizers.items():
        lacking = missing(stylizer, kept.combination)
        wanted = len(kept.combination.instances)
        converted = sum(picture.converted for picture in stylizer.pictures.values())
        notes = [
            f"{len(lacking):,} missing" if lacking else "",
            f"{converted:,} made JPEG" if converted else "",
        ]
        unmatched = (Bad(where=each, reason=UNMATCHED) for each in stylizer.unmatched)
        steps.append(
            Step(
                step=f"results {name}",
                made=wanted - len(lacking),
                wanted=wanted,
                bad=(*stylizer.bad, *unmatched),
                missing=tuple(lacking),
                note=", ".join(filter(None, notes)),
            )
        )
    return tuple(steps)


def _tasks(kept: Kept) -> Step:
    if kept.tasks is None:
        ready = kept.combination and len(kept.results.stylizers) > 1
        return Step(step="tasks", note=UNFINISHED if ready else "wait for the results of two stylizers")
    made = kept.tasks.per_instance + kept.tasks.globally
    note = f"{kept.tasks.per_instance:,} per instance, {kept.tasks.globally:,} global"
    return Step(step="tasks", made=made, wanted=made, note=note)


def _step(
    name: str,
    made: int,
    wanted: int,
    outcomes: Iterable[tuple[str, Failure | None]],
    *,
    bad: tuple[Bad, ...] = (),
    note: str = "",
) -> Step:
    failed = [(where, failure) for where, failure in outcomes if failure is not None]
    return Step(
        step=name,
        made=made,
        wanted=wanted,
        failed=dict(Counter(failure.reason for _, failure in failed)),
        failures=tuple(
            Bad(where=where, reason=brief(f"{failure.reason}: {failure.message}"))
            for where, failure in failed
        ),
        bad=bad,
        note=note,
    )
