"""What rating a million comparisons costs, and some other statistics: one run, one table.

    python benchmarks/ratings.py                                  under a minute on two cores
    python benchmarks/ratings.py --plot docs/images/ratings-cost.svg   cost against size as well

Bradley-Terry is measured as a person calls it: three lists of strings in, labelled ratings out. evalica gets
the same lists, with winners as its own enum made beforehand. They take turns; each one's best round counts.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import evalica
import numpy as np

from semiosis.stats.agreement import icc
from semiosis.stats.arcs import feedback_arc_set
from semiosis.stats.ratings import Ratings, bootstrap_ratings, bradley_terry

ITEMS, ROWS, PROMPTS = 100, 1_000_000, 10_000
SIZES = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
ENUM = {"a": evalica.Winner.X, "b": evalica.Winner.Y, "tie": evalica.Winner.Draw}

Columns = tuple[list[str], list[str], list[str]]


def played(rows: int) -> Columns:
    """Skills spread as in an arena, a tenth of draws; each string is an object of its own, as from a file."""
    random = np.random.default_rng(0)
    skills = random.normal(0, 1, ITEMS)
    a = random.integers(0, ITEMS, rows)
    b = (a + random.integers(1, ITEMS, rows)) % ITEMS
    won = random.random(rows) < 1 / (1 + np.exp(skills[b] - skills[a]))
    winner = np.where(random.random(rows) < 0.1, "tie", np.where(won, "a", "b"))
    names = np.array([f"model-{number}" for number in range(ITEMS)])
    return names[a].tolist(), names[b].tolist(), winner.tolist()


def took(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best(work: Callable[[], Any], rounds: int) -> float:
    return min(took(work) for _ in range(rounds))


def in_turn(columns: Columns, rounds: int) -> tuple[float, float]:
    """Seconds of ours and of evalica's, the best round of each."""
    a, b, winner = columns
    theirs = [ENUM[each] for each in winner]
    times = [
        (
            took(lambda: bradley_terry(a, b, winner)),
            took(lambda: evalica.bradley_terry(a, b, theirs)),
        )
        for _ in range(rounds)
    ]
    return min(ours for ours, _ in times), min(others for _, others in times)


def check(columns: Columns) -> Ratings:
    """That both find the same, or the times mean nothing."""
    a, b, winner = columns
    ours = bradley_terry(a, b, winner)
    logs = np.log(evalica.bradley_terry(a, b, [ENUM[each] for each in winner]).scores)
    apart = max(abs(ours.scores[item] - value) for item, value in (logs - logs.mean()).items())
    if apart > 1e-4:
        raise SystemExit(f"The scores differ by up to {apart:.2g}.")
    return ours


def tournament(seed: int) -> tuple[list[str], list[str]]:
    """Every one of 20 items has met every other once; coins decided."""
    coin = np.random.default_rng(seed)
    pairs = [(f"item-{a}", f"item-{b}") for a in range(20) for b in range(a)]
    turned = [pair if coin.random() < 0.5 else pair[::-1] for pair in pairs]
    return [winner for winner, _ in turned], [loser for _, loser in turned]


def draw(path: Path) -> None:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    ours, theirs = zip(*(in_turn(played(rows), 5) for rows in SIZES), strict=True)
    ink, soft, rule = "#211d17", "#635b4e", "#dcd4c3"
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "ratings", "font.family": "DejaVu Sans"}):
        figure = Figure(figsize=(7.2, 4.2), facecolor="white")
        axes = figure.add_axes((0.1, 0.13, 0.68, 0.66))
        for times, name, colour in ((theirs, "evalica", "#b35806"), (ours, "semiosis", "#2166c0")):
            spent = [1000 * each for each in times]
            axes.loglog(SIZES, spent, marker="o", markersize=5, linewidth=2, color=colour)
            axes.annotate(
                f"{name}  {spent[-1]:,.0f} ms",
                (SIZES[-1], spent[-1]),
                xytext=(10, 0),
                textcoords="offset points",
                va="center",
                color=colour,
                fontsize=10,
                fontweight="bold",
            )
        axes.set_xlabel(f"comparisons of {ITEMS} items", color=soft, fontsize=9)
        axes.set_xticks([1e3, 1e4, 1e5, 1e6], ["1,000", "10,000", "100,000", "1,000,000"])
        axes.set_yticks([1, 10, 100, 1000], ["1 ms", "10 ms", "100 ms", "1 s"])
        axes.minorticks_off()
        axes.tick_params(length=0, colors=soft, labelsize=9)
        axes.grid(axis="y", color=rule, linewidth=0.8)
        axes.set_axisbelow(True)
        for side in axes.spines.values():
            side.set_visible(False)
        title = "A Bradley-Terry fit, labels in and out"
        figure.text(0.03, 0.92, title, color=ink, fontsize=13, fontweight="bold")
        note = "Best of five rounds, taking turns; ours with standard errors and intervals"
        figure.text(0.03, 0.855, note, color=soft, fontsize=9)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata={"Date": None})


def main() -> int:
    options = argparse.ArgumentParser(description="What rating a million comparisons costs.")
    options.add_argument("--rows", type=int, default=ROWS, help="comparisons, a million unless told")
    options.add_argument("--plot", type=Path, help="where to draw cost against size, as SVG")
    given = options.parse_args()
    columns = played(given.rows)
    prompts = np.random.default_rng(1).integers(0, PROMPTS, given.rows).tolist()
    check(columns)
    ours, theirs = in_turn(columns, 7)
    print(f"{given.rows:,} comparisons of {ITEMS} items: {ours:.3f} s, evalica {theirs:.3f} s", flush=True)
    table = np.random.default_rng(2).normal(size=(10_000, 1)) + np.random.default_rng(3).normal(
        size=(10_000, 5)
    )
    arcs = [tournament(seed) for seed in range(3)]
    results = [
        ("Bradley-Terry, times as fast as evalica", theirs / ours, "x", ">=", 3.0),
        ("1,000 bootstraps", best(lambda: bootstrap_ratings(*columns), 2), "s", "<=", 5.0),
        (
            f"1,000 bootstraps, {PROMPTS:,} clusters",
            best(lambda: bootstrap_ratings(*columns, clusters=prompts), 2),
            "s",
            "<=",
            10.0,
        ),
        ("ICC(2,1) of 10,000 x 5", 1000 * best(lambda: icc(table, form="2,1"), 7), "ms", "<=", 20.0),
        (
            "feedback arc set, 20 items, worst of 3",
            max(best(lambda arc=arc: feedback_arc_set(*arc, method="exact"), 3) for arc in arcs),
            "s",
            "<=",
            0.5,
        ),
    ]
    met = True
    for name, value, unit, sign, limit in results:
        passed = value >= limit if sign == ">=" else value <= limit
        met &= passed
        print(f"{name:<45}{value:>9.2f} {unit:<3} {sign} {limit:<5g} {'pass' if passed else 'FAIL'}")
    if given.plot:
        draw(given.plot)
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
