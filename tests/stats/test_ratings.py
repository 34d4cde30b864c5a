"""Elo and Bradley-Terry against published fits, other people's code, and simulations with a known truth."""

import csv
import gzip
import itertools
import json
import math
from pathlib import Path
from typing import Any

import choix
import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st

from semiosis.core.errors import BadData, BadSetting, NoFit
from semiosis.sources.winners import winner as winner_of
from semiosis.stats.cells import counted
from semiosis.stats.comparisons import comparisons
from semiosis.stats.fitting import Fit, fit
from semiosis.stats.ratings import Ratings, bootstrap_ratings, bradley_terry, elo
from semiosis.stats.refitting import Refitting
from semiosis.stats.resampling import draws, resampled, units

Columns = tuple[list[Any], list[Any], list[Any]]


def simulated(
    scores: np.ndarray, rows: int, random: np.random.Generator, *, side: float = 0.0, draws: float = 0.0
) -> Columns:
    """Comparisons of random pairs, both ways round, with the Bradley-Terry model's chances."""
    items = len(scores)
    a = random.integers(0, items, rows)
    b = (a + random.integers(1, items, rows)) % items
    chance = 1 / (1 + np.exp(scores[b] - scores[a] - side))
    won = np.where(random.random(rows) < chance, -1, 1)
    winner = np.where(random.random(rows) < draws, 0, won)
    return a.tolist(), b.tolist(), winner.tolist()


def reference(shared_data: Path, name: str) -> dict[str, Any]:
    cases = json.loads((shared_data / "stats_reference" / "stats_reference.json").read_text())
    return next(case for case in cases if case["id"] == name)


def rows_of(shared_data: Path, name: str) -> list[dict[str, str]]:
    path = shared_data / "stats_reference" / "csv" / name
    text = gzip.decompress(path.read_bytes()).decode() if name.endswith(".gz") else path.read_text()
    return list(csv.DictReader(text.splitlines()))


# Published fits


def test_stigler_1994_journal_citations(shared_data: Path) -> None:
    case = reference(shared_data, "stigler_1994_citations")
    items, table = case["items"], case["matrix_cited_by_citing"]
    pairs = list(itertools.permutations(range(len(items)), 2))
    ratings = bradley_terry(
        [items[cited] for cited, _ in pairs],
        [items[citing] for _, citing in pairs],
        ["a"] * len(pairs),
        weights=[table[cited][citing] for cited, citing in pairs],
    )
    for item, ability in case["published_log_ability"].items():
        assert round(ratings.scores[item] - ratings.scores["Biometrika"], 4) == ability


@pytest.mark.parametrize("home", [False, True])
def test_agresti_baseball(shared_data: Path, home: bool) -> None:
    case = reference(shared_data, "agresti_baseball")
    a: list[str] = []
    b: list[str] = []
    winner: list[str] = []
    for row in rows_of(shared_data, "baseball.csv"):
        for side, wins in (("a", int(row["home.wins"])), ("b", int(row["away.wins"]))):
            a += [row["home.team"]] * wins
            b += [row["away.team"]] * wins
            winner += [side] * wins
    ratings = bradley_terry(a, b, winner, side_effect=home)
    published = case["published_with_home" if home else "published_no_home"]
    for team, ability in published.items():
        if not team.startswith("at."):
            assert ratings.scores[team] - ratings.scores["Baltimore"] == pytest.approx(ability, abs=5e-5)
    if home:
        assert ratings.side is not None
        assert round(ratings.side.value, 4) == published["at.home"]
        assert round(ratings.side.error or 0, 4) == published["at.home_se"]
        assert ratings.side.low == pytest.approx(ratings.side.value - 1.959964 * 0.1309, abs=1e-4)
    else:
        assert ratings.side is None


def winners_of(rows: list[dict[str, str]]) -> list[Any]:
    """As stats has them, of files of others."""
    return [winner_of(row["winner"]) for row in rows]


@pytest.mark.parametrize("name", ["food", "simple", "llmfao"])
def test_evalica_golden_files(shared_data: Path, name: str) -> None:
    """Their fits converged: log-scores agree to 12 digits, far beyond the tolerance they were asked for."""
    rows = rows_of(shared_data, f"evalica_{name}.csv" + (".gz" if name == "llmfao" else ""))
    columns = [row["left"] for row in rows], [row["right"] for row in rows], winners_of(rows)
    golden = rows_of(shared_data, f"evalica_{name}-golden.csv")
    scores = {row["item"]: float(row["score"]) for row in golden if row["algorithm"] == "elo"}
    assert elo(*columns, k=4, start=1000).scores == pytest.approx(scores, rel=1e-13)
    logs = {
        row["item"]: math.log(float(row["score"])) for row in golden if row["algorithm"] == "bradley_terry"
    }
    mean = sum(logs.values()) / len(logs)
    expected = {item: value - mean for item, value in logs.items()}
    assert bradley_terry(*columns).scores == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("part", ["all", "first1000"])
