"""All steps in their order, each as far as what is given allows; run again with more to go on.

    with opened(folder) as store:
        asker = Asker(store, Means("openai/gpt-5"))
        build = Build(folder, Given(contents=..., keywords=...), asker, store)
        report = await build.run()

What a step made is in steps/, one file a step, and every reply of a model is in steps/build.sqlite, so that a
build which was killed goes on where it was. What a finished step made is not asked for again, whatever model
is named.
"""

import math
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ....backbones.adaptive_limit import Stopped
from ....methods.contract import package_version
from ....runs.execution import Ended
from ....runs.store import About, Store
from . import artefacts, attributes, combine, contents, due, publish, results, reviews, styles
from .asking import Asker, Progress
from .due import Given
from .folder import STEPS, STORE, check, not_begun
from .kept import Kept, Settings, Tasks
from .report import Report, report
from .results import Results, Stylizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..annotations import Comparison, Group
    from ..sampling import Painted

PER_CONTENT = 3
TASKS = 5000


def opened(folder: Path) -> Store:
    """Where replies are kept, which also keeps a second build out of the folder."""
    check(folder)
    path = folder / STEPS / STORE
    about = About(
        name="stylebench",
        source="stylebench",
        benchmark="stylebench",
        method="build",
        method_version="1",
        package_version=package_version(),
        configuration={},
    )
    if not path.is_file():
        return Store.create(path, about)
    store = Store.resume(path)
    if (store.about.benchmark, store.about.method) != (about.benchmark, about.method):
        store.close()
        raise not_begun(folder)
    return store


