"""`semiosis stylebench`: what people chose on FineArtBench, and how far judges choose alike."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ...building.alignment import Predictions
from ...building.filters import CyclicGroups, Rule, SmallGroups, Undecided
from ...console.options import Runs
from ...console.places import run_file, writable
from ...console.results import by_options, check_drawable, print_json, print_tables, say_drawn
from ...core.errors import BadSetting, NoFit
from ...reports.breakdown_plot import MOST_JUDGES
from ...reports.plots import save_ratings
from .annotations import first_annotated, kind_of, load, load_others
from .figure import save_figure
from .people import People, summarise
from .predictions import read
from .scorecard import ScoredJudges, breakdowns
from .scorecard import score as score_judges
from .tables import attributes_table, file_title, people_tables, scores_tables
from .tasks import draw, write

COMMANDS = {
    "stylebench": "stylebench",
    "stylebench people": "people",
    "stylebench score": "score",
    "stylebench sample": "sample",
}
SCHEMAS = {"people": (People, "stylebench people"), "scorecards": (ScoredJudges, "stylebench score")}

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="FineArtBench's folder, one file of annotations, or hf:owner/name.",
        show_default=False,
    ),
]
Kind = Annotated[
    Literal["global", "instance"],
    typer.Option(help="global rows cover many contents; instance rows rank the results of each."),
]
Edition = Annotated[
    Literal["extended", "paper"],
    typer.Option(help="extended holds about 40% more annotations; paper is what the paper used."),
]
Arcs = Annotated[
    Literal["one-pass", "exact"],
    typer.Option(help="How contradictions within a group are counted: as the authors did, or the fewest."),
]
First = Annotated[int | None, typer.Option(min=1, help="Only the first so many annotated rows.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


def stylebench(context: typer.Context) -> None:
    """Rank stylised pictures by people's choices, and score judges.

    By the data of MM-StyleBench, which is published as FineArtBench.

    Example:

      semiosis stylebench people FineArtBench

      semiosis stylebench score FineArtBench --judge first
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


def people(
    data: Data,
    kind: Kind = "global",
    edition: Edition = "extended",
    first: First = None,
    arcs: Arcs = "one-pass",
    prior: Annotated[
        float, typer.Option(min=0, help="Precision of a normal prior on Bradley-Terry scores, for few rows.")
    ] = 0.0,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the Bradley-Terry ranking: .svg, .png or .pdf.")
    ] = None,
    json_: AsJson = False,
) -> None:
    """Rank the methods by people's choices; say what each filter drops.

    Example:

      semiosis stylebench people FineArtBench --kind instance --edition paper --first 1000
    """
    check_drawable(plot)
    rows = load(data, kind, edition=edition)
    some = first_annotated(rows, first) if first else rows
    try:
        sums = summarise(some, _rules(arcs), prior=prior)
    except NoFit as error:
        raise NoFit(by_options(str(error))) from None
    if json_:
        print_json(sums)
    else:
        print_tables(*people_tables(data, kind, edition, sums))
    if plot is not None:
        say_drawn(save_ratings(sums.rankings.bradley_terry, plot, note="95% intervals: Wald."))


