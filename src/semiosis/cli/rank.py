"""`semiosis rank`: many pictures of one prompt, best first, by few comparisons."""

import sys
from dataclasses import replace
from typing import Annotated

import typer

from ..backbones.downloads import fetch, is_url
from ..console import exits
from ..console.arguments import check_prompt_first
from ..console.estimate import show_estimate
from ..console.inputs import prompt as sign
from ..console.interrupts import carry_out
from ..console.options import (
    Budget,
    CallOptions,
    Content,
    Graphs,
    Json,
    MethodOptions,
    Quiet,
    Rebuild,
    References,
    Repeat,
    RequestsPerMinute,
    RetryFailed,
    Runs,
    Size,
    TokensPerMinute,
    bounds,
)
from ..console.places import runs_folder
from ..console.progress import StatusLine
from ..console.recipes import recipe_of
from ..console.results import print_json, print_tables
from ..core.errors import BadSetting
from ..core.settings import AT_ONCE, COUNT
from ..core.text import counted, dollars, percent, plain
from ..methods.contract import Method
from ..reports.run_tables import ranking_tables
from ..runs.asking import STOPPED_AT_ONCE
from ..runs.conditions import Conditions
from ..runs.entrants import Entrants
from ..runs.plan import Load
from ..runs.ranking import Contest, Goal, Ranking, judging, start_contest
from ..runs.run import check_openable, default_name, estimate, open_run
from ..runs.summary import FailedItem, cause

COMMANDS = {"rank": "rank"}
SCHEMAS = {"ranking": (Ranking, "rank")}


def rank(
    context: typer.Context,
    prompt: Annotated[
        str, typer.Argument(help="What the pictures were made from; - reads it from standard input.")
    ],
    pictures: Annotated[
        list[str], typer.Argument(help="Two or more: files, folders or URLs.", show_default=False)
    ],
    *,
    method: MethodOptions,
    graphs: Graphs = "joint",
    size: Size = "standard",
    rebuild: Rebuild = "never",
    repeat: Repeat = 1,
    reference: References = None,
    content: Content = None,
    calls: CallOptions,
    confidence: Annotated[
        float, typer.Option(help="Pictures this surely in order need no comparison of their own (0.5 to 1).")
    ] = 0.95,
    comparisons: Annotated[
        int | None, typer.Option(**bounds(COUNT), help="Stop after so many pairs.")
    ] = None,
    budget_usd: Budget = None,
    name: Annotated[
        str | None, typer.Option(help="The ranking's name; made from its parts if left out.")
    ] = None,
    runs: Runs = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the ranking of that name.")] = False,
    retry_failed: RetryFailed = False,
    at_once: Annotated[
        int, typer.Option("--at-once", "-j", **bounds(AT_ONCE), help="Calls in flight at most, two a pair.")
    ] = 4,
    rpm: RequestsPerMinute = None,
    tpm: TokensPerMinute = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print calls, tokens and dollars of all pairs; ask nothing.")
    ] = False,
    quiet: Quiet = False,
    json_: Json = False,
) -> None:
    """Rank pictures of one prompt with few comparisons. Each is made in both orders.

    Example:

      semiosis rank "A vanitas for the age of the smartphone: everything glows, nothing lasts." *.png
      --model openai/gpt-5 --budget-usd 2

      semiosis rank "A vanitas for the age of the smartphone." pictures/ --model openai/gpt-5

      semiosis rank "Ukiyo-e woodblock, flat colours" paintings/ --content photo.png --model openai/gpt-5

    Of a folder, the pictures in it are ranked, and what is no picture is left out and said.

    The next pair is the one that tells most. It ends when the order is settled (each picture was compared
    with the next one), after --comparisons, or with the budget. Every reply is kept: add --resume to go on.

    Exit codes: 0 ranked; 2 bad input or setup; 3 the model cannot be asked, or a picture was left without a
    place since its comparisons failed; 4 the budget is spent; 130 interrupted.
    """
    check_prompt_first("rank", prompt, *pictures)
    if retry_failed and not resume:
        raise BadSetting("--retry-failed goes on with a ranking: add --resume.")
    goal = Goal(confidence, comparisons)
    conditions = Conditions(
        at_once=at_once, requests_per_minute=rpm, tokens_per_minute=tpm, budget_usd=budget_usd
    )
    entrants = Entrants.of(sign(prompt, reference, content), [_fetched(each) for each in pictures])
    if entrants.left_out:
        left_out = ", ".join(entrants.left_out)
        typer.echo(f"Left out, since they are no pictures: {plain(left_out)}.", err=True)
    options = {"graphs": graphs, "size": size, "rebuild": rebuild, "repeats": repeat}
    recipe = recipe_of(context, method, calls, **options)
    planned = judging(recipe.make())
    place = (name or default_name(entrants, planned), runs_folder(runs), resume)
    if dry_run:
        check_openable(entrants, planned, *place)
        _estimate(planned, entrants, comparisons, as_json=json_)
        return
    with open_run(entrants, planned, *place) as store:
        contest = start_contest(store, entrants, recipe, conditions, goal, retry_failed=retry_failed)
        ended = carry_out(
            contest.run(), stop=contest.stop, status=lambda: ranking_status(contest), quiet=quiet
        )
        ranking = contest.end(ended or STOPPED_AT_ONCE)
        failure = cause(store)
    _report(ranking, failure, as_json=json_)
    _leave(ranking)


