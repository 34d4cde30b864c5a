"""People's votes with a known truth."""

from collections.abc import Callable

import pytest

from planted import a_study, some_instances
from semiosis.building.votes import ForcedChoice


@pytest.fixture
def study() -> Callable[..., list[ForcedChoice]]:
    return a_study


@pytest.fixture
def instances() -> list[ForcedChoice]:
    return some_instances()
