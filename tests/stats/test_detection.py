"""AUC against Mann and Whitney's U, d' against the normals it was drawn from."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm

from semiosis.core.errors import BadData, BadSetting
from semiosis.stats import separation

ratings = st.lists(st.integers(1, 5), min_size=2, max_size=30)


@settings(deadline=None)
@given(ratings, ratings)
def test_auc_is_u_over_all_pairs(signal: list[int], noise: list[int]) -> None:
    apart = separation(signal, noise, resamples=50)
    u = mannwhitneyu(signal, noise).statistic
    assert apart.auc.value == pytest.approx(u / (len(signal) * len(noise)))
    assert apart.auc.low <= apart.auc.high
    assert (apart.signal, apart.noise) == (len(signal), len(noise))


def test_by_hand() -> None:
    # Of 16 pairs 15 are in order, and 3 with 3 is a tie.
    apart = separation([4, 5, 5, 3], [1, 2, 3, 1])
    assert apart.auc.value == 15.5 / 16
    assert apart.d_prime.value == pytest.approx(math.sqrt(2) * norm.ppf(15.5 / 16))


def test_what_is_the_same_is_not_told_apart() -> None:
    apart = separation([1, 3, 5, 3], [3, 1, 3, 5])
    assert (apart.auc.value, apart.d_prime.value) == (0.5, 0)


@settings(deadline=None)
@given(ratings, ratings)
def test_changing_places_mirrors_it(signal: list[int], noise: list[int]) -> None:
    one, other = separation(signal, noise, resamples=20), separation(noise, signal, resamples=20)
    assert one.auc.value == pytest.approx(1 - other.auc.value)
    assert one.d_prime.value == pytest.approx(-other.d_prime.value)


@settings(deadline=None)
@given(ratings, ratings, st.sampled_from([np.exp, np.cbrt, lambda x: 7 * x - 20]), st.randoms())
def test_only_the_order_of_ratings_counts(
    signal: list[int], noise: list[int], rising: Callable[..., np.ndarray], random: object
) -> None:
    apart = separation(signal, noise, resamples=50)
    other_scale = separation(rising(np.array(signal)), rising(np.array(noise)), resamples=50)
    assert other_scale == apart
    random.shuffle(signal)  # type: ignore[attr-defined]
    assert separation(signal, noise, resamples=50) == apart


@pytest.mark.parametrize("d_prime", [0.0, 0.8, 2.0])
def test_a_known_distance_is_recovered(d_prime: float) -> None:
    rng = np.random.default_rng(3)
    apart = separation(rng.normal(d_prime, 1, 4000), rng.normal(0, 1, 4000), resamples=300)
    assert apart.d_prime.value == pytest.approx(d_prime, abs=0.06)
    assert apart.d_prime.low < d_prime < apart.d_prime.high
    assert apart.auc.value == pytest.approx(norm.cdf(d_prime / math.sqrt(2)), abs=0.02)


def test_the_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    truth = norm.cdf(1 / math.sqrt(2))
    covered = 0
    for seed in range(200):
        auc = separation(rng.normal(1, 1, 60), rng.normal(0, 1, 60), resamples=200, seed=seed).auc
        covered += auc.low <= truth <= auc.high
    assert covered / 200 == pytest.approx(0.95, abs=0.05)


def test_a_perfect_order_has_the_d_prime_of_one_tie() -> None:
    apart = separation([4, 5], [1, 2, 3])
    assert (apart.auc.value, apart.auc.low, apart.auc.high) == (1, 1, 1)
    assert apart.d_prime.value == pytest.approx(math.sqrt(2) * norm.ppf(1 - 0.5 / 6))
    assert separation([1, 2, 3], [4, 5]).d_prime.value == pytest.approx(math.sqrt(2) * norm.ppf(0.5 / 6))


def test_groups_that_say_one_thing_each_widen_the_interval() -> None:
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(20), 20)
    shift = rng.normal(0, 1, 20)[groups]
    signal, noise = shift + 1 + rng.normal(0, 0.1, 400), rng.normal(0, 1, 400)
    alone = separation(signal, noise, resamples=300).auc
    clustered = separation(signal, noise, groups=(groups, groups + 20), resamples=300).auc
    assert clustered.value == alone.value
    assert clustered.high - clustered.low > 1.5 * (alone.high - alone.low)


def test_the_same_seed_draws_the_same() -> None:
    samples = [1, 2, 5, 4, 3, 3, 5], [1, 1, 2, 3, 4, 2]
    assert separation(*samples, seed=4) == separation(*samples, seed=4)
    assert separation(*samples, seed=4).auc.low != separation(*samples, seed=5).auc.low


def test_what_is_undefined_is_a_sentence() -> None:
    with pytest.raises(BadData, match="signal holds 0 numbers; at least 1 are needed"):
        separation([], [1, 2])
    with pytest.raises(BadData, match="noise at position 2 is nan, which is no number"):
        separation([1, 2], [1, math.nan])
    with pytest.raises(BadData, match="A bootstrap over 1 rows knows nothing of their spread"):
        separation([1], [1, 2])
    with pytest.raises(BadData, match="not equally long: noise has 2, groups has 1"):
        separation([1, 2], [1, 2], groups=(["x", "y"], ["x"]))
    with pytest.raises(BadData, match="A bootstrap over 1 cluster knows nothing"):
        separation([1, 2], [1, 2], groups=(["x", "x"], ["x", "x"]))
    with pytest.raises(BadData, match=r"undefined on .* resamples, too many for an interval"):
        separation([1, 2], [1, 2], groups=(["x", "x"], ["y", "y"]))
    with pytest.raises(BadSetting, match="confidence is 1"):
        separation([1, 2], [1, 2], confidence=1)
    with pytest.raises(BadSetting, match="resamples is 0"):
        separation([1, 2], [1, 2], resamples=0)
