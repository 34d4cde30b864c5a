"""What a run will ask for, found by rehearsing its method, against what it did ask for."""

import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

import semiosis as sm
from counting import Counting, write_pairs, write_tournament
from loopback import Loopback
from scenes import invented
from semiosis.backbones.backbone import Backbone, Message, Reply, Request
from semiosis.backbones.budget import input_tokens, text_tokens
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.plausible import plausible
from semiosis.backbones.query import Query, ask
from semiosis.backbones.recording import Replay
from semiosis.backbones.wrapper import Wrapper
from semiosis.benchmarks.samples.items import Initiative, load
from semiosis.core.errors import BadSetting
from semiosis.core.item import Candidate, Item, candidate
from semiosis.core.kinds.pair import Judgment, PairItem
from semiosis.core.kinds.question import QuestionItem
from semiosis.core.kinds.rating import RatingItem
from semiosis.core.outcome import Exchange, Failure
from semiosis.core.sign import Artifact, Pair, Prompt, Question
from semiosis.core.vote import Vote
from semiosis.methods.contract import Judges, Method, find, names
from semiosis.methods.semjudge.judge import SemJudge
from semiosis.methods.tuned.deqa import DeQA
from semiosis.methods.tuned.served import Tuned
from semiosis.methods.vqascore import VQAScore
from semiosis.methods.weighted import WeightedScorer
from semiosis.runs.plan import Plan, PlannedStage
from semiosis.runs.run import run
from semiosis.runs.script import Marked
from semiosis.sources import open_items


def planned(method: Method, *items: Item) -> dict[str, PlannedStage]:
    plan = Plan(method)
    for item in items:
        plan.add(candidate(item))
    return {stage.stage: stage for stage in plan.stages()}


def counts(stages: dict[str, PlannedStage]) -> dict[str, int]:
    return {name: stage.shared.calls for name, stage in stages.items()}


def test_a_conversation_for_each_vote_shares_nothing_within_its_item(tmp_path: Path) -> None:
    plan = Plan(SemJudge(OpenAI("m"), rebuild="per-order"))
    for row in open_items(write_tournament(tmp_path)).candidates():
        assert isinstance(row, Candidate)
        plan.add(row)
    assert sum(stage.alone.calls for stage in plan.stages()) == 60
    assert all(stage.is_exact for stage in plan.stages())


def write_items(folder: Path) -> dict[str, Path]:
    """Two files a kind: prompts, pictures and questions that come again in others."""
    pairs = write_pairs(folder, 12, prompts=3, pictures=4)
    texts = [f"Prompt {number % 3}: everything glows, nothing lasts." for number in range(9)]
    ratings = [
        {"id": str(at), "prompt": text, "picture": f"{at % 4}.png", "score": 1}
        for at, text in enumerate(texts)
    ]
    questions = [
        {
            "question": f"What is meant {at % 2}?",
            "choices": {"A": "this", "B": "that"},
            "picture": f"{at % 3}.png",
        }
        for at in range(8)
    ]
    paths = {"pair": pairs}
    for kind, rows in (("rating", ratings), ("question", questions)):
        paths[kind] = folder / f"{kind}s.jsonl"
        paths[kind].write_text("".join(json.dumps(row) + "\n" for row in rows))
    return paths


class Answering(Counting):
    """Answers every task with what fits it; prose, asked for without a task, is counted as `prose`."""

    def stage(self, body: dict[str, Any]) -> str:
        return super().stage(body) if "response_format" in body else "prose"

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        if stage == "prose":
            return "B" if "letter of one choice" in json.dumps(body["messages"]) else "fair, 50"
        if stage.startswith("dsg"):
            return invented(stage, body)
        if stage == "answer":
            return {"reasoning": "Because of it.", "evidence": [], "answer": "B", "certainty": 2}
        if not stage.startswith(("prompt_graph", "picture", "contrast", "verdict")):
            schema = body["response_format"]["json_schema"]["schema"]
            digest = hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()[:8]
            return json.loads(plausible(schema, {}, lambda number: f"{digest} {number}", 200))
        reply = super().reply(stage, body)
        if stage.endswith("complex"):
            graphs = [reply["a"], reply["b"]] if stage.startswith("picture_graphs") else [reply]
            for graph in graphs:
                graph["children"] = graph.get("children", [])[:1] * 3
        return reply


