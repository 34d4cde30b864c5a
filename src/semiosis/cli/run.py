"""`semiosis run`: a method over thousands of items, estimated, capped, resumable."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .options import BaseUrl, Budget, Json, Model, Runs, Seed, Size, Temperature, Timeout

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..backbones.base import Backbone
    from ..core.item import Benchmark
    from ..methods.base import Method
    from ..runs.execute import Ended, Execution
    from ..runs.store import About, Store

# Items that go through the stages side by side: each stage of them is a batch.
BATCHED_AT_ONCE = 500

EXIT_BUDGET, EXIT_NO_RESULT, EXIT_INTERRUPTED = 4, 3, 130


def run(
    source: Annotated[
        str,
        typer.Argument(
            metavar="PAIRS_OR_BENCHMARK",
            help="A benchmark; a file of pairs (JSONL, CSV, Parquet); hf:owner/name; a folder of pictures.",
        ),
    ],
    model: Model = None,
    judge_model: Annotated[
        str | None, typer.Option(help="Another model for the verdict; --model then builds the graphs only.")
    ] = None,
    method: Annotated[
        str, typer.Option(help="semjudge, semjudge/root-only, direct, gap, or module:Class.")
    ] = "semjudge",
    graphs: Annotated[
        Literal["joint", "solo"], typer.Option(help="joint, or solo: one graph a picture, for all its pairs.")
    ] = "joint",
    size: Size = "standard",
    rebuild: Annotated[
        Literal["never", "per-order"], typer.Option(help="never, or per-order (a conversation each order).")
    ] = "never",
    orders: Annotated[Literal["both", "ab", "ba"], typer.Option(help="both, ab or ba.")] = "both",
    repeat: Annotated[int, typer.Option(min=1, max=99, help="Votes in each order.")] = 1,
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
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many items.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first bad row.")] = False,
    at_once: Annotated[
        int, typer.Option("--at-once", "-j", min=1, max=4096, help="Calls in flight at most.")
    ] = 16,
    rpm: Annotated[float | None, typer.Option(min=1, help="Requests a minute, at most.")] = None,
    tpm: Annotated[float | None, typer.Option(min=1, help="Tokens a minute, at most.")] = None,
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

    Exit codes: 0 done; 2 bad input or setup; 3 not one usable result; 4 the budget is spent; 130 interrupted.
    """
    import asyncio

    from ..backbones.pace import Pace
    from ..backbones.wrappers import Purse
    from ..core.errors import BadSetting
    from ..runs.batched import Batched
    from ..runs.execute import Equipment, Execution, survey
    from ..runs.journal import StoreJournal
    from ..runs.sources import Columns
    from .chosen import Models, recipe_of
    from .progress import surveying
    from .setting import runs_folder

    if retry_failed and not resume:
        raise BadSetting("--retry-failed goes on with a run: add --resume.")
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
        _estimate(planned, benchmark, limit, strict, as_json=json_)
        return
    with _opened(runs_folder(runs), _about(name, benchmark, planned), resume) as store:
        if retry_failed:
            store.retire_failed()
        purse = None if budget_usd is None else Purse(budget_usd, spent_usd=store.spent.cost_usd)
        pace = Pace(at_once=at_once, requests_per_minute=rpm, tokens_per_minute=tpm)

        def batched(backbone: "Backbone") -> Batched:
            return Batched(backbone, store, _tell(quiet))

        equipped = Equipment(StoreJournal(store), pace, purse, batched if batch else None)
        chosen = recipe.make(equipped.equip)
        with surveying(quiet) as on_item:
            found = survey(benchmark, store, limit=limit, strict=strict, on_item=on_item)
        store.begin(found.items)
        execution = Execution(
            store,
            benchmark,
            chosen,
            equipped.paces,
            at_once=BATCHED_AT_ONCE if batch else at_once,
            limit=limit,
            strict=strict,
        )
        execution.tally.items, execution.tally.bad_rows = found.items, found.bad_rows
        ended = asyncio.run(_executed(execution, chosen, quiet))
        store.end(ended.how)
        _report(store, ended, execution, as_json=json_)
    _leave(ended, execution)


