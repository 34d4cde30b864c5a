"""Plans of pairs, where the items stand, and the next best pair, by simulation with known truth."""

import gzip
import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit
from scipy.stats import norm

from semiosis.core.errors import BadData, BadSetting
from semiosis.stats.tournament import (
    Posterior,
    degree_uniform_pairs,
    next_best_pair,
    next_pairs,
    order_probabilities,
    posterior,
)

Rows = list[tuple[int, int, str]]


def degrees(pairs: Any, items: int) -> list[int]:
    used = Counter(item for pair in pairs for item in pair)
    return [used[item] for item in range(items)]


def parts(pairs: Any, items: int) -> int:
    tails, heads = np.array(pairs).T
    graph = coo_array((np.ones(len(pairs)), (tails, heads)), shape=(items, items))
    return int(connected_components(graph, directed=False, return_labels=False))


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int, int]:
    items = draw(st.integers(2, 25))
    return items, draw(st.integers(items - 1, math.comb(items, 2))), draw(st.integers(0, 2**32))


@settings(deadline=None)
@given(sizes())
def test_a_plan_connects_all_items_without_a_repeat(size: tuple[int, int, int]) -> None:
    items, pairs, seed = size
    plan = degree_uniform_pairs(items, pairs, seed=seed)
    assert len({frozenset(pair) for pair in plan}) == len(plan) == pairs
    assert all(0 <= item < items for pair in plan for item in pair)
    assert parts(plan, items) == 1
    assert parts(plan[: items - 1], items) == 1


@settings(deadline=None)
@given(sizes())
def test_a_longer_plan_starts_with_the_shorter(size: tuple[int, int, int]) -> None:
    items, pairs, seed = size
    whole = degree_uniform_pairs(items, math.comb(items, 2), seed=seed)
    assert degree_uniform_pairs(items, pairs, seed=seed) == whole[:pairs]


@settings(deadline=None)
@given(sizes())
def test_every_added_pair_is_a_least_used_one(size: tuple[int, int, int]) -> None:
    items, pairs, seed = size
    plan = degree_uniform_pairs(items, pairs, seed=seed)
    free = set(combinations(range(items), 2)) - {tuple(sorted(pair)) for pair in plan[: items - 1]}
    for at in range(items - 1, pairs):
        used = degrees(plan[:at], items)
        least = min((max(used[a], used[b]), used[a] + used[b]) for a, b in free)
        a, b = sorted(plan[at])
        assert (max(used[a], used[b]), used[a] + used[b]) == least
        free.remove((a, b))


def test_degrees_spread_less_than_those_of_random_pairs() -> None:
    rng = np.random.default_rng(0)
    every = list(combinations(range(12), 2))
    planned, random = [], []
    for seed in range(50):
        planned.append(np.ptp(degrees(degree_uniform_pairs(12, 30, seed=seed), 12)))
        random.append(np.ptp(degrees([every[at] for at in rng.permutation(len(every))[:30]], 12)))
    assert np.mean(planned) < 1
    assert np.mean(random) > 4


def test_ties_among_the_best_pairs_are_broken_evenly() -> None:
    # With 4 items, a path leaves exactly the pair of its ends best; a star leaves three pairs that are equal.
    stars = [
        plan
        for seed in range(3000)
        if max(degrees((plan := degree_uniform_pairs(4, 4, seed=seed))[:3], 4)) == 3
    ]
    last = Counter(frozenset(plan[3]) for plan in stars)
    assert len(last) == 6
    assert max(last.values()) < 1.5 * min(last.values())


@pytest.mark.parametrize(
    ("items", "pairs"), [(2, 1), (3, 3), (4, 4), (5, 10), (10, 20), (20, 60), (100, 500)]
)
def test_the_default_is_items_times_the_rounded_logarithm(items: int, pairs: int) -> None:
    plan = degree_uniform_pairs(items)
    assert len(plan) == pairs


def test_a_thousand_items_all_get_the_same_degree() -> None:
    assert set(degrees(degree_uniform_pairs(1000), 1000)) == {14}


def test_sides_are_random() -> None:
    plans = [degree_uniform_pairs(10, seed=seed) for seed in range(200)]
    a, b = (Counter(pair[side] for plan in plans for pair in plan) for side in (0, 1))
    # 800 uses of an item, so a share has a standard error of 0.018.
    assert all(abs(a[item] / (a[item] + b[item]) - 0.5) < 0.07 for item in range(10))


def test_the_same_seed_gives_the_same_plan() -> None:
    assert degree_uniform_pairs(10, seed=3) == degree_uniform_pairs(10, seed=3)
    assert degree_uniform_pairs(10, seed=3) != degree_uniform_pairs(10, seed=4)


