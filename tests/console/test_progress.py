"""How runs stand while they go on, in one line."""

from semiosis.console.progress import StatusLine, runs_status
from semiosis.runs.costs import Spent
from semiosis.runs.tally import RunProgress


def standing(settled: int, failed: dict[str, int], spent: Spent, eta_s: float | None) -> RunProgress:
    return RunProgress(
        items=10,
        settled=settled,
        failed=failed,
        flips=0,
        compared=0,
        bad_rows=0,
        spent=spent,
        elapsed_s=1.0,
        eta_s=eta_s,
    )


def test_several_runs_side_by_side_are_one_line_that_tells_how_far_each_is() -> None:
    runs = {
        "artcot": standing(4, {"refused": 1, "timeout": 2}, Spent(12, 1000, 200, 0.5), 90.0),
        "artcot,critique=false": standing(6, {}, Spent(8, 500, 100, 0.25), 30.0),
    }
    assert runs_status(runs) == StatusLine(
        10,
        20,
        "10 of 20 done (50%) · artcot 4, artcot,critique=false 6 · failed: artcot 3 · 20 calls, "
        "1,500 + 300 tokens · $0.7500 · about 1 min 30 s left",
    )
