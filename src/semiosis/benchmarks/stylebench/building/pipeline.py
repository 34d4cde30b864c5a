"""All steps in their order, each as far as what is given allows; run again with more to go on.

    with opened(folder) as store:
        asker = Asker(store, Means("openai/gpt-5"))
        build = Build(folder, BuildInputs(contents=..., keywords=...), asker)
        report = await build.run()

What a step made is in steps/, one file a step, and every reply of a model is in steps/build.sqlite, so that a
build which was killed goes on where it was. What a finished step made is not asked for again, whatever model
is named.
"""

from pathlib import Path

from ....building import steps
from ....building.asking import Asker, Progress
from ....building.datasheet import write
from ....building.reviews import annotation
from ....building.sampling import forced_choices
from ....core.sign import Artifact
from ....core.value import Value
from ....runs.asking import Ended
from ....runs.store import Store
from ..tasks import prompts_by_group
from . import attributes, combinations, contents, inputs, published, results, reviews, styles
from .contents import Content
from .inputs import BuildInputs
from .report import StyleBenchReport, datasheet, report
from .results import Results, Stylizer
from .state import PARTS, BuildSettings, BuildState, TaskCounts

BENCHMARK = "stylebench"
TASKS = 5000


def opened(folder: Path) -> Store:
    return steps.opened(folder, BENCHMARK, PARTS)