def test_the_released_plans_look_like_ours(shared_data: Path) -> None:
    with gzip.open(shared_data / "fineartbench" / "instance_annotation_paper.json.gz", "rt") as lines:
        rows = json.load(lines)
    released: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for row in rows:
        pair = row["method_left"], row["method_right"]
        released.setdefault((row["content_index"], row["style_index"]), []).append(pair)
    assert {len(plan) for plan in released.values()} == {len(degree_uniform_pairs(10))}

    def even(plans: Any) -> float:
        return float(
            np.mean([set(Counter(item for pair in plan for item in pair).values()) == {4} for plan in plans])
        )

    theirs, ours = (
        even(released.values()),
        even([degree_uniform_pairs(10, seed=seed) for seed in range(1000)]),
    )
    # 158 of 250: a standard error of 0.03 there and 0.015 here.
    assert theirs == pytest.approx(0.632)
    assert ours == pytest.approx(theirs, abs=0.1)


@pytest.mark.parametrize(
    ("items", "pairs", "message"),
    [
        (1, None, "at least 2 items, not 1"),
        (0, 0, "not 0"),
        (5, 3, "4 to 10 pairs.*not 3"),
        (5, 11, "not 11"),
    ],
)
def test_impossible_plans_are_refused(items: int, pairs: int | None, message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        degree_uniform_pairs(items, pairs)


ROW = st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from(["a", "b", "tie"]))
ROWS = st.lists(ROW.filter(lambda row: row[0] != row[1]), max_size=40)


def columns(rows: Rows) -> tuple[list[int], list[int], list[str]]:
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def minus_log_posterior(strengths: Any, rows: Rows, prior: float) -> float:
    won = {"a": 1.0, "tie": 0.5, "b": 0.0}
    total = prior / 2 * float(strengths @ strengths)
    for a, b, winner in rows:
        gap = strengths[a] - strengths[b]
        total += won[winner] * np.logaddexp(0, -gap) + (1 - won[winner]) * np.logaddexp(0, gap)
    return total


@settings(deadline=None, max_examples=50)
@given(ROWS, st.sampled_from([1e-3, 0.3, 1.0, 10.0]))
def test_the_mode_is_where_a_general_optimiser_finds_it(rows: Rows, prior: float) -> None:
    strengths = posterior(*columns(rows), items=range(5), prior=prior)
    best = minimize(minus_log_posterior, np.zeros(5), (rows, prior), tol=1e-10)
    assert minus_log_posterior(strengths.mean, rows, prior) <= best.fun + 1e-9
    assert strengths.mean.sum() == pytest.approx(0, abs=1e-9)
    assert (np.linalg.eigvalsh(strengths.covariance) > 0).all()


def test_the_mode_agrees_with_choix() -> None:
    rng = np.random.default_rng(1)
    wins = [tuple(rng.choice(6, 2, replace=False).tolist()) for _ in range(60)]
    a, b = zip(*wins, strict=True)
    strengths = posterior(a, b, ["a"] * 60, items=range(6), prior=0.5)
    assert strengths.mean == pytest.approx(choix.opt_pairwise(6, wins, alpha=0.25), abs=1e-5)


def test_the_covariance_is_the_inverse_of_the_curvature_at_the_mode() -> None:
    rows: Rows = [(0, 1, "a"), (1, 2, "tie"), (2, 0, "a"), (0, 1, "a"), (2, 1, "b")]
    strengths = posterior(*columns(rows), items=range(4), prior=0.7)
    step = 1e-4 * np.eye(4)

    def at(move: Any) -> float:
        return minus_log_posterior(strengths.mean + move, rows, 0.7)

    curvature = [[(at(a + b) - at(a - b) - at(b - a) + at(-a - b)) / 4e-8 for b in step] for a in step]
    assert strengths.covariance @ np.array(curvature) == pytest.approx(np.eye(4), abs=1e-5)


@settings(deadline=None, max_examples=30)
@given(ROWS, st.data())
def test_a_weight_is_a_share_of_a_comparison(rows: Rows, data: st.DataObject) -> None:
    """Two rows that weigh a half each are one; a win of three quarters is one and two halves of a draw."""
    halves = posterior(*columns(rows * 2), items=range(5), weights=[0.5] * (2 * len(rows)))
    assert halves.mean == pytest.approx(posterior(*columns(rows), items=range(5)).mean, abs=1e-7)
    sure = data.draw(st.floats(0.51, 0.99))
    parts = posterior([0, 0], [1, 1], ["a", "b"], items=range(2), weights=[sure, 1 - sure])
    drawn = posterior([0, 0], [1, 1], ["a", "tie"], items=range(2), weights=[2 * sure - 1, 2 - 2 * sure])
    assert parts.mean == pytest.approx(drawn.mean, abs=1e-7)
    assert parts.mean[0] < posterior([0], [1], ["a"], items=range(2)).mean[0]