@pytest.mark.parametrize(
    "name",
    ["global_annotation", "global_annotation_paper", "instance_annotation", "instance_annotation_paper"],
)
def test_fineartbench_rankings(shared_data: Path, name: str, part: str) -> None:
    """`first1000` are the first thousand rows, decided or not."""
    folder = shared_data / "fineartbench"
    expected = json.loads((folder / "reference_rankings.json").read_text())[name]
    rows = json.loads(gzip.decompress((folder / f"{name}.json.gz").read_bytes()))
    if part == "first1000":
        rows, expected = rows[:1000], {"elo_file_order": expected[part]["elo"], **expected[part]}
    decided = [row for row in rows if row["winner"]]
    one, other = ([row[key] for row in decided] for key in ("method_left", "method_right"))
    columns = one, other, winners_of(decided)
    rated, fitted = elo(*columns), bradley_terry(*columns)
    assert rated.scores == pytest.approx(expected["elo_file_order"], abs=0.0051)
    assert [each.item for each in rated.ratings] == expected["elo_rank"]
    assert fitted.scores == pytest.approx(expected["bt_theta"], abs=0.000051)
    if part == "all":
        assert [each.item for each in fitted.ratings] == expected["bt_rank"]
        assert {each.item: each.comparisons for each in fitted.ratings} == expected["games"]
        shuffled = elo(*columns, shuffles=500, seed=3)
        for item, value in expected["elo_shuffled_mean500"].items():
            rating = shuffled[item]
            assert rating.low is not None
            assert rating.high is not None
            # Two means of 500 orders each, four standard errors apart at most.
            assert rating.value == pytest.approx(value, abs=(rating.high - rating.low) / 3.92 * 4 * 0.0633)
            assert rating.low < value < rating.high


# Other people's code


@pytest.mark.parametrize("alpha", [0.05, 1.0])
def test_choix_with_its_penalty(alpha: float) -> None:
    """choix takes alpha times the squares off, a normal prior half its precision times the squares."""
    a, b, winner = simulated(np.linspace(-2, 2, 6), 80, np.random.default_rng(1))
    wins = [(one, two) if w == -1 else (two, one) for one, two, w in zip(a, b, winner, strict=True)]
    theirs = choix.opt_pairwise(6, wins, alpha=alpha, tol=1e-12)
    ratings = bradley_terry(a, b, winner, prior=2 * alpha)
    assert [ratings.scores[item] for item in range(6)] == pytest.approx(theirs, abs=1e-6)


def test_many_items_and_few_comparisons_as_choix() -> None:
    a, b, winner = simulated(np.linspace(-2, 2, 300), 900, np.random.default_rng(2))
    wins = [(one, two) if w == -1 else (two, one) for one, two, w in zip(a, b, winner, strict=True)]
    theirs = choix.opt_pairwise(300, wins, alpha=0.1, tol=1e-12)
    ratings = bradley_terry(a, b, winner, prior=0.2)
    assert len(ratings.scores) > 290
    assert ratings.scores == pytest.approx({item: theirs[int(item)] for item in ratings.scores}, abs=1e-6)


@pytest.mark.parametrize("side_effect", [False, True])
def test_statsmodels_logistic_regression(side_effect: bool) -> None:
    """Scores, side effect and all standard errors; sums to zero by coding the last item as minus the rest."""
    scores = np.array([0.0, 1.0, -1.5, 0.4])
    a, b, winner = simulated(scores, 300, np.random.default_rng(3), side=0.5, draws=0.2)
    ratings = bradley_terry(a, b, winner, side_effect=side_effect, confidence=0.9)
    design = np.zeros((300, 4))
    design[np.arange(300), a] += 1
    design[np.arange(300), b] -= 1
    won = (1 - np.array(winner)) / 2
    for last in range(4):
        others = [item for item in range(4) if item != last]
        coded = design[:, others] - design[:, [last]]
        coded = np.column_stack([coded, np.ones(300)]) if side_effect else coded
        model = sm.GLM(
            np.repeat([1.0, 0.0], 300),
            np.vstack([coded, coded]),
            family=sm.families.Binomial(),
            freq_weights=np.concatenate([won, 1 - won]),
        ).fit(tol=1e-12)
        for at, item in enumerate(others):
            assert ratings[item].value == pytest.approx(model.params[at], abs=1e-8)
            assert ratings[item].error == pytest.approx(model.bse[at], abs=1e-7)
            assert (ratings[item].low, ratings[item].high) == pytest.approx(model.conf_int(0.1)[at], abs=1e-6)
        if side_effect:
            assert ratings.side is not None
            assert ratings.side.value == pytest.approx(model.params[-1], abs=1e-8)
            assert ratings.side.error == pytest.approx(model.bse[-1], abs=1e-7)


def test_errors_under_a_prior_are_those_of_the_curvature() -> None:
    """Inverted with the constraint as a border, on numbers of their own."""
    a, b, winner = simulated(np.array([0.0, 1.0, -1.0]), 40, np.random.default_rng(4))
    prior = 0.7
    ratings = bradley_terry(a, b, winner, side_effect=True, prior=prior)
    assert ratings.side is not None
    point = np.array([ratings.scores[0], ratings.scores[1], ratings.scores[2], ratings.side.value])
    bordered = np.zeros((5, 5))
    bordered[:4, :4] = prior * np.eye(4)
    slope = -prior * point
    for one, two, w in zip(a, b, winner, strict=True):
        x = np.array([0.0, 0, 0, 1])
        x[one], x[two] = 1, -1
        chance = 1 / (1 + math.exp(-x @ point))
        slope += ((w == -1) - chance) * x
        bordered[:4, :4] += chance * (1 - chance) * np.outer(x, x)
    bordered[4, :3] = bordered[:3, 4] = 1
    errors = np.sqrt(np.linalg.inv(bordered).diagonal()[:4])
    assert slope == pytest.approx(np.zeros(4), abs=1e-9)
    assert [ratings[item].error for item in range(3)] == pytest.approx(errors[:3], rel=1e-9)
    assert ratings.side.error == pytest.approx(errors[3], rel=1e-9)


