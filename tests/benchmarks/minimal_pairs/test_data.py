"""A folder is read as it is documented, and says in one sentence what is wrong with it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from semiosis.benchmarks.minimal_pairs.data import SHEET_BYTES, Initiative, bundled, initiatives
from semiosis.core.errors import BadPicture, BadRecord
from semiosis.core.item import BadRow

Change = Callable[[dict[str, Any]], object]


def test_five_initiatives_come_with_the_package_in_two_to_three_megabytes() -> None:
    every = list(initiatives(bundled()))
    sheets = [each for each in every if isinstance(each, Initiative)]
    assert [each.id for each in sheets] == [
        *("annunciation-geometry", "kintsugi-friendship", "someone-left", "vanitas-screen", "wu-wei-river")
    ]
    assert [edit.id for edit in sheets[0].sheet.edits] == [
        *("broken_1", "broken_2", "broken_3", "same_1", "same_2")
    ]
    paths = [path for path in bundled().rglob("*") if path.is_file()]
    assert len([path for path in paths if path.suffix == ".webp"]) == 30
    assert 2_000_000 < sum(path.stat().st_size for path in paths) < 3_000_000


def test_every_edit_of_one_initiative_breaks_another_kind_of_link() -> None:
    for each in initiatives(bundled()):
        assert isinstance(each, Initiative)
        broken = [edit for edit in each.sheet.edits if edit.edit == "broken"]
        assert {edit.ground for edit in broken} == {"iconic", "indexical", "symbolic"}
        assert [edit.size for edit in broken] == ["large", "medium", "small"]


FAULTS: dict[str, tuple[Change, str]] = {
    "no prompt": (lambda sheet: sheet.pop("prompt"), "prompt: Field required"),
    "an unknown field": (lambda sheet: sheet.update(author="me"), "author: Extra inputs are not permitted"),
    "no edits": (lambda sheet: sheet.update(edits=[]), "edits: Tuple should have at least 1 item"),
    "a box without area": (
        lambda sheet: sheet["edits"][0].update(box=[300, 200, 300, 400]),
        "edits.0: The box has no area: it is x0, y0, x1, y1 with x0 < x1 and y0 < y1.",
    ),
    "a box outside": (
        lambda sheet: sheet["edits"][0].update(box=[0, 0, 10, 1001]),
        "edits.0.box.3: Input should be less than or equal to 1000",
    ),
    "a path that leads up": (
        lambda sheet: sheet["edits"][0].update(file="../secret.png"),
        "edits.0.file: String should match pattern",
    ),
    "an absolute path": (
        lambda sheet: sheet.update(original="/etc/passwd"),
        "original: String should match pattern",
    ),
    "an address": (
        lambda sheet: sheet.update(original="https://example.org/a.png"),
        "original: String should match pattern",
    ),
    "one id twice": (
        lambda sheet: sheet["edits"][1].update(id="broken_1"),
        "2 edits have the id 'broken_1'.",
    ),
    "a certainty off the scale": (
        lambda sheet: sheet["edits"][0].update(sure=6),
        "edits.0.sure: Input should be less than or equal to 5",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_sheet_that_cannot_be_used_names_file_and_reason(
    fault: str, folder: Path, sheet: dict[str, Any]
) -> None:
    change, reason = FAULTS[fault]
    change(sheet)
    (folder / "vanitas" / "edits.json").write_text(json.dumps(sheet))
    (row,) = initiatives(folder)
    assert isinstance(row, BadRow)
    assert row.where == "vanitas/edits.json"
    assert row.reason.startswith(f"vanitas/edits.json is not as docs/minimal-pairs.md describes it: {reason}")


def test_a_file_that_is_missing_no_json_or_too_large_says_so(folder: Path) -> None:
    path = folder / "vanitas" / "edits.json"
    path.write_text("{")
    (row,) = initiatives(folder)
    assert isinstance(row, BadRow)
    assert "Invalid JSON" in row.reason
    path.write_text(" " * (SHEET_BYTES + 1))
    (row,) = initiatives(folder)
    assert row == BadRow(
        "vanitas/edits.json", "vanitas/edits.json has 1,000,001 bytes; at most 1,000,000 are read."
    )
    path.unlink()
    (row,) = initiatives(folder)
    assert row == BadRow(
        "vanitas/edits.json", "vanitas/edits.json cannot be read: No such file or directory."
    )


def test_no_link_leads_out_of_the_folder(folder: Path, tmp_path: Path, png: Callable[..., bytes]) -> None:
    (tmp_path / "secret.png").write_bytes(png("red"))
    (folder / "vanitas" / "broken_1.png").unlink()
    (folder / "vanitas" / "broken_1.png").symlink_to(tmp_path / "secret.png")
    (folder / "elsewhere").symlink_to(tmp_path)
    linked, own = initiatives(folder)
    assert linked == BadRow(
        "elsewhere/edits.json",
        "mine/elsewhere is a link that leads out of its folder: put the file there.",
    )
    assert isinstance(own, Initiative)
    with pytest.raises(BadPicture, match=r"vanitas/broken_1.png is a link that leads out of its folder"):
        own.picture("broken_1.png")
    assert own.picture("original.png") == folder / "vanitas" / "original.png"


def test_a_folder_without_initiatives_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="holds no initiative: each is a folder with edits"):
        list(initiatives(tmp_path))
    with pytest.raises(BadRecord, match="There is no folder"):
        list(initiatives(tmp_path / "none"))
