"""`semiosis run`: a method over thousands of items, estimated, capped, resumable."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..core.settings import COUNT
from ..methods.settings import Graphs, Rebuild
from .options import (
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
    Size,
    Temperature,
    Timeout,
    TokensPerMinute,
    bounds,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.item import Benchmark
    from ..methods.base import Method
    from ..runs.conditions import Conditions
    from ..runs.execute import Ended, Session
    from ..runs.sources import Columns
    from ..runs.store import Store

EXIT_NO_RESULT = 3
EXITS = {"unauthorised": 3, "unreachable": 3, "budget": 4, "stopped": 130}


def run(
    source: Annotated[
        str,
        typer.Argument(
            metavar="PAIRS_OR_BENCHMARK",
            help="A benchmark; a file of pairs (JSONL, CSV, Parquet); hf:owner/name; a folder of pictures.",
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
    prompt_column: Annotated[str | None, typer.Option(help="The file's column of prompts.")] = None,
    a_column: Annotated[str | None, typer.Option(help="The file's column of first pictures.")] = None,
    b_column: Annotated[str | None, typer.Option(help="The file's column of second pictures.")] = None,
    winner_column: Annotated[str | None, typer.Option(help="The file's column of people's choices.")] = None,
    id_column: Annotated[str | None, typer.Option(help="The file's column of names of its rows.")] = None,
    pictures: Annotated[
        Path | None, typer.Option(help="Where the file's picture paths start, if not beside the file.")
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
    """Judge every item of a benchmark or a file of pairs, paying for each call once.

    Example:

      semiosis run pairs.jsonl --model gemini/gemini-3.1-flash-lite --dry-run

      semiosis run pairs.jsonl --model gemini/gemini-3.1-flash-lite --name first --budget-usd 5 -j 64

      semiosis run pairs.jsonl --model gemini/gemini-3.1-flash-lite --name first --resume --retry-failed

    Ctrl-C lets the calls in flight finish and leaves a run that can be resumed; a second one stops at once.

    Exit codes: 0 every item was asked about; 2 bad input or setup; 3 the model cannot be asked, or gave not
    one usable result; 4 the budget is spent; 130 interrupted.
    """
    from ..core.errors import BadSetting
    from ..runs.conditions import Conditions, begin
    from ..runs.conduct import made_name, opened
    from ..runs.execute import AT_ONCE
    from ..runs.sources import Columns
    from .chosen import Models, recipe_of
    from .progress import surveying, told
    from .session import carry_out
    from .setting import runs_folder

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
    benchmark = _benchmark(
        source, Columns(prompt_column, a_column, b_column, winner_column, id_column), pictures
    )
    wanted: dict[str, Any] = {
        "graphs": graphs,
        "size": size,
        "rebuild": rebuild,
        "orders": orders,
        "repeats": repeat,
        "temperature": temperature,
        "seed": seed,
    }
    recipe = recipe_of(method, Models(model, judge_model, base_url, timeout), **wanted)
    planned = recipe.make()
    if dry_run:
        _estimate(planned, benchmark, conditions, as_json=json_)
        return
    chosen_name = name or made_name(benchmark, planned)
    with opened(benchmark, planned, chosen_name, runs_folder(runs), resume) as store:
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
        came = carry_out(
            session.run(), stop=session.stop, shown=lambda: told(session.tally.standing), quiet=quiet
        )
        ended = came or AT_ONCE
        store.end(ended.how, session.tally.items)
        _report(store, ended, session, as_json=json_)
    _leave(ended, session)


def _tell(quiet: bool) -> "Callable[[str], None]":
    from ..reports.terminal import plain
    from .setting import console

    err = console(stderr=True)
    return lambda line: None if quiet else err.print(plain(line))


def _benchmark(source: str, columns: "Columns", pictures: Path | None) -> "Benchmark":
    """A registered name, unless there is a file or a folder of that name."""
    from ..benchmarks.base import find, names
    from ..core.errors import BadSetting, UnknownName
    from ..runs.sources import Columns, open_pairs

    if source in names() and not Path(source).exists():
        if columns != Columns() or pictures:
            raise BadSetting(f"The benchmark {source} has its own columns and pictures: name none.")
        return find(source)
    if source.startswith("hf:") or any(mark in source for mark in "*?[") or Path(source).exists():
        return open_pairs(source, columns, pictures=pictures)
    raise UnknownName(
        f"There is no file, folder or benchmark {source!r}; the benchmarks are {', '.join(names())}."
    )


def _estimate(method: "Method", benchmark: "Benchmark", conditions: "Conditions", *, as_json: bool) -> None:
    import sys

    from ..reports.terminal import plain
    from ..runs.conduct import estimate
    from .estimate import show_estimate

    plan, bad = estimate(benchmark, method, conditions)
    show_estimate(f"{method.label} on {benchmark.name}: {plan.items:,} items", plan.stages, as_json=as_json)
    print(f"The first prompt: {plain(plan.first_prompt)[:100]}", file=sys.stderr)
    if bad:
        print(f"{len(bad):,} bad rows left out; the first: {bad[0].where}: {bad[0].reason}", file=sys.stderr)


def _report(store: "Store", ended: "Ended", session: "Session", *, as_json: bool) -> None:
    import sys

    from ..reports.terminal import plain
    from ..runs.summary import summary
    from .runs import show_summary

    show_summary(summary(store), as_json=as_json)
    left = session.tally.items - session.tally.settled
    if ended.how != "done" and left > 0:
        by = " by the budget" if ended.how == "budget" else ""
        more = " and a larger --budget-usd" if ended.how == "budget" else ""
        told = f"Stopped{by} with {left:,} items to go: add --resume{more} to go on. {ended.message}"
        print(plain(told).rstrip(), file=sys.stderr)
    elif session.tally.failed:
        failed = sum(session.tally.failed.values())
        print(f"{failed:,} failed: --resume --retry-failed asks for them again.", file=sys.stderr)


def _leave(ended: "Ended", session: "Session") -> None:
    if ended.how in EXITS:
        raise typer.Exit(EXITS[ended.how])
    if session.tally.items and not session.tally.usable:
        raise typer.Exit(EXIT_NO_RESULT)