# Properties


@st.composite
def fittable(draw: st.DrawFn) -> Columns:
    """Up to six items that all beat and lose to a neighbour, seen both ways round, and any other comparisons."""
    items = draw(st.integers(2, 6))
    rows = [(at, (at + 1) % items, w) for at in range(items) for w in (-1, 1)]
    rows += [(b, a, w) for a, b, w in rows]
    pair = st.tuples(st.integers(0, items - 1), st.integers(1, items - 1), st.sampled_from([-1, 0, 1]))
    rows += [(a, (a + by) % items, w) for a, by, w in draw(st.lists(pair, max_size=30))]
    a, b, winner = zip(*rows, strict=True)
    return list(a), list(b), list(winner)


def same(one: Ratings, other: Ratings, *, error: float = 1.0) -> None:
    assert other.scores == pytest.approx(one.scores, abs=1e-9)
    for rating in one.ratings:
        assert other[rating.item].error == pytest.approx((rating.error or 0) * error, rel=1e-7)
        assert other[rating.item].rank == rating.rank


@given(fittable(), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_rows_does_not_matter(columns: Columns, random: Any, side: bool) -> None:
    rows = list(zip(*columns, strict=True))
    random.shuffle(rows)
    turned = [list(column) for column in zip(*rows, strict=True)]
    same(bradley_terry(*columns, side_effect=side), bradley_terry(*turned, side_effect=side))


@given(fittable(), st.permutations(range(6)))
def test_labels_do_not_matter(columns: Columns, new: list[int]) -> None:
    a, b, winner = columns
    one = bradley_terry(a, b, winner)
    other = bradley_terry([f"x{new[one]}" for one in a], [f"x{new[one]}" for one in b], winner)
    assert {f"x{new[int(item)]}": value for item, value in one.scores.items()} == pytest.approx(
        other.scores, abs=1e-9
    )


@given(fittable())
def test_swapping_sides_turns_the_side_effect_round(columns: Columns) -> None:
    a, b, winner = columns
    one = bradley_terry(a, b, winner, side_effect=True)
    other = bradley_terry(b, a, [-w for w in winner], side_effect=True)
    same(one, other)
    assert one.side is not None
    assert other.side is not None
    assert other.side.value == pytest.approx(-one.side.value, abs=1e-9)
    assert (other.side.low, other.side.high) == pytest.approx((-one.side.high, -one.side.low), abs=1e-9)
    same(bradley_terry(a, b, winner), bradley_terry(b, a, [-w for w in winner]))


@given(fittable(), st.floats(1e-6, 1e6), st.booleans(), st.data())
def test_scaling_weights_scales_errors_and_leaves_scores(
    columns: Columns, by: float, side: bool, data: st.DataObject
) -> None:
    size = len(columns[0])
    weights = np.array(data.draw(st.lists(st.floats(0.5, 20), min_size=size, max_size=size)))
    one = bradley_terry(*columns, weights=weights, side_effect=side)
    other = bradley_terry(*columns, weights=weights * by, side_effect=side)
    same(one, other, error=1 / math.sqrt(by))


@given(fittable(), st.booleans())
def test_a_draw_is_half_a_win_for_each(columns: Columns, side: bool) -> None:
    a, b, winner = columns
    assume(0 in winner)
    halves = [(a, b, w, 1.0) for a, b, w in zip(*columns, strict=True) if w]
    halves += [(a, b, w, 0.5) for a, b, drawn in zip(*columns, strict=True) if not drawn for w in (-1, 1)]
    *meetings, weight = (list(column) for column in zip(*halves, strict=True))
    same(
        bradley_terry(a, b, winner, side_effect=side),
        bradley_terry(*meetings, weights=weight, side_effect=side),
    )


@given(fittable(), st.integers(2, 5))
def test_a_weight_is_so_many_rows(columns: Columns, times: int) -> None:
    a, b, winner = columns
    weights = [times] + [1] * (len(a) - 1)
    more = [column + [column[0]] * (times - 1) for column in columns]
    same(bradley_terry(a, b, winner, weights=weights), bradley_terry(*more))


@given(fittable(), st.sampled_from([0.0, 0.3]), st.booleans())
def test_scores_sum_to_zero_and_stand_best_first(columns: Columns, prior: float, side: bool) -> None:
    ratings = bradley_terry(*columns, prior=prior, side_effect=side)
    values = [rating.value for rating in ratings.ratings]
    assert sum(values) == pytest.approx(0, abs=1e-9)
    assert values == pytest.approx(sorted(values, reverse=True), abs=1e-7)
    assert [rating.rank for rating in ratings.ratings] == sorted(rating.rank for rating in ratings.ratings)


@given(fittable(), st.randoms(use_true_random=False))
def test_elo_keeps_its_sum_and_mirrors_sides(columns: Columns, random: Any) -> None:
    a, b, winner = columns
    ratings = elo(a, b, winner, k=random.uniform(1, 60), start=900)
    assert sum(ratings.scores.values()) == pytest.approx(900 * len(ratings.ratings))
    assert elo(a, b, winner).scores == pytest.approx(elo(b, a, [-w for w in winner]).scores)


# Elo


def test_elo_by_hand() -> None:
    """Equals: 16 points change hands. Then the winner expects 1 / (1 + 10 ** (-32 / 400)) = 0.54592."""
    ratings = elo(["a", "a"], ["b", "b"], ["a", "tie"])
    assert ratings.scores == pytest.approx({"a": 1516 - 1.4695, "b": 1484 + 1.4695}, abs=5e-5)
    best = ratings.ratings[0]
    assert (best.low, best.high, best.error, best.rank_low, best.rank_high) == (None,) * 5
    assert (best.rank, best.comparisons, ratings.comparisons, ratings.model) == (1, 2, 2, "elo")


def test_elo_over_orders_is_elo_of_each_order() -> None:
    rows = [("a", "b", -1), ("b", "c", 1), ("c", "a", 0), ("a", "c", 1)]
    each = [elo(*map(list, zip(*order, strict=True))).scores for order in itertools.permutations(rows)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    for seed in range(5):
        one = elo(*columns, shuffles=1, seed=seed).scores
        assert any(one == pytest.approx(scores, abs=1e-9) for scores in each)
    ratings = elo(*columns, shuffles=4000)
    for item in "abc":
        over = sorted(scores[item] for scores in each)
        assert ratings[item].value == pytest.approx(np.mean(over), abs=0.1)
        assert (ratings[item].low, ratings[item].high) == pytest.approx((over[0], over[-1]), abs=1e-9)
        ranks = sorted(1 + sum(scores[other] > scores[item] + 1e-7 for other in "abc") for scores in each)
        assert (ratings[item].rank_low, ratings[item].rank_high) == (ranks[0], ranks[-1])
    assert ratings["a"].error is None
    assert elo(*columns, shuffles=50, seed=7) == elo(*columns, shuffles=50, seed=7)
    assert elo(*columns, shuffles=50, seed=7) != elo(*columns, shuffles=50, seed=8)


# Intervals


@pytest.mark.parametrize("side_effect", [False, True])
def test_intervals_cover_the_truth_as_often_as_they_say(side_effect: bool) -> None:
    random = np.random.default_rng(5)
    truth = np.array([-1.0, -0.3, 0.0, 0.4, 0.9])
    covered: list[bool] = []
    sides: list[bool] = []
    for _ in range(300):
        columns = simulated(truth, 250, random, side=0.4 * side_effect)
        ratings = bradley_terry(*columns, side_effect=side_effect)
        for item, value in enumerate(truth):
            rating = ratings[item]
            covered.append(rating.low <= value <= rating.high)  # type: ignore[operator]
        if ratings.side is not None:
            sides.append(ratings.side.low <= 0.4 <= ratings.side.high)
    # 300 independent rounds: a standard error of 1.3 percent for one score.
    assert 0.92 < np.mean(covered) < 0.98
    assert len(sides) == 300 * side_effect
    assert not sides or 0.91 < np.mean(sides) < 0.99


def test_leaving_the_side_out_biases_what_is_always_a() -> None:
    """What the side effect is for: equals, of which one is `a` more often."""
    random = np.random.default_rng(6)
    a, b, winner = simulated(np.zeros(3), 4000, random, side=1.0)
    rows = [row for row in zip(a, b, winner, strict=True) if row[1] != 0 or random.random() < 0.1]
    columns = [list(column) for column in zip(*rows, strict=True)]
    assert bradley_terry(*columns)[0].value > 0.2
    corrected = bradley_terry(*columns, side_effect=True)
    assert abs(corrected[0].value) < 0.1
    assert corrected.side is not None
    assert corrected.side.low < 1 < corrected.side.high


def test_bootstrap_intervals_cover_the_truth() -> None:
    random = np.random.default_rng(7)
    truth = np.array([-0.8, -0.2, 0.2, 0.8])
    covered: list[bool] = []
    ranked: list[bool] = []
    for seed in range(150):
        ratings = bootstrap_ratings(*simulated(truth, 200, random), resamples=200, seed=seed)
        for item, value in enumerate(truth):
            rating = ratings[item]
            covered.append(rating.low <= value <= rating.high)  # type: ignore[operator]
            ranked.append(rating.rank_low <= 4 - item <= rating.rank_high)  # type: ignore[operator]
    assert 0.90 < np.mean(covered) < 0.99
    assert np.mean(ranked) > 0.93


# Bootstrap


@pytest.mark.parametrize("side_effect", [False, True])
def test_the_bootstrap_is_a_loop_of_fits_to_drawn_rows(side_effect: bool) -> None:
    truth = np.array([-1.0, -0.3, 0.0, 0.4, 0.9])
    columns = simulated(truth, 400, np.random.default_rng(8), side=0.3, draws=0.15)
    ratings = bootstrap_ratings(*columns, side_effect=side_effect, resamples=4000)
    random = np.random.default_rng(9)
    loop: list[list[float]] = []
    ranks: list[list[int]] = []
    for _ in range(800):
        rows = random.integers(0, 400, 400)
        refit = bradley_terry(*([column[at] for at in rows] for column in columns), side_effect=side_effect)
        loop.append([refit[item].value for item in range(5)] + [refit.side.value if refit.side else 0])
        ranks.append([refit[item].rank for item in range(5)])
    values = np.array(loop)
    low, high = np.quantile(values, [0.025, 0.975], axis=0)
    spread = values.std(axis=0)
    whole = bradley_terry(*columns, side_effect=side_effect)
    assert ratings.scores == whole.scores
    for item in range(5):
        rating = ratings[item]
        assert rating.error == pytest.approx(spread[item], rel=0.1)
        # An end of 800 draws is itself uncertain by about a tenth of the spread.
        assert rating.low == pytest.approx(low[item], abs=0.3 * spread[item])
        assert rating.high == pytest.approx(high[item], abs=0.3 * spread[item])
        ends = np.quantile([each[item] for each in ranks], [0.025, 0.975])
        assert (rating.rank_low, rating.rank_high) == pytest.approx(ends, abs=1)
    if ratings.side is not None:
        assert ratings.side.error == pytest.approx(spread[5], rel=0.1)
        assert (ratings.side.low, ratings.side.high) == pytest.approx((low[5], high[5]), abs=0.3 * spread[5])


def seldom_drawn() -> Columns:
    """One of the items won once and lost once: every seventh resample leaves it out."""
    a, b, winner = simulated(np.linspace(-1, 1, 4), 60, np.random.default_rng(16))
    return [*a, 4, 0], [*b, 0, 4], [*winner, -1, -1]


def won_at_home() -> Columns:
    """a won all but three: a resample without these fits scores, and no side effect."""
    pairs = list(itertools.permutations(range(3), 2)) * 6
    return [a for a, _ in pairs], [b for _, b in pairs], [1, -1, -1, 1, 1, -1] + [-1] * 30


def hardly_turned() -> Columns:
    """Two items always a, two always b, but for two comparisons: without these, the side is unknown."""
    pairs = [(0, 2), (0, 3), (1, 2), (1, 3)] * 16 + [(2, 0)] * 2
    return [a for a, _ in pairs], [b for _, b in pairs], [-1, -1, -1, -1, 1, 1, 1, 1] * 8 + [-1, 1]


def plain() -> Columns:
    return simulated(np.linspace(-1, 1, 5), 60, np.random.default_rng(10), side=0.3, draws=0.1)


@pytest.mark.parametrize("weights", [None, (1.0, 2.0, 50.0)])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize(
    ("columns", "side", "prior"),
    [
        (plain, False, 0.0),
        (plain, False, 0.2),
        (plain, True, 0.0),
        (plain, True, 0.2),
        (seldom_drawn, False, 0.0),
        (won_at_home, True, 0.0),
        (hardly_turned, True, 0.0),
    ],
)
def test_fitting_resamples_together_is_fitting_each(
    columns: Any, side: bool, prior: float, clustered: bool, weights: tuple[float, ...] | None
) -> None:
    """Small enough for resamples without a fit: these are found, and no others."""
    random = np.random.default_rng(10)
    contests = comparisons(*columns())
    rows = len(contests.a)
    cells = counted(contests, None if weights is None else random.choice(weights, rows), side=side)
    whole = fit(cells.cells, prior)
    assert isinstance(whole, Fit)
    clusters = np.unique(random.integers(0, rows // 2, rows), return_inverse=True)[1] if clustered else None
    refitting = Refitting.of(cells.cells, whole, prior)
    for won, lost in resampled(units(cells, clusters), resamples=120, seed=0):
        together = np.array(list(refitting.fits(won, lost)))
        alone = [fit(cells.cells.only(won[:, at], lost[:, at]), prior) for at in range(120)]
        each = np.array([one.point for one in alone if isinstance(one, Fit)])
        assert together == pytest.approx(each, abs=1e-6)
        assert prior or len(each) < 120
        assert len(each) > 20


@pytest.mark.parametrize("many", [(1, 1, 1, 1, 2), (400, 400, 150, 50, 1)])
def test_draws_are_multinomial(many: tuple[int, ...]) -> None:
    """One by one, and by way of Poisson counts: the mean and the covariance of drawing with replacement."""
    sizes = np.array(many)
    total = sizes.sum()
    samples = draws(np.random.default_rng(11), sizes, 20_000)
    assert (samples.sum(axis=0) == total).all()
    assert (samples >= 0).all()
    share = sizes / total
    covariance = total * (np.diag(share) - np.outer(share, share))
    assert samples.mean(axis=1) == pytest.approx(sizes, abs=5 * math.sqrt(covariance.max() / 20_000))
    assert np.cov(samples) == pytest.approx(covariance, rel=0.06, abs=0.04 * covariance.max())


def test_rows_that_repeat_within_clusters_widen_the_interval() -> None:
    random = np.random.default_rng(12)
    columns = simulated(np.array([-0.5, 0.0, 0.5]), 150, random)
    ten_times = tuple(column * 10 for column in columns)
    clusters = [f"prompt {at}" for at in range(150)] * 10
    once = bootstrap_ratings(*columns)
    apart = bootstrap_ratings(*ten_times)
    together = bootstrap_ratings(*ten_times, clusters=clusters)
    for item in range(3):
        assert together[item].error == pytest.approx(once[item].error, rel=0.12)
        assert apart[item].error == pytest.approx((once[item].error or 0) / math.sqrt(10), rel=0.12)
        assert together[item].value == pytest.approx(apart[item].value)


def test_a_cluster_a_row_is_no_cluster() -> None:
    columns = simulated(np.array([-0.5, 0.0, 0.5]), 200, np.random.default_rng(13), side=0.5)
    plain = bootstrap_ratings(*columns, side_effect=True, resamples=3000)
    single = bootstrap_ratings(*columns, side_effect=True, resamples=3000, clusters=np.arange(200))
    for item in range(3):
        assert single[item].error == pytest.approx(plain[item].error, rel=0.08)
    assert plain.side is not None
    assert single.side is not None
    assert single.side.error == pytest.approx(plain.side.error, rel=0.08)


def test_weights_that_differ_a_thousandfold_are_resampled_by_row() -> None:
    columns = simulated(np.array([-0.5, 0.0, 0.5]), 120, np.random.default_rng(14))
    even = bootstrap_ratings(*columns, resamples=300)
    lifted = bootstrap_ratings(*columns, weights=[1000.0] * 60 + [1.0] * 60, resamples=300, prior=0.01)
    half = bootstrap_ratings(*(column[:60] for column in columns), resamples=300, prior=1e-5)
    for item in range(3):
        assert lifted[item].value == pytest.approx(half[item].value, abs=0.05)
        assert lifted[item].error == pytest.approx(half[item].error, rel=0.2)
        assert (lifted[item].error or 0) > 1.1 * (even[item].error or 0)


def test_weights_that_differ_a_lot_are_refitted_one_by_one() -> None:
    """Together they would be off in the fifth digit."""
    random = np.random.default_rng(17)
    columns = simulated(np.linspace(-1, 1, 4), 60, random)
    weights = random.choice([1e-3, 1.0, 1e3, 1e6], 60)
    ratings = bootstrap_ratings(*columns, weights=weights, prior=0.1, resamples=200)
    given_ = counted(comparisons(*columns), weights, side=False)
    points: list[np.ndarray] = []
    for won, lost in resampled(units(given_, None), resamples=200, seed=0):
        for at in range(200):
            one = fit(given_.cells.only(won[:, at], lost[:, at]), 0.1)
            assert isinstance(one, Fit)
            points.append(one.point)
    ends = np.quantile(points, [0.025, 0.975], axis=0)
    for item in range(4):
        assert [ratings[item].low, ratings[item].high] == pytest.approx(ends[:, item].tolist(), abs=1e-12)


def test_a_seed_gives_the_same_result_twice() -> None:
    columns = simulated(np.array([-0.5, 0.0, 0.5]), 100, np.random.default_rng(15))
    assert bootstrap_ratings(*columns, seed=4) == bootstrap_ratings(*columns, seed=4)
    assert bootstrap_ratings(*columns, seed=4) != bootstrap_ratings(*columns, seed=5)


def test_a_resample_without_a_fit_lies_beyond_both_ends() -> None:
    """An item that won one of its thirty comparisons: a resample without that win has no fit (0.98 ** 60)."""
    a, b = ["a", "b"] * 15 + ["a", "b"] * 15, ["c"] * 30 + ["b", "a"] * 15
    winner = ["b", *["a"] * 29, *["a", "b", "b", "a", "tie"] * 6]
    with pytest.raises(NoFit, match=r"^3\d\d of 1,000 resamples have no finite fit, .* prior=0\.1\.$"):
        bootstrap_ratings(a, b, winner)
    ratings = bootstrap_ratings(a, b, winner, confidence=0.1)
    assert 320 < ratings.unfitted < 420
    assert ratings["c"].error is None
    narrow = bootstrap_ratings(a, b, winner, confidence=0.1, prior=0.1)
    assert narrow.unfitted == 0
    # 45 percent are cut off below, of which those without a fit take some 37: eight are left.
    assert ratings["c"].low < narrow["c"].low  # type: ignore[operator]
    assert ratings["c"].high > narrow["c"].high  # type: ignore[operator]
    assert (ratings["c"].rank, ratings["c"].rank_low, ratings["c"].rank_high) == (3, 3, 3)


# What cannot be fitted

A, B = "a", "b"


@pytest.mark.parametrize(
    ("a", "b", "winner", "side", "says"),
    [
        ("acac", "bdbd", [A, A, B, B], False, r"2 groups that never met \('a' and 'b'; 'c' and 'd'\)"),
        ("acac", "bdbd", [A, A, B, B], True, r"2 groups that never met"),
        ("aabcb", "bcabc", [A, A, B, A, B], False, r"No finite scores fit: 'a' never lost to the rest"),
        ("aabcc", "bcabb", [A, B, A, A, A], False, r"'c' never lost to the rest"),
        ("abcac", "bcadd", [A, A, A, A, A], False, r"'d' never won against the rest"),
        ("abcdbcd", "badecec", [A, A, A, A, A, B, A], False, r"'a' and 'b' never lost to the rest"),
        (
            "aabbab",
            "cdcdcd",
            [A, B, B, A, B, A],
            True,
            r"has side a against the next \('a' and 'b'; 'c' and 'd'\)",
        ),
        ("abab", "bcbc", [A, A, B, B], True, r"has side a against the next \('a'; 'b'; 'c'\)"),
        ("abcabc", "bcabca", [A] * 6, True, r"favouring side a ever more"),
        ("abcabc", "bcabca", [B] * 6, True, r"favouring side b ever more"),
        ("abac", "baca", [A, A, A, A], True, r"favouring side a"),
        # Each wins at home but for a's win at c, which the scores alone can take: a over c, and side a.
        ("abcac", "bcaca", [A, A, B, A, A], True, r"favouring .* over .* as well as side a ever more"),
        ("ab", "ba", [A, B], True, r"'a' never lost to the rest"),
    ],
)
def test_data_without_a_fit_are_named(a: str, b: str, winner: list[str], side: bool, says: str) -> None:
    with pytest.raises(NoFit, match=says) as raised:
        bradley_terry(list(a), list(b), winner, side_effect=side)
    assert str(raised.value).endswith("give a prior, for example prior=0.1.")
    assert str(raised.value).count(".") == 2
    ratings = bradley_terry(list(a), list(b), winner, side_effect=side, prior=0.1)
    assert all(math.isfinite(rating.value) and (rating.error or 0) > 0 for rating in ratings.ratings)
    assert (ratings.side is None) == (not side)


def test_the_side_effect_decides_what_separates() -> None:
    """A cycle won by a throughout: equal without a side effect, and no end to it with one."""
    a, b = list("abcabc"), list("bcabca")
    assert bradley_terry(a, b, [A] * 6).scores == pytest.approx(dict.fromkeys("abc", 0.0), abs=1e-12)
    with pytest.raises(NoFit):
        bradley_terry(a, b, [A] * 6, side_effect=True)
    ratings = bradley_terry(a, b, [A, A, A, B, B, B], side_effect=True)
    assert ratings.side is not None
    assert ratings.side.value == pytest.approx(0, abs=1e-12)


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([-1, 1])), min_size=3, max_size=16
    )
)
def test_there_is_a_fit_exactly_when_steep_priors_find_the_same(rows: list[tuple[int, int, int]]) -> None:
    """The side included. Where a fit exists, a vanishing prior reaches it; where none, it runs away."""
    a, b = [a for a, _, _ in rows], [(a + by) % 4 for a, by, _ in rows]
    winner = [w for _, _, w in rows]

    def logits(prior: float) -> np.ndarray:
        ratings = bradley_terry(a, b, winner, side_effect=True, prior=prior)
        assert ratings.side is not None
        return np.array([*(ratings.scores[item] for item in sorted(ratings.scores)), ratings.side.value])

    loose, looser = logits(1e-7), logits(1e-9)
    try:
        ratings = bradley_terry(a, b, winner, side_effect=True)
    except NoFit as error:
        apart = any(word in str(error) for word in ("never met", "against the next"))
        assert apart or np.abs(looser - loose).max() > 1
    else:
        assert ratings.side is not None
        fitted = np.array([*(ratings.scores[item] for item in sorted(ratings.scores)), ratings.side.value])
        assert looser == pytest.approx(fitted, abs=1e-3)


def test_many_groups_are_abbreviated() -> None:
    a, b = [f"m{at}" for at in range(40)], [f"n{at}" for at in range(40)]
    with pytest.raises(NoFit, match=r"40 groups .*'m0' and 'n0'; .*; and 35 more\)"):
        bradley_terry(a, b, ["a"] * 40)
    winners_, rest = [f"w{at}" for at in range(9)], [f"x{at}" for at in range(20)]
    ring = [(group[at], group[at - 1]) for group in (winners_, rest) for at in range(len(group))]
    columns = zip(*ring, ("w0", "x0"), strict=True)
    with pytest.raises(NoFit, match=r"fit: 'w0', 'w1', 'w2', 'w3', 'w4' and 4 more never lost to the rest"):
        bradley_terry(*map(list, columns), ["a"] * 30)


def test_a_fit_that_is_not_reached_raises() -> None:
    a, b, winner = list("aabba"), list("bccac"), [A, B, A, A, A]
    with pytest.raises(
        NoFit, match=r"5 comparisons did not converge; give a prior, for example prior=0\.1\."
    ):
        bradley_terry(a, b, winner, weights=[1e-100, 1, 1, 1e100, 1])
    with pytest.raises(NoFit, match=r"did not converge; prior is 1e-300, give a larger one\."):
        bradley_terry(["a"], ["b"], [A], prior=1e-300)


def test_a_step_too_long_is_cut() -> None:
    """Weights for which a full step of Newton's leads downhill; at the maximum, wins are what is expected."""
    a, b, won = [0, 1, 2, 2, 0, 1], [1, 2, 0, 1, 1, 2], np.array([1, 0, 1, 0, 1, 1])
    weights = np.array([1, 0.01, 1e4, 100, 1, 1e4])
    ratings = bradley_terry(a, b, 1 - 2 * won, weights=weights, side_effect=True)
    assert ratings.side is not None
    scores = np.array([ratings.scores[item] for item in range(3)])
    logits = scores[a] - scores[b] + ratings.side.value
    off = weights * np.where(won, 1 / (1 + np.exp(logits)), -1 / (1 + np.exp(-logits)))
    assert off.sum() == pytest.approx(0, abs=1e-9)
    for item in range(3):
        here = off[np.array(a) == item].sum() - off[np.array(b) == item].sum()
        assert here == pytest.approx(0, abs=1e-9)
    assert np.abs(off).max() > 1e-3


def test_a_long_way_to_go_is_gone() -> None:
    """One win in 1e24: the maximum is the log of the odds."""
    ratings = bradley_terry(["a", "a"], ["b", "b"], [A, B], weights=[1e12, 1e-12])
    assert ratings["a"].value - ratings["b"].value == pytest.approx(24 * math.log(10), rel=1e-12)


# Bad input

OK: Columns = (["a", "b", "a"], ["b", "a", "b"], [A, A, "tie"])


@pytest.mark.parametrize("function", [elo, bradley_terry, bootstrap_ratings])
@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (([], [], []), "There are no comparisons."),
        ((["a"], ["b"], []), "The columns are not equally long: a has 1, b has 1, winner has 0."),
        ((["a"], ["a"], [A]), "Comparison 1 is of 'a' with itself."),
        ((["a", None], ["b", "a"], [A, A]), "An item of a comparison is missing."),
        ((["a", "b"], ["b", "a"], [A, None]), "The winner of comparison 2 is None; it is"),
        (
            (["a", "b"], ["b", "a"], ["tie", 0]),
            "All 2 comparisons are ties, so nothing tells the items apart.",
        ),
        (([1.5], [2.5], [A]), "The item 1.5 is no label: items are named by strings or whole numbers."),
        (([("a", 1)], [("b", 1)], [A]), r"The item \('a', 1\) is no label"),
        (([True], [False], [A]), "The item False is no label"),
    ],
)
def test_bad_comparisons_are_refused(function: Any, columns: Columns, says: str) -> None:
    with pytest.raises(BadData, match=says):
        function(*columns)


