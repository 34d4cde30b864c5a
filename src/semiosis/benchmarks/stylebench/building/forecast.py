"""What a session would ask for, before anything is asked or written."""

from pathlib import Path

from ....core.sign import Artifact
from ....runs.plan import Load, Stage
from . import attributes, contents, styles
from .asking import Means
from .kept import Kept
from .pipeline import STYLES, Given

# Of a style that is yet to be written, and a caption; only their length matters.
LIKELY_PROMPT = "Watercolor landscape with soft flowing washes and delicate color transitions"
LIKELY_CAPTION = "A woman in a pink dress and hat poses on a wooden walkway through a bright yellow field"
_ANY = Artifact(sha256="")


def forecast(folder: Path, given: Given, means: Means) -> tuple[Stage, ...]:
    """By kind of question. A model is looked for only if there is something to ask."""
    kept = Kept(folder)
    loads: dict[str, Load] = {}

    def count(stage: str, load: Load) -> None:
        loads[stage] = loads.get(stage, Load()) + load

    if given.contents is not None:
        kept.contents, _ = contents.gather(given.contents, kept.contents)
    for _ in kept.uncaptioned(given.retry_failed):
        count("caption", contents.question(_ANY).load)
    if given.keywords is not None:
        keywords = styles.read_keywords(given.keywords)
        wanted = given.styles or (kept.styles.wanted if kept.styles else STYLES)
        seed = kept.settings.seed if kept.settings else given.seed or 0
        if kept.styles is None or kept.styles.made_from != keywords.made_from(wanted, seed):
            for batch in styles.batches(keywords, wanted, seed):
                count("expand", styles.expansion(*batch).load)
            count("merge", styles.merging_load(wanted))
            for _ in range(wanted):
                count("style-attributes", attributes.style_question(LIKELY_PROMPT).load)
            kept.styles = None
    listed, prompted = kept.unannotated(given.retry_failed)
    captions = kept.captions()
    for content in listed:
        caption = captions[content.sha256] or LIKELY_CAPTION
        count("content-attributes", attributes.content_question(_ANY, caption).load)
    for style in prompted:
        count("style-attributes", attributes.style_question(style.prompt).load)
    model = means.bare().name if loads else ""
    return tuple(Stage(stage, model, load, load) for stage, load in loads.items())
