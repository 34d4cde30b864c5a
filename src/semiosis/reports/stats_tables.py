"""What the commands of statistics show, as tables."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.certainty import CERTAINTY_WORDS
from ..core.table import Cell, Column, Interval, Table, numbers, words
from ..core.text import counted
from ..stats.estimate import wilson_share
from .measures import named

if TYPE_CHECKING:
    from ..sources.certainties import CertaintyColumns
    from ..sources.table import RatingTable, RowTally
    from ..sources.votes import Votes
    from ..stats.certainty import ByCertainty
    from ..stats.estimate import Estimate
    from ..stats.ratings import Rating, Ratings
    from .measures import Agreement, ColumnCorrelation, Correlated

SHOWN = 100
_NAMED = 20

_MODELS = {"bradley-terry": "Bradley-Terry", "elo": "Elo"}
_FORMS = {
    "1,1": "other raters for each unit",
    "2,1": "raters are a sample",
    "3,1": "these raters only",
    "1,k": "the mean of other raters for each unit",
    "2,k": "the mean of a sample of raters",
    "3,k": "the mean of these raters",
}
_VALUE = numbers("value (95% interval)", 4)
_P = numbers("p", form="p")


def ratings_tables(file: str, votes: "Votes", ratings: "Ratings", intervals: str) -> tuple[Table, ...]:
    by_elo = ratings.model == "elo"
    items = f"{ratings.comparisons:,} comparisons of {len(ratings.ratings):,} items"
    note = (
        f"95% intervals: {intervals}."
        if intervals
        else "Elo depends on the order of the rows: see --shuffles."
    )
    return (
        Table.facts(_ratings_facts(votes, ratings), title=_title(file, f"{_MODELS[ratings.model]}, {items}")),
        Table(
            columns=(
                numbers("rank", 0),
                words("item"),
                numbers("rating", 1) if by_elo else numbers("score", 3),
                numbers("comparisons"),
            ),
            rows=tuple(
                (_rank(each), str(each.item), Interval.of(each), each.comparisons)
                for each in ratings.ratings[:SHOWN]
            ),
            heading=2,
            emphasised=tuple(place for place, each in enumerate(ratings.ratings[:SHOWN]) if each.rank == 1),
            notes=(*_more(len(ratings.ratings)), note),
        ),
    )


def agreement_tables(
    file: str, agreement: "Agreement", rated: "RatingTable", *, chosen: bool
) -> tuple[Table, ...]:
    raters = agreement.raters
    how = "" if chosen else ", by what the ratings are; --level says otherwise"
    more = f" and {len(raters) - _NAMED:,} more" if len(raters) > _NAMED else ""
    facts: list[tuple[str, Cell]] = [
        ("raters", f"{', '.join(raters[:_NAMED])}{more}"),
        ("level", f"{agreement.level}{how}"),
        *(("left out", f"column {name}, {why}") for name, why in rated.left_out.items()),
        *_left_out(rated.read),
    ]
    if agreement.missing:
        facts.append(("missing", f"{agreement.missing:,} of {agreement.units * len(raters):,} ratings"))
    coefficients: dict[str, Estimate | None] = {
        f"Krippendorff's alpha, {agreement.level}": agreement.alpha,
        "Fleiss' kappa": agreement.fleiss,
        **{f"ICC({form}), {_FORMS[form]}": icc for form, icc in agreement.icc.items()},
    }
    return (
        Table.facts(facts, title=_title(file, f"{len(raters):,} raters, {agreement.units:,} units")),
        Table(
            title="over all raters",
            columns=(words(), _VALUE),
            rows=tuple((name, Interval.of(each)) for name, each in coefficients.items() if each),
            notes=(
                *_whys(agreement.left_out),
                "Intervals: alpha by resampling units, kappa by its large-sample error, ICC by F.",
            ),
        ),
        _pairs_table(agreement),
    )


def correlation_tables(
    file: str, correlated: "Correlated", read: "RowTally", within: str | None
) -> tuple[Table, ...]:
    facts = _left_out(read)
    if correlated.missing:
        facts.append(("missing", f"{correlated.missing:,} rows without a number in one of the columns"))
    title = _title(file, f"{correlated.x} and {correlated.y}, {correlated.n:,} rows")
    pooled = Table(
        title="over all rows",
        columns=(words(), _VALUE, _P),
        rows=tuple(
            (named(what), Interval.of(each), getattr(each, "p", None))
            for what, each in correlated.pooled.items()
        ),
        notes=tuple(_whys(correlated.left_out)),
    )
    if not correlated.within:
        return Table.facts(facts, title=title), pooled
    groups = Table(
        title=f"within {within}",
        columns=(
            words(),
            numbers("mean (95% interval)", 4),
            _P,
            numbers("groups"),
            numbers("undefined"),
        ),
        rows=tuple(
            (named(what), Interval.of(mean), mean.p, mean.groups, mean.undefined)
            for what, mean in correlated.within.items()
        ),
        notes=(
            "Within: Student's intervals over groups; p for a positive relation, by Fisher's combination.",
            *(f"{named(what)}, within: {mean.why}" for what, mean in correlated.within.items() if mean.why),
        ),
    )
    return Table.facts(facts, title=title), pooled, groups


def matrix_tables(file: str, entries: "Sequence[ColumnCorrelation]", read: "RowTally") -> tuple[Table, ...]:
    rows: list[tuple[Cell, ...]] = []
    for each in entries[:SHOWN]:
        rho = each.spearman
        cells = (None, None, None) if rho is None else (Interval.of(rho), rho.p, rho.n)
        rows.append((each.x, each.y, *cells))
    title = _title(file, f"{len(entries):,} pairs of columns, {read.rows:,} rows")
    return (
        Table.facts(_left_out(read), title=title),
        Table(
            columns=(
                words("x"),
                words("y"),
                numbers("Spearman's rho (95% interval)", 4),
                _P,
                numbers("rows"),
            ),
            rows=tuple(rows),
            heading=2,
            notes=(*_more(len(entries)), *dict.fromkeys(each.why for each in entries if each.why)),
        ),
    )


def certainty_tables(
    file: str, report: "ByCertainty", at: "CertaintyColumns", read: "RowTally"
) -> tuple[Table, ...]:
    """By level, and what is left where only that level and above are kept."""
    facts: list[tuple[str, Cell]] = [
        ("columns", f"certainty {at.certainty}, against {at.against}"),
        *_left_out(read),
    ]
    if report.trend is not None:
        gamma = numbers("", 3).written(Interval.of(report.trend))
        facts.append(("gamma", f"{gamma}; 1 where true always has the higher certainty, -1 where false has"))
    elif report.why:
        facts.append(("gamma", f"none: {report.why}"))
    share = numbers(f"{at.against}, %", 0)
    return (
        Table.facts(facts, title=_title(file, f"{report.count:,} verdicts by how sure they are")),
        Table(
            columns=(
                words("certainty"),
                numbers("verdicts"),
                share,
                numbers("from here up"),
                share,
            ),
            rows=tuple(
                (
                    f"{level.level} {CERTAINTY_WORDS[level.level - 1]}",
                    level.count,
                    _percents(level.share),
                    kept.count,
                    _percents(kept.share),
                )
                for level, kept in zip(reversed(report.levels), reversed(report.kept), strict=True)
            ),
            notes=("Shares are given with their 95% intervals (Wilson).",),
        ),
    )


def _percents(share: "Estimate | None") -> Cell:
    if share is None:
        return None
    return Interval(value=100 * share.value, low=100 * share.low, high=100 * share.high)


def _pairs_table(agreement: "Agreement") -> Table:
    """Without rows where there is no kappa at all. The interval of the linear one is left to --json."""
    pairs = agreement.pairs
    columns: list[Column] = [words("rater"), words("rater"), numbers("units"), numbers("Cohen's kappa", 3)]
    columns += [numbers("linear", 3), numbers("quadratic", 3)] if agreement.level != "nominal" else []
    if not any(pair.kappa for pair in pairs):
        return Table(columns=tuple(columns), heading=2, notes=(f"Cohen's kappa: {pairs[0].why}",))
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs[:SHOWN]:
        linear = pair.linear.value if pair.linear else None
        cells = (pair.a, pair.b, pair.n, _interval(pair.kappa), linear, _interval(pair.quadratic))
        rows.append(cells[: len(columns)])
    whys = list(dict.fromkeys(pair.why for pair in pairs if pair.why))
    return Table(columns=tuple(columns), rows=tuple(rows), heading=2, notes=(*_more(len(pairs)), *whys[:5]))


def _ratings_facts(votes: "Votes", ratings: "Ratings") -> list[tuple[str, Cell]]:
    a, b = votes.winner.count("a"), votes.winner.count("b")
    columns = ", ".join(f"{what} {name}" for what, name in vars(votes.at).items() if name)
    facts: list[tuple[str, Cell]] = [("columns", columns), *_left_out(votes.read)]
    if a + b:
        ties = f"; {ratings.comparisons - a - b:,} ties" if ratings.comparisons > a + b else ""
        facts.append(("side a won", f"{wilson_share(a, a + b)} decided{ties}"))
    if ratings.side is not None:
        effect = numbers("", 3, sign=True).written(Interval.of(ratings.side))
        facts.append(("side effect", f"{effect}, what side a adds to the log-odds"))
    if ratings.unfitted:
        facts.append(
            ("unfitted", f"{ratings.unfitted:,} resamples had no finite fit, and widen the intervals")
        )
    return facts


def _left_out(read: "RowTally") -> list[tuple[str, Cell]]:
    facts: list[tuple[str, Cell]] = []
    if read.dropped:
        whys = counted(read.dropped)
        facts.append(("left out", f"{whys}, of {read.rows:,} rows"))
    if read.bad:
        first = read.bad[0]
        facts.append(("unreadable", f"{len(read.bad):,} rows; the first: {first.where}: {first.reason}"))
    return facts


def _whys(left_out: dict[str, str]) -> Iterable[str]:
    return (f"{named(what)}: {why}" for what, why in left_out.items())


def _rank(rating: "Rating") -> Cell:
    return Interval(value=rating.rank, low=rating.rank_low, high=rating.rank_high)


def _interval(estimate: "Estimate | None") -> Cell:
    return None if estimate is None else Interval.of(estimate)


def _more(count: int) -> list[str]:
    return [f"and {count - SHOWN:,} more: --json lists them all."] if count > SHOWN else []


def _title(file: str, about: str) -> str:
    return f"{file if file.startswith('hf:') else Path(file).name}: {about}"
