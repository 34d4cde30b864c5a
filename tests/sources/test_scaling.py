"""Items whose pictures are brought to one size are other items, the same each time, and hold no bytes."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from semiosis.backbones.pictures import prepare, size_of
from semiosis.core.errors import BadSetting
from semiosis.core.item import BadRow, Candidate
from semiosis.core.kinds.pair import PairItem
from semiosis.sources import open_items
from semiosis.sources.scaling import Scaled


@pytest.fixture
def pairs(tmp_path: Path, png: Callable[..., bytes]) -> Path:
    (tmp_path / "a.png").write_bytes(png("teal", (96, 64)))
    (tmp_path / "b.png").write_bytes(png("maroon", (60, 120)))
    path = tmp_path / "pairs.jsonl"
    row = {"id": "1", "prompt": "Nothing lasts.", "a": "a.png", "b": "b.png", "winner": "a"}
    path.write_text(json.dumps(row) + "\n" + json.dumps(row | {"id": "2", "b": "none.png"}))
    return path


def first(source: Scaled) -> PairItem:
    row = next(source.candidates())
    assert isinstance(row, Candidate)
    item = row.make()
    assert isinstance(item, PairItem)
    assert item.key == row.key
    return item


def test_the_longer_side_has_so_many_pixels_whichever_way(pairs: Path) -> None:
    small, large = (first(Scaled(open_items(pairs), side)) for side in (48, 240))
    assert [size_of(picture) for picture in small.pictures] == [(48, 32), (24, 48)]
    assert [size_of(picture) for picture in large.pictures] == [(240, 160), (120, 240)]
    assert small.labels == {"winner": "a"}
    assert [picture.name for picture in small.pictures] == ["a.png", "b.png"]


def test_another_size_is_another_item_and_the_same_size_the_same(pairs: Path) -> None:
    source = open_items(pairs)
    plain = next(source.candidates())
    assert isinstance(plain, Candidate)
    keys = [first(Scaled(open_items(pairs), side)).key for side in (48, 48, 50)]
    assert keys[0] == keys[1]
    assert len({*keys, plain.key}) == 3


def test_a_picture_of_that_size_stays_as_it_is(pairs: Path) -> None:
    item = first(Scaled(open_items(pairs), 96))
    assert item.pair.a.read() == (pairs.parent / "a.png").read_bytes()
    assert item.pair.b.read() != (pairs.parent / "b.png").read_bytes()


def test_what_was_done_to_a_picture_is_said_where_it_is_sent(pairs: Path) -> None:
    item = first(Scaled(open_items(pairs), 48))
    assert prepare(item.pair.a).record.note == "96 x 64 brought to 48 x 32 pixels"
    with Image.open(io.BytesIO(item.pair.a.read())) as image:
        assert (image.format, image.mode) == ("PNG", "RGB")


def test_rows_that_are_none_stay_bad_rows(pairs: Path) -> None:
    _, missing = Scaled(open_items(pairs), 48).candidates()
    assert isinstance(missing, BadRow)
    assert missing.reason.startswith("There is no file ")


def test_pictures_that_a_size_makes_the_same_are_no_pair(tmp_path: Path) -> None:
    for name, spot in (("a", 255), ("b", 254)):
        image = Image.new("L", (512, 512), 255)
        image.putpixel((0, 0), spot)
        image.save(tmp_path / f"{name}.png")
    row = {"prompt": "Nothing lasts.", "a": "a.png", "b": "b.png"}
    (tmp_path / "p.jsonl").write_text(json.dumps(row))
    (bad,) = Scaled(open_items(tmp_path / "p.jsonl"), 8).candidates()
    assert isinstance(bad, BadRow)
    assert bad.reason == "At 8 pixels two of its pictures are the same: take more."


@pytest.mark.parametrize("side", [7, 4097])
def test_a_size_out_of_range_is_refused(side: int, pairs: Path) -> None:
    with pytest.raises(BadSetting, match="The setting side of Scaled should be"):
        Scaled(open_items(pairs), side)