def _tell(quiet: bool) -> "Callable[[str], None]":
    from .setting import console

    err = console(stderr=True)
    return lambda line: None if quiet else err.print(line)


def _benchmark(source: str, columns: Any, pictures: Path | None) -> "Benchmark":
    """A registered name, unless there is a file or a folder of that name."""
    from ..benchmarks.base import find, names
    from ..core.errors import UnknownName
    from ..runs.sources import open_pairs

    if source.startswith("hf:") or Path(source).exists():
        return open_pairs(source, columns, pictures=pictures)
    if source in names():
        return find(source)
    raise UnknownName(
        f"There is no file, folder or benchmark {source!r}; the benchmarks are {', '.join(names())}."
    )


def _estimate(
    method: "Method", benchmark: "Benchmark", limit: int | None, strict: bool, *, as_json: bool
) -> None:
    import sys

    from ..core.errors import BadRecord, InputError
    from ..core.item import BadRow
    from ..runs.execute import candidates
    from ..runs.plan import Plan
    from .estimate import show_estimate

    plan = Plan(method)
    bad: list[BadRow] = []
    for row in candidates(benchmark, limit):
        try:
            plan.add(row.make()) if not isinstance(row, BadRow) else bad.append(row)
        except InputError as error:
            bad.append(BadRow(row.where, str(error)))
        if bad and strict:
            raise BadRecord(f"{bad[0].where}: {bad[0].reason}")
    title = f"{method.label} on {benchmark.name}: {plan.items:,} items"
    show_estimate(title, plan.stages, as_json=as_json)
    if bad:
        print(f"{len(bad):,} bad rows left out; the first: {bad[0].where}: {bad[0].reason}", file=sys.stderr)


def _about(name: str | None, benchmark: "Benchmark", method: "Method") -> "About":
    from ..methods.base import package_version
    from ..runs.store import About

    configuration = method.configuration()
    model = str(configuration.get("judge") or configuration.get("builder") or "")
    parts = (Path(benchmark.name).stem, method.label, model.rpartition("/")[2])
    made = re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(part for part in parts if part)).strip("-.")
    return About(
        name=_checked_name(name) if name else made,
        benchmark=benchmark.name,
        method=method.label,
        method_version=method.version,
        package_version=package_version(),
        configuration=configuration,
    )


def _checked_name(name: str) -> str:
    from ..core.errors import BadSetting

    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise BadSetting(f"A run's name is letters, digits, dots, dashes and underscores, not {name!r}.")
    return name


def _opened(folder: Path, about: "About", resume: bool) -> "Store":
    from ..runs.store import SUFFIX, Store

    path = folder / f"{about.name}{SUFFIX}"
    if not resume:
        return Store.create(path, about)
    store = Store.resume(path)
    try:
        store.about.check_same(about)
    except BaseException:
        store.close()
        raise
    return store


async def _executed(execution: "Execution", method: "Method", quiet: bool) -> "Ended":
    import asyncio
    import signal
    from contextlib import suppress

    from ..runs.recipe import close
    from .progress import showing

    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    interrupts = 0

    def interrupted() -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts == 1:
            execution.stop()
        elif task is not None:
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, interrupted)
    try:
        async with showing(execution, quiet):
            return await execution.run()
    except asyncio.CancelledError:
        from ..runs.execute import Ended

        return Ended("stopped", "at once")
    finally:
        await close(method)


def _report(store: "Store", ended: "Ended", execution: "Execution", *, as_json: bool) -> None:
    import sys

    from ..runs.summary import summary
    from .runs import show_summary

    show_summary(summary(store), as_json=as_json)
    left = execution.tally.items - execution.tally.settled
    if ended.how != "done" and left > 0:
        why = {"stopped": "Stopped", "budget": "Stopped by the budget"}.get(ended.how, "Stopped")
        print(
            f"{why} with {left:,} items to go: add --resume to go on. {ended.message}".rstrip(),
            file=sys.stderr,
        )


def _leave(ended: "Ended", execution: "Execution") -> None:
    if ended.how == "stopped":
        raise typer.Exit(EXIT_INTERRUPTED)
    if ended.how == "budget":
        raise typer.Exit(EXIT_BUDGET)
    if not execution.tally.usable:
        raise typer.Exit(EXIT_NO_RESULT)
