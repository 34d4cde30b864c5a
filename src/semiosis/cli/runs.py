"""`semiosis runs`: what was run, how it stands, what came out."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from ..benchmarks.registry import BENCHMARKS
from ..console.options import Html, Runs
from ..console.places import run_file, runs_folder, writable
from ..console.results import Form, print_json, print_tables, show_outcome
from ..console.screen import console, waiting
from ..core.errors import BadSetting, StoreError, UnknownName
from ..core.item import BadRow, Summarises, SummarisesOutcomes
from ..core.table import Table
from ..core.text import plain
from ..reports.comparison_tables import comparison_tables, disagreements_table, summaries_table
from ..reports.run_tables import (
    bad_rows_table,
    doubtful_table,
    failures_table,
    log_tables,
    runs_table,
    summary_tables,
)
from ..runs import comparison, deletion, exports
from ..runs.comparison import Disagreement, RunComparison, disagreements
from ..runs.imports import import_run
from ..runs.inspect_logs import SUFFIX as LOG
from ..runs.inspect_logs import InspectLog, read_log
from ..runs.outcomes import outcomes, settled
from ..runs.run import checked_name
from ..runs.store import SUFFIX, Store
from ..runs.summary import DoubtfulVerdict, FailedItem, RunEntry, Summary, run_entry, summary
from ..runs.summary import bad_rows as rows_of
from ..runs.summary import coin_flips as coin_flips_of
from ..runs.summary import failures as failures_of
from ..runs.summary import flips as flips_of

COMMANDS = {
    "runs": "runs",
    "runs list": "list_",
    "runs show": "show",
    "runs compare": "compare",
    "runs export": "export",
    "runs import": "import_",
    "runs delete": "delete",
}

SHOWN = 100

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The run's name, or its .sqlite file.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


@dataclass(frozen=True)
class ComparedRuns(RunComparison):
    """`semiosis runs compare`. `disagreements` are there with --items."""

    disagreements: tuple[Disagreement, ...] | None = None


SCHEMAS = {
    "runs": (list[RunEntry], "runs list"),
    "failures": (list[FailedItem], "runs show --failures"),
    "bad-rows": (list[BadRow], "runs show --bad-rows"),
    "coin-flips": (list[DoubtfulVerdict], "runs show --coin-flips"),
    "flips": (list[DoubtfulVerdict], "runs show --flipped"),
    "log": (InspectLog, "runs show LOG.eval"),
    "comparison": (ComparedRuns, "runs compare"),
}


def runs(context: typer.Context) -> None:
    """Look at runs: list, show, compare, export and import them.

    Example:

      semiosis runs list

      semiosis runs show first --failures
    """
    if context.invoked_subcommand is None:
        list_(None, False)


def list_(runs: Runs = None, json_: AsJson = False) -> None:
    """List the runs, the latest first.

    Example:

      semiosis runs list
    """
    folder = runs_folder(runs)
    entries: list[RunEntry] = []
    unread: list[str] = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            with Store.look(path) as store:
                entries.append(run_entry(store))
        except StoreError as error:
            unread.append(str(error))
    entries.sort(key=lambda each: each.started_at or "", reverse=True)
    if json_:
        print_json(entries)
    elif entries:
        print_tables(runs_table(entries))
    else:
        console().print(plain(f"There are no runs in {folder}: `semiosis run` makes one."))
    for sentence in unread:
        console(stderr=True).print(plain(sentence))


def show(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            help="The run's name, its .sqlite file, or a .eval log of inspect_ai; several runs stand side by "
            "side.",
            show_default=False,
        ),
    ],
    failures: Annotated[bool, typer.Option("--failures", help="List what failed, and why.")] = False,
    bad_rows: Annotated[bool, typer.Option("--bad-rows", help="List the rows that are no items.")] = False,
    coin_flips: Annotated[
        bool, typer.Option("--coin-flips", help="List the verdicts that say they might as well be others.")
    ] = False,
    flipped: Annotated[
        bool,
        typer.Option("--flipped", help="List the verdicts that changed when the pictures changed places."),
    ] = False,
    item: Annotated[str | None, typer.Option(help="Print one item's outcome in full, by id or key.")] = None,
    html: Html = None,
    form: Annotated[
        Form, typer.Option("--format", help="Tables as terminal, markdown, latex or html.")
    ] = "terminal",
    runs: Runs = None,
    json_: AsJson = False,
) -> None:
    """Tell how a run stands and what came out; it may still be running.

    A run on a benchmark ends with that benchmark's own tables.

    Example:

      semiosis runs show first

      semiosis runs show first --format latex > tables.tex

      semiosis runs show first --item vanitas/1 --html why.html

      semiosis runs show both-direct both-artcot
    """
    if html is not None and item is None:
        raise BadSetting("--html writes the page of one item: name it with --item.")
    if len(names) > 1:
        if item or failures or bad_rows or coin_flips or flipped:
            raise BadSetting("Items are listed of one run: name one.")
        _show_together(names, runs, as_json=json_, form=form)
        return
    (name,) = names
    if name.endswith(LOG):
        _show_log(Path(name), as_json=json_)
        return
    with _looking(name, runs) as store:
        if item is not None:
            _show_item(store, item, html, as_json=json_)
        elif failures:
            _show_list(failures_of(store), failures_table, "No item failed.", as_json=json_)
        elif bad_rows:
            _show_list(rows_of(store), bad_rows_table, "Every row was an item.", as_json=json_)
        elif coin_flips:
            _show_list(coin_flips_of(store), doubtful_table, "No verdict is a coin flip.", as_json=json_)
        elif flipped:
            _show_list(flips_of(store), doubtful_table, "No verdict changed with the order.", as_json=json_)
        else:
            show_summary(summarised(store), as_json=json_, form=form)


def compare(
    first: Name,
    second: Annotated[
        str, typer.Argument(metavar="NAME", help="The other run's name or file.", show_default=False)
    ],
    items: Annotated[bool, typer.Option("--items", help="List the items they disagree on.")] = False,
    runs: Runs = None,
    json_: AsJson = False,
) -> None:
    """Compare two runs on the items both have settled.

    Example:

      semiosis runs compare first second --items
    """
    with _looking(first, runs) as one, _looking(second, runs) as two:
        compared = comparison.compare(one, two)
        if json_:
            apart = tuple(disagreements(one, two)) if items else None
            print_json(ComparedRuns(**vars(compared), disagreements=apart))
            return
        print_tables(*comparison_tables(compared))
        if items:
            table = partial(disagreements_table, compared)
            _show_list(disagreements(one, two), table, "They disagree on no item.", as_json=False)


def export(
    name: Name,
    to: Annotated[Path, typer.Option(help="The file to write: .jsonl or .parquet.")],
    runs: Runs = None,
) -> None:
    """Write a run as one file. A row is an item, with labels, outcome and the whole record.

    Example:

      semiosis runs export first --to first.jsonl
    """
    writable(to)
    with _looking(name, runs) as store, waiting(f"writing {to.name} ..."):
        count = exports.export(store, to)
    print(f"{to}: {count:,} rows", file=sys.stderr)


def import_(
    file: Annotated[Path, typer.Argument(help="What `runs export` wrote.", show_default=False)],
    name: Annotated[str, typer.Option(help="The new run's name.")],
    runs: Runs = None,
) -> None:
    """Make a run from an exported file.

    Example:

      semiosis runs import first.jsonl --name again
    """
    path = runs_folder(runs) / f"{checked_name(name)}{SUFFIX}"
    with waiting(f"reading {file.name} ..."):
        count = import_run(file, path)
    print(f"{name}: {count:,} items", file=sys.stderr)


def delete(
    name: Name,
    runs: Runs = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether to.")] = False,
) -> None:
    """Delete a run, and the pictures that no other run holds.

    Example:

      semiosis runs delete first
    """
    path = run_file(name, runs)
    with _looking(name, runs) as store:
        count = store.outcome_count
    if not yes:
        if not sys.stdin.isatty():
            raise BadSetting(f"{name} holds {count:,} outcomes: add --yes to delete it.")
        typer.confirm(f"Delete {path} with its {count:,} outcomes?", abort=True)
    removed = deletion.delete(path)
    spared = f"; pictures stay, since {removed.spared} may need them" if removed.spared else ""
    print(
        f"{path}: {removed.items:,} outcomes and {removed.pictures:,} pictures deleted, "
        f"{removed.bytes / 1e6:,.1f} MB{spared}",
        file=sys.stderr,
    )


@dataclass(frozen=True)
class BenchmarkedSummary(Summary):
    """A run's summary, and the `tables` of its benchmark's own measures."""

    tables: tuple[Table, ...] = ()


def summarised(store: Store) -> BenchmarkedSummary:
    """By what every run can be asked, and by its benchmark, where that is installed here."""
    sums = summary(store)
    tables: tuple[Table, ...] = ()
    if sums.about.benchmark and sums.counts.settled:
        tables = _benchmark_tables(sums.about.benchmark, store)
    return BenchmarkedSummary(**vars(sums), tables=tables)


def _benchmark_tables(name: str, store: Store) -> tuple[Table, ...]:
    """The name comes from a file: only what is registered is looked for, no module that it may name."""
    try:
        benchmark = BENCHMARKS.find(name)()
    except UnknownName:
        return ()
    tables: tuple[Table, ...] = ()
    if isinstance(benchmark, Summarises):
        tables += _checked_tables(name, lambda: benchmark.summarise(settled(store)))
    if isinstance(benchmark, SummarisesOutcomes):
        tables += _checked_tables(name, lambda: benchmark.summarise_outcomes(outcomes(store)))
    return tables


def _checked_tables(name: str, make: Callable[[], Iterable[Table]]) -> tuple[Table, ...]:
    try:
        return tuple(Table.model_validate(table) for table in make())
    except Exception as error:  # noqa: BLE001 - whatever a benchmark does, the run is paid for and shown
        why = f"{name} cannot sum this run up: {type(error).__name__}: {error}"
        return (Table.facts((), title=name, notes=(why,)),)


def show_summary(sums: BenchmarkedSummary, *, as_json: bool, form: Form = "terminal") -> None:
    if as_json:
        print_json(sums)
        return
    print_tables(*summary_tables(sums), *sums.tables, form=form)


def _show_together(names: Sequence[str], runs: Path | None, *, as_json: bool, form: Form) -> None:
    every: list[BenchmarkedSummary] = []
    for name in names:
        with _looking(name, runs) as store:
            every.append(summarised(store))
    show_summaries(every, as_json=as_json, form=form)


def show_summaries(
    every: Sequence[BenchmarkedSummary], *sentences: Table, as_json: bool, form: Form = "terminal"
) -> None:
    if as_json:
        print_json(every)
        return
    print_tables(summaries_table(every), *sentences, form=form)


def _looking(name: str, runs: Path | None) -> Store:
    return Store.look(run_file(name, runs))


def _show_item(store: Store, item: str, html: Path | None, *, as_json: bool) -> None:
    writable(html)
    rows = list(islice(outcomes(store, item=item, pictures=True), SHOWN))
    if not rows:
        raise UnknownName(f"The run {store.about.name} has no outcome for an item {item!r}.")
    if len(rows) > 1:
        keys = ", ".join(row.key for row, _ in rows[:3])
        raise BadSetting(f"{len(rows)} items have the id {item!r}: name one by its key, as in {keys}.")
    show_outcome(rows[0][1], html, as_json=as_json)


def _show_log(path: Path, *, as_json: bool) -> None:
    log = read_log(path)
    if as_json:
        print_json(log)
        return
    print_tables(*log_tables(path.name, log))


def _show_list(
    rows: Iterable[Any], table: Callable[[Sequence[Any]], Table], none: str, *, as_json: bool
) -> None:
    whole = list(rows)
    if as_json:
        print_json(whole)
        return
    more = [f"and {len(whole) - SHOWN:,} more: --json lists them all."] if len(whole) > SHOWN else []
    print_tables(table(whole[:SHOWN]) if whole else none, *more)