def _fetched(source: str) -> object:
    """A URL is fetched; a path stays as typed, since it may be what tells two pictures apart."""
    return fetch(source) if is_url(source) else source


def _estimate(method: Method, entrants: Entrants, most: int | None, *, as_json: bool) -> None:
    """Of all pairs; in the best case each picture is compared with the next one, and that is all."""
    plan, _ = estimate(entrants, method, Conditions(limit=most))
    fewest, _ = estimate(entrants, method, Conditions(limit=min(plan.items, len(entrants.pictures) - 1)))
    least = {(stage.stage, stage.model): stage.least for stage in fewest.stages()}
    stages = [replace(stage, least=least.get((stage.stage, stage.model), Load())) for stage in plan.stages()]
    of = "all " if plan.items == entrants.pairs else ""
    title = f"{method.label}: {of}{plan.items:,} pairs of {len(entrants.pictures):,} pictures, at most"
    show_estimate(title, stages, as_json=as_json)


def ranking_status(contest: Contest) -> StatusLine:
    """Comparisons made, failures, who leads, how sure the closest two are, dollars."""
    ranking, progress = contest.ranking, contest.tally.progress
    parts = [f"{progress.settled - sum(progress.failed.values()):,} of {ranking.pairs:,} pairs compared"]
    if progress.failed:
        parts.append(f"failed: {counted(dict(sorted(progress.failed.items())))}")
    if ranking.standings and ranking.least_sure is not None:
        parts.append(f"{ranking.standings[0].name} leads")
        parts.append(f"the closest two are told apart at {percent(ranking.least_sure, 0)}")
    parts.append(dollars(progress.spent.cost_usd, progress.spent.unpriced))
    return StatusLine(progress.settled, ranking.pairs, plain(" · ".join(parts)))


def _report(ranking: Ranking, cause: FailedItem | None, *, as_json: bool) -> None:
    if as_json:
        print_json(ranking)
    else:
        print_tables(*ranking_tables(ranking))
    again = "--resume --retry-failed" if ranking.failures else "--resume"
    if ranking.ended in ("stopped", "budget", "unauthorised", "unreachable"):
        more = " and a larger --budget-usd" if ranking.ended == "budget" else ""
        hint = f"Add {again}{more} to go on. {ranking.message}"
    elif ranking.failures:
        why = f" The first that is {cause.reason}: {cause.message}" if cause else ""
        hint = f"Add {again} to ask again for what failed.{why}"
    elif ranking.ended in ("settled", "exhausted") and (ranking.least_sure or 1) < ranking.confidence:
        hint = "More votes a pair would tell more: --repeat, with a --temperature, under another --name."
    else:
        return
    print(plain(hint).rstrip(), file=sys.stderr)


def _leave(ranking: Ranking) -> None:
    if ranking.ended in exits.ENDINGS:
        raise typer.Exit(exits.ENDINGS[ranking.ended])
    if ranking.unranked and (ranking.failures or ranking.ended != "comparisons"):
        raise typer.Exit(exits.NO_RESULT)
