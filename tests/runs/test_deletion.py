"""A run deleted: its files, its own pictures, and nothing of its neighbours."""

from pathlib import Path

import pytest

from semiosis.core.errors import StoreError
from semiosis.runs.deletion import delete
from semiosis.runs.store import Store
from stored import about, first_run, judged, pair_item, second_run, settle


def pictures(folder: Path) -> set[str]:
    return {path.name for path in (folder / "pictures").rglob("*") if path.is_file()}


def test_only_pictures_that_no_other_run_holds_are_deleted(tmp_path: Path) -> None:
    first_run(tmp_path / "first.sqlite")
    before = pictures(tmp_path)
    second_run(tmp_path / "second.sqlite")
    removed = delete(tmp_path / "first.sqlite")
    assert not list(tmp_path.glob("first*"))
    with Store.look(tmp_path / "second.sqlite") as store:
        held = {sha for (item,) in store.rows("select item from items") for sha in before if sha in item}
    # Six pairs are in both runs; one pair, three questions and two ratings are the first's alone.
    assert pictures(tmp_path) == held
    assert (len(held), removed.items, removed.pictures) == (12, 12, 7)
    assert removed.spared == ""
    delete(tmp_path / "second.sqlite")
    assert pictures(tmp_path) == set()


def test_a_run_that_is_being_written_stays(tmp_path: Path) -> None:
    first_run(tmp_path / "first.sqlite")
    with (
        Store.resume(tmp_path / "first.sqlite"),
        pytest.raises(StoreError, match="being written by another process"),
    ):
        delete(tmp_path / "first.sqlite")
    assert len(pictures(tmp_path)) == 19
    with pytest.raises(StoreError, match="There is no run other"):
        delete(tmp_path / "other.sqlite")


@pytest.mark.parametrize("neighbour", ["busy", "broken"])
def test_pictures_stay_where_a_neighbour_may_need_them(neighbour: str, tmp_path: Path) -> None:
    first_run(tmp_path / "first.sqlite")
    before = pictures(tmp_path)
    item = pair_item(1, {})
    if neighbour == "broken":
        (tmp_path / "broken.sqlite").write_text("text")
        removed = delete(tmp_path / "first.sqlite")
    else:
        with Store.create(tmp_path / "busy.sqlite", about("busy")) as store:
            settle(store, 1, item, judged(item, "a", "a"))
            removed = delete(tmp_path / "first.sqlite")
    assert (removed.pictures, removed.spared, pictures(tmp_path)) == (0, neighbour, before)
