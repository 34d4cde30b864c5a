"""What is shown of how alike several runs rank the same pictures."""

from collections import defaultdict
from typing import TYPE_CHECKING

from ..core.table import Share, Table, numbers, words

if TYPE_CHECKING:
    from ..runs.picture_ranks import ComparedRanks


# With so many runs, how alike each two are is shown as a square first.
SEVERAL = 4


def rank_tables(compared: "ComparedRanks") -> tuple[Table, ...]:
    """What each run says anything of, how alike each two rank, and the pairs on which they part."""
    several = len(compared.runs) >= SEVERAL
    return (
        _runs_table(compared),
        *([_square(compared)] if several else []),
        _correlations_table(compared),
        _partings_table(compared),
    )


def _square(compared: "ComparedRanks") -> Table:
    names = [run.name for run in compared.runs]
    taus = {(each.first, each.second): each.within_prompts for each in compared.correlations}
    values = {pair: tau and tau.value for pair, tau in taus.items()}
    return Table(
        title="within prompts, each two",
        columns=(words("run"), *(numbers(str(at), 2, sign=True) for at, _ in enumerate(names, 1))),
        rows=tuple(
            (f"{at} {row}", *(values.get((row, name), values.get((name, row))) for name in names))
            for at, row in enumerate(names, 1)
        ),
    )


def _runs_table(compared: "ComparedRanks") -> Table:
    return Table(
        columns=(
            words("run"),
            words("method"),
            numbers("pictures"),
            numbers("failed", alarm=True),
            numbers("not of pictures", alarm=True),
        ),
        rows=tuple((run.name, run.method, run.pictures, run.failed, run.others) for run in compared.runs),
    )


def _correlations_table(compared: "ComparedRanks") -> Table:
    reasons = defaultdict[str, list[str]](list)
    for each in compared.correlations:
        for reason in each.untold:
            reasons[reason].append(f"{each.first} and {each.second}")
    return Table(
        title="how alike they rank",
        columns=(
            words("first"),
            words("second"),
            words("prompts"),
            numbers("pairs"),
            numbers("within prompts", 3, sign=True),
            numbers("overall", 3, sign=True),
        ),
        rows=tuple(
            (
                each.first,
                each.second,
                Share(each.telling, each.prompts),
                each.pairs,
                each.within_prompts,
                each.overall,
            )
            for each in compared.correlations
        ),
        heading=2,
        notes=(
            "Prompts: those in which both tell any two pictures apart. Within them: Kendall's tau-b over two "
            "pictures of one prompt, a mean over prompts. Overall: Spearman's rho over all pictures, where "
            "both give numbers. 95% intervals, over prompts.",
            *(f"{', '.join(pairs)}: {reason}" for reason, pairs in reasons.items()),
        ),
    )


def _partings_table(compared: "ComparedRanks") -> Table:
    names = [run.name for run in compared.runs]
    return Table(
        title="where they part most",
        columns=(
            words("item"),
            words("prompt", flows=True),
            words("picture"),
            words("other"),
            *(numbers(name, 2, sign=True) for name in names),
        ),
        rows=tuple(
            (each.item, each.prompt, each.picture, each.other, *(each.leanings.get(name) for name in names))
            for each in compared.partings
        ),
        notes=(
            "+1.00: wholly for the picture, -1.00: wholly for the other. A scorer leans by the share of its "
            "pictures that lie between the two.",
        )
        if compared.partings
        else ("No two runs lean to different sides on any pair.",),
    )
