from pathlib import Path

from PIL import Image

from semiosis.core.kinds.pair import Judgment
from semiosis.core.records import dump, load
from semiosis.reports.pages.judgment import save_overlays
from semiosis.reports.palette import LINES


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def test_overlays_keep_the_size_and_draw_in_the_cards_colours(judgment: Judgment, tmp_path: Path) -> None:
    written = save_overlays(judgment, tmp_path / "boxes")
    assert [path.name for path in written] == ["a-boxes.png", "b-boxes.png"]
    with Image.open(written[0]) as image:
        assert image.size == (640, 480)
        drawn = image.convert("RGB")
        assert drawn.getpixel((round(0.6 * 640) - 2, round(0.5 * 480))) == rgb(LINES[1])
        assert drawn.getpixel((round(0.8 * 640), round(0.8 * 480) - 1)) == rgb(LINES[2])
        colours = {colour for _, colour in drawn.getcolors(1 << 20) or ()}
    assert rgb(LINES[4]) in colours
    assert rgb(LINES[3]) not in colours
    with Image.open(written[1]) as image:
        assert image.size == (480, 640)


def test_nothing_is_drawn_where_there_is_no_graph_or_no_picture(
    judgment: Judgment, direct: Judgment, tmp_path: Path
) -> None:
    assert save_overlays(direct, tmp_path) == []
    stored = load(dump(judgment))
    assert isinstance(stored, Judgment)
    assert save_overlays(stored, tmp_path) == []


def test_two_pictures_of_one_file_name_have_two_overlays(namesakes: Judgment, tmp_path: Path) -> None:
    written = save_overlays(namesakes, tmp_path / "boxes")
    assert [path.name for path in written] == ["a-boxes.png", "b-boxes.png"]
    assert written[0].read_bytes() != written[1].read_bytes()
