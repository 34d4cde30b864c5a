"""What a folder holds of each step, whoever made it when."""

from collections.abc import Iterator
from pathlib import Path

from ....core.value import Value
from . import reviews
from .artefacts import read
from .asking import Made
from .attributes import Annotation, Annotations
from .combine import Combination
from .contents import Content, Contents
from .folder import STEPS, Files
from .results import Results
from .reviews import Reviews
from .styles import Style, Styles


class Settings(Value):
    """What holds for a build from its beginning."""

    seed: int


class Tasks(Value):
    """How many forced choices there are at most, and how many there came to be."""

    most: int
    per_instance: int
    globally: int


class Kept:
    """One file a step, in steps/."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.steps = folder / STEPS
        self.base, self.painting = folder / "base", folder / "painting"
        self.files = Files(folder)
        self.settings = read(self.steps / "settings.json", Settings)
        self.contents = read(self.steps / "contents.json", Contents)
        self.styles = read(self.steps / "styles.json", Styles)
        self.annotations = read(self.steps / "annotations.json", Annotations) or Annotations()
        self.reviews = read(self.steps / "reviews.json", Reviews) or Reviews()
        self.combination = read(self.steps / "combination.json", Combination)
        self.results = read(self.steps / "results.json", Results) or Results()
        self.tasks = read(self.steps / "tasks.json", Tasks)

    def reviewed(self) -> Annotations:
        """The annotations with people's word over the model's."""
        known, said = self.annotations, self.reviews
        return Annotations(
            contents={
                each: reviews.merged(known.contents.get(each), said.contents.get(each))
                for each in {**known.contents, **said.contents}
            },
            styles={
                each: reviews.merged(known.styles.get(each), said.styles.get(each))
                for each in {**known.styles, **said.styles}
            },
        )

    def captions(self) -> dict[str, str | None]:
        """By content; a person's goes before the one that was given or written."""
        said = {sha256: review.caption for sha256, review in self.reviews.contents.items()}
        return {
            each.sha256: said.get(each.sha256) or each.caption
            for each in (self.contents.contents if self.contents else ())
        }

    def uncaptioned(self, failed: bool) -> list[Content]:
        """Those without a caption; those whose caption failed, only if they are wanted too."""
        captions = self.captions()
        return [
            each
            for each in (self.contents.contents if self.contents else ())
            if captions[each.sha256] is None and (failed or each.failure is None)
        ]

    def unannotated(self, failed: bool) -> tuple[list[Content], list[Style]]:
        """Those without attributes, from a model or from people; those that failed, only if wanted too."""
        known = self.reviewed()
        none = Annotation()

        def lacks(annotation: Annotation) -> bool:
            return annotation.attributes is None and (failed or annotation.failure is None)

        return (
            [
                each
                for each in (self.contents.contents if self.contents else ())
                if lacks(known.contents.get(each.sha256, none))
            ],
            [
                each
                for each in (self.styles.styles if self.styles else ())
                if lacks(known.styles.get(each.prompt, none))
            ],
        )

    def failed_calls(self) -> Iterator[str]:
        """The calls behind every failure."""
        for made in self._failed():
            yield from made.calls if made else ()

    def _failed(self) -> Iterator[Made | None]:
        yield from (each.by for each in self.contents.contents if each.failure) if self.contents else ()
        yield from (each.by for each in self.styles.failed) if self.styles else ()
        for annotations in (self.annotations.contents, self.annotations.styles):
            yield from (each.by for each in annotations.values() if each.failure)
