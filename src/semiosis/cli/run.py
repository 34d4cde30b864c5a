"""`semiosis run`: a method over thousands of items, estimated, capped, resumable."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..benchmarks.registry import find, names
from ..console.estimate import Estimated, EstimatedOfMethod
from ..console.gates import Gates
from ..console.options import (
    CallOptions,
    DryRun,
    Graphs,
    Json,
    MethodsOptions,
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
from ..console.recipes import recipes_of
from ..core.errors import BadSetting, UnknownName, did_you_mean
from ..core.item import Benchmark
from ..core.settings import COUNT, SIDE
from ..core.table import Table
from ..methods.recipe import Recipe
from ..runs.run import check_labelled
from ..sources import Columns, open_items
from ..sources.scaling import Scaled
from .orders import RunOrder, carried_out, carried_out_together, estimated, estimated_together
from .runs import BenchmarkedSummary, show_summaries, show_summary

COMMANDS = {"run": "run"}
SCHEMAS = {
    "summary": (BenchmarkedSummary, "run; runs show"),
    "summaries": (list[BenchmarkedSummary], "run of several methods; runs show of several runs"),
    "estimate": (list[Estimated], "--dry-run of judge, rank, run and build"),
    "estimates": (list[EstimatedOfMethod], "--dry-run of run, of several methods"),
}


@dataclass(frozen=True)
class RowOptions:
    """How a file's rows are read, where that is not as usual."""

    prompt_column: Annotated[str | None, typer.Option(help="The file's column of prompts.")] = None
    style_column: Annotated[
        str | None, typer.Option(help="The file's column of styles, where a content was painted in one.")
    ] = None
    content_column: Annotated[str | None, typer.Option(help="Its column of the pictures so painted.")] = None
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
    methods: MethodsOptions,
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

      semiosis run pairs.jsonl --method direct --method artcot --model openai/gpt-5 --name both

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
    order = RunOrder(
        benchmark,
        conditions,
        runs_folder(runs),
        name=name,
        resume=resume,
        retry_failed=retry_failed,
        quiet=quiet,
    )
    options = {"graphs": graphs, "size": size, "rebuild": rebuild, "orders": orders, "repeats": repeat}
    recipes = recipes_of(context, methods, calls, **options)
    if gates.min_agreement is not None:
        check_labelled(benchmark, limit)
    if len(recipes) > 1:
        _run_together(order, recipes, gates, dry_run=dry_run, as_json=json_)
    elif dry_run:
        estimated(order, recipes[0], as_json=json_)
    else:
        result = carried_out(order, recipes[0])
        show_summary(result.summary, as_json=json_)
        gates.leave(*result)


def _run_together(
    order: RunOrder, recipes: Sequence[Recipe], gates: Gates, *, dry_run: bool, as_json: bool
) -> None:
    if dry_run:
        estimated_together(order, recipes, as_json=as_json)
        return
    results = carried_out_together(order, recipes)
    summaries = [result.summary for result in results]
    show_summaries(summaries, _ways_on([each.about.name for each in summaries]), as_json=as_json)
    gates.leave_all(results)


def _ways_on(runs: Sequence[str]) -> Table:
    """How to see one of them, and two."""
    return Table.facts(
        (
            ("one of them", f"semiosis runs show {runs[0]}"),
            ("all again", f"semiosis runs show {' '.join(runs)}"),
            ("two, tested", f"semiosis runs compare {runs[0]} {runs[1]}"),
        )
    )


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
