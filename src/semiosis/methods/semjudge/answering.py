"""Multiple choice over pictures, from graphs that were built without the prompt."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, create_model

from ...backbones.pictures import Prepared
from ...backbones.query import Query, ask
from ...core.cascade import Reading
from ...core.certainty import Certainty
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Question, letters
from ...core.vote import Evidence
from ..signs import sent
from ..template import fence_for, prompt_file
from ..voting import cited
from .graphs import describe
from .reader import Reader
from .shapes import AnswerShape

MAX_ANSWER_TOKENS = 4000
# Of a reply, as in the bundled recordings.
USUAL_ANSWER_TOKENS = 300


@dataclass(frozen=True)
class Chosen:
    choice: str
    reasoning: str
    evidence: tuple[Evidence, ...]
    certainty: Certainty | None


async def answer_from(
    reader: Reader,
    question: Question,
    artifacts: Sequence[Artifact],
    readings: Sequence[Reading],
    log: list[Exchange],
) -> Chosen | Failure:
    template = prompt_file("answer", __file__)
    names = [letter.upper() for letter in letters(len(artifacts))]
    described = [describe(reading.graph, name) for name, reading in zip(names, readings, strict=True)]
    stated = _stated(question)
    fence = fence_for([*described, stated])
    pictures: list[str | Prepared] = []
    for name, artifact, graph in zip(names, artifacts, described, strict=True):
        pictures += [
            f"Picture {name}:\n",
            await sent(reader.backbone, artifact),
            f"\nHow picture {name} was read:\n<{fence}>\n{graph}\n</{fence}>\n",
        ]
    query = Query(
        task="answer",
        messages=template.messages(
            fenced=[*described, stated],
            pictures=pictures,
            question=stated,
            letters=", ".join(question.choices),
        ),
        reply=_shape(question),
        stage="answer" + (f", repeat {reader.repeat + 1}" if reader.repeat else ""),
        subject=(hashlib.sha256(stated.encode()).hexdigest(), *(artifact.sha256 for artifact in artifacts)),
        prompts={template.name: template.sha256},
        max_tokens=MAX_ANSWER_TOKENS,
        usual_tokens=USUAL_ANSWER_TOKENS,
        temperature=reader.temperature,
        seed=reader.seed,
        repeat=reader.repeat,
    )
    response = await ask(reader.backbone, query, log)
    if isinstance(response, Failure):
        return response
    graphs = {name.lower(): reading.graph for name, reading in zip(names, readings, strict=True)}
    evidence: list[Evidence] = []
    for item in response.value.evidence:
        node, verified = cited(item.node, "ab", graphs)
        evidence.append(Evidence(node=node, rationale=item.rationale, verified=verified))
    reply = response.value
    return Chosen(reply.answer, reply.reasoning, tuple(evidence), reply.certainty)


def _stated(question: Question) -> str:
    boxes = [f"{name}: {json.dumps(list(corners))}" for name, corners in question.boxes.items()]
    choices = [f"{letter}. {text}" for letter, text in question.choices.items()]
    return "\n".join([question.question, *boxes, *choices])


def _shape(question: Question) -> type[AnswerShape]:
    """An answer to this question: its letter is one of those on offer."""

    def named(value: Any) -> Any:
        letter = _letter(value, question) if isinstance(value, str) else None
        return value if letter is None else letter

    letters = Literal[tuple(question.choices)]  # pyright: ignore[reportInvalidTypeForm] - as many as there are
    answer: Any = Annotated[letters, BeforeValidator(named)]
    return create_model("Answer", __base__=AnswerShape, answer=(answer, ...))


def _letter(answer: str, question: Question) -> str | None:
    """The choice that was named and nothing else: "B", "b", "(B)", "B." or "B. its own text"."""
    word = answer.strip().strip("()[]\"'").strip().casefold()
    for letter, text in question.choices.items():
        named = letter.casefold()
        if word in (named, f"{named}.", f"{named})", f"{named}:"):
            return letter
        if word.startswith(named) and word[len(named) :].strip(".):- ") == text.strip().casefold().rstrip(
            "."
        ):
            return letter
    return None
