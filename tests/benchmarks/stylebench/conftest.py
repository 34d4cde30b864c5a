"""FineArtBench as published, and a study with a known truth."""

from collections.abc import Callable
from pathlib import Path

import pytest

from planted import a_study, some_instances
from semiosis.building.votes import ForcedChoice


@pytest.fixture
def fineartbench(shared_data: Path) -> Path:
    return shared_data / "fineartbench"


@pytest.fixture
def study() -> Callable[..., list[ForcedChoice]]:
    return a_study


@pytest.fixture
def instances() -> list[ForcedChoice]:
    return some_instances()
