"""`semiosis interpret`: the graph of a picture or a prompt, a cascade of them, or an answer from graphs."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from ..backbones.lookup import bare
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
from ..core.outcome import Failure
from ..core.settings import REPEATS
from ..core.sign import Artifact, Prompt, Question
from ..core.value import first_fault
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
    settings = settings_of(context, "semjudge", calls, size=size, repeats=repeat)
    if ask is None and settings.get("repeats", 1) > 1:
        raise BadSetting("--repeat is for votes on a question: add --ask, or leave it out.")
    sign = Prompt(text=text(prompt), references=opened(reference)) if prompt is not None else None
    question = None if ask is None else _question(ask)
    writable(html)
    server = bare(model, base_url=calls.base_url, timeout_s=calls.timeout)
    backbone = Wrapping(budget_usd, cached=not no_cache).wrap(server)
    method = SemJudge(backbone, **settings)
    method.require()
    with waiting(f"{backbone.name} reads ..."):
        if rounds and sign is not None:
            outcome = run(method.follow(Rounds(sign, artifacts, maker or UNKNOWN)))
        elif question is not None:
            outcome = run(method.answer(question, *artifacts))
        else:
            outcome = run(method.interpret(sign or next(iter(artifacts))))
        run(backbone.aclose())
    show_outcome(outcome, html, as_json=json_)
    if isinstance(outcome, Failure):
        leave_by(outcome)


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
