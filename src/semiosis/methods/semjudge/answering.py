"""Multiple choice over pictures, from graphs that were built without the prompt."""

import hashlib
from collections.abc import Sequence

from ...backbones.pictures import Prepared
from ...backbones.query import Query, ask
from ...core.cascade import Reading
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Question, letters
from ...core.vote import Evidence
from ..answers import Chosen
from ..choices import answer_shape, stated
from ..signs import sent
from ..template import fence_for, prompt_file
from ..voting import cited
from .graphs import describe
from .reader import Reader
from .shapes import AnswerShape

MAX_ANSWER_TOKENS = 4000
# Of a reply, as in the bundled recordings.
USUAL_ANSWER_TOKENS = 300


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
    asked = stated(question)
    fence = fence_for([*described, asked])
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
            fenced=[*described, asked],
            pictures=pictures,
            question=asked,
            letters=", ".join(question.choices),
        ),
        reply=answer_shape(AnswerShape, question),
        stage="answer" + (f", repeat {reader.repeat + 1}" if reader.repeat else ""),
        subject=(hashlib.sha256(asked.encode()).hexdigest(), *(artifact.sha256 for artifact in artifacts)),
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