@pytest.mark.parametrize("function", [bradley_terry, bootstrap_ratings])
@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ([1, 2], "a has 3, weights has 2"),
        ([1, 0, 1], "weights at position 2 is 0; a weight is above zero."),
        ([1, 1, -3], "weights at position 3 is -3; a weight is above zero."),
        ([1, float("nan"), 1], "weights at position 2 is nan"),
        ([1, float("inf"), 1], "weights at position 2 is inf"),
        ([1, "x", 1], "weights holds something that is not a number."),
        ([1e308, 1, 1], r"weights holds 1e\+308, too large to be measured; divide all by a number."),
    ],
)
def test_bad_weights_are_refused(function: Any, weights: list[Any], says: str) -> None:
    with pytest.raises(BadData, match=says):
        function(*OK, weights=weights)


@pytest.mark.parametrize(
    ("function", "setting", "says"),
    [
        (elo, {"k": 0}, "k is 0; Elo's step is a positive number up to a million, 32 for example."),
        (elo, {"k": float("nan")}, "k is nan"),
        (elo, {"k": 1e7}, "k is 1"),
        (elo, {"start": float("inf")}, "start is inf; it is a number up to a million, 1500 for example."),
        (elo, {"shuffles": -1}, "shuffles is -1; it is 0 for the order given, or how many orders to draw."),
        (elo, {"seed": -1}, "seed is -1; it is a whole number from 0 on."),
        (bradley_terry, {"prior": -0.1}, "prior is -0.1; it is a precision: 0 for none, 0.1 for example."),
        (bradley_terry, {"prior": float("nan")}, "prior is nan"),
        (bradley_terry, {"confidence": 0}, "confidence is 0; it lies between 0 and 1, 0.95 for example."),
        (bradley_terry, {"confidence": 1.0}, "confidence is 1.0"),
        (bootstrap_ratings, {"prior": float("inf")}, "prior is inf"),
        (bootstrap_ratings, {"confidence": 95}, "confidence is 95"),
        (bootstrap_ratings, {"resamples": 1}, "resamples is 1; at least 2 are needed, 1000 for example."),
        (bootstrap_ratings, {"seed": -1}, "seed is -1; it is a whole number from 0 on."),
    ],
)
def test_bad_settings_are_refused(function: Any, setting: dict[str, Any], says: str) -> None:
    with pytest.raises(BadSetting, match=says):
        function(*OK, **setting)


