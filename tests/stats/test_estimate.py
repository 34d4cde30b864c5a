"""Wilson's interval against published values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiosis.core.errors import InputError
from semiosis.core.table import Share
from semiosis.stats.estimate import wilson, wilson_share


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # Newcombe (1998), Statistics in Medicine 17:857-872, table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_published_values(successes: int, trials: int, low: float, high: float) -> None:
    interval = wilson(successes, trials)
    assert (interval.low, interval.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@given(st.integers(1, 500), st.data())
def test_failures_mirror_successes(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    one, other = wilson(successes, trials), wilson(trials - successes, trials)
    assert one.low == pytest.approx(1 - other.high, abs=1e-12)
    assert 0 <= one.low <= one.value <= one.high <= 1


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(InputError):
        wilson(successes, trials)


def test_a_share_has_its_counts_and_of_none_there_is_none() -> None:
    interval = wilson(81, 263)
    assert wilson_share(81, 263) == Share(81, 263, interval.value, interval.low, interval.high)
    assert wilson_share(0, 0) == Share(0, 0)
