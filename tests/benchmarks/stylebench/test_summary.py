"""What a stored StyleBench run says by StyleBench's measures, from its rows alone."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from semiosis.benchmarks.registry import find
from semiosis.benchmarks.stylebench.annotations import load
from semiosis.benchmarks.stylebench.items import StyleBench
from semiosis.benchmarks.stylebench.scorecard import PerMethod, score
from semiosis.benchmarks.stylebench.summary import summarise
from semiosis.building.votes import ForcedChoice, decided
from semiosis.core.item import Labels
from semiosis.core.settled import UNDECIDED, Settled
from semiosis.core.table import Interval, Table
from semiosis.stats.estimate import wilson


def settled(position: int, labels: Labels, verdict: str | None, reason: str | None = None) -> Settled:
    return Settled(
        key=f"key {position}",
        position=position,
        id=str(position),
        item_kind="pair",
        labels=labels,
        label=labels.get("winner"),
        labels_by="people",
        outcome_kind="judgment" if reason is None else "failure",
        verdict=verdict,
        reason=reason,
    )


def labels_of(row: ForcedChoice) -> Labels:
    return {
        "winner": row.winner or "tie",
        "model_a": row.a,
        "model_b": row.b,
        "content": row.group[0],
        "style": row.group[1],
    }


def run_of(rows: Sequence[ForcedChoice], verdict: Callable[[ForcedChoice], str]) -> list[Settled]:
    return [settled(at, labels_of(row), verdict(row)) for at, row in enumerate(rows)]


def cells(table: Table) -> dict[object, tuple[object, ...]]:
    return {row[0]: row[1:] for row in table.rows}


@pytest.mark.parametrize("kind", ["global", "instance"])
def test_a_run_that_always_says_a_scores_as_always_a_does(fineartbench: Path, kind: str) -> None:
    rows = decided(load(fineartbench, "global" if kind == "global" else "instance", edition="paper"))
    tables = StyleBench().summarise(reversed(run_of(rows, lambda _: "a")))
    assert all(cells(table)["this run"] == cells(table)["always a"] for table in tables if table.rows)
    titles = [table.title for table in tables]
    assert titles[0] == f"StyleBench, {len(rows):,} decided by people"
    assert titles[1:4] == ["per method", "per method, as the authors", "per instance"]
    assert "always says" in tables[0].notes[-1]
    scored = score(rows, {}).always_a.per_method
    assert isinstance(scored, PerMethod)
    assert cells(tables[1])["this run"] == (
        Interval.of(scored.elo),
        scored.elo.p_greater,
        Interval.of(scored.bradley_terry),
        scored.bradley_terry.p_greater,
    )
    if kind == "global":
        assert (tables[3].rows, len(tables)) == ((), 4)
        assert (
            tables[3]
            .notes[0]
            .startswith("No score per instance: The rules leave no group to rank methods on")
        )
    else:
        assert tables[3].rows
        assert titles[4:] == ["per instance, as the authors", "per instance, by pairs"]


def test_the_published_share_of_a(fineartbench: Path) -> None:
    rows = decided(load(fineartbench, "global", edition="paper"))
    agreed = cells(summarise(run_of(rows, lambda _: "a"))[0])["this run"]
    assert agreed[:4] == (1516, 0, 0, 0)
    assert isinstance(agreed[4], Interval)
    assert agreed[4].value == pytest.approx(0.6807, abs=1e-4)


def test_undecided_failed_and_unlabelled_rows_are_counted(study: Callable[..., list[ForcedChoice]]) -> None:
    rows = run_of(study(), lambda row: row.winner or "tie")
    names: Labels = {"model_a": "m0", "model_b": "m1", "content": "1", "style": "1"}
    odd = [
        settled(900, names | {"winner": "a"}, UNDECIDED),
        settled(901, names | {"winner": "b"}, None, "refused"),
        settled(902, names, "a"),
        settled(903, names | {"winner": "a"}, None),
        settled(904, {"winner": "a"}, "a"),
        settled(905, names | {"winner": "a", "model_b": "m0"}, "a"),
    ]
    first, per_method, *_ = summarise([*rows, *odd])
    assert cells(first)["this run"][:4] == (900, 1, 1, 1)
    assert cells(first)["this run"][4] == Interval.of(wilson(900, 900))
    assert cells(first)["this run"][5] == pytest.approx(900 / 902)
    assert first.notes[-1] == "2 rows do not name two methods, a content and a style."
    rho = cells(per_method)["this run"][0]
    assert isinstance(rho, Interval)
    assert rho.value > 0.95


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10])
def test_too_few_rows_say_why_there_is_no_score(count: int, study: Callable[..., list[ForcedChoice]]) -> None:
    first, *others = summarise(run_of(study()[:count], lambda _: UNDECIDED))
    if not count:
        assert (first.rows, others) == ((), [])
        assert first.notes == ("No score: People decided no row, so nothing is known of sides.",)
        return
    assert cells(first)["this run"][:5] == (0, count, 0, 0, None)
    for table in others:
        assert cells(table).get("this run", (None,))[0] is None
        assert any(note.startswith(f"No score {table.title}") for note in table.notes)


def test_a_run_in_which_all_failed_says_so(study: Callable[..., list[ForcedChoice]]) -> None:
    rows = [settled(at, labels_of(row), None, "refused") for at, row in enumerate(study()[:50])]
    first, per_method, *_ = summarise(rows)
    assert cells(first)["this run"][:5] == (0, 0, 50, 0, None)
    assert per_method.notes[-1] == (
        "No score per method for this run: "
        "The judge answered no row that people decided, so nothing can be compared."
    )


def test_the_registered_benchmark_summarises() -> None:
    benchmark = find("stylebench/instance")
    assert isinstance(benchmark, StyleBench)
    assert benchmark.summarise([])[0].rows == ()
