"""A picture with a title, and how apt that is."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from semiosis.benchmarks import Artifact, Finding, Item, Outcome, Provenance, RowParts, kind


@kind
class TitleItem(Item):
    """The label `apt` is "apt" or "off"."""

    capability = "weigh"
    kind: Literal["title"] = "title"
    title: str
    artifact: Artifact

    @property
    def identity(self) -> tuple[str, ...]:
        return (self.title, self.artifact.sha256)

    @property
    def arguments(self) -> tuple[Any, ...]:
        return (self.title, self.artifact)

    @property
    def pictures(self) -> tuple[Artifact, ...]:
        return (self.artifact,)

    @property
    def words(self) -> str:
        return self.title

    @property
    def label(self) -> str | None:
        label = self.labels.get("apt")
        return None if label is None else str(label)

    @classmethod
    def of_row(cls, cells: Mapping[str, object], row: RowParts) -> Self | None:
        if not {"title", "picture"} <= cells.keys() or "prompt" in cells:
            return None
        return cls(
            id=row.id,
            title=str(cells["title"]),
            artifact=row.picture(cells["picture"]),
            labels=row.labels,
            labels_by=row.labels_by,
        )


@kind
class Aptness(Outcome):
    headline = ("verdict", "points", "why")
    kind: Literal["aptness"] = "aptness"
    title: str
    artifact: Artifact
    points: int
    threshold: int
    why: str
    provenance: Provenance

    @property
    def verdict(self) -> str:
        return "apt" if self.points >= self.threshold else "off"

    @property
    def finding(self) -> Finding:
        return Finding(
            verdict=self.verdict, value=float(self.points), certainty=1 + 4 * abs(self.points - 5) / 5
        )