SETTINGS: list[dict[str, Any]] = [
    {},
    {"graphs": "solo", "repeats": 2},
    {"rebuild": "per-order"},
    {"size": "complex", "orders": "ba", "seed": 4},
]


CASES = [
    (name, kind, settings)
    for name in names()
    for kind in ("pair", "rating", "question")
    for settings in SETTINGS
    if settings.keys() <= find(name).settings
    # One that stands on weights asks nobody, and DeQA only a server that goes on from an opening.
    if not issubclass(find(name).cls, WeightedScorer | DeQA)
    if "rebuild" not in settings or (name, kind) == ("semjudge", "pair")
]


# What is asked of a picture depends on what was answered before.
DEPENDING = {"dsg-answer"}


@pytest.mark.parametrize(("name", "kind", "settings"), CASES)
def test_every_method_asks_as_often_as_was_planned(
    name: str, kind: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    paths = write_items(tmp_path)
    server = Answering()
    with Loopback(server.app) as loopback:
        recipe = sm.Recipe(name, model="m", base_url=f"{loopback.url}/v1", settings=settings)
        plan, method = Plan(recipe.make()), recipe.make()
        if not callable(
            getattr(method, {"pair": "judge", "rating": "score", "question": "answer"}[kind], None)
        ):
            with pytest.raises(BadSetting, match=f"takes no {kind} items"):
                run(paths[kind], recipe, "live", folder=tmp_path / "runs")
            return
        for row in open_items(paths[kind]).candidates():
            assert isinstance(row, Candidate)
            plan.add(row)
        stages = plan.stages()
        assert server.begun == 0
        run(paths[kind], recipe, "live", folder=tmp_path / "runs")
    tasks = Counter(stage for stage in server.stages())
    planned = Counter[str]()
    for stage in stages:
        planned["prose" if isinstance(method, Tuned | VQAScore) else stage.stage.replace("-", "_")] += (
            stage.shared.calls
        )
    assert planned == tasks
    assert {stage.stage for stage in stages if not stage.is_exact} <= DEPENDING


class Overheard(Wrapper):
    """A recording whose requests and replies are measured."""

    def __init__(self, inner: Replay, tokens: dict[str, list[float]]) -> None:
        super().__init__(inner)
        self._tokens = tokens

    async def complete(self, request: Request) -> Reply:
        reply = await super().complete(request)
        self._tokens[request.task][0] += input_tokens(request)
        self._tokens[request.task][1] += text_tokens(reply.text)
        return reply


def items_of(initiative: Initiative) -> list[Item]:
    pairs = [
        PairItem(id=f"{initiative.id}/{a}/{b}", pair=initiative.pair(a, b)) for a, b in initiative.pairs()
    ]
    questions = [
        QuestionItem(
            id=f"{initiative.id}/{at}", question=each.plain(), artifacts=(initiative.artifact(each.picture),)
        )
        for at, each in enumerate(initiative.questions)
    ]
    return [*pairs, *questions]


async def test_tokens_by_stage_are_within_a_quarter_of_what_was_recorded() -> None:
    recorded: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    items: list[Item] = []
    for initiative in load():
        method = SemJudge(Overheard(initiative.recording(), recorded), graphs="solo", size="complex")
        for item in items_of(initiative):
            outcome = await getattr(method, item.capability)(*item.arguments)
            assert not isinstance(outcome, Failure)
        items += items_of(initiative)
    stages = planned(SemJudge(OpenAI("m"), graphs="solo", size="complex"), *items)
    assert stages.keys() == recorded.keys()
    for task, (tokens_in, tokens_out) in recorded.items():
        shared = stages[task].shared
        assert shared.input_tokens == pytest.approx(tokens_in, rel=0.25), task
        assert shared.output_tokens == pytest.approx(tokens_out, rel=0.25), task


class Questions(BaseModel):
    questions: Annotated[list[str], Field(min_length=1, max_length=5)]


class Yes(BaseModel):
    yes: bool


@dataclass(frozen=True)
class Inquiry(Judges):
    """Asks the model what to ask of each picture, and then that: as often as it says."""

    backbone: Backbone
    name = "inquiry"

    async def judge(self, pair: Pair) -> Judgment | Failure:
        log: list[Exchange] = []
        listed = await self._ask("list", Questions, pair.prompt.text, log)
        if isinstance(listed, Failure):
            return listed
        for question in listed.questions:
            answer = await self._ask("answer", Yes, question, log)
            if isinstance(answer, Failure):
                return answer
        return Judgment(pair=pair, votes=(Vote(winner="a"),), provenance=self.provenance(log))

    async def _ask(self, task: str, shape: Any, text: str, log: list[Exchange]) -> Any:
        messages = (Message("user", (text,)),)
        response = await ask(self.backbone, Query(task=task, messages=messages, reply=shape, stage=task), log)
        return response if isinstance(response, Failure) else response.value


def test_calls_that_depend_on_replies_have_a_range(tmp_path: Path) -> None:
    plan = Plan(Inquiry(OpenAI("m")))
    for row in open_items(write_pairs(tmp_path, 30, prompts=30)).candidates():
        assert isinstance(row, Candidate)
        plan.add(row)
    listed, answers = plan.stages()
    assert (listed.shared.calls, listed.is_exact) == (30, True)
    assert (answers.least.calls, answers.shared.calls, answers.most.calls) == (30, 90, 150)


@dataclass(frozen=True)
class ByHeart(Inquiry):
    """Knows some prompts by heart, and goes by their words."""

    async def judge(self, pair: Pair) -> Judgment | Failure:
        number = int(pair.prompt.text.split()[1].strip(":"))
        log: list[Exchange] = []
        for at in range(number):
            await self._ask("look", Yes, f"{pair.prompt.text} {at}", log)
        return Judgment(pair=pair, votes=(Vote(winner="a"),), provenance=self.provenance(log))


@dataclass(frozen=True)
class Choosy(Inquiry):
    """Takes no prompt that begins with an odd number, and says so before it asks for anything."""

    async def judge(self, pair: Pair) -> Judgment | Failure:
        number = pair.prompt.text.split()[-1]
        if not number.isdigit() or int(number) % 2:
            return Failure(reason="invalid", message=f"{number} is odd.")
        return await super().judge(pair)


def test_an_item_that_fails_before_anything_is_asked_has_no_calls(pair: Pair) -> None:
    items = [
        PairItem(id=str(at), pair=Pair(prompt=f"Nothing lasts {at}", a=pair.a, b=pair.b)) for at in range(10)
    ]
    stages = planned(Choosy(OpenAI("m")), *items)
    assert counts(stages) == {"list": 5, "answer": 15}


@dataclass(frozen=True)
class Fickle(Inquiry):
    async def judge(self, pair: Pair) -> Judgment | Failure:
        await super().judge(pair)
        return Failure(reason="error", message="I changed my mind.")


def test_one_that_fails_of_a_made_up_reply_cannot_be_estimated(pair: Pair) -> None:
    with pytest.raises(BadSetting, match="inquiry failed in its rehearsal: I changed my mind"):
        planned(Fickle(OpenAI("m")), PairItem(id="1", pair=pair))


def test_a_method_that_goes_by_the_words_is_rehearsed_with_each_item(tmp_path: Path) -> None:
    plan = Plan(ByHeart(OpenAI("m")))
    for row in open_items(write_pairs(tmp_path, 12, prompts=4)).candidates():
        assert isinstance(row, Candidate)
        plan.add(row)
    (looks,) = plan.stages()
    assert (looks.alone.calls, looks.shared.calls) == (3 * (0 + 1 + 2 + 3), 0 + 1 + 2 + 3)
    assert looks.is_exact


@dataclass(frozen=True)
class Long(Inquiry):
    """Says what a method says that treats some texts otherwise than most."""

    async def judge(self, pair: Pair) -> Judgment | Failure:
        log: list[Exchange] = []
        for _ in range(2 if len(pair.prompt.text) > 100 else 1):
            await self._ask("look", Yes, f"{pair.prompt.text} {len(log)}", log)
        return Judgment(pair=pair, votes=(Vote(winner="a"),), provenance=self.provenance(log))


def test_where_the_sample_asks_for_more_than_was_counted_that_is_said(pair: Pair) -> None:
    long = Pair(prompt="Nothing lasts. " * 20, a=pair.a, b=pair.b)
    items = [PairItem(id=str(at), pair=long if at % 2 else pair) for at in range(10)]
    look = planned(Long(OpenAI("m")), *items)["look"]
    assert (look.least.calls, look.alone.calls, look.most.calls) == (2, 10, 4)
    assert not look.is_exact


class Strict(BaseModel):
    code: Annotated[str, Field(pattern=r"^[A-Z]{3}-\d{4}$")]


@dataclass(frozen=True)
class Coded(Inquiry):
    example: dict[str, str] = field(default_factory=dict)

    async def judge(self, pair: Pair) -> Judgment | Failure:
        log: list[Exchange] = []
        query = Query(
            task="code",
            messages=(Message("user", (pair.prompt.text,)),),
            reply=Strict,
            stage="code",
            check=lambda reply: f"{reply.code} was never issued",
            example=dict(self.example),
        )
        response = await ask(self.backbone, query, log)
        assert not isinstance(response, Failure)
        return Judgment(pair=pair, votes=(Vote(winner="a"),), provenance=self.provenance(log))


def test_a_reply_that_cannot_be_made_up_needs_an_example_and_none_is_checked(pair: Pair) -> None:
    item = PairItem(id="1", pair=pair)
    with pytest.raises(BadSetting, match="What code takes cannot be estimated: no reply could be made up"):
        planned(Coded(OpenAI("m")), item)
    assert counts(planned(Coded(OpenAI("m"), {"code": "ABC-1234"}), item)) == {"code": 1}


class Rubric(Item):
    capability = "judge"
    kind: Literal["rubric"] = "rubric"
    tradition: Literal["ink", "oil"]
    texts: dict[str, str]
    artifacts: tuple[Artifact, ...]

    @property
    def identity(self) -> tuple[str, ...]:
        return (self.tradition, *self.texts.values(), *(each.sha256 for each in self.artifacts))

    @property
    def arguments(self) -> tuple[Any, ...]:
        return (self,)


def test_only_texts_that_are_free_are_marked(pair: Pair) -> None:
    item = Rubric(
        id="1", labels={"by": "people"}, tradition="ink", texts={"x": "a", "y": "b"}, artifacts=(pair.a,)
    )
    marked = Marked.of(item)
    assert marked.item.identity == ("ink", "zs0z", "zs1z", pair.a.sha256)
    assert marked.places == {0: 1, 1: 2}
    assert (marked.item.id, marked.item.labels) == ("1", {"by": "people"})


def test_prompts_are_read_once_for_pairs_and_ratings_alike(pair: Pair) -> None:
    method = find("gap").make(OpenAI("m"), embed=lambda texts: [[1.0] for _ in texts])
    rating = RatingItem(id="r", prompt=pair.prompt, artifact=pair.a)
    stages = planned(method, PairItem(id="p", pair=pair), rating)
    assert counts(stages) == {"prompt-graph-standard": 1, "picture-alone-standard": 2}


def test_one_picture_on_both_places_is_another_shape(pair: Pair) -> None:
    prompts = [Prompt(text="Nothing lasts.", references=(each,)) for each in (pair.a, pair.b)]
    items = [
        PairItem(id=str(at), pair=Pair(prompt=prompt, a=pair.a, b=pair.b))
        for at, prompt in enumerate(prompts)
    ]
    assert counts(planned(SemJudge(OpenAI("m")), *items)) == {
        "prompt-graph-standard": 2,
        "picture-graphs-standard": 2,
        "verdict-standard": 4,
    }


def test_what_a_question_is_asked_with_tells_it_from_others(pair: Pair) -> None:
    choices = [
        {"A": "this", "B": "that"},
        {"A": "this", "B": "those"},
        {"A": "this", "B": "that", "C": "none"},
    ]
    items = [
        QuestionItem(id=str(at), question=Question(question="What?", choices=each), artifacts=(pair.a,))
        for at, each in enumerate(choices * 2)
    ]
    assert counts(planned(SemJudge(OpenAI("m")), *items)) == {"picture-alone-standard": 1, "answer": 3}


def test_a_method_without_a_model_asks_for_nothing_and_is_not_run(pair: Pair) -> None:
    @dataclass(frozen=True)
    class Costly(Judges):
        name = "costly"

        async def judge(self, pair: Pair) -> Judgment:
            raise AssertionError("it was run")

    assert planned(Costly(), PairItem(id="1", pair=pair)) == {}
    plan = Plan(Costly())
    plan.rehearse(lambda method: method.judge(pair))
    assert plan.stages() == ()


@dataclass(frozen=True)
class Tireless(Inquiry):
    """Asks until it is told that it is enough, and it never is."""

    async def judge(self, pair: Pair) -> Judgment | Failure:
        log: list[Exchange] = []
        while True:
            await self._ask("more", Yes, pair.prompt.text, log)


def test_a_method_that_may_ask_for_ever_is_not_rehearsed_for_ever(pair: Pair) -> None:
    with pytest.raises(BadSetting, match="After 10,000 calls it goes on asking"):
        planned(Tireless(OpenAI("m")), PairItem(id="1", pair=pair))


def test_prompts_that_look_like_marks_are_prompts(pair: Pair) -> None:
    texts = ["zs0z", "zr0p0z", "zr99p0z zs7z", "zs0z"]
    items = [PairItem(id=str(at), pair=Pair(text, pair.a, pair.b)) for at, text in enumerate(texts)]
    stages = planned(SemJudge(OpenAI("m")), *items)
    assert counts(stages) == {
        "prompt-graph-standard": 3,
        "picture-graphs-standard": 3,
        "verdict-standard": 6,
    }
    assert all(stage.is_exact for stage in stages.values())


@dataclass(frozen=True)
class ByName(Inquiry):
    """Shows the model what is no sign: the names of files."""

    async def judge(self, pair: Pair) -> Judgment | Failure:
        log: list[Exchange] = []
        await self._ask("name", Yes, f"{pair.a.name} or {pair.b.name}?", log)
        return Judgment(pair=pair, votes=(Vote(winner="a"),), provenance=self.provenance(log))


def test_calls_that_differ_in_what_is_no_sign_are_not_said_to_be_one(tmp_path: Path) -> None:
    plan = Plan(ByName(OpenAI("m")))
    for row in open_items(write_pairs(tmp_path, 12, prompts=1)).candidates():
        assert isinstance(row, Candidate)
        plan.add(row)
    (names_asked,) = plan.stages()
    assert names_asked.most.calls == 12
    assert not names_asked.is_exact


def test_a_plan_says_the_same_whenever_it_is_asked(tmp_path: Path) -> None:
    plan = Plan(Inquiry(OpenAI("m")))
    for row in open_items(write_pairs(tmp_path, 3)).candidates():
        assert isinstance(row, Candidate)
        plan.add(row)
    assert plan.stages() == plan.stages()


@dataclass(frozen=True)
class Doubting(Inquiry):
    """Asks once more where it is told no."""

    async def judge(self, pair: Pair) -> Judgment | Failure:
        log: list[Exchange] = []
        answer = await self._ask("fit", Yes, pair.prompt.text, log)
        if not answer.yes:
            await self._ask("fit-again", Yes, pair.prompt.text, log)
        return Judgment(pair=pair, votes=(Vote(winner="a"),), provenance=self.provenance(log))


@pytest.mark.parametrize("pairs", [1, 12])
def test_a_question_that_is_asked_at_times_is_asked_never_or_always(pairs: int, tmp_path: Path) -> None:
    plan = Plan(Doubting(OpenAI("m")))
    for row in open_items(write_pairs(tmp_path, pairs, prompts=pairs)).candidates():
        assert isinstance(row, Candidate)
        plan.add(row)
    fit, again = plan.stages()
    assert (fit.shared.calls, fit.is_exact) == (pairs, True)
    assert (again.least.calls, again.shared.calls, again.most.calls) == (0, 0, pairs)
    one = Plan(Doubting(OpenAI("m")))
    row = next(iter(open_items(tmp_path / "pairs.jsonl").candidates()))
    assert isinstance(row, Candidate)
    item = row.make()
    one.rehearse(lambda method: method.judge(*item.arguments))
    assert [(stage.least.calls, stage.most.calls) for stage in one.stages()] == [(1, 1), (0, 1)]


@dataclass(frozen=True)
class Broken(Inquiry):
    async def judge(self, pair: Pair) -> Judgment | Failure:
        raise KeyError("nowhere")


def test_a_method_that_breaks_is_said_to(pair: Pair) -> None:
    with pytest.raises(BadSetting, match="inquiry broke in its rehearsal: KeyError: 'nowhere'"):
        planned(Broken(OpenAI("m")), PairItem(id="1", pair=pair))


class Apart(Plan[Any]):
    """Counts every item by rehearsing it."""

    def _script(self, row: Candidate) -> None:
        return None


def every_kind_of_item(pair: Pair) -> list[Item]:
    texts = ["Nothing lasts.", "万物闪光，无物长存。", "Nothing lasts. " * 40]
    references = [(), (pair.a,), (pair.b,), (pair.a, pair.b)]
    prompts = [Prompt(text=text, references=some) for text in texts for some in references]
    pairs = [
        PairItem(id=f"p{at}", pair=Pair(prompt, *sides))
        for at, (prompt, sides) in enumerate(
            (prompt, sides) for prompt in prompts for sides in ((pair.a, pair.b), (pair.b, pair.a))
        )
    ]
    choices = [
        {"A": "this", "B": "that"},
        {"A": "this", "B": "those"},
        {"A": "x", "B": "y", "C": "none of them"},
    ]
    questions = [
        QuestionItem(id=f"q{at}", question=Question(question=text, choices=some), artifacts=artifacts)
        for at, (text, some, artifacts) in enumerate(
            (text, some, artifacts)
            for text in ("What?", "What is it that is meant here?")
            for some in choices
            for artifacts in ((pair.a,), (pair.a, pair.b), (pair.b, pair.a))
        )
    ]
    return [*pairs, *questions]


@pytest.mark.parametrize(
    "settings", [{}, {"graphs": "solo"}, {"rebuild": "per-order", "repeats": 2}, {"seed": 3, "orders": "ba"}]
)
def test_what_is_counted_is_what_every_item_asks_for(pair: Pair, settings: dict[str, Any]) -> None:
    method = SemJudge(OpenAI("builder"), OpenAI("judge"), **settings)
    counted, apart = Plan(method), Apart(method)
    for item in every_kind_of_item(pair):
        counted.add(candidate(item))
        apart.add(candidate(item))
    by_stage, by_item = counted.stages(), apart.stages()
    assert [(each.stage, each.model) for each in by_stage] == [(each.stage, each.model) for each in by_item]
    for stage, whole in zip(by_stage, by_item, strict=True):
        assert (stage.shared.calls, stage.alone.calls) == (whole.shared.calls, whole.alone.calls), stage.stage
        assert stage.is_exact
        assert stage.alone.output_tokens == whole.alone.output_tokens
        assert stage.alone.input_tokens == pytest.approx(whole.alone.input_tokens, rel=0.02)


@dataclass(frozen=True)
class PerChoice(Inquiry):
    """Asks of each choice by itself."""

    async def answer(self, question: Question, *artifacts: Artifact) -> Any:
        log: list[Exchange] = []
        for choice in question.choices.values():
            await self._ask("choice", Yes, f"{question.question} {choice}", log)
        return Judgment.model_construct(votes=(), provenance=self.provenance(log))


def test_as_many_texts_as_an_item_has_are_told_apart(pair: Pair) -> None:
    items = [
        QuestionItem(
            id=str(at),
            question=Question(question=f"What {at}?", choices={letter: letter * 3 for letter in letters}),
            artifacts=(pair.a,),
        )
        for at, letters in enumerate(["AB", "ABCDEFGH", "AB", "ABCDE"])
    ]
    choices = planned(PerChoice(OpenAI("m")), *items)["choice"]
    assert (choices.shared.calls, choices.is_exact) == (2 + 8 + 2 + 5, True)


@dataclass(frozen=True)
class Panel(Inquiry):
    """Asks several models, and remembers whom it asked."""

    jurors: tuple[Backbone, ...] = ()
    memory: dict[str, str] = field(default_factory=dict)

    async def judge(self, pair: Pair) -> Judgment | Failure:
        log: list[Exchange] = []
        assert pair.prompt.text not in self.memory
        self.memory[pair.prompt.text] = "seen"
        for juror in self.jurors:
            messages = (Message("user", (pair.prompt.text,)),)
            await ask(juror, Query(task="juror", messages=messages, reply=Yes, stage="juror"), log)
        return Judgment(pair=pair, votes=(Vote(winner="a"),), provenance=self.provenance(log))


def test_models_in_a_collection_are_stood_in_for_and_a_rehearsal_leaves_no_trace(pair: Pair) -> None:
    method = Panel(OpenAI("m"), (OpenAI("one"), OpenAI("two")))
    plan = Plan(method)
    plan.add(candidate(PairItem(id="1", pair=pair)))
    assert [(each.model, each.shared.calls) for each in plan.stages()] == [
        ("openai/one", 1),
        ("openai/two", 1),
    ]
    assert method.memory == {}
