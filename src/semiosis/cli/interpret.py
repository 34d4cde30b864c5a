"""`semiosis interpret`: the graph of a picture or a prompt, a cascade of them, or an answer from graphs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from ..console.arguments import check_pictures
from ..console.inputs import pictures as opened
from ..console.inputs import text
from ..console.options import Budget, CallOptions, Html, Json, Model, NoCache, References, Size, bounds
from ..console.places import writable
from ..console.recipes import Wrapping, settings_of
from ..console.results import leave_by, show_outcome
from ..console.screen import waiting
from ..core.errors import BadPicture, BadPrompt, BadRecord, BadSetting
from ..core.kinds.cascade import CascadeReading
from ..core.kinds.interpretation import Interpretation
from ..core.kinds.question import Answer
from ..core.loop import run
from ..core.outcome import Failure, Outcome
from ..core.settings import REPEATS
from ..core.sign import Artifact, Prompt, Question
from ..core.value import first_fault
from ..methods.contract import Answers, Interprets, Method
from ..methods.recipe import Recipe, close
from ..methods.semjudge.judge import SemJudge
from ..methods.semjudge.rounds import UNKNOWN, Rounds
from ..sources.cells import choices_in

COMMANDS = {"interpret": "interpret"}
SCHEMAS = {
    "interpretation": (Interpretation, "interpret"),
    "answer": (Answer, "interpret --ask"),
    "cascade": (CascadeReading, "interpret --rounds"),
}


def interpret(
    context: typer.Context,
    pictures: Annotated[
        list[str] | None, typer.Argument(help="A picture, or several with --ask or --rounds.")
    ] = None,
    prompt: Annotated[
        str | None, typer.Option(help="Read this text instead of a picture; - reads it from standard input.")
    ] = None,
    rounds: Annotated[
        bool,
        typer.Option(
            "--rounds",
            help="Read --prompt, the picture made from it, and each picture made by editing the one before.",
        ),
    ] = False,
    maker: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --rounds: who made the pictures, for the record.")
    ] = None,
    ask: Annotated[
        Path | None,
        typer.Option(
            help='A JSON file to answer: {"question": "...", "choices": {"A": "...", "B": "..."}}, '
            'and if you like "answer": "A" and "boxes": {"bbox_1": [x0, y0, x1, y1]} from 0 to 1000.'
        ),
    ] = None,
    *,
    method: Annotated[
        str,
        typer.Option(
            help="semjudge reads by graphs; direct/interpret, artcot, artimuse, gallerygpt in prose."
        ),
    ] = "semjudge",
    model: Model = None,
    size: Size = "standard",
    repeat: Annotated[int, typer.Option(**bounds(REPEATS), help="With --ask: so many votes.")] = 1,
    reference: References = None,
    calls: CallOptions,
    no_cache: NoCache = False,
    budget_usd: Budget = None,
    html: Html = None,
    json_: Json = False,
) -> None:
    """Read one sign: what it shows, stands for and leaves in a viewer. The grounds of each are told too.

    Examples:

      semiosis interpret a.png

      semiosis interpret --prompt "Everything glows, nothing lasts."

      semiosis interpret a.png --method artcot

      semiosis interpret a.png --ask question.json

      semiosis interpret --rounds --prompt "Nothing lasts." first.png edited.png again.png

    A picture is read without its prompt, which is never shown. Exit codes: 0 read; 2 bad input or setup; 3 no
    usable result; 4 the budget is spent; 130 interrupted.
    """
    check_pictures(pictures or ())
    artifacts = opened(pictures)
    if rounds:
        _check_rounds(artifacts, prompt, ask)
    else:
        _check_sign(artifacts, prompt, ask, maker)
    settings = settings_of(context, method, calls, size=size, repeats=repeat)
    if ask is None and settings.get("repeats", 1) > 1:
        raise BadSetting("--repeat is for votes on a question: add --ask, or leave it out.")
    sign = Prompt(text=text(prompt), references=opened(reference)) if prompt is not None else None
    question = None if ask is None else _question(ask)
    writable(html)
    recipe = Recipe(method, settings, model, base_url=calls.base_url, timeout_s=calls.timeout)
    reader = recipe.make(Wrapping(budget_usd, cached=not no_cache).wrap)
    reader.require()
    with waiting(f"{reader.label} reads ..."):
        outcome = run(_read(reader, _Task(sign, artifacts, question, (maker or UNKNOWN) if rounds else None)))
    show_outcome(outcome, html, as_json=json_)
    if isinstance(outcome, Failure):
        leave_by(outcome)


@dataclass(frozen=True)
class _Task:
    """What was typed. `maker` is there where a cascade is to be read."""

    sign: Prompt | None
    artifacts: tuple[Artifact, ...]
    question: Question | None
    maker: str | None


async def _read(reader: Method, task: _Task) -> Outcome:
    try:
        if task.maker is not None and task.sign is not None:
            if not isinstance(reader, SemJudge):
                raise BadSetting(f"The method {reader.label} reads no rounds; semjudge does.")
            return await reader.follow(Rounds(task.sign, task.artifacts, task.maker))
        if task.question is not None:
            if not isinstance(reader, Answers):
                raise BadSetting(f"The method {reader.label} does not answer questions.")
            return await reader.answer(task.question, *task.artifacts)
        if not isinstance(reader, Interprets):
            raise BadSetting(f"The method {reader.label} does not read signs.")
        return await reader.interpret(task.sign or next(iter(task.artifacts)))
    finally:
        await close(reader)


def _check_sign(
    artifacts: Sequence[Artifact], prompt: str | None, ask: Path | None, maker: str | None
) -> None:
    if maker is not None:
        raise BadSetting("--maker says who made the pictures of a cascade: add --rounds, or leave it out.")
    if bool(artifacts) == (prompt is not None):
        raise BadPrompt("Give a picture or --prompt TEXT, one of the two; both with --rounds.")
    if ask is None and len(artifacts) > 1:
        raise BadPicture(
            f"One picture is read at a time, not {len(artifacts)}; --ask and --rounds take several."
        )


def _check_rounds(artifacts: Sequence[Artifact], prompt: str | None, ask: Path | None) -> None:
    if ask is not None:
        raise BadSetting("--rounds reads a cascade and --ask answers a question: give one of the two.")
    if prompt is None or not artifacts:
        lacking = "--prompt TEXT" if prompt is None else "a picture"
        raise BadPrompt(f"A cascade goes from a prompt to pictures, and {lacking} is missing.")


def _question(path: Path) -> Question:
    try:
        read = json.loads(path.read_text("utf-8"))
        fields: dict[str, Any] = {
            name: read[name] for name in ("question", "choices", "boxes", "answer") if name in read
        }
        fields["choices"] = choices_in(fields.get("choices"))
        return Question(**fields)
    except OSError as error:
        raise BadPrompt(f"{path} cannot be read: {error}.") from None
    except ValidationError as error:
        raise BadPrompt(f"{path} is not a question: {first_fault(error)}.") from None
    except (BadRecord, ValueError, TypeError, RecursionError) as error:
        raise BadPrompt(f"{path} is not a question: {str(error).rstrip('.')}.") from None
