"""A folder of initiatives of one's own."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EDIT: dict[str, Any] = {
    "id": "broken_1",
    "file": "broken_1.png",
    "edit": "broken",
    "size": "large",
    "ground": "iconic",
    "box": [100, 200, 300.5, 400],
    "changed": "The skull is a melon.",
    "why": "Nobody is dead.",
    "sure": 5,
}
SHEET: dict[str, Any] = {
    "prompt": "Everything glows, nothing lasts.",
    "original": "original.png",
    "edits": [EDIT, EDIT | {"id": "same_1", "file": "same_1.png", "edit": "same", "size": "small"}],
}


@pytest.fixture
def sheet() -> dict[str, Any]:
    return copy.deepcopy(SHEET)


@pytest.fixture
def folder(tmp_path: Path, png: Callable[..., bytes], sheet: dict[str, Any]) -> Path:
    """One initiative, `vanitas`, with an edit that breaks its meaning and one that does not."""
    place = tmp_path / "mine" / "vanitas"
    place.mkdir(parents=True)
    for name, colour in (("original", "teal"), ("broken_1", "maroon"), ("same_1", "navy")):
        (place / f"{name}.png").write_bytes(png(colour))
    (place / "edits.json").write_text(json.dumps(sheet))
    return tmp_path / "mine"