def test_weights_do_not_make_a_pair_count_twice_in_the_choice_of_the_next() -> None:
    whole = next_pairs([0], [1], ["a"], items=range(4), count=3)
    parts = next_pairs([0, 0], [1, 1], ["a", "b"], items=range(4), count=3, weights=[0.9, 0.1])
    assert [(each.a, each.b) for each in parts] == [(each.a, each.b) for each in whole]


@pytest.mark.parametrize("weights", [[0.0], [-1.0], [float("nan")], [1.0, 1.0]])
def test_a_weight_is_a_number_above_zero_for_each_comparison(weights: list[float]) -> None:
    with pytest.raises(BadData, match="weight"):
        posterior([0], [1], ["a"], items=range(2), weights=weights)


def test_nothing_known_is_the_prior() -> None:
    strengths = posterior([], [], [], items=["a", "b"], prior=4.0)
    assert strengths.items == ("a", "b")
    assert strengths.mean.tolist() == [0, 0]
    assert strengths.covariance == pytest.approx(np.eye(2) / 4)


def test_an_item_that_always_wins_has_a_finite_strength_under_a_flat_prior() -> None:
    strengths = posterior(
        ["a"] * 100_000, ["b"] * 100_000, ["a"] * 100_000, items=["a", "b", "c"], prior=1e-6
    )
    strength = strengths.mean[0]
    # At the mode the pull of the prior is what is left of the wins.
    mode = brentq(lambda at: 1e-6 * at - 100_000 * expit(-2 * at), 0, 50)
    assert strength == pytest.approx(mode, abs=1e-5)
    assert strengths.mean == pytest.approx([strength, -strength, 0])


def test_a_perfect_order_of_many_items_is_fitted_under_a_flat_prior() -> None:
    a, b = np.triu_indices(60, 1)
    strengths = posterior(a, b, np.full(len(a), -1), items=range(60), prior=1e-6)
    assert (np.diff(strengths.mean) < 0).all()
    assert strengths.mean == pytest.approx(-strengths.mean[::-1])


def test_order_probabilities_are_those_of_the_difference() -> None:
    covariance = np.array([[0.5, 0.1, 0.0], [0.1, 0.3, 0.0], [0.0, 0.0, 1.0]])
    strengths = Posterior(("low", "high", "middle"), np.array([-1.0, 1.0, 0.0]), covariance)
    first, second = order_probabilities(strengths)
    assert (first.above, first.below, second.above, second.below) == ("high", "middle", "middle", "low")
    assert first.probability == pytest.approx(norm.cdf(1 / math.sqrt(1.3)))
    assert second.probability == pytest.approx(norm.cdf(1 / math.sqrt(1.5)))


def test_with_nothing_known_neighbours_are_even() -> None:
    strengths = posterior([], [], [], items="abc")
    assert [each.probability for each in order_probabilities(strengths)] == [0.5, 0.5]


def test_with_nothing_known_the_first_items_come_first() -> None:
    pair = next_best_pair([], [], [], items=["c", "a", "b"], prior=2.0)
    assert (pair.a, pair.b) == ("c", "a")
    assert pair.gain == pytest.approx(math.log(1 + 0.25 * (1 / 2 + 1 / 2)))