class Build:
    def __init__(self, folder: Path, session: BuildInputs, asker: Asker) -> None:
        self._session = session
        self._asker = asker
        self.state = BuildState(folder)

    async def run(self) -> StyleBenchReport:
        outcome = self.report(await self._asker.session(self._steps()))
        write(datasheet(self.state, outcome.steps), self.state.folder)
        return outcome

    def stop(self) -> None:
        """Finish the calls in flight, start no more; what was left undone is taken up by the next session."""
        self._asker.stop()

    def report(self, ended: Ended) -> StyleBenchReport:
        return report(self.state, ended, self._session)

    @property
    def progress(self) -> Progress:
        return self._asker.progress

    async def _steps(self) -> None:
        await self.ask()
        self._combine()
        self._results()
        self._tasks()

    async def ask(self) -> None:
        """The steps that a model has a part in."""
        self._settings()
        if self._session.retry_failed:
            self._asker.retire(self.state.failed_calls())
        await self._contents()
        await self._styles()
        self._review()
        await self._attributes()

    @property
    def _seed(self) -> int:
        return inputs.seed_of(self.state, self._session)

    def _settings(self) -> None:
        state, session = self.state, self._session
        inputs.check_settings(state, session)
        before = state.settings or BuildSettings(seed=self._seed)
        texts = {"source": session.source, "licence": session.licence}
        state.settings = before.model_copy(
            update={name: text for name, text in texts.items() if text is not None}
        )
        self._save("settings", state.settings)

    async def _contents(self) -> None:
        state = self.state
        if gathered := inputs.contents_to_take(state, self._session):
            state.contents, artifacts = gathered
            self._take_in(artifacts)
            self._save("contents", state.contents)
        if state.contents is None:
            return
        uncaptioned = state.uncaptioned(self._session.retry_failed)
        responses = await self._asker.each([contents.ask(self._picture(each)) for each in uncaptioned])
        state.contents = contents.with_captions(state.contents, uncaptioned, responses)
        self._save("contents", state.contents)
        self._publish()

    async def _styles(self) -> None:
        state = self.state
        writing = inputs.styles_to_make(state, self._session)
        if writing is None:
            return
        state.styles = await styles.make(writing.keywords, writing.wanted, writing.seed, self._asker)
        self._save("styles", state.styles)
        self._publish()

    def _review(self) -> None:
        state = self.state
        if self._session.review is not None:
            state.reviews = inputs.reviews_in_force(state, self._session)
            self._save("reviews", state.reviews)
            self._publish()

    async def _attributes(self) -> None:
        state = self.state
        listed, prompted = state.unannotated(self._session.retry_failed)
        captions = state.captions()
        of_contents = await self._asker.each(
            [attributes.content_ask(self._picture(each), captions[each.sha256]) for each in listed]
        )
        annotations = {each.sha256: annotation(now) for each, now in zip(listed, of_contents, strict=True)}
        self._annotate(contents=state.annotations.contents | annotations)
        of_styles = await self._asker.each([attributes.style_ask(each.prompt) for each in prompted])
        annotations = {each.prompt: annotation(now) for each, now in zip(prompted, of_styles, strict=True)}
        self._annotate(styles=state.annotations.styles | annotations)
        if state.contents or state.styles:
            self._save("annotations", state.annotations)
            self._publish()

    def _take_in(self, artifacts: dict[str, Artifact]) -> None:
        if self.state.contents:
            contents.copy(self.state.contents, artifacts, self.state.files)

    def _picture(self, content: Content) -> Artifact:
        return contents.artifact_of(content, self.state.base)

    def _save(self, step: str, value: Value) -> None:
        self.state.steps.write(step, value)

    def _annotate(self, **annotations: object) -> None:
        self.state.annotations = self.state.annotations.model_copy(update=annotations)

    def _publish(self) -> None:
        state, annotations, captions = self.state, self.state.reviewed(), self.state.captions()
        if state.contents:
            published.contents(state.files, state.contents, annotations, captions)
        if state.styles:
            published.styles(state.files, state.styles, annotations)
        state.steps.write_lines(
            "to_review", reviews.lines_to_review(state.contents, state.styles, annotations, captions)
        )

    def _combine(self) -> None:
        state, per_content = self.state, self._session.per_content
        if not state.contents or not state.styles or not state.styles.styles:
            return
        if state.combination is None:
            self._forget_paintings()
            state.combination = combinations.combine(
                len(state.contents.contents),
                len(state.styles.styles),
                per_content,
                self._seed,
            )
            state.steps.write("combination", state.combination)
        steps.write_json(state.painting / "content_style_combination.json", state.combination.published())
        steps.write_lines(
            state.painting / "to_paint.jsonl",
            combinations.to_paint(state.combination, state.contents, state.styles, state.captions()),
        )

    def _forget_paintings(self) -> None:
        """Those of an earlier combination, which somebody took away: their names mean other pictures now."""
        state = self.state
        results.discard(state.results, state.painting)
        published.no_tasks(state.files)
        state.results, state.tasks = Results(), None
        state.steps.forget("results", "tasks")

    def _results(self) -> None:
        state = self.state
        if state.combination is None:
            return
        for name, folder in self._session.results.items():
            before = state.results.stylizers.get(name, Stylizer())
            stylizer = results.take_in(name, folder, state.combination, state.painting, before)
            state.results = Results(stylizers=state.results.stylizers | {name: stylizer})
        state.results = results.present(state.results, state.painting)
        if state.results.stylizers:
            state.steps.write("results", state.results)

    def _tasks(self) -> None:
        """Step 6: forced choices between the stylizers' pictures, of each instance and over all."""
        state = self.state
        if state.combination is None or state.styles is None or len(state.results.stylizers) < 2:
            return
        most = self._session.tasks or (state.tasks.most if state.tasks else TASKS)
        rivals = {
            (str(content), str(style)): stylizers
            for (content, style), stylizers in results.painted(state.results, state.combination).items()
        }
        prompts = prompts_by_group(rivals, {str(style.index): style.prompt for style in state.prompted})
        one_by_one, overall = forced_choices(rivals, most, prompts=prompts, seed=self._seed)
        published.tasks(state.files, "instance", one_by_one)
        published.tasks(state.files, "global", overall)
        state.tasks = TaskCounts(most=most, per_instance=len(one_by_one), globally=len(overall))
        state.steps.write("tasks", state.tasks)