@pytest.mark.parametrize(
    ("clusters", "says"),
    [
        (["x", "y"], "a has 3, clusters has 2"),
        (["x", "x", "x"], "All comparisons are in the cluster 'x'; at least two clusters are needed."),
        (["x", None, "y"], "The cluster of a comparison is missing."),
        ([1.0, float("nan"), 2.0], "The cluster of a comparison is missing."),
    ],
)
def test_bad_clusters_are_refused(clusters: list[Any], says: str) -> None:
    with pytest.raises(BadData, match=says):
        bootstrap_ratings(*OK, clusters=clusters)


# The value


def test_ratings_are_looked_up_by_item_and_survive_storage() -> None:
    a, b = np.array([3, 1, 3, 1]), np.array([1, 3, 2, 3])
    ratings = bradley_terry(a, b, np.array([-1, -1, 0, 0]), side_effect=True, prior=0.1)
    assert ratings[3].item == 3
    assert isinstance(ratings[3].item, int)
    assert list(ratings.scores) == [rating.item for rating in ratings.ratings]
    assert (ratings[3].comparisons, ratings[2].comparisons, ratings.comparisons) == (4, 1, 4)
    assert Ratings.model_validate_json(ratings.model_dump_json()) == ratings
    with pytest.raises(KeyError, match="4 was not rated"):
        ratings[4]


def test_equal_scores_share_a_rank() -> None:
    ratings = bradley_terry(list("abcabc"), list("bcabca"), [A, A, A, B, B, B])
    assert [(rating.item, rating.rank) for rating in ratings.ratings] == [("a", 1), ("b", 1), ("c", 1)]
    rated = elo(["a", "c"], ["b", "d"], [A, A])
    assert [(rating.item, rating.rank) for rating in rated.ratings] == [
        ("a", 1),
        ("c", 1),
        ("b", 3),
        ("d", 3),
    ]
