"""What only looks like data is refused in a sentence, wherever it comes in."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from semiosis import stats
from semiosis.core.errors import BadData, BadSetting

RISING = [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        (np.array(["2020-01-01", "2020-02-02", "NaT"], "datetime64[D]"), "not a number"),
        (np.ma.array([1.0, 2.0, 1000.0], mask=[0, 0, 1]), "masked in places"),
        (np.array([1 + 1j, 2, 3]), "not a number"),
        ([10**400, 1, 2], "not a number"),
        ([1e308, -1e308, 0], r"holds 1e\+308, too large"),
        (None, "not a plain list of numbers|not a number"),
        ([1, None, 3], "is nan"),
        ([[1, 2], [3]], "not a number"),
    ],
)
def test_what_only_looks_like_numbers_is_refused(odd: Any, message: str) -> None:
    for function in (
        stats.pearson,
        stats.spearman,
        stats.lin_ccc,
        stats.mean_absolute_error,
        stats.fit_isotonic,
    ):
        with pytest.raises(BadData, match=message):
            function(odd, RISING)
    with pytest.raises(BadData):
        stats.icc(odd)
    with pytest.raises(BadData):
        stats.permutation_test(odd, RISING)


def test_errors_of_data_are_value_errors_too() -> None:
    with pytest.raises(ValueError, match="constant"):
        stats.pearson([1, 1, 1], RISING)


@pytest.mark.parametrize("winner", [[True, False], np.array([True, False]), [["a"], "b"], ["a", "won"]])
def test_winners_that_name_no_side_are_refused(winner: Any) -> None:
    with pytest.raises(BadData, match="-1 for a, 1 for b and 0 for a tie"):
        stats.bradley_terry(["a", "a"], ["b", "b"], winner, prior=0.1)


@pytest.mark.parametrize("label", [None, float("nan"), pd.NA, pd.NaT])
def test_missing_labels_are_missing_whatever_they_are_written_as(label: Any) -> None:
    with pytest.raises(BadData, match="missing"):
        stats.elo(["a", label], ["b", "c"], ["a", "a"])
    with pytest.raises(BadData, match="missing"):
        stats.concordance_within(["p", label], ["a", "a"], ["a", "a"])
    with pytest.raises(BadData, match="missing"):
        stats.bootstrap_ratings(
            ["a", "b"], ["b", "a"], ["a", "a"], clusters=["p", label], resamples=10, prior=1
        )


def test_labels_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(BadData, match="no text and no number"):
        stats.elo([["a"], "b"], ["b", "c"], ["a", "a"])  # type: ignore[list-item]
    with pytest.raises(BadData, match="no text and no number"):
        stats.cohen_kappa([["a"], "b"], ["b", "c"])  # type: ignore[list-item]


@pytest.mark.parametrize("seed", [-1, 1.5, "0", True])
def test_a_seed_is_a_whole_number_from_0_on(seed: Any) -> None:
    table = [[1, 1], [2, 3], [4, 4], [1, 2], [3, 3]]
    with pytest.raises(BadSetting, match="seed is"):
        stats.bootstrap(np.mean, RISING, seed=seed)
    with pytest.raises(BadSetting, match="seed is"):
        stats.krippendorff_alpha(table, "interval", seed=seed)
    with pytest.raises(BadSetting, match="seed is"):
        stats.permutation_test(RISING, [4.0, 5.0], seed=seed)
    with pytest.raises(BadSetting, match="seed is"):
        stats.degree_uniform_pairs(5, 6, seed)


@pytest.mark.parametrize("number", [4.5, [1, 2, 3], "5", float("nan")])
def test_a_number_of_items_is_whole(number: Any) -> None:
    with pytest.raises(BadSetting, match="it is a whole number"):
        stats.degree_uniform_pairs(number)
    with pytest.raises(BadSetting, match="it is a whole number"):
        stats.degree_uniform_pairs(5, number)
