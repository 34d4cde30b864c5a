"""Net iconicity by hand, and the bias test on planted differences."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semiosis.core.errors import BadData
from semiosis.stats.effects import cohens_d
from semiosis.stats.iconicity import iconicity_bias, iconicity_bias_by_group, net_iconicity

likert = st.integers(1, 7).map(float)
sign = st.tuples(likert, likert, likert)


def test_net_iconicity_by_hand() -> None:
    # NI(prompt) = 2 - 4.5, NI(a) = 3 - 3.5, NI(b) = 6 - 2.
    net = net_iconicity((2, 3, 6), (3, 2, 5), (6, 2, 2))
    assert isinstance(net, float)
    assert net == pytest.approx(-2.5 + (-0.5 + 4) / 2)


def test_the_range_runs_from_all_symbol_to_all_icon() -> None:
    assert net_iconicity((7, 1, 1), (7, 1, 1), (7, 1, 1)) == 12
    assert net_iconicity((1, 7, 7), (1, 7, 7), (1, 7, 7)) == -12
    assert net_iconicity((4, 4, 4), (4, 4, 4), (4, 4, 4)) == 0


@settings(deadline=None)
@given(st.lists(st.tuples(sign, sign, sign), min_size=1, max_size=5))
def test_arrays_hold_one_instance_a_row(instances: list[tuple[Any, Any, Any]]) -> None:
    columns = np.array(instances)
    net = net_iconicity(*(tuple(columns[:, at].T) for at in range(3)))
    assert net.tolist() == pytest.approx([net_iconicity(*each) for each in instances])


@settings(deadline=None)
@given(sign, sign, sign)
def test_the_pictures_may_change_places(prompt: Any, a: Any, b: Any) -> None:
    assert net_iconicity(prompt, a, b) == pytest.approx(net_iconicity(prompt, b, a))


def test_raters_are_averaged_first() -> None:
    rng = np.random.default_rng(0)
    ratings = rng.integers(1, 8, size=(3, 3, 10, 6))
    by_rater = net_iconicity(*(tuple(triple) for triple in ratings))
    averaged = net_iconicity(*(tuple(triple) for triple in ratings.mean(axis=-1)))
    assert by_rater.shape == (10,)
    assert by_rater == pytest.approx(averaged)


@pytest.mark.parametrize(
    ("prompt", "sentence"),
    [
        ((1, 2), "prompt holds 2 ratings; it takes three"),
        ((1, math.nan, 2), "The indexicality of prompt at position 1 is nan"),
        ((1, 2, "x"), "The symbolism of prompt holds something that is not a number"),
        (([], [], []), r"The iconicity of prompt has shape \(0,\)"),
        (([1, 2], [1, 2], [1, 2]), "Iconicity of a is a single number and others are lists"),
        (([[1, 2], [1]], [1, 2], [1, 2]), "something that is not a number"),
        (([[[1]]], 1, 1), r"shape \(1, 1, 1\)"),
    ],
)
def test_bad_ratings_are_refused_in_a_sentence(prompt: Any, sentence: str) -> None:
    with pytest.raises(BadData, match=sentence):
        net_iconicity(prompt, (1, 2, 3), (1, 2, 3))


def test_instances_must_match() -> None:
    two, three = ([1, 2],) * 3, ([1, 2, 3],) * 3
    with pytest.raises(BadData, match=r"iconicity of prompt has 2, .*symbolism of b has 3"):
        net_iconicity(two, two, three)


def planted(rows: int, delta: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    agrees = rng.random(rows) < 0.7
    return rng.normal(size=rows) + delta * agrees, agrees


def test_a_planted_bias_is_found() -> None:
    net, agrees = planted(600, 0.5, seed=1)
    bias = iconicity_bias(net, agrees, resamples=2000)
    assert bias.delta.value == pytest.approx(net[agrees].mean() - net[~agrees].mean())
    assert bias.delta.value == pytest.approx(0.5, abs=0.2)
    assert (0 < bias.delta.low < 0.5, bias.delta.high) == (True, math.inf)
    assert bias.cohens_d == cohens_d(net[agrees], net[~agrees])
    assert bias.p == pytest.approx(1 / 2001)
    assert (bias.n_agree, bias.n_disagree) == (agrees.sum(), 600 - agrees.sum())


def test_without_a_bias_it_is_seldom_found() -> None:
    biases = [iconicity_bias(*planted(80, 0, seed), resamples=200, seed=seed) for seed in range(150)]
    assert np.mean([each.p < 0.05 for each in biases]) <= 0.1
    assert 0.4 <= np.mean([each.p < 0.5 for each in biases]) <= 0.6
    assert 0.88 <= np.mean([each.delta.low <= 0 for each in biases]) <= 0.99


def test_the_opposite_of_a_bias_is_not_one() -> None:
    bias = iconicity_bias(*planted(200, -0.8, seed=3), resamples=500)
    assert bias.delta.low < bias.delta.value < 0
    assert bias.p > 0.99


def test_the_low_end_covers_the_planted_difference() -> None:
    lows = [
        iconicity_bias(*planted(120, 0.4, seed), resamples=200, seed=seed).delta.low for seed in range(150)
    ]
    assert 0.88 <= np.mean(np.array(lows) <= 0.4) <= 0.99


def test_the_order_of_instances_does_not_matter_to_the_difference() -> None:
    net, agrees = planted(50, 0.3, seed=5)
    order = np.random.default_rng(0).permutation(50)
    one, other = iconicity_bias(net, agrees), iconicity_bias(net[order], agrees[order].astype(int))
    assert one.delta.value == pytest.approx(other.delta.value)
    assert one.cohens_d.model_dump() == pytest.approx(other.cohens_d.model_dump())
    assert one.p == pytest.approx(other.p, abs=0.02)
    assert one.delta.low == pytest.approx(other.delta.low, abs=0.05)


@pytest.mark.parametrize(
    ("net", "agrees", "sentence"),
    [
        ([1.0, 2.0], [True, True], "agrees with people on all 2 instances"),
        ([1.0, 2.0], [False, False], "disagrees with people on all 2 instances"),
        ([], [], "net_iconicity holds 0 numbers"),
        ([1.0, math.nan], [True, False], "net_iconicity at position 2 is nan"),
        ([1.0, 2.0], [True], "net_iconicity has 2, agrees has 1"),
        ([1.0, 2.0], [True, None], "agrees at position 2 is None; it is true or false"),
        ([1.0, 2.0], [True, "no"], "agrees at position 2 is 'no'"),
        ([1.0, 2.0, 4.0], [True, False, True], "undefined on"),
        ([1.0, 1.0, 2.0, 2.0] * 5, [True, True, False, False] * 5, "Neither a nor b varies"),
    ],
)
def test_what_cannot_be_tested_is_refused_in_a_sentence(net: Any, agrees: Any, sentence: str) -> None:
    with pytest.raises(BadData, match=sentence):
        iconicity_bias(net, agrees)


NETS = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0], [8.0, 9.0]]


def test_groups_that_agree_where_pictures_resemble_have_a_bias() -> None:
    agreement = [[-1, -1], [-1, -1], [0, 0], [1, 1], [1, 1]]
    bias = iconicity_bias_by_group(NETS, agreement)
    assert bias.delta == pytest.approx(7.5 - 1.5)
    assert (bias.n_agree, bias.n_disagree) == (4, 4)
    # Of the 5! orders of groups, those with the two upper ones agreeing and the two lower ones disagreeing.
    assert bias.p == pytest.approx(2 * 2 / 120, abs=0.006)
    assert bias.low is None, "in too many resamples nothing agrees"
    assert iconicity_bias_by_group(NETS, -1 * np.array(agreement)).p == pytest.approx(1.0, abs=1e-3)


def test_two_alike_pairs_of_a_prompt_count_as_one_prompt() -> None:
    """Nine prompts, the judge agreeing on both pairs of the upper ones: as pairs they would be eighteen."""
    nets = np.repeat(np.arange(9.0), 2).reshape(9, 2)
    agreement = np.where(nets > 4, 1, -1)
    grouped = iconicity_bias_by_group(nets, agreement)
    alone = iconicity_bias(nets.ravel(), agreement.ravel() > 0)
    assert grouped.delta == pytest.approx(alone.delta.value)
    assert grouped.p == pytest.approx(1 / math.comb(9, 4), abs=0.003)
    assert alone.p < grouped.p / 10
    assert grouped.low is not None
    assert 0 < grouped.low < grouped.delta


def test_within_each_group_it_may_agree_on_the_one_that_resembles() -> None:
    nets = [[float(at), 10.0 + at] for at in range(7)]
    assert iconicity_bias_by_group(nets, [[-1, 1]] * 7).p == pytest.approx(1 / 2**7, abs=0.003)


@pytest.mark.parametrize(
    ("agreement", "sentence"),
    [
        (1, "The judge agrees on all 10 that it decides"),
        (-1, "The judge disagrees on all 10 that it decides"),
        (0, "The judge decides nothing"),
    ],
)
def test_without_both_there_is_no_difference_between_groups(agreement: int, sentence: str) -> None:
    with pytest.raises(BadData, match=sentence):
        iconicity_bias_by_group(NETS, np.full((5, 2), agreement))


def test_groups_and_places_must_match() -> None:
    with pytest.raises(BadData, match=r"shape \(5, 2\) and agreement \(2, 5\)"):
        iconicity_bias_by_group(NETS, np.zeros((2, 5)))
