"""Reading signs: the stages that turn a prompt or a picture into a graph.

reading = await Reader(backbone).read_prompt(prompt, log)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from pydantic import BaseModel

from ...backbones.backbone import Backbone, Message
from ...backbones.pictures import Prepared
from ...backbones.query import Query, ValidReply, ask
from ...backbones.single_flight import together
from ...core.cascade import Reading
from ...core.graph import HSG
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Pair, Prompt
from ..signs import pair_subject, references, sent, subject_of
from ..template import Filling, prompt_file
from ..voter import Talk
from .graphs import describe, graph_of_picture, graph_of_prompt, surplus_boxes
from .settings import Size
from .shapes import PICTURE_GRAPH, PICTURE_GRAPHS, PROMPT_GRAPH, PictureGraph

T = TypeVar("T", bound=BaseModel)

# With room for models that think before they answer: their thoughts count.
MAX_GRAPH_TOKENS: dict[Size, int] = {"standard": 6000, "complex": 10_000}
# Of a reply: means over the bundled recordings (complex) and over the minimal pairs (standard).
USUAL_PROMPT_TOKENS: dict[Size, int] = {"standard": 650, "complex": 1700}
USUAL_PICTURE_TOKENS: dict[Size, int] = {"standard": 800, "complex": 2000}


@dataclass(frozen=True)
class GraphStage:
    """Which prompt file is asked, and about what."""

    template: str
    name: str
    subject: tuple[str, ...]
    talk: Talk | None = None
    graphs: int = 1
    usual_tokens: Mapping[Size, int] = field(default_factory=lambda: USUAL_PICTURE_TOKENS)


@dataclass(frozen=True)
class Reader:
    """Builds graphs with one backbone at one size."""

    backbone: Backbone
    size: Size = "standard"
    temperature: float | None = 0.0
    seed: int | None = None
    repeat: int = 0

    async def read_prompt(
        self, prompt: Prompt, log: list[Exchange], talk: Talk | None = None
    ) -> Reading | Failure:
        response = await self._ask(
            GraphStage(
                "prompt-graph",
                "prompt graph",
                subject_of(prompt),
                talk,
                usual_tokens=USUAL_PROMPT_TOKENS,
            ),
            PROMPT_GRAPH[self.size],
            log,
            fenced=[prompt.text],
            prompt=prompt.text,
            references=await references(self.backbone, prompt),
        )
        if isinstance(response, Failure):
            return response
        return self._reading("prompt", graph_of_prompt(response.value, prompt), response, "the prompt alone")

    async def read_pair(
        self, pair: Pair, graph: HSG, log: list[Exchange], talk: Talk | None = None
    ) -> tuple[Reading, Reading] | Failure:
        """Both pictures in one call, given the prompt's graph (the paper's way)."""
        a, b = await together(sent(self.backbone, pair.a), sent(self.backbone, pair.b))
        described = describe(graph, "prompt")
        response = await self._ask(
            GraphStage(
                "picture-graphs",
                "picture graphs",
                pair_subject(pair),
                talk,
                graphs=2,
            ),
            PICTURE_GRAPHS[self.size],
            log,
            fenced=[pair.prompt.text, described],
            prompt=pair.prompt.text,
            prompt_graph=described,
            references=await references(self.backbone, pair.prompt),
            picture_a=a,
            picture_b=b,
        )
        if isinstance(response, Failure):
            return response
        first, second = (
            self._picture(shape, picture, response, "jointly for the pair")
            for shape, picture in ((response.value.a, a), (response.value.b, b))
        )
        return first, second

    async def read_picture(
        self, prompt: Prompt, artifact: Artifact, graph: HSG, log: list[Exchange]
    ) -> Reading | Failure:
        """One picture alone, given the prompt's graph, so that one reading serves every pair."""
        picture = await sent(self.backbone, artifact)
        described = describe(graph, "prompt")
        response = await self._ask(
            GraphStage("picture-graph", "picture graph", (*subject_of(prompt), artifact.sha256)),
            PICTURE_GRAPH[self.size],
            log,
            fenced=[prompt.text, described],
            prompt=prompt.text,
            prompt_graph=described,
            references=await references(self.backbone, prompt),
            picture=picture,
        )
        if isinstance(response, Failure):
            return response
        return self._picture(response.value, picture, response, "alone, given the prompt's graph")

    async def read_unprompted(self, artifact: Artifact, log: list[Exchange]) -> Reading | Failure:
        """One picture, the prompt never shown."""
        picture = await sent(self.backbone, artifact)
        response = await self._ask(
            GraphStage("picture-alone", "picture graph, prompt unseen", (artifact.sha256,)),
            PICTURE_GRAPH[self.size],
            log,
            fenced=[],
            picture=picture,
        )
        if isinstance(response, Failure):
            return response
        return self._picture(response.value, picture, response, "alone, the prompt unseen")

    async def _ask(
        self,
        stage: GraphStage,
        shape: type[T],
        log: list[Exchange],
        *,
        fenced: Sequence[str],
        **slots: Filling,
    ) -> ValidReply[T] | Failure:
        names = {"size": f"size-{self.size}"}
        if stage.template != "prompt-graph":
            names |= {"triad": "picture-triad", "shape": "picture-shape"}
        template = prompt_file(stage.template, __file__)
        files = {slot: prompt_file(name, __file__) for slot, name in names.items()}
        passages = {slot: file.text for slot, file in files.items()}
        system, user = template.messages(fenced=fenced, **passages, **slots)
        messages = stage.talk.turn(system, user) if stage.talk else (system, user)
        query = Query(
            task=f"{stage.template}-{self.size}",
            messages=messages,
            reply=shape,
            stage=stage.name,
            subject=stage.subject,
            prompts={file.name: file.sha256 for file in (template, *files.values())},
            max_tokens=stage.graphs * MAX_GRAPH_TOKENS[self.size],
            usual_tokens=stage.graphs * stage.usual_tokens[self.size],
            temperature=self.temperature,
            seed=self.seed,
            repeat=self.repeat,
        )
        response = await ask(self.backbone, query, log)
        if stage.talk is not None and not isinstance(response, Failure):
            stage.talk.messages = (*messages, Message("assistant", (response.reply.text,)))
        return response

    def _picture(self, shape: PictureGraph, picture: Prepared, response: ValidReply[T], how: str) -> Reading:
        graph = graph_of_picture(shape, self.backbone.traits, (picture.width, picture.height))
        surplus = surplus_boxes(shape)
        noted = f"{how}, {surplus} boxes beyond three a node left out" if surplus else how
        return self._reading("artifact", graph, response, noted)

    def _reading(
        self, of: Literal["prompt", "artifact"], graph: HSG, response: ValidReply[T], how: str
    ) -> Reading:
        return Reading(
            of=of,
            graph=graph,
            interpreter=self.backbone.name,
            made="recorded" if response.reply.recorded else "built",
            how=f"{self.size}, {how}",
        )
