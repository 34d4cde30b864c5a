"""The three asks about a prompt's words: its tuples, what they depend on, and a question for each.

propositions = await Writer(backbone).write(prompt, log)
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from ...backbones.backbone import Backbone
from ...backbones.query import Query, ValidReply, ask
from ...core.outcome import Exchange, Failure
from ...core.sign import Prompt
from ..signs import subject_of
from ..template import prompt_file
from .propositions import Proposition, Propositions, number_faults, question_faults, structure_faults
from .shapes import DependenciesShape, QuestionsShape, TuplesShape

T = TypeVar("T", bound=BaseModel)

# With room for models that think before they answer: their thoughts count.
MAX_TOKENS = 6000
# Of a tuple, an entry of dependencies, and a question, as JSON.
USUAL_TOKENS = {"tuples": 18, "dependencies": 14, "questions": 20}
# For a rehearsal: as many as the published questions have for a prompt on average, and as they hang together.
USUAL_NEEDS: tuple[tuple[int, ...], ...] = ((), (), (1,), (2,), (1, 2), ())


@dataclass(frozen=True)
class Stage:
    """Which prompt file is asked about which words; `example` is for a rehearsal."""

    name: str
    texts: Mapping[str, str]
    example: Mapping[str, JsonValue]


@dataclass(frozen=True)
class Writer:
    """Takes prompts apart with one backbone."""

    backbone: Backbone
    temperature: float | None = 0.0
    seed: int | None = None

    async def write(self, prompt: Prompt, log: list[Exchange]) -> Propositions | Failure:
        """The propositions of its text, each with a question."""
        tuples = await self._tuples(prompt, log)
        if isinstance(tuples, Failure):
            return tuples
        structure = await self._dependencies(prompt, tuples, log)
        if isinstance(structure, Failure):
            return structure
        return await self._questions(prompt, structure, log)

    async def _tuples(self, prompt: Prompt, log: list[Exchange]) -> Propositions | Failure:
        def propositions(shape: TuplesShape) -> Propositions:
            return tuple(
                Proposition(id=str(number), says=f"{each.kind} ({each.terms})")
                for number, each in enumerate(shape.tuples, 1)
            )

        example: list[JsonValue] = [{"kind": "entity", "terms": ""} for _ in USUAL_NEEDS]
        stage = Stage("tuples", {}, {"tuples": example})
        response = await self._ask(
            prompt, stage, TuplesShape, lambda shape: number_faults(propositions(shape)), log
        )
        return response if isinstance(response, Failure) else propositions(response.value)

    async def _dependencies(
        self, prompt: Prompt, tuples: Propositions, log: list[Exchange]
    ) -> Propositions | Failure:
        def propositions(shape: DependenciesShape) -> Propositions:
            needs = {each.id: tuple(map(str, each.needs)) for each in shape.dependencies}
            return tuple(replace(each, needs=needs.get(int(each.id), ())) for each in tuples)

        def wrong(shape: DependenciesShape) -> Sequence[str]:
            ids = [each.id for each in shape.dependencies]
            return (*_listing_faults(ids, tuples), *structure_faults(propositions(shape)))

        example: list[JsonValue] = [
            {"id": number, "needs": list(needs)} for number, needs in enumerate(USUAL_NEEDS, 1)
        ]
        stage = Stage("dependencies", {"tuples": _stated(tuples)}, {"dependencies": example})
        response = await self._ask(prompt, stage, DependenciesShape, wrong, log)
        return response if isinstance(response, Failure) else propositions(response.value)

    async def _questions(
        self, prompt: Prompt, structure: Propositions, log: list[Exchange]
    ) -> Propositions | Failure:
        def propositions(shape: QuestionsShape) -> Propositions:
            questions = {each.id: " ".join(each.question.split()) for each in shape.questions}
            return tuple(replace(each, question=questions.get(int(each.id), "")) for each in structure)

        def wrong(shape: QuestionsShape) -> Sequence[str]:
            ids = [each.id for each in shape.questions]
            return (*_listing_faults(ids, structure), *question_faults(propositions(shape)))

        example: list[JsonValue] = [{"id": int(each.id), "question": ""} for each in structure]
        stage = Stage("questions", {"tuples": _stated(structure)}, {"questions": example})
        response = await self._ask(prompt, stage, QuestionsShape, wrong, log)
        return response if isinstance(response, Failure) else propositions(response.value)

    async def _ask(
        self,
        prompt: Prompt,
        stage: Stage,
        shape: type[T],
        wrong: Callable[[T], Sequence[str]],
        log: list[Exchange],
    ) -> ValidReply[T] | Failure:
        template = prompt_file(stage.name, __file__)
        query = Query(
            task=f"dsg-{stage.name}",
            messages=template.messages(
                fenced=[prompt.text, *stage.texts.values()], prompt=prompt.text, **stage.texts
            ),
            reply=shape,
            stage=stage.name,
            # The hash of the words; reference images have no part in it.
            subject=subject_of(prompt)[:1],
            prompts={template.name: template.sha256},
            check=lambda value: "; ".join(wrong(value)) or None,
            max_tokens=MAX_TOKENS,
            usual_tokens=USUAL_TOKENS[stage.name] * len(USUAL_NEEDS),
            example=stage.example,
            temperature=self.temperature,
            seed=self.seed,
        )
        return await ask(self.backbone, query, log)


def _listing_faults(ids: Sequence[int], propositions: Propositions) -> tuple[str, ...]:
    """Of a list that has one entry for each proposition."""
    listed, expected = Counter(ids), {int(each.id) for each in propositions}
    return (
        *(f"proposition {id} is listed {times} times" for id, times in listed.items() if times > 1),
        *(f"there is no proposition {id}" for id in listed if id not in expected),
        *(f"proposition {id} is left out" for id in sorted(expected - listed.keys())),
    )


def _stated(propositions: Propositions) -> str:
    return "\n".join(
        f"{each.id}. {each.says}" + (f", rests on {', '.join(each.needs)}" if each.needs else "")
        for each in propositions
    )
