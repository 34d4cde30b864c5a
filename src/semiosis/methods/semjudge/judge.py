"""SemJudge: read prompt and pictures as signs, then judge which picture carries the meaning.

    judgment = await SemJudge(backbone).judge(Pair(prompt="...", a="a.png", b="b.png"))

"SemJudge", sections 3 and 4, algorithm C.1, tables 7 to 9; the prompts are written anew from them.
"""

from dataclasses import dataclass, field, replace

from ...backbones.backbone import Backbone
from ...backbones.query import Query, ask
from ...backbones.single_flight import SharedWork, together
from ...core.cascade import Reading
from ...core.errors import BadPicture, BadSetting
from ...core.graph import HSG
from ...core.kinds.interpretation import Interpretation
from ...core.kinds.pair import Judgment
from ...core.kinds.question import Answer
from ...core.loop import run
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Pair, Prompt, Question
from ...core.vote import Order, Vote
from ..contract import Answers, Judges, method
from ..settings import Orders, Repeats, Temperature
from ..signs import pair_subject, references, sent
from ..template import prompt_file
from ..verdict import MAX_VERDICT_TOKENS, VerdictShape
from ..voting import ordered_pair, poll, undermined, verdict_stage, vote_of
from .answering import Chosen, answer_from
from .graphs import describe
from .reader import USUAL_VERDICT_TOKENS, Reader, Talk
from .readings import Given, Readings
from .settings import Graphs, Keep, Rebuild, Size
from .shared_readings import SharingReader, shared_readings


