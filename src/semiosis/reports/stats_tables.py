"""What the commands of statistics show. Names come from outside: they are shown as plain text."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from . import screens
from .tables import Sheet

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..sources.table import RatingTable, RowTally
    from ..sources.votes import Votes
    from ..stats.estimate import Estimate
    from ..stats.ratings import Rating, Ratings
    from .measures import Agreement, Correlated, Entry, PairAgreement, Within

SHOWN = 100
_NAMED = 20

_MODELS = {"bradley-terry": "Bradley-Terry", "elo": "Elo"}


def ratings_screen(file: str, votes: "Votes", found: "Ratings", intervals: str) -> "RenderableType":
    from ..stats.estimate import wilson

    digits = 1 if found.model == "elo" else 3
    left, right = votes.winner.count("left"), votes.winner.count("right")
    told = [("columns", ", ".join(f"{what} {name}" for what, name in vars(votes.at).items() if name))]
    told += _left_out(votes.read)
    if left + right:
        share = wilson(left, left + right)
        ties = f"; {found.comparisons - left - right:,} ties" if found.comparisons > left + right else ""
        told.append(
            (
                "left won",
                f"{share.value:.1%} ({share.low * 100:.1f} to {share.high * 100:.1f}), "
                f"{left:,} of {left + right:,} decided{ties}",
            )
        )
    if found.side is not None:
        sign = "+" if found.side.value > 0 else ""
        side = f"{sign}{_with_ends(found.side, 3)}, what standing left adds to the log-odds"
        told.append(("side effect", side))
    if found.unfitted:
        told.append(("unfitted", f"{found.unfitted:,} resamples had no finite fit, and widen the intervals"))
    names = ("rank", "item", "rating" if found.model == "elo" else "score", "comparisons")
    table = Sheet(*names, right=(0, 2, 3), heading=2)
    for each in found.ratings[:SHOWN]:
        table.add(
            _rank(each),
            screens.text(str(each.item), "bold" if each.rank == 1 else ""),
            _with_ends(each, digits),
            f"{each.comparisons:,.6g}",
        )
    items = f"{found.comparisons:,} comparisons of {len(found.ratings):,} items"
    title = _title(file, f"{_MODELS[found.model]}, {items}")
    note = (
        f"95% intervals: {intervals}."
        if intervals
        else "Elo depends on the order of the rows: see --shuffles."
    )
    return Group(
        title, screens.facts(told), Text(), table, *_more(len(found.ratings)), Text(), screens.dim(note)
    )


def agreement_screen(
    file: str, found: "Agreement", rated: "RatingTable", *, chosen: bool
) -> "RenderableType":
    from .measures import named

    how = "" if chosen else ", by what the ratings are; --level says otherwise"
    shown = ", ".join(found.raters[:_NAMED])
    more = f" and {len(found.raters) - _NAMED:,} more" if len(found.raters) > _NAMED else ""
    told = [("raters", f"{shown}{more}"), ("level", f"{found.level}{how}")]
    told += [("left out", f"column {name}, {why}") for name, why in rated.left_out.items()]
    told += _left_out(rated.read)
    if found.missing:
        told.append(("missing", f"{found.missing:,} of {found.units * len(found.raters):,} ratings"))
    table = Sheet("", "value", "95% interval", right=(1, 2))
    if found.alpha:
        _add(table, f"Krippendorff's alpha, {found.level}", found.alpha)
    if found.fleiss:
        _add(table, "Fleiss' kappa", found.fleiss)
    for form, icc in found.icc.items():
        _add(table, f"ICC({form}), {_FORMS[form]}", icc)
    rest = [screens.dim(f"{named(what)}: {why}") for what, why in found.left_out.items()]
    note = screens.dim("Intervals: alpha by resampling units, kappa by its large-sample error, ICC by F.")
    title = _title(file, f"{len(found.raters):,} raters, {found.units:,} units")
    overall = [screens.headed("over all raters", table)] if found.alpha or found.fleiss or found.icc else []
    return Group(title, screens.facts(told), Text(), *overall, *_pairs(found), Text(), *rest, note)


def correlation_screen(
    file: str, found: "Correlated", read: "RowTally", within: str | None
) -> "RenderableType":
    from .measures import named

    told = _left_out(read)
    if found.missing:
        told.append(("missing", f"{found.missing:,} rows without a number in one of the columns"))
    table = Sheet("", "value", "95% interval", "p", right=(1, 2, 3))
    for what, each in found.pooled.items():
        p = getattr(each, "p", None)
        table.add(named(what), *_cells(each, 4), "-" if p is None else screens.p(p))
    shown: list[RenderableType] = [
        _title(file, f"{found.x} and {found.y}, {found.n:,} rows"),
        screens.facts(told),
        Text(),
        screens.headed("over all rows", table),
    ]
    if found.within:
        inside = Sheet("", "mean", "95% interval", "p", "groups", "undefined", right=range(1, 6))
        for what, mean in found.within.items():
            inside.add(
                named(what),
                *_cells(mean, 4),
                "-" if mean.p is None else screens.p(mean.p),
                f"{mean.groups:,}",
                f"{mean.undefined:,}",
            )
        note = "Within: Student's intervals over groups; p for a positive relation, by Fisher's combination."
        whys = [
            screens.dim(f"{named(what)}, within: {mean.why}")
            for what, mean in found.within.items()
            if mean.why
        ]
        shown += [Text(), screens.headed(f"within {within}", inside), Text(), screens.dim(note), *whys]
    return Group(*shown, *(screens.dim(f"{named(what)}: {why}") for what, why in found.left_out.items()))


def matrix_screen(file: str, entries: "Sequence[Entry]", read: "RowTally") -> "RenderableType":
    table = Sheet("x", "y", "Spearman's rho", "95% interval", "p", "rows", right=range(2, 6), heading=2)
    for each in entries[:SHOWN]:
        rho = each.spearman
        cells = ("-", "-", "-", "-") if rho is None else (*_cells(rho, 4), screens.p(rho.p), f"{rho.n:,}")
        table.add(screens.text(each.x), screens.text(each.y), *cells)
    why = dict.fromkeys(each.why for each in entries if each.why)
    title = _title(file, f"{len(entries):,} pairs of columns, {read.rows:,} rows")
    return Group(
        title,
        screens.facts(_left_out(read)),
        Text(),
        table,
        *_more(len(entries)),
        *(screens.dim(each) for each in why),
    )


def _pairs(found: "Agreement") -> "list[RenderableType]":
    if not any(pair.kappa for pair in found.pairs):
        return [screens.dim(f"Cohen's kappa: {found.pairs[0].why}")]
    weighted = found.level != "nominal"
    names = ("Cohen's kappa", "linear", "quadratic")[: 3 if weighted else 1]
    table = Sheet("rater", "rater", "units", *names, right=range(2, 6), heading=2)
    for pair in found.pairs[:SHOWN]:
        table.add(screens.text(pair.a), screens.text(pair.b), f"{pair.n:,}", *_kappas(pair)[: len(names)])
    why = dict.fromkeys(pair.why for pair in found.pairs if pair.why)
    return [Text(), table, *_more(len(found.pairs)), *(screens.dim(each) for each in list(why)[:5])]


def _kappas(pair: "PairAgreement") -> list[str]:
    """The interval of the middle one is left to --json, for want of room."""
    plain, linear, quadratic = pair.kappa, pair.linear, pair.quadratic
    return [_short(plain), _number(linear.value, 3) if linear else "-", _short(quadratic)]


def _short(found: "Estimate | None") -> str:
    return (
        f"{_number(found.value, 3)} ({_number(found.low, 2)} to {_number(found.high, 2)})" if found else "-"
    )


_FORMS = {
    "1,1": "other raters for each unit",
    "2,1": "raters are a sample",
    "3,1": "these raters only",
    "1,k": "the mean of other raters for each unit",
    "2,k": "the mean of a sample of raters",
    "3,k": "the mean of these raters",
}


def _left_out(read: "RowTally") -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    if read.dropped:
        whys = ", ".join(f"{count:,} {why}" for why, count in read.dropped.items())
        told.append(("left out", f"{whys}, of {read.rows:,} rows"))
    if read.bad:
        first = read.bad[0]
        told.append(("unreadable", f"{len(read.bad):,} rows; the first: {first.where}: {first.reason}"))
    return told


def _rank(rating: "Rating") -> str:
    if rating.rank_low is None or rating.rank_high is None:
        return f"{rating.rank}"
    return f"{rating.rank} ({rating.rank_low} to {rating.rank_high})"


def _add(table: Sheet, name: str, found: "Estimate") -> None:
    table.add(name, *_cells(found, 4))


def _number(value: float, digits: int) -> str:
    """No minus before a zero."""
    return f"{value:z,.{digits}f}"


def _cells(found: "Estimate | Within", digits: int) -> tuple[str, str]:
    """A value, and its interval."""
    return _number(found.value, digits), f"{_number(found.low, digits)} to {_number(found.high, digits)}"


def _with_ends(found: "Estimate | Rating", digits: int) -> str:
    value = _number(found.value, digits)
    if found.low is None or found.high is None:
        return value
    return f"{value} ({_number(found.low, digits)} to {_number(found.high, digits)})"


def _more(count: int) -> list[Text]:
    return [screens.dim(f"and {count - SHOWN:,} more: --json lists them all.")] if count > SHOWN else []


def _title(file: str, about: str) -> Text:
    return screens.title(file if file.startswith("hf:") else Path(file).name, about)
