"""What a folder holds of each step, whoever made it when."""

from collections.abc import Iterator
from pathlib import Path

from ....building import reviews
from ....building.asking import Made
from ....building.steps import Files, Steps
from ....core.value import Value
from .attributes import Annotations, ContentAnnotation, StyleAnnotation
from .combinations import Combination
from .contents import Content, Contents
from .results import Results
from .reviews import Reviews
from .styles import Style, Styles

PARTS = ("base", "base/images", "painting/*", "2AFC")
_NUMBERED = (
    r"base/images/\d+\.[a-z]+|base/(content|style)_\d+k?\.json|2AFC/2AFC_(instance|global)_N_\d+\.json"
)


class BuildSettings(Value):
    """The seed, which holds for a build from its beginning, and what its datasheet is to say."""

    seed: int
    source: str = ""
    licence: str = ""


class TaskCounts(Value):
    """How many forced choices there are at most, and how many there came to be."""

    most: int
    per_instance: int
    globally: int


class BuildState:
    """One file a step, in steps/."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.steps = Steps(folder)
        self.base, self.painting = folder / "base", folder / "painting"
        self.files = Files(folder, _NUMBERED)
        self.settings = self.steps.read("settings", BuildSettings)
        self.contents = self.steps.read("contents", Contents)
        self.styles = self.steps.read("styles", Styles)
        self.annotations = self.steps.read("annotations", Annotations) or Annotations()
        self.reviews = self.steps.read("reviews", Reviews) or Reviews()
        self.combination = self.steps.read("combination", Combination)
        self.results = self.steps.read("results", Results) or Results()
        self.tasks = self.steps.read("tasks", TaskCounts)

    @property
    def listed(self) -> tuple[Content, ...]:
        return self.contents.contents if self.contents else ()

    @property
    def prompted(self) -> tuple[Style, ...]:
        return self.styles.styles if self.styles else ()

    def reviewed(self) -> Annotations:
        """The annotations with people's word over the model's."""
        model, people = self.annotations, self.reviews
        return Annotations(
            contents={
                each: reviews.merged(model.contents.get(each), people.contents.get(each))
                for each in {**model.contents, **people.contents}
            },
            styles={
                each: reviews.merged(model.styles.get(each), people.styles.get(each))
                for each in {**model.styles, **people.styles}
            },
        )

    def captions(self) -> dict[str, str | None]:
        """By content; a person's goes before the one that was given or written."""
        by_people = {sha256: review.caption for sha256, review in self.reviews.contents.items()}
        return {each.sha256: by_people.get(each.sha256) or each.caption for each in self.listed}

    def uncaptioned(self, failed: bool) -> list[Content]:
        """Those without a caption; those whose caption failed, only if they are wanted too."""
        captions = self.captions()
        return [
            each for each in self.listed if captions[each.sha256] is None and (failed or each.failure is None)
        ]

    def unannotated(self, failed: bool) -> tuple[list[Content], list[Style]]:
        """Those without attributes, from a model or from people; those that failed, only if wanted too."""
        annotations = self.reviewed()

        def lacks(annotation: ContentAnnotation | StyleAnnotation | None) -> bool:
            return annotation is None or (
                annotation.attributes is None and (failed or annotation.failure is None)
            )

        return (
            [each for each in self.listed if lacks(annotations.contents.get(each.sha256))],
            [each for each in self.prompted if lacks(annotations.styles.get(each.prompt))],
        )

    def failed_calls(self) -> Iterator[str]:
        """The calls behind every failure."""
        for by in self._answers(failed=True):
            yield from by.calls if by else ()

    def answers(self) -> Iterator[Made | None]:
        """Where everything came from that a model was asked for."""
        yield from self._answers(failed=False)
        yield from self._answers(failed=True)

    def _answers(self, *, failed: bool) -> Iterator[Made | None]:
        annotations = (*self.annotations.contents.values(), *self.annotations.styles.values())
        for each in (*self.listed, *annotations):
            if (each.failure is not None) == failed:
                yield each.by
        if self.styles and failed:
            yield from (each.by for each in self.styles.failed)
        elif self.styles:
            # One call has written many styles.
            yield from {each.by.calls: each.by for each in self.styles.styles}.values()
            yield from self.styles.merged_by