@settings(deadline=None, max_examples=50)
@given(ROWS, st.sampled_from([0.3, 1.0]))
def test_no_pair_has_a_larger_gain(rows: Rows, prior: float) -> None:
    strengths = posterior(*columns(rows), items=range(5), prior=prior)
    gains: list[float] = []
    for one, other in combinations(range(5), 2):
        chance = 1 / (1 + math.exp(strengths.mean[other] - strengths.mean[one]))
        contrast = np.eye(5)[one] - np.eye(5)[other]
        after = np.linalg.inv(strengths.covariance) + chance * (1 - chance) * np.outer(contrast, contrast)
        gains.append(np.linalg.slogdet(after)[1] + np.linalg.slogdet(strengths.covariance)[1])
    pair = next_best_pair(*columns(rows), items=range(5), prior=prior)
    assert pair.gain == pytest.approx(max(gains), abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(ROWS, st.integers(1, 10))
def test_a_batch_is_of_different_pairs_and_gains_what_they_gain_together(rows: Rows, count: int) -> None:
    pairs = next_pairs(*columns(rows), items=range(5), count=count)
    assert len({frozenset((pair.a, pair.b)) for pair in pairs}) == count
    strengths = posterior(*columns(rows), items=range(5))
    precision = np.linalg.inv(strengths.covariance)
    for pair in pairs:
        one, other = int(str(pair.a)), int(str(pair.b))
        chance = 1 / (1 + math.exp(strengths.mean[other] - strengths.mean[one]))
        contrast = np.eye(5)[one] - np.eye(5)[other]
        precision += chance * (1 - chance) * np.outer(contrast, contrast)
    together = np.linalg.slogdet(precision)[1] + np.linalg.slogdet(strengths.covariance)[1]
    assert sum(pair.gain for pair in pairs) == pytest.approx(together, abs=1e-9)
    assert pairs[0] == next_best_pair(*columns(rows), items=range(5))


def test_a_batch_with_nothing_known_uses_every_item_before_any_twice() -> None:
    pairs = next_pairs([], [], [], items="abcdef", count=3)
    assert [(pair.a, pair.b) for pair in pairs] == [("a", "b"), ("c", "d"), ("e", "f")]


def test_equal_gains_go_to_the_items_compared_least() -> None:
    # At so strong a prior two ties teach less than can be told, so that only the counts differ.
    pair = next_best_pair(["a", "b"], ["b", "c"], ["tie", "tie"], items="abcd", prior=1e12)
    assert (pair.a, pair.b) == ("d", "a")


def test_sides_are_evened_out() -> None:
    a, b, winner = ["a", "a"], ["b", "c"], ["tie", "tie"]
    pair = next_best_pair(a, b, winner, items="abc", exclude=[("c", "b"), ("a", "b")])
    assert (pair.a, pair.b) == ("c", "a")


def test_excluded_pairs_are_not_proposed_either_way_round() -> None:
    exclude = [("b", "a"), ("a", "c")]
    pair = next_best_pair([], [], [], items="abc", exclude=exclude)
    assert (pair.a, pair.b) == ("b", "c")
    with pytest.raises(BadSetting, match="2; 1 of the 3 pairs are not excluded"):
        next_pairs([], [], [], items="abc", count=2, exclude=exclude)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"items": ["a"]}, BadData, "at least 2 items, not 1"),
        ({"items": ["a", "b", "a"]}, BadData, "'a' is listed twice"),
        ({"items": ["a", "c"]}, BadData, "'b' was compared but is not among the 2 items"),
        ({"exclude": [("a", "z")]}, BadData, "'z' of an excluded pair"),
        ({"exclude": [("a", "b")]}, BadSetting, "0 of the 1 pairs"),
        ({"winner": ["a", "a"]}, BadData, "not equally long"),
        ({"winner": ["won"]}, BadData, "'won'"),
        ({"prior": 0.0}, BadSetting, "is 0.0"),
        ({"prior": math.nan}, BadSetting, "is nan"),
    ],
)
def test_what_cannot_be_used_is_refused(wrong: dict[str, Any], error: type[Exception], message: str) -> None:
    arguments: dict[str, Any] = {"a": ["a"], "b": ["b"], "winner": ["a"], "items": ["a", "b"], **wrong}
    with pytest.raises(error, match=message):
        next_best_pair(arguments.pop("a"), arguments.pop("b"), arguments.pop("winner"), **arguments)


def settled(strengths: Posterior, confidence: float) -> bool:
    return all(each.probability >= confidence for each in order_probabilities(strengths))


def comparisons_to_settle(seed: int, *, adaptive: bool, items: int = 8) -> tuple[int, bool]:
    """How many comparisons it takes, looking after every fifth, and whether the order is then the true one."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(items) * 1.5
    a: list[int] = []
    b: list[int] = []
    winner: list[int] = []
    while not settled(strengths := posterior(a, b, winner, items=range(items)), 0.9):
        for _ in range(5):
            if adaptive:
                pair = next_best_pair(a, b, winner, items=range(items))
                one, other = int(str(pair.a)), int(str(pair.b))
            else:
                one, other = rng.choice(items, 2, replace=False).tolist()
            a.append(one)
            b.append(other)
            winner.append(-1 if rng.random() < 1 / (1 + math.exp(truth[other] - truth[one])) else 1)
    return len(winner), bool((np.diff(truth[np.argsort(-strengths.mean)]) < 0).all())


def test_the_next_best_pair_settles_the_order_in_fewer_comparisons_than_random_pairs() -> None:
    adaptive = [comparisons_to_settle(seed, adaptive=True) for seed in range(10)]
    random = [comparisons_to_settle(seed, adaptive=False) for seed in range(10)]
    assert np.mean([count for count, _ in adaptive]) < 0.7 * np.mean([count for count, _ in random])
    assert sum(is_true for _, is_true in adaptive) >= 8


def test_a_coin_decides_who_comes_first() -> None:
    first = second = 0
    for seed in range(40):
        for one, other in degree_uniform_pairs(10, seed=seed):
            first += one < other
            second += other < one
    assert 0.43 < first / (first + second) < 0.57