@method("semjudge", root_only={"keep": "roots"})
@dataclass(frozen=True)
class SemJudge(Judges, Answers):
    """Reads prompt and pictures as signs, then judges which picture carries the meaning.

    backbone    builds the graphs and judges
    judge_with  where it is given, this one judges
    graphs      "joint": both pictures read in one call; "solo": one at a time, so a graph serves every pair
    size        of the graphs: "standard" (at most 3 parts) or "complex" (3 to 5)
    keep        "all", or "roots", which drops the sub-semioses before the judgment
    orders      "both", or only "ab" or "ba"
    repeats     votes in each order, 1 to 99
    rebuild     "never", or "per-order": each vote is a whole conversation of its own, graphs and all
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    """

    backbone: Backbone
    judge_with: Backbone | None = None
    graphs: Graphs = "joint"
    size: Size = "standard"
    keep: Keep = "all"
    orders: Orders = "both"
    repeats: Repeats = 1
    rebuild: Rebuild = "never"
    temperature: Temperature | None = 0.0
    seed: int | None = None
    _shared: SharedWork[Reading] = field(
        default_factory=shared_readings, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.rebuild == "per-order" and (self.graphs == "solo" or self.keep == "roots"):
            raise BadSetting(
                "A conversation for each vote (rebuild per-order) reads both pictures jointly and in full: "
                "it cannot be combined with solo graphs or with roots only."
            )

    @property
    def label(self) -> str:
        return f"{self.name}/root-only" if self.keep == "roots" else self.name

    async def judge(self, pair: Pair, given: Given | None = None) -> Judgment | Failure:
        """Which picture of `pair` carries what its prompt means: a Judgment, or a Failure that says why not.

        Graphs that are `given` are taken as they are, and not built.
        """
        if given is not None and given != Given(by=given.by) and self.rebuild == "per-order":
            raise BadSetting("Given graphs are not built, so there is nothing to rebuild per order.")
        log: list[Exchange] = []
        readings: Readings | None = None
        if self.rebuild == "never":
            read = await self._read(pair, given or Given(), log)
            if isinstance(read, Failure):
                return self.failed(read, log)
            readings = read

        async def cast(order: Order, repeat: int, own: list[Exchange]) -> Vote | Failure:
            if readings is None:
                return await self._converse(pair, order, repeat, own)
            return await self._vote(pair, readings, order, repeat, own)

        votes, failures = await poll(cast, self.orders, self.repeats, log)
        failure = undermined(votes, failures, self.orders)
        if failure:
            return self.failed(failure, log)
        judgment = Judgment(
            pair=pair,
            votes=votes,
            failures=failures,
            rebuilt="judgment" if readings else "graphs",
            provenance=self.provenance(log),
        )
        origin = readings or judgment.leading_vote
        return judgment.model_copy(update={"cascade_a": origin.cascade_a, "cascade_b": origin.cascade_b})

    async def interpret(self, sign: Prompt | Artifact) -> Interpretation | Failure:
        """The graph of one `sign`: a prompt, or a picture read without a prompt."""
        # Not everybody runs a type checker, and a path is the natural mistake.
        if not isinstance(sign, Prompt | Artifact):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BadSetting("Give a sign: Artifact.of(path) for a picture, or Prompt(text=...).")
        log: list[Exchange] = []
        if isinstance(sign, Prompt):
            reading = await self._reader().read_prompt(sign, log)
        else:
            reading = await self._reader().read_unprompted(sign, log)
        if isinstance(reading, Failure):
            return self.failed(reading, log)
        return Interpretation(
            prompt=sign if isinstance(sign, Prompt) else None,
            artifact=sign if isinstance(sign, Artifact) else None,
            reading=reading,
            provenance=self.provenance(log),
        )

    async def answer(self, question: Question, *artifacts: Artifact) -> Answer | Failure:
        """The choice that answers `question` of `artifacts`, each read once and without the prompt.

        Each repeat is a vote.
        """
        if not artifacts:
            raise BadPicture("A question is asked of at least one picture.")
        log: list[Exchange] = []
        readings: list[Reading] = []
        for artifact in artifacts:
            reading = await self._sharing().unprompted(artifact, log)
            if isinstance(reading, Failure):
                return self.failed(reading, log)
            readings.append(reading)
        logs: list[list[Exchange]] = [[] for _ in range(self.repeats)]
        results = await together(
            *(
                answer_from(self._judging(repeat), question, artifacts, readings, own)
                for repeat, own in enumerate(logs)
            )
        )
        log.extend(exchange for own in logs for exchange in own)
        votes = [result for result in results if isinstance(result, Chosen)]
        failures = tuple(result for result in results if isinstance(result, Failure))
        if not votes:
            return self.failed(failures[0], log)
        choices = tuple(vote.choice for vote in votes)
        leading = max(votes, key=lambda vote: choices.count(vote.choice))
        return Answer(
            question=question,
            artifacts=artifacts,
            choice=leading.choice,
            reasoning=leading.reasoning,
            evidence=leading.evidence,
            readings=tuple(readings),
            votes=choices,
            failures=failures,
            provenance=self.provenance(log),
        )

    def judge_sync(self, pair: Pair, given: Given | None = None) -> Judgment | Failure:
        """As `judge`, outside async code."""
        return run(self.judge(pair, given))

    def interpret_sync(self, sign: Prompt | Artifact) -> Interpretation | Failure:
        """As `interpret`, outside async code."""
        return run(self.interpret(sign))

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        return {
            "builder": self.backbone.name,
            "judge": self._judge.name,
            "graphs": self.graphs,
            "size": self.size,
            "keep": self.keep,
            "orders": self.orders,
            "repeats": self.repeats,
            "rebuild": self.rebuild,
            "temperature": self.temperature,
            "seed": self.seed,
        }

    @property
    def _judge(self) -> Backbone:
        return self.judge_with or self.backbone

    def _reader(self, repeat: int = 0) -> Reader:
        seed = None if self.seed is None else self.seed + repeat
        return Reader(self.backbone, self.size, self.temperature, seed, repeat)

    def _judging(self, repeat: int = 0) -> Reader:
        return replace(self._reader(repeat), backbone=self._judge)

    def _sharing(self) -> SharingReader:
        return SharingReader(self._reader(), self._shared)

    async def _read(self, pair: Pair, own_graphs: Given, log: list[Exchange]) -> Readings | Failure:
        """Stages 1 and 2."""
        sharing = self._sharing()
        prompt = await sharing.prompt(pair.prompt, log, own_graphs.prompt, own_graphs.by)
        if isinstance(prompt, Failure):
            return prompt
        if self.graphs == "joint" and own_graphs.a is None and own_graphs.b is None:
            both = await sharing.reader.read_pair(pair, prompt.graph, log)
            return both if isinstance(both, Failure) else self._kept(Readings(prompt, *both))

        async def picture(artifact: Artifact, graph: HSG | None, own: list[Exchange]) -> Reading | Failure:
            if graph is not None:
                return Reading(of="artifact", graph=graph, interpreter=own_graphs.by, made="given")
            return await sharing.picture(pair.prompt, prompt, artifact, own)

        log_b: list[Exchange] = []
        a, b = await together(picture(pair.a, own_graphs.a, log), picture(pair.b, own_graphs.b, log_b))
        log.extend(log_b)
        if isinstance(a, Failure):
            return a
        return b if isinstance(b, Failure) else self._kept(Readings(prompt, a, b))

    def _kept(self, readings: Readings) -> Readings:
        return readings.roots() if self.keep == "roots" else readings

    async def _converse(self, pair: Pair, order: Order, repeat: int, log: list[Exchange]) -> Vote | Failure:
        """All three stages as one conversation, in this order."""
        talk = Talk()
        reader = self._reader(repeat)
        view = ordered_pair(pair, order)
        prompt = await reader.read_prompt(pair.prompt, log, talk)
        if isinstance(prompt, Failure):
            return prompt
        both = await reader.read_pair(view, prompt.graph, log, talk)
        if isinstance(both, Failure):
            return both
        readings = self._kept(Readings(prompt, *both).ordered(order))
        vote = await self._vote(pair, readings, order, repeat, log, talk)
        if isinstance(vote, Failure):
            return vote
        return vote.model_copy(update={"cascade_a": readings.cascade_a, "cascade_b": readings.cascade_b})

    async def _vote(
        self,
        pair: Pair,
        readings: Readings,
        order: Order,
        repeat: int,
        log: list[Exchange],
        talk: Talk | None = None,
    ) -> Vote | Failure:
        """Stage 3, with graphs and pictures under the labels of this order."""
        template = prompt_file("verdict", __file__)
        reader = self._judging(repeat)
        view, ordered = ordered_pair(pair, order), readings.ordered(order)
        texts = {
            "prompt_graph": describe(ordered.prompt.graph, "prompt"),
            "graph_a": describe(ordered.a.graph, "A"),
            "graph_b": describe(ordered.b.graph, "B"),
        }
        if talk is None:
            attachments = await references(reader.backbone, pair.prompt)
            a, b = await together(sent(reader.backbone, view.a), sent(reader.backbone, view.b))
        else:
            attachments, a, b = [], "(as given above)", "(as given above)"
        system, user = template.messages(
            fenced=[pair.prompt.text, *texts.values()],
            prompt=pair.prompt.text,
            references=attachments,
            picture_a=a,
            picture_b=b,
            **texts,
        )
        response = await ask(
            self._judge,
            Query(
                task=f"verdict-{self.size}",
                messages=talk.turn(system, user) if talk else (system, user),
                reply=VerdictShape,
                stage=verdict_stage(order, repeat),
                subject=pair_subject(view),
                prompts={template.name: template.sha256},
                max_tokens=MAX_VERDICT_TOKENS,
                usual_tokens=USUAL_VERDICT_TOKENS,
                temperature=self.temperature,
                seed=reader.seed,
                repeat=repeat,
            ),
            log,
        )
        if isinstance(response, Failure):
            return response
        return vote_of(response.value, order, repeat, readings.graphs)
