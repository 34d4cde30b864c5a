"""`semiosis run`: a method over thousands of items, estimated, capped, resumable."""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..benchmarks.registry import find, names
from ..console.estimate import Estimated, show_estimate
from ..console.gates import Gates
from ..console.interrupts import carry_out
from ..console.options import (
    CallOptions,
    DryRun,
    Graphs,
    Json,
    MethodOptions,
    Orders,
    PaceOptions,
    Quiet,
    Rebuild,
    Repeat,
    RetryFailed,
    Runs,
    Size,
    bounds,
)
from ..console.places import runs_folder
from ..console.progress import run_status, surveying
from ..console.recipes import recipe_of
from ..console.screen import console
from ..core.errors import BadSetting, UnknownName, did_you_mean
from ..core.item import BadRow, Benchmark
from ..core.settings import COUNT, SIDE
from ..core.text import plain
from ..methods.contract import Method
from ..runs.asking import STOPPED_AT_ONCE
from ..runs.execution import check_usable
from ..runs.plan import Plan
from ..runs.run import check_labelled, check_openable, default_name, estimate, open_run, start_session
from ..runs.store import SUFFIX, Store
from ..runs.summary import cause
from ..sources import Columns, open_items
from ..sources.scaling import Scaled
from .runs import BenchmarkedSummary, show_summary, summarised

COMMANDS = {"run": "run"}
SCHEMAS = {
    "summary": (BenchmarkedSummary, "run; runs show"),
    "estimate": (list[Estimated], "--dry-run of judge, rank, run and build"),
}


@dataclass(frozen=True)
class RowOptions:
    """How a file's rows are read, where that is not as usual."""

    prompt_column: Annotated[str | None, typer.Option(help="The file's column of prompts.")] = None
    a_column: Annotated[str | None, typer.Option(help="The file's column of first pictures.")] = None
    b_column: Annotated[str | None, typer.Option(help="The file's column of second pictures.")] = None
    winner_column: Annotated[str | None, typer.Option(help="The file's column of winners.")] = None
    id_column: Annotated[str | None, typer.Option(help="The file's column of names of its rows.")] = None
    picture_column: Annotated[str | None, typer.Option(help="Its column of pictures, one a row.")] = None
    score_column: Annotated[str | None, typer.Option(help="Its column of ratings.")] = None
    question_column: Annotated[str | None, typer.Option(help="Its column of questions.")] = None
    choices_column: Annotated[str | None, typer.Option(help="Its column of choices.")] = None
    answer_column: Annotated[str | None, typer.Option(help="Its column of right answers.")] = None
    pictures: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where the file's picture paths start, if not beside the file."),
    ] = None
    labels_by: Annotated[
        Literal["people", "makers", "unknown"] | None,
        typer.Option(help="Who gave the file's labels: people, makers, or unknown.", show_default=False),
    ] = None

    @property
    def columns(self) -> Columns:
        return Columns(**{each.name: getattr(self, f"{each.name}_column") for each in fields(Columns)})


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
    *,
    method: MethodOptions,
    graphs: Graphs = "joint",
    size: Size = "standard",
    rebuild: Rebuild = "never",
    orders: Orders = "both",
    repeat: Repeat = 1,
    calls: CallOptions,
    name: Annotated[str | None, typer.Option(help="The run's name; made from its parts if left out.")] = None,
    runs: Runs = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run of that name.")] = False,
    retry_failed: RetryFailed = False,
    limit: Annotated[int | None, typer.Option(**bounds(COUNT), help="Only the first so many items.")] = None,
    scale: Annotated[
        int | None,
        typer.Option(**bounds(SIDE), help="Bring every picture to so many pixels on its longer side."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first bad row.")] = False,
    pace: PaceOptions,
    gates: Gates,
    rows: RowOptions,
    batch: Annotated[
        bool, typer.Option("--batch", help="By the provider's batch API: half the price, within a day.")
    ] = False,
    engine: Annotated[
        Literal["here", "ray"], typer.Option(help="here, or ray: on a cluster (extra `ray`).")
    ] = "here",
    address: Annotated[
        str | None, typer.Option(help="With --engine ray: the cluster; auto for the one of this node.")
    ] = None,
    dry_run: DryRun = False,
    quiet: Quiet = False,
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
    conditions = pace.conditions(limit=limit, strict=strict, batch=batch, engine=engine, address=address)
    supplier = _benchmark(source, rows)
    benchmark = supplier if scale is None else Scaled(supplier, scale)
    options = {"graphs": graphs, "size": size, "rebuild": rebuild, "orders": orders, "repeats": repeat}
    recipe = recipe_of(context, method, calls, **options)
    planned = recipe.make()
    if gates.min_agreement is not None:
        check_labelled(benchmark, limit)
    place = (name or default_name(benchmark, planned), runs_folder(runs), resume)
    if dry_run:
        check_openable(benchmark, planned, *place)
        with (
            Store.look(place[1] / f"{place[0]}{SUFFIX}", as_it_is=True) if resume else nullcontext() as store
        ):
            plan, bad = estimate(benchmark, planned, conditions, store, retry_failed=retry_failed)
        _show_estimate(f"{planned.label} on {benchmark.name}", plan, bad, goes_on=resume, as_json=json_)
        return
    with open_run(benchmark, planned, *place) as store:
        with surveying(quiet) as on_item:
            session = start_session(
                store,
                benchmark,
                recipe,
                conditions,
                retry_failed=retry_failed,
                tell=_tell(quiet),
                on_item=on_item,
            )
        work, tally = session.run(), session.tally
        end = carry_out(work, stop=session.stop, status=lambda: run_status(tally.progress), quiet=quiet)
        ended = end or STOPPED_AT_ONCE
        store.end(ended.how, session.tally.items)
        check_usable(benchmark, session.tally.items, session.refused)
        sums, failure = summarised(store), cause(store)
    show_summary(sums, as_json=json_)
    gates.leave(sums, ended, failure)


def _tell(quiet: bool) -> Callable[[str], None]:
    err = console(stderr=True)
    return lambda line: None if quiet else err.print(plain(line))


def _benchmark(source: str, rows: RowOptions) -> Benchmark:
    """A registered name or module:name, unless there is a file or a folder of that name."""
    is_place = ":" in source and not source.startswith("hf:")
    if (source in names() or is_place) and not Path(source).exists():
        if rows != RowOptions():
            raise BadSetting(f"The benchmark {source} has its own columns, pictures and labels: name none.")
        return find(source)
    if source.startswith("hf:") or any(mark in source for mark in "*?[") or Path(source).exists():
        return open_items(source, rows.columns, pictures=rows.pictures, labels_by=rows.labels_by or "unknown")
    raise UnknownName(
        f"There is no file, folder or benchmark {source!r}{did_you_mean(source, names())}; "
        f"the benchmarks are {', '.join(names())}."
    )


def _show_estimate(
    title: str, plan: Plan[Method], bad: list[BadRow], *, goes_on: bool, as_json: bool
) -> None:
    items = f"{plan.items:,} items{' to go on with' if goes_on else ''}"
    show_estimate(f"{title}: {items}", plan.stages(), as_json=as_json)
    if plan.first_prompt:
        print(f"The first prompt: {plain(plan.first_prompt)[:100]}", file=sys.stderr)
    if bad:
        print(f"{len(bad):,} bad rows left out; the first: {bad[0].where}: {bad[0].reason}", file=sys.stderr)
