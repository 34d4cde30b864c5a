"""What a build leaves on disk: whole or not at all."""

import json
import random
from pathlib import Path

import pytest

from semiosis.building import steps


def test_a_file_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "steps" / "x.json"
    steps.write_json(path, [1])

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(steps.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        steps.write_json(path, [2])
    assert json.loads(path.read_text()) == [1]
    monkeypatch.undo()
    steps.write_json(path, [random.Random(1).random()])
    assert [each.name for each in path.parent.iterdir()] == ["x.json"]
