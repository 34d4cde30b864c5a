"""The recorded bodies as inspect_ai takes them: chat messages, a generate configuration, a task."""

from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    GenerateConfig,
    ResponseSchema,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema

from material import stage_of

# The provider for any OpenAI-compatible server, over chat completions.
MODEL = "openai-api/canned/canned"


def messages(body: dict[str, Any]) -> list[ChatMessage]:
    system, user = body["messages"]
    return [ChatMessageSystem(content=system["content"]), ChatMessageUser(content=_content(user["content"]))]


def _content(content: str | list[dict[str, Any]]) -> Any:
    if isinstance(content, str):
        return content
    return [
        ContentText(text=part["text"])
        if part["type"] == "text"
        else ContentImage(image=part["image_url"]["url"])
        for part in content
    ]


def configuration(body: dict[str, Any]) -> GenerateConfig:
    schema = body["response_format"]["json_schema"]
    return GenerateConfig(
        max_tokens=body["max_tokens"],
        temperature=body["temperature"],
        response_schema=ResponseSchema(
            name=schema["name"], json_schema=JSONSchema.model_validate(schema["schema"]), strict=True
        ),
    )


def limit(at_once: int) -> GenerateConfig:
    return GenerateConfig(max_connections=at_once, max_retries=0)


@solver
def asking(configurations: dict[str, GenerateConfig]) -> Solver:
    """`generate()`, with the configuration of the sample's own stage."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        chosen = configurations[state.metadata["stage"]]
        return await generate(
            state,
            max_tokens=chosen.max_tokens,
            temperature=chosen.temperature,
            response_schema=chosen.response_schema,
        )

    return solve


@scorer(metrics=[accuracy()])
def answered() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=1 if state.output.completion else 0)

    return score


def task(bodies: list[dict[str, Any]]) -> Task:
    samples = [Sample(input=messages(body), metadata={"stage": stage_of(body)}) for body in bodies]
    configurations = {stage_of(body): configuration(body) for body in bodies}
    return Task(dataset=MemoryDataset(samples), solver=asking(configurations), scorer=answered())


def evaluate(task: Task, url: str, at_once: int, logs: Path) -> int:
    """How many samples got no answer."""
    (log,) = eval(
        task,
        model=MODEL,
        model_base_url=url,
        model_args={"api_key": "none"},
        max_connections=at_once,
        max_samples=at_once,
        max_retries=0,
        log_dir=str(logs),
        log_images=False,
        display="none",
    )
    assert log.results is not None, log.error
    asked = log.results.total_samples
    return asked - round(asked * log.results.scores[0].metrics["accuracy"].value)
