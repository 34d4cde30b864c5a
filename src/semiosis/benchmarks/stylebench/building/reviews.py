"""What people say of contents and styles, as `building.reviews` has it.

    {"kind": "content", "index": 3, "attributes": {"element_density": "High"}, "reviewer": "ada"}
    {"kind": "style", "index": 7, "subject": "Ukiyo-e woodblock", "reviewer": "ada"}

The subject is a content's SHA-256, a style's prompt. `caption` replaces a content's.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from ....building.reviews import (
    Review,
    Reviewed,
    confirmed,
    corrected,
    merged,
    subject_of,
    to_review,
)
from ....building.reviews import read as read_lines
from ....core.errors import BadRecord
from ....core.value import Value
from .attributes import Annotations, ContentAnnotation, ContentAttributes, StyleAnnotation, StyleAttributes
from .contents import Caption, Contents
from .styles import Styles

Of = Literal["content", "style"]


class StyleBenchReview(Review[Of]):
    caption: Caption | None = None


class ReviewedContent(Reviewed[ContentAttributes]):
    caption: str | None = None


class Reviews(Value):
    """The last word on each, by what it is of."""

    contents: dict[str, ReviewedContent] = {}
    styles: dict[str, Reviewed[StyleAttributes]] = {}


def read(
    path: Path,
    before: Reviews,
    contents: Contents | None,
    styles: Styles | None,
    annotations: Annotations,
    *,
    skipped: Of | None = None,
) -> Reviews:
    """All of the file or, where a line is at fault, none of it; without the lines on what is `skipped`."""
    hashes = {each.index: each.sha256 for each in contents.contents} if contents else {}
    prompts = {each.index: each.prompt for each in styles.styles} if styles else {}
    of_contents, of_styles = dict(before.contents), dict(before.styles)

    def take(review: StyleBenchReview) -> None:
        if review.kind == skipped:
            return
        if review.kind == "content":
            subject = subject_of(review, hashes)
            earlier = of_contents.get(subject)
            now = merged(annotations.contents.get(subject), earlier).attributes
            of_contents[subject] = _content(review, now, earlier)
        elif review.caption is not None:
            raise BadRecord("A style has no caption: its prompt is what it is known by, and stays.")
        else:
            subject = subject_of(review, prompts)
            now = merged(annotations.styles.get(subject), of_styles.get(subject)).attributes
            of_styles[subject] = Reviewed[StyleAttributes](
                attributes=confirmed(review, StyleAttributes, now), reviewer=review.reviewer
            )

    read_lines(path, StyleBenchReview, take)
    return Reviews(contents=of_contents, styles=of_styles)


def lines_to_review(
    contents: Contents | None,
    styles: Styles | None,
    annotations: Annotations,
    captions: Mapping[str, str | None],
) -> list[dict[str, Any]]:
    """Every annotation that nobody has reviewed, as a line to correct and to hand in again.

    `captions` are those in force: a person's that came back as the model's would be lost when handed in.
    """
    rows: list[dict[str, Any]] = []
    for each in contents.contents if contents else ():
        annotation = annotations.contents.get(each.sha256, ContentAnnotation())
        if not annotation.reviewed:
            caption = captions[each.sha256]
            rows.append(to_review("content", each.index, each.sha256, annotation, caption=caption))
    for each in styles.styles if styles else ():
        annotation = annotations.styles.get(each.prompt, StyleAnnotation())
        if not annotation.reviewed:
            rows.append(to_review("style", each.index, each.prompt, annotation))
    return rows


def _content(
    review: StyleBenchReview, now: ContentAttributes | None, earlier: ReviewedContent | None
) -> ReviewedContent:
    if review.caption is None:
        caption, attributes = earlier and earlier.caption, confirmed(review, ContentAttributes, now)
    else:
        caption, attributes = review.caption, corrected(review, ContentAttributes, now)
    return ReviewedContent(attributes=attributes, caption=caption, reviewer=review.reviewer)
