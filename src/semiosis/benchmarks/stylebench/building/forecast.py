"""What a session would ask for, before anything is asked or written."""

from pathlib import Path

from ....building.asking import Means
from ....building.steps import check
from ....core.sign import Artifact
from ....runs.plan import Load, PlannedStage
from . import attributes, contents, inputs, styles
from .inputs import BuildInputs, Writing
from .state import PARTS, BuildState

# Of a style that is yet to be written, and a caption; only their length matters.
LIKELY_PROMPT = "Watercolor landscape with soft flowing washes and delicate color transitions"
LIKELY_CAPTION = "A woman in a pink dress and hat poses on a wooden walkway through a bright yellow field"
_ANY = Artifact(sha256="")


def forecast(folder: Path, session: BuildInputs, means: Means) -> tuple[PlannedStage, ...]:
    """By kind of question, in the order of the build. A model is looked for only if there is a question."""
    check(folder, PARTS)
    state = BuildState(folder)
    loads: dict[str, Load] = {}

    def count(stage: str, load: Load) -> None:
        loads[stage] = loads.get(stage, Load()) + load

    inputs.check_settings(state, session)
    if gathered := inputs.contents_to_take(state, session):
        state.contents, _ = gathered
    for _ in state.uncaptioned(session.retry_failed):
        count("caption", contents.ask(_ANY).load)
    writing = inputs.styles_to_make(state, session)
    if writing:
        if not _by_one_model(writing, means):
            state.styles = None
        for stage, load in _of_styles(writing, anew=state.styles is None):
            count(stage, load)
    # Which style a review means is open until there are styles.
    state.reviews = inputs.reviews_in_force(state, session, skipped="style" if writing else None)
    listed, prompted = state.unannotated(session.retry_failed)
    captions = state.captions()
    for content in listed:
        caption = captions[content.sha256] or LIKELY_CAPTION
        count("content-attributes", attributes.content_ask(_ANY, caption).load)
    for style in prompted:
        count("style-attributes", attributes.style_ask(style.prompt).load)
    model = means.bare().name if loads else ""
    return tuple(PlannedStage(stage, model, load, load) for stage, load in loads.items())


def _by_one_model(writing: Writing, means: Means) -> bool:
    """Replies are kept by model: another one is asked everything."""
    if writing.mended is None:
        return False
    by = (each.by.model for each in (*writing.mended.styles, *writing.mended.failed))
    return set(by) == {means.bare().name}


def _of_styles(writing: Writing, *, anew: bool) -> list[tuple[str, Load]]:
    """Of styles that are mended: the calls that failed, and what may come of them."""
    batches = styles.batches(writing.keywords, writing.wanted, writing.seed)
    before, fresh = writing.mended, writing.wanted
    failed = [each.by.prompt for each in before.failed] if before else []
    if before and not anew:
        batches = batches[: failed.count("expand")]
        unused = before.candidates - before.repeated - before.merged - len(before.styles)
        fresh = min(fresh, unused + sum(prompts for _, prompts in batches))
    # Where prompts are written anew, what was merged before may fall into other calls.
    merges = None if batches else failed.count("merge")
    expanding = [("expand", styles.expansion(*batch).load) for batch in batches]
    sorting = [("style-attributes", attributes.style_ask(LIKELY_PROMPT).load)] * fresh
    return [*expanding, ("merge", styles.merging_load(writing.wanted, merges)), *sorting]
