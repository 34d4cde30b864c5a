"""`semiosis judge`: one prompt, two pictures, a verdict with its reasons."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..console import exits
from ..console.arguments import check_prompt_first
from ..console.estimate import show_estimate
from ..console.inputs import graph, picture
from ..console.inputs import prompt as sign
from ..console.options import (
    Budget,
    CallOptions,
    Content,
    DryRun,
    Html,
    Json,
    MethodOptions,
    NoCache,
    Orders,
    References,
    Repeat,
    Size,
)
from ..console.places import writable
from ..console.recipes import Wrapping, recipe_of
from ..console.results import leave_by, show_outcome
from ..console.screen import waiting
from ..core.errors import BadSetting
from ..core.kinds.pair import Judgment
from ..core.loop import run
from ..core.outcome import Failure
from ..core.sign import Pair
from ..methods.contract import Judges
from ..methods.recipe import close
from ..methods.semjudge.judge import SemJudge
from ..methods.semjudge.readings import Given
from ..methods.semjudge.settings import Graphs, Rebuild
from ..reports.pages.judgment import save_overlays
from ..runs.plan import Plan

COMMANDS = {"judge": "judge"}
SCHEMAS = {"judgment": (Judgment, "judge"), "failure": (Failure, "judge, interpret")}


def judge(
    context: typer.Context,
    prompt: Annotated[
        str, typer.Argument(help="What the pictures were made from; - reads it from standard input.")
    ],
    a: Annotated[str, typer.Argument(help="The first picture: a file or a URL.")],
    b: Annotated[str, typer.Argument(help="The second picture.")],
    *,
    method: MethodOptions,
    graphs: Annotated[Graphs, typer.Option(help="joint (both pictures in one call) or solo.")] = "joint",
    size: Size = "standard",
    rebuild: Annotated[
        Rebuild,
        typer.Option(help="never, or per-order (a whole conversation for each order)."),
    ] = "never",
    orders: Orders = "both",
    repeat: Repeat = 1,
    reference: References = None,
    content: Content = None,
    prompt_graph: Annotated[Path | None, typer.Option(help="Take the prompt's graph from this file.")] = None,
    graph_a: Annotated[Path | None, typer.Option(help="Take picture A's graph from this file.")] = None,
    graph_b: Annotated[Path | None, typer.Option(help="Take picture B's graph from this file.")] = None,
    calls: CallOptions,
    no_cache: NoCache = False,
    dry_run: DryRun = False,
    budget_usd: Budget = None,
    fail_under: Annotated[
        float | None, typer.Option(min=0, max=1, help="Exit 1 when the share of votes for A is below this.")
    ] = None,
    html: Html = None,
    overlay: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write PNGs with boxes drawn into this folder.")
    ] = None,
    json_: Json = False,
) -> None:
    """Tell which picture carries what the prompt means, and why.

    Example:

      semiosis judge "A vanitas for the age of the smartphone: everything glows, nothing lasts." a.png b.png
      --model openai/gpt-5 --html why.html

      semiosis judge "Ukiyo-e woodblock, flat colours" a.png b.png --content photo.png --model openai/gpt-5

    Exit codes: 0 judged; 1 the share of votes for A is below --fail-under; 2 bad input or setup; 3 no usable
    result; 4 the budget is spent; 130 interrupted.
    """
    check_prompt_first("judge", prompt, a, b)
    pair = Pair(prompt=sign(prompt, reference, content), a=picture(a), b=picture(b))
    own_graphs = Given(
        prompt=graph(prompt_graph, "prompt"),
        a=graph(graph_a, "artifact"),
        b=graph(graph_b, "artifact"),
        by="given on the command line",
    )
    writable(html)
    writable(overlay, folder=True)
    options = {"graphs": graphs, "size": size, "rebuild": rebuild, "orders": orders, "repeats": repeat}
    recipe = recipe_of(context, method, calls, **options)
    judge = recipe.make(Wrapping(budget_usd, cached=not no_cache).wrap)
    if not isinstance(judge, Judges):
        raise BadSetting(f"The method {judge.label} does not judge pairs.")
    if dry_run:
        plan = Plan(judge)
        plan.rehearse(lambda method: _judged(method, pair, own_graphs))
        show_estimate(f"{judge.label}: what one judgment asks for", plan.stages(), as_json=json_)
        return
    judge.require()
    with waiting(f"{judge.label} judges ..."):
        outcome = run(_judged(judge, pair, own_graphs))
    show_outcome(outcome, html, as_json=json_)
    if overlay is not None and isinstance(outcome, Judgment):
        for path in save_overlays(outcome, overlay):
            print(f"overlay: {path}", file=sys.stderr)
    _leave(outcome, fail_under)


async def _judged(method: Judges, pair: Pair, own_graphs: Given) -> Judgment | Failure:
    try:
        if isinstance(method, SemJudge):
            return await method.judge(pair, own_graphs)
        if own_graphs.prompt or own_graphs.a or own_graphs.b:
            raise BadSetting(f"The method {method.label} takes no given graphs.")
        return await method.judge(pair)
    finally:
        await close(method)


def _leave(outcome: Judgment | Failure, fail_under: float | None) -> None:
    if isinstance(outcome, Failure):
        leave_by(outcome)
    if fail_under is not None and outcome.preference < fail_under:
        share = f"The share of votes for A is {outcome.preference:.4g}, below --fail-under {fail_under:g}"
        print(f"semiosis: {share}: {_votes(outcome)}.", file=sys.stderr)
        raise typer.Exit(exits.BELOW)


def _votes(judgment: Judgment) -> str:
    winners = [vote.winner for vote in judgment.votes]
    neither = f", {winners.count(None):,} for neither" if None in winners else ""
    return f"{winners.count('a'):,} of {len(winners):,} votes for A, {winners.count('b'):,} for B{neither}"
