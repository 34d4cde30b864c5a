"""`semiosis stats`: ratings, agreement, correlation and certainty of any table, with intervals."""

import csv
from pathlib import Path
from typing import Annotated, Literal, Self

import typer

from ..console.results import by_options, check_drawable, print_json, print_tables, say_drawn
from ..console.screen import waiting
from ..core.errors import BadData, BadSetting, NoFit
from ..core.item import BadRow
from ..core.value import Value
from ..reports.certainty_plot import save_certainty
from ..reports.measures import Agreement, ColumnCorrelation, Correlated, agreement, correlated, matrix
from ..reports.plots import save_ratings, save_scatter, save_triangle
from ..reports.stats_tables import (
    agreement_tables,
    certainty_tables,
    correlation_tables,
    matrix_tables,
    ratings_tables,
)
from ..sources.certainties import CertaintyColumns, certainties
from ..sources.table import RowTally, long_ratings, numbers, open_table, ratings
from ..sources.votes import At, Votes, read_votes
from ..stats.certainty import ByCertainty, by_certainty
from ..stats.ratings import Ratings, bootstrap_ratings, bradley_terry, elo

COMMANDS = {
    "stats": "stats",
    "stats rate": "rate",
    "stats agree": "agree",
    "stats correlate": "correlate",
    "stats certainty": "certainty",
}

RESAMPLES = 1000

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help=".csv, .tsv, .jsonl, .json (also .gz), .parquet or hf:owner/name.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
Plot = Annotated[Path | None, typer.Option(help="Draw it to this file: .svg, .png or .pdf.")]
Seed = Annotated[int, typer.Option(min=0, help="Of the resamples.")]

BAD_ROWS_SHOWN = 100

FitSettings = dict[str, bool | int | float]


class Dropped(Value):
    """Rows that were left out, and why."""

    why: str
    rows: int


class ReadFile(Value):
    """A table, and what of it could not be used."""

    file: str
    rows: int
    dropped: tuple[Dropped, ...]
    bad_rows: int
    first_bad_rows: tuple[BadRow, ...]

    @classmethod
    def of(cls, file: str, read: RowTally) -> Self:
        return cls(
            file=file,
            rows=read.rows,
            dropped=tuple(Dropped(why=why, rows=rows) for why, rows in read.dropped.items()),
            bad_rows=len(read.bad),
            first_bad_rows=read.bad[:BAD_ROWS_SHOWN],
        )


class RatedFile(ReadFile, Ratings):
    """`semiosis stats rate`. `columns` says which of the file's hold what, `intervals` how they were made."""

    columns: dict[str, str]
    settings: FitSettings
    intervals: str | None


class AgreedFile(ReadFile, Agreement):
    """`semiosis stats agree`."""

    settings: FitSettings
    columns_left_out: tuple[str, ...]


class CorrelatedFile(ReadFile, Correlated):
    """`semiosis stats correlate`."""


class CorrelatedColumns(ReadFile):
    """`semiosis stats correlate --columns`."""

    spearman: tuple[ColumnCorrelation, ...]


class CertaintyFile(ReadFile, ByCertainty):
    """`semiosis stats certainty`. `columns` says which of the file's hold what."""

    columns: dict[str, str]
    settings: FitSettings


SCHEMAS = {
    "ratings": (RatedFile, "stats rate"),
    "agreement": (AgreedFile, "stats agree"),
    "correlation": (CorrelatedFile, "stats correlate"),
    "correlations": (CorrelatedColumns, "stats correlate --columns"),
    "certainty": (CertaintyFile, "stats certainty"),
}