class Build:
    def __init__(self, folder: Path, given: Given, asker: Asker, store: Store) -> None:
        self._given = given
        self._asker = asker
        self._store = store
        self.kept = Kept(folder)

    async def run(self) -> Report:
        try:
            with suppress(Stopped):
                await self._steps()
            await self._asker.landed()
        finally:
            await self._asker.close()
        return self.report(self._asker.ended or Ended("done"))

    def stop(self) -> None:
        """Finish the calls in flight, start no more; what was left undone is taken up by the next session."""
        self._asker.stop()

    def report(self, ended: Ended) -> Report:
        return report(self.kept, ended, self._given)

    @property
    def progress(self) -> Progress:
        return self._asker.progress

    async def _steps(self) -> None:
        self._settings()
        if self._given.retry_failed:
            self._retire_failed()
        await self._contents()
        await self._styles()
        self._review()
        await self._attributes()
        self._combine()
        self._results()
        self._tasks()

    @property
    def _seed(self) -> int:
        return due.seed_of(self.kept, self._given)

    def _settings(self) -> None:
        kept = self.kept
        due.check_settings(kept, self._given)
        if kept.settings is None:
            kept.settings = Settings(seed=self._seed)
            artefacts.write(kept.steps / "settings.json", kept.settings)

    def _retire_failed(self) -> None:
        """Make room to ask again what came to nothing; replies that were of use stay."""
        for call in self.kept.failed_calls():
            self._store.execute(
                "update calls set retired = 1 where key = ? and useless and not retired", (call,)
            )

    async def _contents(self) -> None:
        kept = self.kept
        if taken := due.contents_to_take(kept, self._given):
            found, artifacts = taken
            contents.copy(found, artifacts, kept.files)
            kept.contents = found
            artefacts.write(kept.steps / "contents.json", kept.contents)
        if kept.contents is None:
            return
        asked = kept.uncaptioned(self._given.retry_failed)
        told = await self._asker.each(
            [contents.question(contents.artifact_of(each, kept.base)) for each in asked]
        )
        kept.contents = contents.with_captions(kept.contents, asked, told)
        artefacts.write(kept.steps / "contents.json", kept.contents)
        self._publish()

    async def _styles(self) -> None:
        kept = self.kept
        writing = due.styles_to_make(kept, self._given)
        if writing is None:
            return
        kept.styles = await styles.make(writing.keywords, writing.wanted, writing.seed, self._asker)
        artefacts.write(kept.steps / "styles.json", kept.styles)
        self._publish()

    def _review(self) -> None:
        kept = self.kept
        if self._given.review is not None:
            kept.reviews = due.reviews_in_force(kept, self._given)
            artefacts.write(kept.steps / "reviews.json", kept.reviews)
            self._publish()

    async def _attributes(self) -> None:
        kept = self.kept
        listed, prompted = kept.unannotated(self._given.retry_failed)
        captions = kept.captions()
        questions = [
            attributes.content_question(contents.artifact_of(each, kept.base), captions[each.sha256])
            for each in listed
        ]
        of_contents = await self._asker.each(questions)
        subjects = [each.sha256 for each in listed]
        known = attributes.annotated(kept.annotations.contents, subjects, of_contents)
        kept.annotations = kept.annotations.model_copy(update={"contents": known})
        prompts = [each.prompt for each in prompted]
        of_styles = await self._asker.each([attributes.style_question(prompt) for prompt in prompts])
        known = attributes.annotated(kept.annotations.styles, prompts, of_styles)
        kept.annotations = kept.annotations.model_copy(update={"styles": known})
        if kept.contents or kept.styles:
            artefacts.write(kept.steps / "annotations.json", kept.annotations)
            self._publish()

    def _publish(self) -> None:
        kept = self.kept
        known = kept.reviewed()
        if kept.contents:
            publish.contents(kept.files, kept.contents, known, kept.captions())
        if kept.styles:
            publish.styles(kept.files, kept.styles, known)
        artefacts.write_lines(
            kept.steps / "to_review.jsonl",
            reviews.to_review(kept.contents, kept.styles, known, kept.captions()),
        )

    def _combine(self) -> None:
        kept, per_content = self.kept, self._given.per_content
        if not kept.contents or not kept.styles or not kept.styles.styles:
            return
        if kept.combination is None:
            self._forget_paintings()
            kept.combination = combine.combine(
                len(kept.contents.contents),
                len(kept.styles.styles),
                PER_CONTENT if per_content is None else per_content,
                self._seed,
            )
            artefacts.write(kept.steps / "combination.json", kept.combination)
        artefacts.write_json(kept.painting / "content_style_combination.json", kept.combination.published())
        artefacts.write_lines(
            kept.painting / "to_paint.jsonl",
            combine.to_paint(kept.combination, kept.contents, kept.styles, kept.captions()),
        )

    def _forget_paintings(self) -> None:
        """Those of an earlier combination, which somebody took away: their names mean other pictures now."""
        kept = self.kept
        results.discard(kept.results, kept.painting)
        publish.no_tasks(kept.files)
        kept.results, kept.tasks = Results(), None
        for name in ("results.json", "tasks.json"):
            (kept.steps / name).unlink(missing_ok=True)

    def _results(self) -> None:
        kept = self.kept
        if kept.combination is None:
            return
        for name, folder in self._given.results.items():
            taken = results.take_in(
                name, folder, kept.combination, kept.painting, kept.results.stylizers.get(name, Stylizer())
            )
            kept.results = Results(stylizers=kept.results.stylizers | {name: taken})
        kept.results = results.present(kept.results, kept.painting)
        if kept.results.stylizers:
            artefacts.write(kept.steps / "results.json", kept.results)

    def _tasks(self) -> None:
        kept = self.kept
        if kept.combination is None or kept.styles is None or len(kept.results.stylizers) < 2:
            return
        most = self._given.tasks or (kept.tasks.most if kept.tasks else TASKS)
        painted: dict[Group, tuple[str, ...]] = {
            (str(content), str(style)): stylizers
            for (content, style), stylizers in results.painted(kept.results, kept.combination).items()
        }
        prompts = {str(style.index): style.prompt for style in kept.styles.styles}
        one_by_one, overall = forced_choices(painted, most, prompts, self._seed)
        publish.tasks(kept.files, "instance", one_by_one)
        publish.tasks(kept.files, "global", overall)
        kept.tasks = Tasks(most=most, per_instance=len(one_by_one), globally=len(overall))
        artefacts.write(kept.steps / "tasks.json", kept.tasks)


def forced_choices(
    painted: "Painted", most: int, prompts: "Mapping[str, str]", seed: int
) -> "tuple[tuple[Comparison, ...], tuple[Comparison, ...]]":
    """Step 6: whole instances in a random order, as many as fit into `most` tasks; `most` global tasks."""
    from ..sampling import globally, per_instance, shuffled

    order = {group: painted[group] for group in shuffled(painted, seed)}
    every = per_instance(order, prompts=prompts, seed=seed)
    fitting = most
    while 0 < fitting < len(every) and every[fitting - 1].group == every[fitting].group:
        fitting -= 1
    pairs = sum(math.comb(len(stylizers), 2) for stylizers in painted.values())
    overall = globally(painted, min(most, pairs), prompts=prompts, seed=seed) if pairs else ()
    return every[:fitting], overall
