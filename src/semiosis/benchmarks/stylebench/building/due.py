"""What a session is given, and what that leaves to be done: the build and its forecast decide here alike."""

from dataclasses import dataclass, field
from pathlib import Path

from ....core.errors import BadSetting
from ....core.sign import Artifact
from . import contents, reviews, styles
from .contents import Contents
from .kept import Kept
from .reviews import Of, Reviews
from .styles import Keywords, Styles

STYLES = 100


@dataclass(frozen=True)
class Given:
    """What a session is given. None leaves it as it was, or at what is usual."""

    contents: Path | None = None
    keywords: Path | None = None
    styles: int | None = None
    per_content: int | None = None
    results: dict[str, Path] = field(default_factory=dict[str, Path])
    tasks: int | None = None
    review: Path | None = None
    seed: int | None = None
    retry_failed: bool = False


@dataclass(frozen=True)
class Writing:
    """Styles to make; `mended` are those made before of the same, some of whose calls failed."""

    keywords: Keywords
    wanted: int
    seed: int
    mended: Styles | None


def check_settings(kept: Kept, given: Given) -> None:
    seed, per_content = given.seed, given.per_content
    if kept.settings and seed not in (None, kept.settings.seed):
        raise BadSetting(
            f"This build was begun with seed {kept.settings.seed}: leave out --seed, or build in another "
            "folder."
        )
    if kept.combination and per_content not in (None, kept.combination.per_content):
        raise BadSetting(
            f"Each content was combined with {kept.combination.per_content} styles, not {per_content}: "
            "leave out --per-content, or build in another folder."
        )


def seed_of(kept: Kept, given: Given) -> int:
    return kept.settings.seed if kept.settings else given.seed or 0


def contents_to_take(kept: Kept, given: Given) -> tuple[Contents, dict[str, Artifact]] | None:
    if given.contents is None:
        return None
    found, artifacts = contents.gather(given.contents, kept.contents)
    if kept.combination and kept.contents and _hashes(found) != _hashes(kept.contents):
        raise _fixed("contents", given.contents)
    return found, artifacts


def styles_to_make(kept: Kept, given: Given) -> Writing | None:
    if given.keywords is None:
        return None
    keywords = styles.read_keywords(given.keywords)
    wanted = given.styles or (kept.styles.wanted if kept.styles else STYLES)
    seed = seed_of(kept, given)
    same = kept.styles is not None and kept.styles.made_from == keywords.made_from(wanted, seed)
    if kept.combination:
        if not same:
            raise _fixed("styles", given.keywords)
        return None
    if same and not (kept.styles and kept.styles.failed and given.retry_failed):
        return None
    return Writing(keywords, wanted, seed, kept.styles if same else None)


def reviews_in_force(kept: Kept, given: Given, skipped: Of | None = None) -> Reviews:
    """`skipped` are of a kind that is yet to be made, so that nobody can tell what is meant."""
    if given.review is None:
        return kept.reviews
    return reviews.read(
        given.review, kept.reviews, kept.contents, kept.styles, kept.annotations, skipped=skipped
    )


def _hashes(found: Contents) -> list[str]:
    return [content.sha256 for content in found.contents]


def _fixed(what: str, given: Path) -> BadSetting:
    return BadSetting(
        f"The {what} are combined already, and those of {given} are others: build in another folder, or "
        "delete steps/combination.json to combine anew, which discards the paintings taken in so far."
    )