def stats(context: typer.Context) -> None:
    """Rate items, correlate columns, measure agreement and certainty.

    Example:

      semiosis stats rate votes.csv --plot ratings.svg
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


def rate(
    file: File,
    a: Annotated[str | None, typer.Option(help="The column of one item.")] = None,
    b: Annotated[str | None, typer.Option(help="The column of the other.")] = None,
    winner: Annotated[str | None, typer.Option(help="The column of who won.")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Resample whole groups by this column, such as the prompt.")
    ] = None,
    model: Annotated[
        Literal["bradley-terry", "elo"], typer.Option(help="bradley-terry, or elo in the order of the file.")
    ] = "bradley-terry",
    side: Annotated[bool, typer.Option("--side", help="Measure what side a adds, and allow for it.")] = False,
    prior: Annotated[
        float | None, typer.Option(min=0, help="Precision of a normal prior on the scores; 0 is none.")
    ] = None,
    resamples: Annotated[
        int | None, typer.Option(min=0, help="Of the bootstrap, 1000 unless said; 0 for Wald intervals.")
    ] = None,
    shuffles: Annotated[
        int | None, typer.Option(min=1, help="With elo: average over so many orders.")
    ] = None,
    k: Annotated[float | None, typer.Option(help="With elo: the step, 32 unless said.")] = None,
    start: Annotated[float | None, typer.Option(help="With elo: where all begin, 1500 unless said.")] = None,
    seed: Seed = 0,
    plot: Plot = None,
    json_: AsJson = False,
) -> None:
    """Rate items by who won against whom.

    Example:

      semiosis stats rate votes.csv

      semiosis stats rate votes.jsonl --a model_a --b model_b --winner vote --cluster prompt --side
      --plot ratings.svg

    Winners are a, b or tie; left, right; model_a, model_b; leftvote, rightvote, tievote; -1 (a), 1 (b)
    and 0 (tie); or the items' names. Only 0 and 1 are refused, since 0 may be a draw or a side. Rows without
    a winner are left out and counted.
    """
    for_elo = {"--shuffles": shuffles, "--k": k, "--start": start}
    for_fits = {"--side": side or None, "--prior": prior, "--resamples": resamples, "--cluster": cluster}
    other = for_elo if model == "bradley-terry" else for_fits
    if odd := [option for option, value in other.items() if value is not None]:
        raise BadSetting(f"{' and '.join(odd)} can do nothing with --model {model}: leave it out.")
    if cluster is not None and resamples == 0:
        raise BadSetting("--cluster says what to resample, and --resamples 0 that nothing is: leave one out.")
    check_drawable(plot)
    with waiting("reading and rating ..."):
        votes = read_votes(open_table(file), At(a, b, winner, cluster))
        if model == "elo":
            settings = {"k": 32 if k is None else k, "start": 1500 if start is None else start}
            fit = elo(votes.a, votes.b, votes.winner, shuffles=shuffles or 0, seed=seed, **settings)
            settings["shuffles"] = shuffles or 0
            intervals = f"over {shuffles:,} random orders of the same comparisons" if shuffles else ""
        else:
            draws = RESAMPLES if resamples is None else resamples
            settings = {"side": side, "prior": prior or 0.0, "resamples": draws}
            fit = _fitted(votes, side=side, prior=prior or 0.0, resamples=draws, seed=seed)
            intervals = f"percentiles of {draws:,} resamples" if draws else "Wald"
            intervals += f" of whole groups by {cluster}" if cluster else ""
    if json_:
        print_json(
            RatedFile(
                **dict(ReadFile.of(file, votes.read)),
                **dict(fit),
                columns={what: name for what, name in vars(votes.at).items() if name is not None},
                settings={"seed": seed, **settings},
                intervals=intervals or None,
            )
        )
    else:
        print_tables(*ratings_tables(file, votes, fit, intervals))
    if plot is not None:
        say_drawn(save_ratings(fit, plot, note=f"95% intervals: {intervals}." if intervals else ""))


def agree(
    file: File,
    columns: Annotated[
        str | None, typer.Option(help="The raters' columns, as in ann,bea; all but ids and prompts without.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="Where each row is a rating: the column of what was rated.")
    ] = None,
    rater: Annotated[
        str | None, typer.Option(help="Where each row is a rating: the column of who rated.")
    ] = None,
    value: Annotated[
        str | None, typer.Option(help="Where each row is a rating: the column of the rating.")
    ] = None,
    level: Annotated[
        Literal["nominal", "ordinal", "interval"] | None,
        typer.Option(
            help="nominal, ordinal or interval; without, interval for numbers and nominal for texts."
        ),
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, help="For the interval of alpha.")] = RESAMPLES,
    seed: Seed = 0,
    plot: Plot = None,
    json_: AsJson = False,
) -> None:
    """Tell how far raters agree beyond chance: kappa, alpha, ICC.

    Example:

      semiosis stats agree ratings.csv --columns ann,bea,judge

      semiosis stats agree ratings.jsonl --unit item --rater who --value stars --level ordinal
    """
    options = {"--unit": unit, "--rater": rater, "--value": value}
    lacking = [option for option, name in options.items() if name is None]
    if len(lacking) < 3 and (lacking or columns):
        raise BadSetting(
            "A row that is one rating needs --unit, --rater and --value, all three, and no --columns; "
            "a row that is one unit needs --columns alone."
        )
    check_drawable(plot)
    with waiting("reading and comparing ..."):
        table = open_table(file)
        if unit and rater and value:
            rated = long_ratings(table, unit=unit, rater=rater, value=value)
        else:
            rated = ratings(table, _listed(columns))
        result = agreement(rated, level=level, resamples=resamples, seed=seed)
    if result.alpha is None and not any(pair.kappa for pair in result.pairs):
        raise BadData(result.left_out["alpha"])
    if json_:
        print_json(
            AgreedFile(
                **dict(ReadFile.of(file, rated.read)),
                **dict(result),
                settings={"resamples": resamples, "seed": seed},
                columns_left_out=tuple(f"column {name}, {why}" for name, why in rated.left_out.items()),
            )
        )
    else:
        print_tables(*agreement_tables(file, result, rated, chosen=level is not None))
    if plot is not None:
        weighted = result.level != "nominal"
        kappas = {
            (pair.a, pair.b): kappa.value
            for pair in result.pairs
            if (kappa := pair.quadratic if weighted else pair.kappa)
        }
        if not kappas:
            raise BadData(f"There is no kappa to draw: {result.pairs[0].why}")
        title = "Cohen's kappa, quadratic weights" if weighted else "Cohen's kappa"
        say_drawn(
            save_triangle(
                result.raters, kappas, plot, title=title, note=f"{result.units:,} units  ·  {result.level}"
            )
        )


def correlate(
    file: File,
    x: Annotated[str | None, typer.Option("--x", help="A column of numbers.")] = None,
    y: Annotated[str | None, typer.Option("--y", help="Another.")] = None,
    within: Annotated[
        str | None, typer.Option(help="Correlate inside the groups of this column too, and average.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(help="Instead of --x and --y, several: Spearman's rho of every two.")
    ] = None,
    plot: Plot = None,
    json_: AsJson = False,
) -> None:
    """Correlate columns of numbers: Pearson, Spearman, Kendall, Lin.

    Example:

      semiosis stats correlate scores.csv --x judge --y people --within prompt --plot scatter.svg

      semiosis stats correlate scores.csv --columns judge,clip,people
    """
    several = _listed(columns)
    if several is None and (x is None or y is None or x == y):
        raise BadSetting("Two columns are correlated: name them with --x and --y, or several with --columns.")
    if several is not None and (x or y or within or len(set(several)) < max(2, len(several))):
        raise BadSetting(
            "--columns names two columns or more, each once, and goes without --x, --y and --within."
        )
    check_drawable(plot)
    table = open_table(file)
    options = dict.fromkeys(several, "--columns") if several else {str(x): "--x", str(y): "--y"}
    names = [table.column(name, option) for name, option in options.items()]
    data = numbers(table, names, within=table.column(within, "--within") if within else None)
    if several is not None:
        entries = matrix(data.columns)
        if not any(entry.spearman for entry in entries):
            raise BadData(entries[0].why or "No two of the columns correlate.")
        if json_:
            print_json(CorrelatedColumns(**dict(ReadFile.of(file, data.read)), spearman=entries))
        else:
            print_tables(*matrix_tables(file, entries, data.read))
        if plot is not None:
            values = {(each.x, each.y): each.spearman.value for each in entries if each.spearman}
            note = f"{data.read.rows:,} rows"
            say_drawn(save_triangle(names, values, plot, title="Spearman's rho", note=note))
        return
    one, two = names
    result = correlated(data.columns, one, two, groups=data.groups)
    if not result.pooled:
        raise BadData(next(iter(result.left_out.values())))
    if json_:
        print_json(CorrelatedFile(**dict(ReadFile.of(file, data.read)), **dict(result)))
    else:
        print_tables(*correlation_tables(file, result, data.read, within))
    if plot is not None:
        rows = [
            (a, b)
            for a, b in zip(data.columns[one], data.columns[two], strict=True)
            if a is not None and b is not None
        ]
        # Over all rows it may have the other sign than within groups: both are told.
        rhos = {
            "Spearman": result.pooled.get("spearman"),
            "within groups": result.within.get("spearman"),
        }
        note = "".join(
            f"{where} {rho.value:z.2f} ({rho.low:z.2f} to {rho.high:z.2f})  ·  "
            for where, rho in rhos.items()
            if rho
        )
        drawn = save_scatter(
            [a for a, _ in rows],
            [b for _, b in rows],
            plot,
            names=(one, two),
            note=f"{note}{result.n:,} rows".replace("-", "−"),
        )
        say_drawn(drawn)


def certainty(
    file: File,
    certainty: Annotated[
        str, typer.Option(help="The column of how sure a verdict is, from 1 to 5.")
    ] = "certainty",
    against: Annotated[
        str, typer.Option(help="The column of true and false: agrees, or flipped, of an exported run.")
    ] = "agrees",
    cluster: Annotated[
        str | None, typer.Option(help="Resample whole groups by this column, such as the prompt.")
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, help="For the interval of gamma.")] = RESAMPLES,
    seed: Seed = 0,
    plot: Plot = None,
    json_: AsJson = False,
) -> None:
    """Tell whether surer verdicts are right more often, and flip less.

    Example:

      semiosis runs export first --to first.jsonl

      semiosis stats certainty first.jsonl --plot certainty.svg

      semiosis stats certainty first.jsonl --against flipped
    """
    check_drawable(plot)
    at = CertaintyColumns(certainty, against, cluster)
    with waiting("reading and counting ..."):
        rows = certainties(open_table(file), at)
        report = by_certainty(
            rows.certainty, rows.answers, clusters=rows.clusters, resamples=resamples, seed=seed
        )
    if json_:
        print_json(
            CertaintyFile(
                **dict(ReadFile.of(file, rows.read)),
                **dict(report),
                columns={what: name for what, name in vars(at).items() if name is not None},
                settings={"resamples": resamples, "seed": seed},
            )
        )
    else:
        print_tables(*certainty_tables(file, report, at, rows.read))
    if plot is not None:
        say_drawn(save_certainty(report, plot, against=against))


def _fitted(votes: Votes, *, side: bool, prior: float, resamples: int, seed: int) -> Ratings:
    meetings = votes.a, votes.b, votes.winner
    try:
        if not resamples:
            return bradley_terry(*meetings, side_effect=side, prior=prior)
        return bootstrap_ratings(
            *meetings, side_effect=side, prior=prior, clusters=votes.clusters, resamples=resamples, seed=seed
        )
    except NoFit as error:
        raise NoFit(by_options(str(error))) from None


def _listed(columns: str | None) -> list[str] | None:
    """Names between commas; a name with a comma in it is quoted, as in a CSV file."""
    if columns is None:
        return None

    try:
        return [name.strip() for name in next(csv.reader([columns], skipinitialspace=True), list[str]())]
    except csv.Error as error:
        raise BadSetting(f"--columns is no list of names between commas: {error}.") from None
