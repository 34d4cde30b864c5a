"""What is shown of how alike several runs rank the same pictures."""

from typing import TYPE_CHECKING

from ..core.table import Table, numbers, words

if TYPE_CHECKING:
    from ..runs.picture_ranks import ComparedRanks


def rank_tables(compared: "ComparedRanks") -> tuple[Table, ...]:
    """What each run says anything of, how alike each two rank, and the pairs on which they part."""
    return _runs_table(compared), _correlations_table(compared), _partings_table(compared)


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
    untold = tuple(
        f"{each.first}, {each.second}: {reason}" for each in compared.correlations for reason in each.untold
    )
    return Table(
        title="how alike they rank",
        columns=(
            words("first"),
            words("second"),
            numbers("prompts"),
            numbers("pictures"),
            numbers("pairs"),
            numbers("within prompts", 3, sign=True),
            numbers("overall", 3, sign=True),
        ),
        rows=tuple(
            (
                each.first,
                each.second,
                each.prompts,
                each.pictures,
                each.pairs,
                each.within_prompts,
                each.overall,
            )
            for each in compared.correlations
        ),
        notes=(
            "Within prompts: Kendall's tau-b over two pictures of one prompt, a mean over prompts. Overall: "
            "Spearman's rho over all pictures. 95% intervals, over prompts.",
            *untold,
        ),
    )


def _partings_table(compared: "ComparedRanks") -> Table:
    names = [run.name for run in compared.runs]
    return Table(
        title="where they part most",
        columns=(
            words("prompt", flows=True),
            words("picture"),
            words("other"),
            *(numbers(name, 2, sign=True) for name in names),
        ),
        rows=tuple(
            (each.prompt, each.picture, each.other, *(each.leanings.get(name) for name in names))
            for each in compared.partings
        ),
        notes=(
            "+1.00: wholly for the picture, -1.00: wholly for the other. A scorer leans by the share of its "
            "pictures that lie between the two.",
        )
        if compared.partings
        else ("No two runs lean to different sides on any pair.",),
    )
