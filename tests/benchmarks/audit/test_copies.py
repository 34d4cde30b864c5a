"""Copies of a picture differ in what was planted and in nothing else."""

import io
from collections.abc import Callable

import pytest
from PIL import Image, ImageChops, ImageStat

from audited import drawing
from semiosis.benchmarks.audit.bias.blurred import Blurred
from semiosis.benchmarks.audit.bias.desaturated import Desaturated
from semiosis.benchmarks.audit.bias.file_format import FileFormat
from semiosis.benchmarks.audit.bias.framed import Framed
from semiosis.benchmarks.audit.bias.picture_size import PictureSize
from semiosis.benchmarks.copies import Copies, CopyTest, PictureFile, alike, jpeg, png
from semiosis.benchmarks.material import Material
from semiosis.core.item import BadRow, candidate
from semiosis.core.kinds.pair import PairItem
from semiosis.core.sign import Pair

DESATURATED = Desaturated()


def opened(file: PictureFile) -> Image.Image:
    image = Image.open(io.BytesIO(file.data))
    image.load()
    return image


def copies(test: CopyTest, number: int = 0, size: tuple[int, int] = (256, 192)) -> Copies:
    return test.copies(Image.open(io.BytesIO(drawing(number, size))).convert("RGB"), number)


def difference(one: Image.Image, other: Image.Image) -> float:
    return sum(ImageStat.Stat(ImageChops.difference(one.convert("RGB"), other.convert("RGB"))).mean)


@pytest.mark.parametrize("test", [Blurred(), DESATURATED, Framed()], ids=lambda test: test.name)
def test_a_finish_is_another_picture_in_a_file_of_the_same_size(test: CopyTest) -> None:
    made = copies(test)
    plain, planted = opened(made.plain), opened(made.planted)
    form = "PNG" if test is DESATURATED else "JPEG"
    assert (plain.format, plain.size) == (planted.format, planted.size) == (form, (256, 192))
    assert len(made.plain.data) == len(made.planted.data)
    assert difference(plain, planted) > 1
    assert made.planted.note.startswith(f"{test.name}, 256 x 192 pixels")


def test_a_grey_copy_has_no_colour_and_exactly_the_same_lightness() -> None:
    made = copies(DESATURATED)
    red, green, blue = opened(made.planted).split()
    assert red.tobytes() == green.tobytes() == blue.tobytes()
    assert opened(made.plain).convert("L").tobytes() == red.tobytes()


def test_a_framed_copy_holds_the_whole_picture_unsqueezed() -> None:
    image = Image.new("RGB", (400, 200), "blue")
    framed = opened(Framed().copies(image, 0).planted)
    blue = framed.convert("HSV").split()[1].point(lambda saturation: 255 if saturation > 200 else 0)
    left, top, right, bottom = blue.crop((30, 20, 370, 180)).getbbox() or (0, 0, 0, 0)
    assert (right - left) / (bottom - top) == pytest.approx(2, abs=0.1)
    corner = framed.getpixel((2, 2))
    assert isinstance(corner, tuple)
    assert max(corner) < 90


def test_a_larger_copy_has_more_pixels_in_as_many_bytes() -> None:
    made = copies(PictureSize())
    assert (opened(made.plain).size, opened(made.planted).size) == ((512, 384), (1024, 768))
    assert len(made.plain.data) == len(made.planted.data)


@pytest.mark.parametrize(
    ("number", "formats"), [(0, {"PNG", "WEBP"}), (1, {"PNG", "JPEG"}), (2, {"WEBP", "JPEG"})]
)
def test_files_of_another_format_unpack_to_the_same_pixels(number: int, formats: set[str]) -> None:
    made = copies(FileFormat(), number)
    smaller, larger = opened(made.plain), opened(made.planted)
    assert {smaller.format, larger.format} == formats
    assert len(made.plain.data) < len(made.planted.data)
    assert smaller.convert("RGB").tobytes() == larger.convert("RGB").tobytes()


@pytest.mark.parametrize("more", [0, 1, 3, 5, 65_520, 65_525, 65_526, 65_529, 65_530, 70_000, 200_001])
def test_files_are_filled_up_to_one_size_with_what_is_no_picture(more: int) -> None:
    for written in (jpeg, png):
        plain = written(Image.open(io.BytesIO(drawing(1))).convert("RGB"), "as it was")
        longer = PictureFile(plain.data + bytes(more), "longer")
        made = alike(plain, longer)
        assert len(made.plain.data) == len(made.planted.data) == len(plain.data) + more + 12
        Image.open(io.BytesIO(made.plain.data)).verify()
        assert opened(made.plain).tobytes() == opened(plain).tobytes()


class Pictures:
    name = "pictures"

    def __init__(self, *rows: PairItem | BadRow) -> None:
        self.rows = rows

    def candidates(self):  # type: ignore[no-untyped-def]
        return (row if isinstance(row, BadRow) else candidate(row) for row in self.rows)


def pair(id: str, one: bytes, other: bytes) -> PairItem:
    return PairItem(id=id, pair=Pair("Nothing lasts.", one, other))


def test_the_planted_copy_is_on_either_side_in_turns_and_the_bytes_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, two, three = (drawing(number) for number in range(3))
    material = Material(Pictures(pair("1", one, two), pair("2", one, three)))
    items = [item for item in Blurred().items(material) if isinstance(item, PairItem)]
    assert [item.id for item in items] == ["1/a", "1/b", "2/b"]
    assert [item.labels for item in items] == [{"planted": "a"}, {"planted": "b"}, {"planted": "a"}]
    assert items[0].pair.a.note.startswith("blurred")
    assert items[1].pair.b.note.startswith("blurred")
    monkeypatch.setattr("semiosis.benchmarks.copies._held._limit", 0)
    for item in items:
        for picture in item.pictures:
            assert type(picture).of(picture.read()).sha256 == picture.sha256


def test_what_is_no_picture_is_a_bad_row_and_the_others_are_asked(png: Callable[..., bytes]) -> None:
    material = Material(Pictures(BadRow("line 1", "no"), pair("2", b"just text", png())))
    bad, broken, good = Blurred().items(material)
    assert bad == BadRow("line 1", "no")
    assert isinstance(broken, BadRow)
    assert (broken.where, "not a picture" in broken.reason) == ("2/a", True)
    assert isinstance(good, PairItem)
    assert good.id == "2/b"


def test_a_picture_that_the_plant_does_not_change_is_a_bad_row() -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), "grey").save(buffer, "PNG")
    rows = list(Desaturated().items(Material(Pictures(pair("1", buffer.getvalue(), drawing(1))))))
    assert isinstance(rows[0], BadRow)
    assert "same picture" in rows[0].reason
    assert isinstance(rows[1], PairItem)
