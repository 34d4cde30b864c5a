"""Verdicts with how sure they are, from any table: an exported run has them in `certainty` and `agrees`.

certainties(open_table("first.jsonl"), CertaintyColumns()).certainty       # for stats.by_certainty
"""

from dataclasses import dataclass

from ..core.errors import BadRecord, BadSetting
from ..core.item import BadRow
from .rows import SourceRow
from .table import RowTable, RowTally, label, number

_ANSWERS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class CertaintyColumns:
    """Which column says how sure a verdict is, which whether it is so, and which groups them."""

    certainty: str = "certainty"
    against: str = "agrees"
    cluster: str | None = None


@dataclass(frozen=True)
class CertaintyRows:
    """A verdict a row. Rows without a certainty, an answer or a group are left out and counted."""

    certainty: list[float]
    answers: list[bool]
    clusters: list[str] | None
    read: RowTally


def certainties(table: RowTable, at: CertaintyColumns) -> CertaintyRows:
    table.column(at.certainty, "--certainty")
    table.column(at.against, "--against")
    if at.cluster is not None:
        table.column(at.cluster, "--cluster")
    bad: list[BadRow] = []
    dropped: dict[str, int] = {}
    levels: list[float] = []
    answers: list[bool] = []
    clusters: list[str] = []
    count = 0
    for row in table.good(bad):
        count += 1
        level, answer = number(row, at.certainty), _answer(row, at.against)
        cluster = label(row, at.cluster) if at.cluster else ""
        if level is None or answer is None or cluster is None:
            lacking = at.certainty if level is None else at.against if answer is None else at.cluster
            why = f"without {lacking}"
            dropped[why] = dropped.get(why, 0) + 1
            continue
        levels.append(level)
        answers.append(answer)
        clusters.append(cluster)
    if not levels:
        raise BadSetting(
            f"No row of {table.name} has both {at.certainty!r} and {at.against!r}: "
            "name other columns with --certainty and --against."
        )
    read = RowTally(count, dropped, tuple(bad))
    return CertaintyRows(levels, answers, clusters if at.cluster else None, read)


def _answer(row: SourceRow, column: str) -> bool | None:
    cell = label(row, column)
    if cell is None:
        return None
    answer = _ANSWERS.get(cell.lower())
    if answer is None:
        raise BadRecord(f"{row.where}: {column!r} is {cell[:40]!r}, which is neither true nor false.")
    return answer
