"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Model = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", help="provider/model, as in openai/gpt-5; `semiosis models` lists what is in reach."
    ),
]
JudgeModel = Annotated[
    str | None, typer.Option(help="Another model for the verdict; --model then builds the graphs only.")
]
MethodName = Annotated[str, typer.Option(help="semjudge, semjudge/root-only, direct, gap, or module:Class.")]
Orders = Annotated[Literal["both", "ab", "ba"], typer.Option(help="both, ab or ba.")]
Repeat = Annotated[int, typer.Option(min=1, max=99, help="Votes in each order, or on each question.")]
BaseUrl = Annotated[str | None, typer.Option(help="An OpenAI-compatible server to ask instead.")]
Timeout = Annotated[float, typer.Option(min=1, max=86_400, help="Seconds one call may take.")]
Budget = Annotated[float | None, typer.Option(min=0, help="Stop before more than this is spent.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Ask again even if the same was asked before.")]
Seed = Annotated[int | None, typer.Option(help="Sent where the server takes one.")]
Temperature = Annotated[float, typer.Option(min=0, help="Sent where the server takes one.")]
Size = Annotated[Literal["standard", "complex"], typer.Option(help="At most 3 parts, or 3 to 5 in detail.")]
Json = Annotated[bool, typer.Option("--json", help="Print the whole record as JSON.")]
Html = Annotated[Path | None, typer.Option(help="Write the page to this file.")]
Runs = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="The folder of runs; SEMIOSIS_RUNS, or semiosis-runs in this folder."
    ),
]
References = Annotated[
    list[str] | None, typer.Option("--reference", help="A reference image of the prompt; may be repeated.")
]
