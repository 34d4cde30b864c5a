"""What people say of a model's annotations, from a file with one JSON object a line.

    {"kind": "line", "index": 3, "attributes": {"season": "autumn"}, "reviewer": "ada"}
    {"kind": "line", "index": 7, "subject": "an old pond", "reviewer": "ada"}

`attributes` holds what is to be changed, or all of it where a model gave none; without it, the annotation is
confirmed as it stands. `subject` (what the thing is known by, whatever its number) guards against reviewing
one thing and correcting another: where it is given, it has to fit the index. What else people may say of a
thing is a field of a subclass of `Review`.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import JsonValue, ValidationError

from ..core.errors import BadRecord, BadSetting
from ..core.item import BadRow
from ..core.outcome import Failure
from ..core.text import brief
from ..core.value import Value, first_fault
from ..sources import files
from .asking import Made, Response

A = TypeVar("A", bound=Value)
K = TypeVar("K", bound=str)
R = TypeVar("R", bound="Review[Any]")


class Annotation(Value, Generic[A]):
    """What one thing is like. It has attributes or a failure; `by` is None where a person gave them."""

    attributes: A | None = None
    failure: Failure | None = None
    reviewed: bool = False
    reviewer: str = ""
    by: Made | None = None


class Review(Value, Generic[K]):
    """A line of the file, on a thing of one of the kinds."""

    kind: K
    index: int
    subject: str = ""
    attributes: dict[str, JsonValue] | None = None
    reviewer: str = ""


class Reviewed(Value, Generic[A]):
    """A review, complete and checked."""

    attributes: A | None = None
    reviewer: str = ""


def annotation(response: Response[A]) -> Annotation[A]:
    """What a model said of a thing, or that it failed to."""
    if isinstance(response.value, Failure):
        return Annotation[A](failure=response.value, by=response.by)
    return Annotation[A](attributes=response.value, by=response.by)


def read(path: Path, line: type[R], take: Callable[[R], None]) -> None:
    """Hand every line over. Raises at the first that does not read or is not taken, with its place."""
    if not path.is_file() or files.format_of(path) is None:
        raise BadSetting(f"The reviews {path} are no .jsonl file.")
    for row in files.read(path):
        if isinstance(row, BadRow):
            raise BadRecord(f"{row.where}: {row.reason}")
        try:
            take(line.model_validate(row.cells))
        except ValidationError as error:
            raise BadRecord(brief(f"{row.where}: {first_fault(error)}.")) from None
        except BadRecord as error:
            raise BadRecord(brief(f"{row.where}: {error}")) from None


def subject_of(review: Review[Any], subjects: Mapping[int, str]) -> str:
    """What the review is of, by the index it names."""
    if review.index not in subjects:
        raise BadRecord(f"There is no {review.kind} {review.index}.")
    subject = subjects[review.index]
    if review.subject and review.subject != subject:
        raise BadRecord(f"The {review.kind} {review.index} is not {review.subject[:80]!r}.")
    return subject


def corrected(review: Review[Any], shape: type[A], now: A | None) -> A | None:
    """The attributes as the review has them: changed, completed, or as they are."""
    if review.attributes is None:
        return now
    return shape.model_validate((now.model_dump() if now else {}) | review.attributes)


def confirmed(review: Review[Any], shape: type[A], now: A | None) -> A:
    """The same, where there have to be some."""
    attributes = corrected(review, shape, now)
    if attributes is None:
        raise BadRecord(f"The {review.kind} {review.index} has no attributes to confirm: give all of them.")
    return attributes


def merged(annotation: Annotation[A] | None, review: Reviewed[A] | None) -> Annotation[A]:
    """The annotation with a person's word over the model's."""
    annotation = annotation or Annotation[A]()
    if review is None or review.attributes is None:
        return annotation
    # Confirmed values stay the model's; changed ones are the person's.
    by = annotation.by if review.attributes == annotation.attributes else None
    return Annotation[A](attributes=review.attributes, reviewed=True, reviewer=review.reviewer, by=by)


def to_review(
    kind: str, index: int, subject: str, annotation: Annotation[Any], **texts: str | None
) -> dict[str, Any]:
    """A line to correct and to hand in again; `texts` are those in force of what else may be said."""
    row: dict[str, Any] = {"kind": kind, "index": index, "subject": subject}
    row |= {name: text for name, text in texts.items() if text is not None}
    if annotation.attributes is not None:
        row["attributes"] = annotation.attributes.model_dump(mode="json")
    return row | {"reviewer": ""}
