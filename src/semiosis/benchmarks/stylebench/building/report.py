"""How a build stands, step by step: what was made, what failed, what was no use, what it waits for."""

from collections import Counter

from ....building.datasheet import UNNAMED, Datasheet, LabelCount, Who, counts, label_counts, labels, prompts
from ....building.report import UNFINISHED, BuildStep, StepReport, build_step
from ....core.item import BadRow
from ....core.text import brief
from ....runs.asking import Ended
from ....runs.costs import Line, Spent
from .attributes import ContentAnnotation, StyleAnnotation
from .inputs import BuildInputs
from .results import missing
from .state import BuildState

ASKED_AGAIN = "What failed is kept as a failure: --retry-failed asks again."
STYLES_ASKED_AGAIN = "The calls for styles that failed are asked again by --retry-failed with --keywords."
STYLES_FIXED = (
    "The calls for styles that failed are not asked again, since styles are fixed once they are combined: "
    "delete steps/combination.json, which discards the paintings taken in so far, and give --keywords and "
    "--retry-failed."
)
UNMATCHED = "Its name says no content and style that were combined."


class StyleBenchReport(StepReport):
    """`unpainted` says of the first stylizer without a picture what is missing."""

    unpainted: str = ""


class BuildReport(StyleBenchReport):
    """What `semiosis build` prints, with what all its sessions took."""

    account: tuple[Line, ...]
    spent: Spent


def report(state: BuildState, ended: Ended, inputs: BuildInputs) -> StyleBenchReport:
    steps = (
        *_contents(state, inputs),
        *_styles(state, inputs),
        *_attributes(state),
        _combination(state, inputs),
        *_results(state, inputs),
        _tasks(state),
    )
    return StyleBenchReport(
        folder=brief(str(state.folder)),
        ended=ended.how,
        message=ended.message,
        way_out=_way_out(state, steps),
        unpainted=_unpainted(state),
        steps=steps,
    )


def datasheet(state: BuildState, steps: tuple[BuildStep, ...]) -> Datasheet:
    """What the folder holds now."""
    annotations, settings = state.reviewed(), state.settings
    return Datasheet(
        benchmark="stylebench",
        source=settings.source if settings else "",
        licence=settings.licence if settings else "",
        steps=counts(steps),
        prompts=prompts(state.answers()),
        labels=(
            *_caption_labels(state),
            *labels("content attributes", annotations.contents.values()),
            *labels("style attributes", annotations.styles.values()),
        ),
    )


def _caption_labels(state: BuildState) -> tuple[LabelCount, ...]:
    captions, people = state.captions(), state.reviews.contents
    names: Counter[tuple[Who, str]] = Counter()
    for each in state.listed:
        if captions[each.sha256] != each.caption:
            names["people", people[each.sha256].reviewer or UNNAMED] += 1
        elif each.captioned == "given":
            names["source", each.source] += 1
        elif each.captioned == "model" and each.by:
            names["model", each.by.model] += 1
    return label_counts("captions", names)


def _way_out(state: BuildState, steps: tuple[BuildStep, ...]) -> str:
    sentences: list[str] = []
    if any(step.failures for step in steps if step.step != "styles"):
        sentences.append(ASKED_AGAIN)
    if state.styles and state.styles.failed:
        sentences.append(STYLES_FIXED if state.combination else STYLES_ASKED_AGAIN)
    return " ".join(sentences)


def _unpainted(state: BuildState) -> str:
    wanted = len(state.combination.instances) if state.combination else 0
    none = (name for name, stylizer in state.results.stylizers.items() if not stylizer.pictures)
    name = next(none, None)
    if not wanted or name is None:
        return ""
    return (
        f"Not one of the {wanted:,} pictures of {name} is there: painting/to_paint.jsonl lists them; name "
        f"each CONTENT_STYLE.png and give their folder as --results {name}=DIR."
    )


def _lacking(state: BuildState, inputs: BuildInputs) -> str:
    """The options without which nothing can be combined."""
    contents, styles = (state.contents or inputs.contents), (state.styles or inputs.keywords)
    options = ("" if contents else "--contents", "" if styles else "--keywords")
    return " and ".join(filter(None, options))