def score(
    data: Data,
    judge: Annotated[
        list[str],
        typer.Option(
            metavar="[NAME=]FILE_OR_RUN",
            help="A judge and what it said: a run, by name or its .sqlite; the authors' JSON, CSV or JSONL "
            "with id and winner. May be repeated.",
            show_default=False,
        ),
    ],
    base: Annotated[
        str | None, typer.Option(help="The judge that the others' improvements are over, as in table II.")
    ] = None,
    kind: Kind = "global",
    edition: Edition = "extended",
    first: First = None,
    arcs: Arcs = "one-pass",
    by_attribute: Annotated[
        bool,
        typer.Option("--by-attribute", help="Per-instance rho by content and style, as figure 3 has it."),
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="With --by-attribute: draw figure 3, as .svg, .png or .pdf.")
    ] = None,
    runs: Runs = None,
    json_: AsJson = False,
) -> None:
    """Score judges against people, beside one that always says a.

    Example:

      semiosis stylebench score FineArtBench --judge artcot=artcot.json --judge base=base.csv --base base

      semiosis stylebench score FineArtBench --judge ii-artcot --judge ii-direct-base --base ii-direct-base

      semiosis stylebench score FineArtBench --kind instance --judge artcot=artcot.json --by-attribute
      --plot figure3.svg

    With --first 1000, as the authors' script; its own scores, "as the authors", look at no more unless told.
    A row the judge failed on is counted and never scored. Winners are spelled as in `semiosis stats rate`.
    Ids of global and instance rows coincide: a file that names no methods says its `kind` in a column, unless
    its ids tell.
    """
    check_drawable(plot)
    if plot is not None and not by_attribute:
        raise BadSetting("--plot draws scores by attribute: add --by-attribute.")
    if plot is not None and len(judge) > MOST_JUDGES:
        raise BadSetting(f"A plot tells {MOST_JUDGES} judges apart, not {len(judge)}: name fewer.")
    rows = load(data, kind, edition=edition)
    scored = kind_of(data, kind)
    others = load_others(data, scored, edition=edition) if scored else ()
    judges: dict[str, Predictions] = {}
    for each in judge:
        name, file = _judge(each, judges, runs)
        judges[name] = read(file, rows, kind=scored, others=others)
    cards = score_judges(rows, judges, rules=_rules(arcs), first=first, base=base)
    parts = breakdowns(cards, data) if by_attribute else {}
    title = file_title(data, kind, edition)
    if json_:
        print_json(ScoredJudges(**dict(cards), by_attribute=parts if by_attribute else None))
    else:
        by_part = (attributes_table(name, part) for name, part in parts.items())
        print_tables(*scores_tables(title, cards), *by_part)
    if plot is not None:
        say_drawn(save_figure(cards, parts, plot, of=title))


def sample(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A folder laid out as FineArtBench is.")],
    to: Annotated[Path, typer.Option("--to", help="The JSON file of tasks to write.", show_default=False)],
    kind: Kind = "global",
    tasks: Annotated[
        int, typer.Option(min=1, help="global: how many; instance: for how many contents and styles.")
    ] = 250,
    pairs: Annotated[
        int | None,
        typer.Option(min=1, help="instance: comparisons for each; k log k of k methods unless said."),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="A method to compare; all that have a folder of pictures without."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed draws the same tasks.")] = 0,
) -> None:
    """Draw forced choices for a study of one's own. A coin decides who stands left.

    Example:

      semiosis stylebench sample FineArtBench --kind instance --tasks 50 --to tasks.json
    """
    writable(to)
    drawn = draw(Path(data), kind, tasks, pairs=pairs, methods=method, seed=seed)
    write(drawn, to)
    print(f"{len(drawn):,} tasks in {to}; fill in `winner` with left or right.")


def _rules(arcs: Literal["one-pass", "exact"]) -> tuple[Rule, ...]:
    return Undecided(), SmallGroups(), CyclicGroups(method=arcs)


def _judge(option: str, judges: dict[str, Predictions], runs: Path | None) -> tuple[str, str]:
    """What it is called, its file's own name unless said, and its file."""
    called, equals, file = option.partition("=")
    if not equals:
        called, file = option, option
    if not called or not file:
        raise BadSetting(f"--judge is a run, or a name and a file as in artcot=artcot.json, not {option!r}.")
    run, is_file = run_file(file, runs), Path(file).exists()
    # What is neither is a run's name where it has no ending, and is told as that.
    is_run = not is_file and (run.exists() or not Path(file).suffix)
    if not (equals or is_run):
        called = Path(file).stem
    if called in judges:
        raise BadSetting(f"Two judges are called {called}: give one of them another name.")
    return called, str(run) if is_run else file
