"""SemJudge: read prompt and pictures as signs, then judge which picture carries the meaning.

    judgment = await SemJudge(backbone).judge(Pair(prompt="...", a="a.png", b="b.png"))

"SemJudge", sections 3 and 4, algorithm C.1, tables 7 to 9; the prompts are written anew from them.
"""

import asyncio
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ...backbones.backbone import Backbone
from ...backbones.single_flight import SharedWork, together
from ...core.cascade import Reading
from ...core.errors import BadPicture, BadSetting
from ...core.graph import HSG
from ...core.kinds.cascade import CascadeReading
from ...core.kinds.interpretation import Interpretation
from ...core.kinds.pair import Judgment
from ...core.kinds.question import Answer
from ...core.loop import run
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Pair, Prompt, Question
from ...core.vote import Order, Vote
from ..answers import answered_by_votes, check_pictured
from ..card import Card
from ..contract import Answers, Interprets, Judges, method
from ..settings import Orders, Repeats, Temperature, Wording
from ..voter import Talk, Voter
from ..voting import ORDERS, ordered_pair, poll, undermined
from .answering import answer_from
from .case import case_of
from .contrasting import contrast_between
from .reader import Reader
from .readings import Given, Readings, root_of
from .rounds import Rounds, gaps_of, read_rounds
from .settings import Graphs, Keep, Rationales, Rebuild, Size
from .shared_readings import SharingReader, shared_readings


