"""`semiosis run`: a method over thousands of items, estimated, capped, resumable."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..benchmarks.registry import find, names
from ..console.estimate import Estimated, show_estimate
from ..console.gates import Gates
from ..console.interrupts import carry_out
from ..console.options import (
    AtOnce,
    BaseUrl,
    Budget,
    Json,
    JudgeModel,
    MethodName,
    Model,
    Orders,
    Repeat,
    RequestsPerMinute,
    Runs,
    Seed,
    Set,
    Size,
    Temperature,
    Timeout,
    TokensPerMinute,
    bounds,
)
from ..console.places import runs_folder
from ..console.progress import run_status, surveying
from ..console.recipes import Models, recipe_of, settings_of
from ..console.screen import console
from ..core.errors import BadSetting, UnknownName, did_you_mean
from ..core.item import Benchmark, LabelsBy
from ..core.settings import COUNT
from ..core.text import plain
from ..methods.contract import Method
from ..methods.semjudge.settings import Graphs, Rebuild
from ..runs.asking import STOPPED_AT_ONCE
from ..runs.conditions import Conditions, begin
from ..runs.execution import check_usable
from ..runs.run import check_labelled, check_openable, estimate, made_name, opened
from ..runs.summary import cause
from ..sources import Columns, open_items
from .runs import BenchmarkedSummary, show_summary, summarised

COMMANDS = {"run": "run"}
SCHEMAS = {
    "summary": (BenchmarkedSummary, "run; runs show"),
    "estimate": (list[Estimated], "--dry-run of judge, rank, run and build"),
}


def run(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="ITEMS_OR_BENCHMARK",
            help="A benchmark; a file of pairs, ratings or questions (JSONL, JSON, CSV, Parquet); "
            "hf:owner/name; a folder of pictures.",
        ),
    ],
    model: Model = None,
    judge_model: JudgeModel = None,
    method: MethodName = "semjudge",
    graphs: Annotated[
        Graphs, typer.Option(help="joint, or solo: one graph a picture, for all its pairs.")
    ] = "joint",
    size: Size = "standard",
    rebuild: Annotated[
        Rebuild, typer.Option(help="never, or per-order (a conversation each order).")
    ] = "never",
    orders: Orders = "both",
    repeat: Repeat = 1,
    base_url: BaseUrl = None,
    timeout: Timeout = 120.0,
    temperature: Temperature = 0.0,
    seed: Seed = None,
    set_: Set = None,
    name: Annotated[str | None, typer.Option(help="The run's name; made from its parts if left out.")] = None,
    runs: Runs = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run of that name.")] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="With --resume: ask again what ended in a failure.")
    ] = False,
    limit: Annotated[int | None, typer.Option(**bounds(COUNT), help="Only the first so many items.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first bad row.")] = False,
    at_once: AtOnce = 16,
    rpm: RequestsPerMinute = None,
    tpm: TokensPerMinute = None,
    budget_usd: Budget = None,
    max_failures: Annotated[
        int | None,
        typer.Option(min=0, help="Exit 3 when more items failed than this; than half of them if left out."),
    ] = None,
    min_agreement: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Exit 1 when fewer labelled pairs are judged as labelled (a share)."),
    ] = None,
    prompt_column: Annotated[str | None, typer.Option(help="The file's column of prompts.")] = None,
    a_column: Annotated[str | None, typer.Option(help="The file's column of first pictures.")] = None,
    b_column: Annotated[str | None, typer.Option(help="The file's column of second pictures.")] = None,
    winner_column: Annotated[str | None, typer.Option(help="The file's column of winners.")] = None,
    id_column: Annotated[str | None, typer.Option(help="The file's column of names of its rows.")] = None,
    picture_column: Annotated[str | None, typer.Option(help="Its column of pictures, one a row.")] = None,
    score_column: Annotated[str | None, typer.Option(help="Its column of ratings.")] = None,
    question_column: Annotated[str | None, typer.Option(help="Its column of questions.")] = None,
    choices_column: Annotated[str | None, typer.Option(help="Its column of choices.")] = None,
    answer_column: Annotated[str | None, typer.Option(help="Its column of right answers.")] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where the file's picture paths start, if not beside the file."),
    ] = None,
    labels_by: Annotated[
        Literal["people", "makers", "unknown"] | None,
        typer.Option(help="Who gave the file's labels: people, makers, or unknown.", show_default=False),
    ] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="By the provider's batch API: half the price, within a day.")
    ] = False,
    engine: Annotated[
        Literal["here", "ray"], typer.Option(help="here, or ray: on a cluster (extra `ray`).")
    ] = "here",
    address: Annotated[
        str | None, typer.Option(help="With --engine ray: the cluster; auto for the one of this node.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print calls, tokens and dollars; ask nothing.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    json_: Json = False,
) -> None:
    """Run a method on a benchmark or a file, each call paid for once.

    Example:

      semiosis run pairs.jsonl --model gemini/gemini-3.1-flash-lite --dry-run

      semiosis run pairs.jsonl --model gemini/gemini-3.1-flash-lite --name first --budget-usd 5 -j 64

      semiosis run pairs.jsonl --model gemini/gemini-3.1-flash-lite --name first --resume --retry-failed

      semiosis run ratings.csv --method gap --model gemini/gemini-3.1-flash-lite

    Ctrl-C lets the calls in flight finish and leaves a run that can be resumed; a second one stops at once.

    Exit codes: 0 every item was asked about; 1 agreement below --min-agreement; 2 bad input or setup; 3 the
    model cannot be asked, or more items failed than --max-failures (half of them, unless said); 4 the budget
    is spent; 130 interrupted.
    """
    if retry_failed and not resume:
        raise BadSetting("--retry-failed goes on with a run: add --resume.")
    conditions = Conditions(
        at_once=at_once,
        requests_per_minute=rpm,
        tokens_per_minute=tpm,
        budget_usd=budget_usd,
        limit=limit,
        strict=strict,
        batch=batch,
        engine=engine,
        address=address,
    )
    columns = Columns(
        prompt=prompt_column,
        a=a_column,
        b=b_column,
        winner=winner_column,
        id=id_column,
        picture=picture_column,
        score=score_column,
        question=question_column,
        choices=choices_column,
        answer=answer_column,
    )
    benchmark = _benchmark(source, columns, pictures, labels_by)
    settings = settings_of(
        context,
        method,
        set_,
        graphs=graphs,
        size=size,
        rebuild=rebuild,
        orders=orders,
        repeats=repeat,
        temperature=temperature,
        seed=seed,
    )
    recipe = recipe_of(method, Models(model, judge_model, base_url, timeout), settings)
    planned = recipe.make()
    if min_agreement is not None:
        check_labelled(benchmark, limit)
    place = (name or made_name(benchmark, planned), runs_folder(runs), resume)
    if dry_run:
        check_openable(benchmark, planned, *place)
        _estimate(planned, benchmark, conditions, as_json=json_)
        return
    with opened(benchmark, planned, *place) as store:
        with surveying(quiet) as on_item:
            session = begin(
                store,
                benchmark,
                recipe,
                conditions,
                retry_failed=retry_failed,
                tell=_tell(quiet),
                on_item=on_item,
            )
        work, tally = session.run(), session.tally
        end = carry_out(work, stop=session.stop, status=lambda: run_status(tally.standing), quiet=quiet)
        ended = end or STOPPED_AT_ONCE
        store.end(ended.how, session.tally.items)
        check_usable(benchmark, session.tally.items, session.refused)
        sums, failure = summarised(store), cause(store)
    show_summary(sums, as_json=json_)
    Gates(max_failures, min_agreement).leave(sums, ended, failure)


def _tell(quiet: bool) -> Callable[[str], None]:
    err = console(stderr=True)
    return lambda line: None if quiet else err.print(plain(line))


def _benchmark(source: str, columns: Columns, pictures: Path | None, labels_by: LabelsBy | None) -> Benchmark:
    """A registered name or module:name, unless there is a file or a folder of that name."""
    is_place = ":" in source and not source.startswith("hf:")
    if (source in names() or is_place) and not Path(source).exists():
        if columns != Columns() or pictures or labels_by:
            raise BadSetting(f"The benchmark {source} has its own columns, pictures and labels: name none.")
        return find(source)
    if source.startswith("hf:") or any(mark in source for mark in "*?[") or Path(source).exists():
        return open_items(source, columns, pictures=pictures, labels_by=labels_by or "unknown")
    raise UnknownName(
        f"There is no file, folder or benchmark {source!r}{did_you_mean(source, names())}; "
        f"the benchmarks are {', '.join(names())}."
    )


def _estimate(method: Method, benchmark: Benchmark, conditions: Conditions, *, as_json: bool) -> None:
    plan, bad = estimate(benchmark, method, conditions)
    show_estimate(f"{method.label} on {benchmark.name}: {plan.items:,} items", plan.stages, as_json=as_json)
    print(f"The first prompt: {plain(plan.first_prompt)[:100]}", file=sys.stderr)
    if bad:
        print(f"{len(bad):,} bad rows left out; the first: {bad[0].where}: {bad[0].reason}", file=sys.stderr)
