"""The original against each edit of it, as pairs with the makers' labels."""

import hashlib
from pathlib import Path

import pytest

from semiosis.benchmarks.minimal_pairs.items import FOLDER, MinimalPairs
from semiosis.benchmarks.registry import find, names
from semiosis.core.errors import BadSetting
from semiosis.core.item import BadRow, Candidate
from semiosis.core.kinds.pair import PairItem


def items(name: str) -> dict[str, PairItem]:
    made = [row.make() for row in find(name).candidates() if isinstance(row, Candidate)]
    return {item.id: item for item in made if isinstance(item, PairItem)}


def test_twenty_five_pairs_of_which_fifteen_have_a_winner() -> None:
    every = items("minimal-pairs")
    assert len(every) == 25
    assert sum(item.label == "a" for item in every.values()) == 15
    item = every["vanitas-screen/broken_3"]
    assert item.labels == {
        "winner": "a",
        "edit": "broken",
        "size": "small",
        "ground": "symbolic",
        "box": "388 438 436 465",
        "model_a": "original",
        "model_b": "broken_3",
    }
    assert item.labels_by == "makers"
    assert item.words.startswith("A vanitas still life for the age of the smartphone")
    assert item.generators == {"a": "original", "b": "broken_3"}
    harmless = every["vanitas-screen/same_1"]
    assert (harmless.label, "winner" in harmless.labels) == (None, False)
    assert harmless.pair.a == item.pair.a


def test_a_candidate_is_known_by_its_items_key() -> None:
    for row in MinimalPairs().candidates():
        assert isinstance(row, Candidate)
        assert row.key == row.make().key


def test_a_folder_of_ones_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"minimal-pairs", "minimal-pairs/folder"} <= set(names())
    monkeypatch.setenv(FOLDER, str(folder))
    every = items("minimal-pairs/folder")
    assert list(every) == ["vanitas/broken_1", "vanitas/same_1"]
    assert every["vanitas/broken_1"].labels["box"] == "100 200 300.5 400"
    original = (folder / "vanitas" / "original.png").read_bytes()
    assert every["vanitas/same_1"].pair.a.sha256 == hashlib.sha256(original).hexdigest()


def test_a_picture_that_is_not_there_is_a_bad_row(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(folder))
    (folder / "vanitas" / "broken_1.png").unlink()
    bad, good = find("minimal-pairs/folder").candidates()
    assert isinstance(bad, BadRow)
    assert bad.where == "minimal-pairs/folder vanitas/broken_1"
    assert bad.reason.startswith(f"There is no file {folder / 'vanitas' / 'broken_1.png'}")
    assert isinstance(good, Candidate)


def test_without_a_folder_the_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER, raising=False)
    with pytest.raises(BadSetting, match="set SEMIOSIS_MINIMAL_PAIRS to its path"):
        list(find("minimal-pairs/folder").candidates())
