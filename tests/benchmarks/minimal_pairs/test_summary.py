"""What a stored run of minimal pairs says, from its rows."""

from semiosis.benchmarks.minimal_pairs.items import MinimalPairs
from semiosis.core.item import Candidate
from semiosis.core.settled import UNDECIDED, Settled
from semiosis.stats.estimate import wilson_share


def rows() -> list[Settled]:
    """The original wins over every broken edit but the first, which is undecided; of the harmless ones every
    second, as a coin flip. The last item failed."""
    every: list[Settled] = []
    for at, row in enumerate(MinimalPairs().candidates()):
        assert isinstance(row, Candidate)
        item = row.make()
        is_broken, failed = item.labels["edit"] == "broken", at == 24
        verdict = UNDECIDED if at == 0 else "a" if is_broken or at % 2 else "b"
        every.append(
            Settled(
                key=item.key,
                position=at,
                id=item.id,
                item_kind="pair",
                labels=item.labels,
                label=None if item.label is None else str(item.label),
                labels_by="makers",
                outcome_kind="failure" if failed else "judgment",
                verdict=None if failed else verdict,
                certainty=None if failed else 3.0 if at == 0 else 4.5 if is_broken else 1.0 + at % 2,
                flipped=None if failed else at == 0,
                reason="refused" if failed else None,
            )
        )
    return every


def test_how_often_the_original_was_preferred_by_size_and_ground() -> None:
    table, _ = MinimalPairs().summarise(rows())
    assert [column.name for column in table.columns] == [
        *("edit", "judged", "original preferred", "undecided", "flipped", "failed")
    ]
    assert [row[0] for row in table.rows] == [
        *("broken", "broken, large", "broken, medium", "broken, small"),
        *("broken, iconic", "broken, indexical", "broken, symbolic", "harmless"),
    ]
    assert table.rows[0] == ("broken", 15, wilson_share(14, 15), 1, wilson_share(1, 15), 0)
    assert table.rows[1] == ("broken, large", 5, wilson_share(4, 5), 1, wilson_share(1, 5), 0)
    assert table.rows[3] == ("broken, small", 5, wilson_share(5, 5), 0, wilson_share(0, 5), 0)
    assert sum(row[1] for row in table.rows[4:7]) == 15  # type: ignore[misc]
    assert table.rows[7] == ("harmless", 9, wilson_share(5, 9), 0, wilson_share(0, 9), 1)


def test_how_sure_the_verdicts_were() -> None:
    _, table = MinimalPairs().summarise(rows())
    assert [column.name for column in table.columns] == [
        *("edit", "says how sure", "certainty 4 to 5", "certainty 3", "certainty 1 to 2"),
        "called a coin flip",
    ]
    sure, three, never = wilson_share(14, 15), wilson_share(1, 15), wilson_share(0, 15)
    assert table.rows[0] == ("broken", 15, sure, three, never, never)
    none, flips = wilson_share(0, 9), wilson_share(4, 9)
    assert table.rows[1] == ("harmless", 9, none, none, wilson_share(9, 9), flips)


def test_a_method_that_does_not_say_how_sure_it_is_has_no_shares() -> None:
    silent = [Settled(**vars(row) | {"certainty": None}) for row in rows()]
    _, table = MinimalPairs().summarise(silent)
    assert table.rows == (("broken", 0, None, None, None, None), ("harmless", 0, None, None, None, None))


def test_rows_of_no_such_pair_are_counted_and_nothing_raises() -> None:
    odd = Settled("k", 0, "x", "question", {"answer": "A"}, "A", "makers", "answer", "A", agrees=True)
    table, _ = MinimalPairs().summarise([odd])
    assert table.rows[0] == ("broken", 0, None, 0, None, 0)
    assert table.notes[-1] == "1 rows are of no such pair."
