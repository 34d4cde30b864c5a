"""What a stored run of the samples says, by the kinds of pictures that met."""

from semiosis.benchmarks.samples.items import ROLES, Samples
from semiosis.core.kinds.pair import PairItem
from semiosis.core.settled import Settled
from semiosis.stats.estimate import wilson_share


def rows() -> list[Settled]:
    """Every pair as its makers meant it; the first of each kind flipped, the last failed."""
    items = [candidate.make() for candidate in Samples().candidates()]
    return [
        Settled(
            key=item.key,
            position=at,
            id=item.id,
            item_kind="pair",
            labels=item.labels,
            label=item.label,
            labels_by="makers",
            outcome_kind="failure" if at >= 24 else "judgment",
            verdict=None if at >= 24 else str(item.label or "a"),
            flipped=None if at >= 24 else at < 3,
            agrees=None if at >= 24 or item.label is None else at not in (3, 6),
            reason="refused" if at >= 24 else None,
        )
        for at, item in enumerate(items)
        if isinstance(item, PairItem)
    ]


def test_a_row_for_each_kind_of_pair() -> None:
    (table,) = Samples().summarise(rows())
    flipped = wilson_share(1, 8)
    assert [column.name for column in table.columns] == [
        *("pair", "judged", "as the makers meant", "flipped", "failed")
    ]
    assert table.rows == (
        ("meaning and literal", 8, wilson_share(6, 8), flipped, 1),
        ("meaning and drift", 8, wilson_share(8, 8), flipped, 1),
        ("literal and drift", 8, None, flipped, 1),
    )
    assert len(table.notes) == 1
    assert len(ROLES) == len(table.rows)


def test_rows_of_no_such_pair_are_counted_and_nothing_raises() -> None:
    odd = Settled("k", 0, "x", "question", {"answer": "A"}, "A", "makers", "answer", "A", agrees=True)
    (table,) = Samples().summarise([odd])
    assert table.rows[0] == ("meaning and literal", 0, None, None, 0)
    assert table.notes[-1] == "1 rows are of no such pair."
    assert len(Samples().summarise([])[0].rows) == 3