@method(
    "semjudge",
    root_only={"keep": "roots"},
    meaning={"wording": "meaning"},
    contrast={"contrast": True},
)
@dataclass(frozen=True)
class SemJudge(Judges, Answers, Interprets):
    """Reads prompt and pictures as signs, then judges which picture carries the meaning.

    backbone    builds the graphs and judges
    judge_with  where it is given, this one judges
    graphs      "joint": both pictures read in one call; "solo": one at a time, so a graph serves every pair
    size        of the graphs: "standard" (3 parts at most) or "complex" (3 to 5)
    keep        "all", or "roots", which drops the pictures' sub-semioses before the judgment
    contrast    whether, between reading and verdict, the pictures' differences are listed
    wording     of the verdict: "neutral", as the paper asks, or "meaning", which tells what counts
    rationales  "decisive", or "every-node": a reason for each node of the graphs
    orders      "both", or only "ab" or "ba"
    repeats     votes in each order, 1 to 99
    rebuild     "never", or "per-order": each vote has graphs of its own; joint ones in one conversation
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    """

    version: ClassVar[str] = "2"
    card: ClassVar[Card] = Card(
        paper="SemJudge, sections 3 and 4, algorithm C.1",
        needs="a model that sees",
        unverified="the wording of the prompts is ours; the paper's figures stand on its own",
    )
    backbone: Backbone
    judge_with: Backbone | None = None
    graphs: Graphs = "joint"
    size: Size = "standard"
    keep: Keep = "all"
    contrast: bool = False
    wording: Wording = "neutral"
    rationales: Rationales = "decisive"
    orders: Orders = "both"
    repeats: Repeats = 1
    rebuild: Rebuild = "never"
    temperature: Temperature | None = 0.0
    seed: int | None = None
    _shared: SharedWork[Reading] = field(
        default_factory=shared_readings, init=False, repr=False, compare=False
    )

    @property
    def label(self) -> str:
        variants = {
            "root-only": self.keep == "roots",
            "contrast": self.contrast,
            "meaning": self.wording == "meaning",
        }
        return "/".join([self.name, *(name for name, chosen in variants.items() if chosen)])

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
                return await self._rebuild(pair, order, repeat, own)
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
        return judgment.model_copy(
            update={
                "cascade_a": origin.cascade_a,
                "cascade_b": origin.cascade_b,
                "contrast": origin.contrast,
            }
        )

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

    async def follow(self, rounds: Rounds) -> CascadeReading | Failure:
        """How a prompt and the pictures made of it, `rounds` of them, were read, each without the prompt."""
        if not rounds.artifacts:
            raise BadPicture("A cascade needs at least one picture.")
        log: list[Exchange] = []
        cascade = await read_rounds(self._sharing(), rounds, log)
        if isinstance(cascade, Failure):
            return self.failed(cascade, log)
        return CascadeReading(
            prompt=rounds.prompt,
            artifacts=rounds.artifacts,
            cascade=cascade,
            gaps=await asyncio.to_thread(gaps_of, cascade),
            provenance=self.provenance(log),
        )

    async def answer(self, question: Question, *artifacts: Artifact) -> Answer | Failure:
        """The choice that answers `question` of `artifacts`, each read once and without the prompt.

        Each repeat is a vote.
        """
        check_pictured(artifacts)
        log: list[Exchange] = []
        readings: list[Reading] = []
        for artifact in artifacts:
            reading = await self._sharing().unprompted(artifact, log)
            if isinstance(reading, Failure):
                return self.failed(reading, log)
            readings.append(root_of(reading) if self.keep == "roots" else reading)
        return await answered_by_votes(
            self,
            question,
            artifacts,
            lambda repeat, own: answer_from(self._judging(repeat), question, artifacts, readings, own),
            log=log,
            readings=readings,
        )

    def judge_sync(self, pair: Pair, given: Given | None = None) -> Judgment | Failure:
        """As `judge`, outside async code."""
        return run(self.judge(pair, given))

    def follow_sync(self, rounds: Rounds) -> CascadeReading | Failure:
        """As `follow`, outside async code."""
        return run(self.follow(rounds))

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        return {
            "builder": self.backbone.name,
            "judge": self._judge.name,
            "graphs": self.graphs,
            "size": self.size,
            "keep": self.keep,
            "contrast": self.contrast,
            "wording": self.wording,
            "rationales": self.rationales,
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
        """Stages 1 and 2, and the contrast where there is one."""
        sharing = self._sharing()
        prompt = await sharing.prompt(pair.prompt, log, own_graphs.prompt, own_graphs.by)
        if isinstance(prompt, Failure):
            return prompt
        if self.graphs == "joint" and own_graphs.a is None and own_graphs.b is None:
            both = await sharing.reader.read_pair(pair, prompt.graph, log)
            if isinstance(both, Failure):
                return both
            return await self._contrasted(pair, Readings(prompt, *both), sharing.reader, log)

        async def picture(artifact: Artifact, graph: HSG | None, own: list[Exchange]) -> Reading | Failure:
            if graph is not None:
                return Reading(of="artifact", graph=graph, interpreter=own_graphs.by, made="given")
            return await sharing.picture(pair.prompt, prompt, artifact, own)

        log_b: list[Exchange] = []
        a, b = await together(picture(pair.a, own_graphs.a, log), picture(pair.b, own_graphs.b, log_b))
        log.extend(log_b)
        if isinstance(a, Failure):
            return a
        if isinstance(b, Failure):
            return b
        return await self._contrasted(pair, Readings(prompt, a, b), sharing.reader, log)

    async def _contrasted(
        self, pair: Pair, readings: Readings, reader: Reader, log: list[Exchange], talk: Talk | None = None
    ) -> Readings | Failure:
        """What the judge gets of the readings, in the names of `pair`."""
        shown = readings.roots() if self.keep == "roots" else readings
        if not self.contrast:
            return shown
        contrast = await contrast_between(reader, pair, shown, log, talk)
        return contrast if isinstance(contrast, Failure) else replace(shown, contrast=contrast)

    async def _rebuild(self, pair: Pair, order: Order, repeat: int, log: list[Exchange]) -> Vote | Failure:
        """All stages for one vote, the pictures in this order; joint readings in one conversation."""
        view = ordered_pair(pair, order)
        talk = Talk() if self.graphs == "joint" else None
        # A picture by itself is the same call in either order: the number of the repeat makes it another.
        reader = self._reader(repeat if talk else len(ORDERS["both"]) * repeat + (order == "ba"))
        prompt = await reader.read_prompt(pair.prompt, log, talk)
        if isinstance(prompt, Failure):
            return prompt
        both = await self._both(reader, view, prompt, log, talk)
        if isinstance(both, Failure):
            return both
        shown = await self._contrasted(view, Readings(prompt, *both), reader, log, talk)
        if isinstance(shown, Failure):
            return shown
        readings = shown.ordered(order)
        vote = await self._vote(pair, readings, order, repeat, log, talk)
        if isinstance(vote, Failure):
            return vote
        return vote.model_copy(
            update={
                "cascade_a": readings.cascade_a,
                "cascade_b": readings.cascade_b,
                "contrast": readings.contrast,
            }
        )

    async def _both(
        self, reader: Reader, view: Pair, prompt: Reading, log: list[Exchange], talk: Talk | None
    ) -> tuple[Reading, Reading] | Failure:
        if talk is not None:
            return await reader.read_pair(view, prompt.graph, log, talk)
        a = await reader.read_picture(view.prompt, view.a, prompt.graph, log)
        if isinstance(a, Failure):
            return a
        b = await reader.read_picture(view.prompt, view.b, prompt.graph, log)
        return b if isinstance(b, Failure) else (a, b)

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
        voter = Voter(self._judge, self.wording, self.temperature, self.seed)
        case = case_of(readings, order, self.size, self.rationales, talk)
        return await voter.vote(pair, order, repeat, case, log)
