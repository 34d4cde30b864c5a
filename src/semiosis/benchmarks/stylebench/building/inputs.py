"""What a session is given, and what that leaves to be done: a build and its rehearsal decide here alike."""

from dataclasses import dataclass, field
from pathlib import Path

from ....core.errors import BadSetting
from ....core.sign import Artifact
from . import contents, reviews, styles
from .combinations import check_enough
from .contents import Contents
from .reviews import Of, Reviews
from .state import BuildState
from .styles import Keywords

STYLES = 100


@dataclass(frozen=True)
class BuildInputs:
    """What a session is given. None leaves it as it was, or at what is usual."""

    contents: Path | None = None
    keywords: Path | None = None
    styles: int | None = None
    per_content: int | None = None
    results: dict[str, Path] = field(default_factory=dict[str, Path])
    tasks: int | None = None
    review: Path | None = None
    seed: int | None = None
    source: str | None = None
    licence: str | None = None
    retry_failed: bool = False


@dataclass(frozen=True)
class Writing:
    """Styles to make."""

    keywords: Keywords
    wanted: int
    seed: int


def check_settings(state: BuildState, inputs: BuildInputs) -> None:
    seed, per_content = inputs.seed, inputs.per_content
    if state.settings and seed not in (None, state.settings.seed):
        raise BadSetting(
            f"This build was begun with seed {state.settings.seed}: leave out --seed, or build in another "
            "folder."
        )
    if state.combination and per_content not in (None, state.combination.per_content):
        raise BadSetting(
            f"Each content was combined with {state.combination.per_content} styles, not {per_content}: "
            "leave out --per-content, or build in another folder."
        )

    if inputs.keywords and not state.combination and (state.contents or inputs.contents):
        check_enough(_wanted(state, inputs), per_content)


def _wanted(state: BuildState, inputs: BuildInputs) -> int:
    return inputs.styles or (state.styles.wanted if state.styles else STYLES)


def seed_of(state: BuildState, inputs: BuildInputs) -> int:
    return state.settings.seed if state.settings else inputs.seed or 0


def contents_to_take(state: BuildState, inputs: BuildInputs) -> tuple[Contents, dict[str, Artifact]] | None:
    if inputs.contents is None:
        return None
    gathered, artifacts = contents.gather(inputs.contents, state.contents)
    if state.combination and state.contents and _hashes(gathered) != _hashes(state.contents):
        raise _fixed("contents", inputs.contents)
    return gathered, artifacts


def styles_to_make(state: BuildState, inputs: BuildInputs) -> Writing | None:
    if inputs.keywords is None:
        return None
    keywords = styles.read_keywords(inputs.keywords)
    wanted = _wanted(state, inputs)
    seed = seed_of(state, inputs)
    same = state.styles is not None and state.styles.made_from == keywords.made_from(wanted, seed)
    if state.combination:
        if not same:
            raise _fixed("styles", inputs.keywords)
        return None
    if same and not (state.styles and state.styles.failed and inputs.retry_failed):
        return None
    return Writing(keywords, wanted, seed)


def reviews_in_force(state: BuildState, inputs: BuildInputs, skipped: Of | None = None) -> Reviews:
    """`skipped` are of a kind that is yet to be made, so that nobody can tell what is meant."""
    if inputs.review is None:
        return state.reviews
    return reviews.read(
        inputs.review, state.reviews, state.contents, state.styles, state.annotations, skipped=skipped
    )


def _hashes(listed: Contents) -> list[str]:
    return [content.sha256 for content in listed.contents]


def _fixed(what: str, path: Path) -> BadSetting:
    return BadSetting(
        f"The {what} are combined already, and those of {path} are others: build in another folder, or "
        "delete steps/combination.json to combine anew, which discards the paintings taken in so far."
    )