def _contents(state: BuildState, inputs: BuildInputs) -> tuple[BuildStep, ...]:
    if state.contents is None:
        return (BuildStep(step="contents", note=UNFINISHED if inputs.contents else "waits for --contents"),)
    listed, captions = state.listed, state.captions()
    captioned = [each for each in listed if captions[each.sha256] is not None]
    by = Counter("people" if captions[each.sha256] != each.caption else each.captioned for each in captioned)
    return (
        BuildStep(step="contents", made=len(listed), wanted=len(listed), bad=state.contents.bad),
        build_step(
            "captions",
            len(captioned),
            len(listed),
            ((f"content {each.index}", each.failure) for each in listed if each not in captioned),
            note=f"{by['given']:,} given, {by['model']:,} by a model"
            + (f", {by['people']:,} by people" if by["people"] else ""),
        ),
    )


def _styles(state: BuildState, inputs: BuildInputs) -> tuple[BuildStep, ...]:
    styles = state.styles
    if styles is None:
        return (BuildStep(step="styles", note=UNFINISHED if inputs.keywords else "waits for --keywords"),)
    note = (
        f"{styles.candidates:,} written, {styles.repeated:,} repeated to the letter, {styles.merged:,} merged"
    )
    failures = ((f"a call to {each.by.prompt}", each.failure) for each in styles.failed)
    return (build_step("styles", len(styles.styles), styles.wanted, failures, bad=styles.bad, note=note),)


def _attributes(state: BuildState) -> tuple[BuildStep, ...]:
    annotations = state.reviewed()
    of_contents = [
        (f"content {each.index}", annotations.contents.get(each.sha256, ContentAnnotation()))
        for each in state.listed
    ]
    of_styles = [
        (f"style {each.index}", annotations.styles.get(each.prompt, StyleAnnotation()))
        for each in state.prompted
    ]
    return tuple(
        build_step(
            name,
            sum(annotation.attributes is not None for _, annotation in listed),
            len(listed),
            ((where, annotation.failure) for where, annotation in listed),
            note=f"{sum(annotation.reviewed for _, annotation in listed):,} reviewed by people",
        )
        for name, listed in (("content attributes", of_contents), ("style attributes", of_styles))
        if listed
    )


def _combination(state: BuildState, inputs: BuildInputs) -> BuildStep:
    if state.combination is None:
        note = UNFINISHED
        if lacking := _lacking(state, inputs):
            note = f"wait for {lacking}"
        elif state.styles and not state.styles.styles:
            note = "wait for styles, of which not one was made"
        return BuildStep(step="combinations", note=note)
    instances = len(state.combination.instances)
    return BuildStep(step="combinations", made=instances, wanted=instances)


def _results(state: BuildState, inputs: BuildInputs) -> tuple[BuildStep, ...]:
    if state.combination is None or not state.results.stylizers:
        note = "wait for --results"
        if inputs.results and state.combination:
            note = UNFINISHED
        elif inputs.results:
            lacking = _lacking(state, inputs)
            note = f"wait for a combination: give {lacking}" if lacking else "wait for a combination"
        return (BuildStep(step="results", note=note),)
    steps: list[BuildStep] = []
    for name, stylizer in state.results.stylizers.items():
        lacking = missing(stylizer, state.combination)
        wanted = len(state.combination.instances)
        converted = sum(picture.converted for picture in stylizer.pictures.values())
        notes = [
            f"{len(lacking):,} missing" if lacking else "",
            f"{converted:,} made JPEG" if converted else "",
        ]
        unmatched = (BadRow(each, UNMATCHED) for each in stylizer.unmatched)
        steps.append(
            BuildStep(
                step=f"results {name}",
                made=wanted - len(lacking),
                wanted=wanted,
                bad=(*stylizer.bad, *unmatched),
                missing=tuple(lacking),
                note=", ".join(filter(None, notes)),
            )
        )
    return tuple(steps)


def _tasks(state: BuildState) -> BuildStep:
    if state.tasks is None:
        ready = state.combination and len(state.results.stylizers) > 1
        return BuildStep(step="tasks", note=UNFINISHED if ready else "wait for the results of two stylizers")
    count = state.tasks.per_instance + state.tasks.globally
    note = f"{state.tasks.per_instance:,} per instance, {state.tasks.globally:,} global"
    return BuildStep(step="tasks", made=count, wanted=count, note=note)
