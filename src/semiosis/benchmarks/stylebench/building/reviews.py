"""What people say of annotations, from a file with one JSON object a line; the studio writes the same.

    {"kind": "content", "index": 3, "attributes": {"element_density": "High"}, "reviewer": "ada"}
    {"kind": "style", "index": 7, "subject": "Ukiyo-e woodblock", "reviewer": "ada"}

`attributes` holds what is to be changed, or all of it where a model gave none; without it, the annotation is
confirmed as it stands. `caption` replaces a content's. `subject` (a content's SHA-256, a style's prompt)
guards against reviewing one thing and correcting another: where it is given, it has to fit the index.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import JsonValue, ValidationError

from ....core.errors import BadRecord, BadSetting
from ....core.item import BadRow
from ....core.text import brief
from ....core.value import Value
from ....sources import files
from .attributes import Annotation, Annotations, Attributes, ContentAttributes, StyleAttributes
from .contents import Contents
from .styles import Styles
from .texts import Caption

Of = Literal["content", "style"]


class Review(Value):
    """A line of the file."""

    kind: Of
    index: int
    subject: str = ""
    attributes: dict[str, JsonValue] | None = None
    caption: Caption | None = None
    reviewer: str = ""


class Reviewed(Value):
    """A review, complete and checked."""

    attributes: Attributes | None = None
    caption: str | None = None
    reviewer: str = ""


class Reviews(Value):
    """The last word on each, by what it is of."""

    contents: dict[str, Reviewed] = {}
    styles: dict[str, Reviewed] = {}


def read(
    path: Path,
    before: Reviews,
    contents: Contents | None,
    styles: Styles | None,
    known: Annotations,
    *,
    skipped: Of | None = None,
) -> Reviews:
    """All of the file or, where a line is at fault, none of it; without the lines on what is `skipped`."""
    if not path.is_file() or files.format_of(path) is None:
        raise BadSetting(f"The reviews {path} are no .jsonl file.")
    subjects: dict[Of, dict[int, str]] = {
        "content": {each.index: each.sha256 for each in contents.contents} if contents else {},
        "style": {each.index: each.prompt for each in styles.styles} if styles else {},
    }
    found: dict[Of, dict[str, Reviewed]] = {"content": dict(before.contents), "style": dict(before.styles)}
    annotations: dict[Of, Mapping[str, Annotation]] = {"content": known.contents, "style": known.styles}
    for row in files.read(path):
        if isinstance(row, BadRow):
            raise BadRecord(f"{row.where}: {row.reason}")
        try:
            review = Review.model_validate(row.cells)
            if review.kind == skipped:
                continue
            subject = _subject(review, subjects[review.kind])
            now = merged(annotations[review.kind].get(subject), found[review.kind].get(subject))
            earlier = found[review.kind].get(subject)
            found[review.kind][subject] = _reviewed(review, now.attributes, earlier)
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(str(part) for part in fault["loc"])
            raise BadRecord(brief(f"{row.where}: {where}: {fault['msg']}.")) from None
        except BadRecord as error:
            raise BadRecord(brief(f"{row.where}: {error}")) from None
    return Reviews(contents=found["content"], styles=found["style"])


def merged(annotation: Annotation | None, review: Reviewed | None) -> Annotation:
    """The annotation with a person's word over the model's."""
    known = annotation or Annotation()
    if review is None or review.attributes is None:
        return known
    # Confirmed values stay the model's; changed ones are the person's.
    by = known.by if review.attributes == known.attributes else None
    return Annotation(attributes=review.attributes, reviewed=True, reviewer=review.reviewer, by=by)


def to_review(
    contents: Contents | None,
    styles: Styles | None,
    known: Annotations,
    captions: Mapping[str, str | None],
) -> list[dict[str, Any]]:
    """Every annotation that nobody has reviewed, as a line to correct and to hand in again.

    `captions` are those in force: a person's that came back as the model's would be lost when handed in.
    """
    rows: list[dict[str, Any]] = []
    for content in contents.contents if contents else ():
        annotation = known.contents.get(content.sha256, Annotation())
        if not annotation.reviewed:
            rows.append(_row("content", content.index, content.sha256, annotation, captions[content.sha256]))
    for style in styles.styles if styles else ():
        annotation = known.styles.get(style.prompt, Annotation())
        if not annotation.reviewed:
            rows.append(_row("style", style.index, style.prompt, annotation))
    return rows


def _row(
    kind: Of, index: int, subject: str, annotation: Annotation, caption: str | None = None
) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": kind, "index": index, "subject": subject}
    if caption is not None:
        row["caption"] = caption
    if annotation.attributes is not None:
        row["attributes"] = annotation.attributes.model_dump(mode="json")
    return row | {"reviewer": ""}


def _subject(review: Review, known: dict[int, str]) -> str:
    if review.index not in known:
        raise BadRecord(f"There is no {review.kind} {review.index}.")
    subject = known[review.index]
    if review.subject and review.subject != subject:
        raise BadRecord(f"The {review.kind} {review.index} is not {review.subject[:80]!r}.")
    return subject


def _reviewed(review: Review, now: Attributes | None, earlier: Reviewed | None) -> Reviewed:
    if review.kind == "style" and review.caption is not None:
        raise BadRecord("A style has no caption: its prompt is what it is known by, and stays.")
    shape = ContentAttributes if review.kind == "content" else StyleAttributes
    attributes = now
    if review.attributes is not None:
        attributes = shape.model_validate((now.model_dump() if now else {}) | review.attributes)
    if attributes is None and review.caption is None:
        raise BadRecord(f"The {review.kind} {review.index} has no attributes to confirm: give all of them.")
    caption = review.caption if review.caption is not None else earlier.caption if earlier else None
    return Reviewed(attributes=attributes, caption=caption, reviewer=review.reviewer)
