"""Figures: what is drawn where, from whatever names and numbers; the same bytes each time."""

import math
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from semiosis.core.errors import BadSetting, MissingExtra
from semiosis.core.table import Interval
from semiosis.reports import chart, html, plots
from semiosis.reports import figure as sheet
from semiosis.reports.breakdown_plot import MOST_JUDGES, PlottedPart, save_breakdown
from semiosis.reports.plots import BLUE, save_ratings, save_scatter, save_triangle
from semiosis.stats.ratings import Rating, Ratings, SideEffect

SVG = "{http://www.w3.org/2000/svg}"
LONG = "stabilityai/stable-diffusion-3.5-large-turbo-with-a-very-long-suffix-fp16"


class Text(NamedTuple):
    text: str
    x: float
    y: float


def ratings(
    names: Sequence[str], half: float = 0.2, *, model: str = "bradley-terry", side: SideEffect | None = None
) -> Ratings:
    """Scores from 2 downwards to -2, evenly."""
    step = 4 / (len(names) - 1)
    return Ratings.model_validate(
        {
            "model": model,
            "ratings": [
                Rating(
                    item=name,
                    value=2 - step * at,
                    low=2 - step * at - half,
                    high=2 - step * at + half,
                    error=half / 2,
                    rank=at + 1,
                    rank_low=max(1, at),
                    rank_high=min(len(names), at + 2),
                    comparisons=10,
                )
                for at, name in enumerate(names)
            ],
            "side": side,
            "comparisons": 5 * len(names),
        }
    )


def texts(path: Path) -> list[Text]:
    root = ElementTree.parse(path).getroot()
    return [
        Text(each.text or "", float(each.get("x", 0)), float(each.get("y", 0)))
        for each in root.iter(f"{SVG}text")
    ]


def size(path: Path) -> tuple[float, float]:
    root = ElementTree.parse(path).getroot()
    return float(root.get("width", "").removesuffix("pt")), float(root.get("height", "").removesuffix("pt"))


def dots(path: Path) -> list[tuple[float, float]]:
    """Where marks stand, top to bottom."""
    uses = ElementTree.parse(path).getroot().iter(f"{SVG}use")
    return sorted(((float(each.get("x", 0)), float(each.get("y", 0))) for each in uses), key=lambda at: at[1])


def paths(path: Path, colour: str) -> int:
    return path.read_text("utf-8").count(f"fill: {colour}")


class TestRatings:
    def test_the_best_is_on_top_with_its_numbers_beside_it(self, tmp_path: Path) -> None:
        side = SideEffect(value=0.31, low=0.1, high=0.52, error=0.1)
        out = save_ratings(ratings(["first", "second", "third"], side=side), tmp_path / "r.svg").path
        labels = {each.text: each for each in texts(out)}
        assert labels["first"].y < labels["second"].y < labels["third"].y
        assert {"2.00", "1.80 to 2.20", "1–2", "−2.00", "−2.20 to −1.80", "2–3"} <= set(labels)
        assert labels["2.00"].y == pytest.approx(labels["first"].y, abs=1)
        assert "3 items  ·  15 comparisons  ·  side a +0.31 (0.10 to 0.52)" in labels
        marks = dots(out)
        assert len(marks) == 3
        assert marks[0][0] > marks[1][0] > marks[2][0]

    def test_two_items_and_sixty_each_have_room(self, tmp_path: Path) -> None:
        for count in (2, 60):
            out = save_ratings(ratings([f"item {at}" for at in range(count)]), tmp_path / f"{count}.svg").path
            rows = sorted(each.y for each in texts(out) if each.text.startswith("item "))
            gaps = [b - a for a, b in pairwise(rows)]
            assert len(rows) == count
            assert min(gaps) >= 16
            width, height = size(out)
            assert 500 < width < 800
            assert height > rows[-1] + 40
            assert all(0 < each.x < width and 0 < each.y < height for each in texts(out))

    def test_more_than_two_hundred_are_cut_and_said_to_be(self, tmp_path: Path) -> None:
        out = save_ratings(ratings([f"item {at}" for at in range(250)]), tmp_path / "r.svg").path
        labels = [each.text for each in texts(out)]
        assert sum(text.startswith("item ") for text in labels) == 200
        assert "the best 200 of 250 items  ·  1,250 comparisons" in labels

    def test_one_huge_interval_does_not_squash_the_others(self, tmp_path: Path) -> None:
        rated = ratings(["a", "b", "c", "d", "e"])
        wide = rated.ratings[2].model_copy(update={"low": -900.0, "high": math.inf})
        huge = rated.model_copy(update={"ratings": (*rated.ratings[:2], wide, *rated.ratings[3:])})
        plain = dots(save_ratings(rated, tmp_path / "p.svg").path)
        drawn = dots(save_ratings(huge, tmp_path / "h.svg").path)
        assert drawn[0][0] - drawn[-1][0] > 0.5 * (plain[0][0] - plain[-1][0])
        assert "−900.00 to ∞" in [each.text for each in texts(tmp_path / "h.svg")]
        arrow = chart.tint(BLUE, 0.45)
        assert (paths(tmp_path / "p.svg", arrow), paths(tmp_path / "h.svg", arrow)) == (0, 2)

    def test_equal_scores_have_a_picture_too(self, tmp_path: Path) -> None:
        one = ratings(["a", "b"]).ratings[0].model_copy(update={"value": 0.0, "low": None, "high": None})
        tied = Ratings(model="elo", ratings=(one, one.model_copy(update={"item": "b"})), comparisons=2)
        assert len(dots(save_ratings(tied, tmp_path / "r.svg").path)) == 2

    def test_elo_says_what_its_spread_is(self, tmp_path: Path) -> None:
        out = save_ratings(ratings(["a", "b"], model="elo"), tmp_path / "r.svg").path
        labels = [each.text for each in texts(out)]
        assert "95% of orders" in labels
        assert "95% interval" not in labels

    def test_a_long_name_is_shortened_in_its_middle(self, tmp_path: Path) -> None:
        out = save_ratings(ratings([LONG, "b"]), tmp_path / "r.svg").path
        short = next(each for each in texts(out) if each.text.startswith("stabilityai"))
        assert re.fullmatch(r"stabilityai/stable.*….*-suffix-fp16", short.text)
        first = dots(out)[-1][0]
        assert short.x + 5 * len(short.text) < first


class TestTriangle:
    NAMES = ("ann", "bea", "cid")
    VALUES = {("ann", "bea"): 0.9, ("cid", "ann"): -0.25, ("bea", "cid"): None}

    def test_a_cell_a_pair_and_a_name_where_row_and_column_meet(self, tmp_path: Path) -> None:
        out = save_triangle(self.NAMES, self.VALUES, tmp_path / "t.svg", title="Kappa", note="9 units").path
        labels = {each.text: each for each in texts(out)}
        assert {"0.90", "−0.25", "–", "Kappa", "9 units"} <= set(labels)
        assert labels["0.90"].y == pytest.approx(labels["bea"].y, abs=1)
        assert labels["−0.25"].y == pytest.approx(labels["cid"].y, abs=1)
        assert labels["0.90"].x == pytest.approx(labels["−0.25"].x, abs=4)
        assert labels["ann"].x < labels["bea"].x < labels["cid"].x

    def test_two_raters_and_sixty_and_more(self, tmp_path: Path) -> None:
        for count in (2, 60, 70):
            names = [f"rater {at}" for at in range(count)]
            values = {(names[a], names[b]): 0.5 for a in range(count) for b in range(a)}
            out = save_triangle(names, values, tmp_path / f"{count}.svg", title="Kappa", note="9 units").path
            labels = [each.text for each in texts(out)]
            assert sum(text.startswith("rater ") for text in labels) == min(count, 60)
            assert ("0.50" in labels) == (count == 2)
        assert "the first 60 of 70  ·  9 units" in labels

    def test_numbers_can_be_read_on_every_shade(self) -> None:
        for hundredth in range(-100, 101):
            shade = plots._shade(hundredth / 100)
            ink = plots._ink_on(shade)
            assert plots._contrast(ink, shade) >= 4.5
            assert (ink == sheet.PAPER) == (plots._contrast(sheet.PAPER, shade) >= 4.5)

    def test_nought_is_blank_and_has_no_sign(self, tmp_path: Path) -> None:
        assert plots._shade(0.0) == plots._shade(-0.0) == sheet.PAPER
        values = {("ann", "bea"): -0.001, ("ann", "cid"): -0.0, ("bea", "cid"): 0.0}
        out = save_triangle(self.NAMES, values, tmp_path / "t.svg", title="Kappa").path
        assert [each.text for each in texts(out)].count("0.00") == 3
        assert "−0" not in out.read_text("utf-8")

    def test_shades_differ_by_lightness_and_hue(self) -> None:
        light = [plots._luminance(plots._shade(step / 10)) for step in range(11)]
        assert light == sorted(light, reverse=True)
        assert plots._shade(0.5) != plots._shade(-0.5)


class TestScatter:
    def test_the_line_of_equality_is_drawn_on_one_scale_only(self, tmp_path: Path) -> None:
        same = save_scatter([1, 2, 5, 4], [2, 1, 5, 4], tmp_path / "same.svg").path
        other = save_scatter([1, 2, 5, 4], [60, 72, 90, 81], tmp_path / "other.svg").path
        assert "equal" in [each.text for each in texts(same)]
        assert "equal" not in [each.text for each in texts(other)]
        assert paths(same, BLUE) == 4

    def test_rows_that_coincide_are_one_larger_dot(self, tmp_path: Path) -> None:
        out = save_scatter([1, 1, 1, 1, 2], [1, 1, 1, 1, 3], tmp_path / "s.svg").path
        assert paths(out, BLUE) == 2

    def test_many_rows_stay_a_small_file(self, tmp_path: Path) -> None:
        many = [math.sin(at) for at in range(30_000)]
        out = save_scatter(
            many, [value**3 + at % 7 / 7 for at, value in enumerate(many)], tmp_path / "s.svg"
        ).path
        assert out.stat().st_size < 600_000

    def test_names_and_note_are_there(self, tmp_path: Path) -> None:
        out = save_scatter(
            [1, 2, 3], [3, 1, 2], tmp_path / "s.svg", names=("judge", "people"), note="rho 0.5"
        ).path
        assert {"judge", "people", "people by judge", "rho 0.5"} <= {each.text for each in texts(out)}

    @pytest.mark.parametrize("x", [[1e-60, 2e-60, 3e-60], [1e60, 2e60, 3e60], [5, 5, 5]])
    def test_any_scale_is_drawn(self, x: list[float], tmp_path: Path) -> None:
        out = save_scatter(x, [1, 2, 3], tmp_path / "s.svg").path
        assert all("nan" not in each.text for each in texts(out))
        assert "nan" not in out.read_text("utf-8").replace("nance", "")


def draw_all(folder: Path, suffix: str) -> dict[str, bytes]:
    names = ["水墨画", "Καλλιγραφία", "الخط", LONG, "$x^2$ <script>&amp;"]
    drawn = (
        save_ratings(ratings(names), folder / f"r.{suffix}", title="Ratings", note="95% intervals: Wald."),
        save_triangle(names, {(names[1], names[0]): 0.4}, folder / f"t.{suffix}", title="Kappa"),
        save_scatter([1, 2, 3], [1, 3, 2], folder / f"s.{suffix}", names=(names[0], names[4])),
    )
    return {each.path.name: each.path.read_bytes() for each in drawn}


class TestBreakdown:
    @staticmethod
    def parts(judges: int = 3, label: str = "short") -> tuple[list[PlottedPart], list[str]]:
        """Each judge is 0.2 above the one before; of a single instance there is no interval, and the last
        judge has nothing there."""
        scores = [Interval(value=0.2 * at - 0.3, low=0.2 * at - 0.5, high=0.2 * at) for at in range(judges)]
        single = (Interval(value=0.5), *scores[1:-1], None)
        parts = [
            PlottedPart("", "all", 12, (tuple(scores), tuple(scores))),
            PlottedPart("length", label, 11, (tuple(scores), tuple(scores))),
            PlottedPart("length", "long", 1, (single, single)),
        ]
        return parts, [f"judge {number}" for number in range(judges)]

    def test_a_row_a_part_under_its_group_and_a_mark_a_judge(self, tmp_path: Path) -> None:
        parts, names = self.parts()
        path = save_breakdown(
            parts, names, tmp_path / "b.svg", panels=["Elo", "other"], title="By length", note="what n is"
        ).path
        by_text = {each.text: each for each in texts(path)}
        wanted = {*names, "By length", "what n is", "Elo", "other", "12", "11", "1"}
        assert wanted <= by_text.keys()
        order = ["judge 0", "Elo", "all", "length", "short", "long"]
        assert [by_text[each].y for each in order] == sorted(by_text[each].y for each in order)
        # Three in the legend; in each panel three for two rows, and two for the last.
        assert len(dots(path)) == 3 + 2 * (3 + 3 + 2)

    def test_marks_stand_at_their_values(self, tmp_path: Path) -> None:
        parts, names = self.parts()
        path = save_breakdown(parts[:1], names, tmp_path / "b.svg", panels=["Elo", "other"], title="All").path
        across = sorted(x for x, _ in dots(path)[3:])[:3]
        # The scale goes from -0.6, the fifth below the lowest end, to 1 in 3.1 inches.
        step = 0.2 / 1.6 * 3.1 * 72
        assert [b - a for a, b in pairwise(across)] == pytest.approx([step, step], rel=0.01)

    def test_names_and_judges_keep_to_the_page_however_many(self, tmp_path: Path) -> None:
        parts, names = self.parts(1 + MOST_JUDGES, label=LONG)
        long = [f"{name} {LONG}" for name in names]
        path = save_breakdown(
            parts, long, tmp_path / "b.svg", panels=["Elo", "other"], title=LONG, note=3 * LONG
        ).path
        width, height = size(path)
        assert all(0 < each.x < width and 0 < each.y < height for each in texts(path))
        legend = [each for each in texts(path) if each.text.startswith("judge")]
        assert len(legend) == 1 + MOST_JUDGES
        assert len({each.y for each in legend}) > 1
        for line in {each.y for each in legend}:
            xs = [each.x for each in legend if each.y == line]
            assert all(b - a > 100 for a, b in pairwise(xs))


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_the_same_input_gives_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    first, second = draw_all(tmp_path, suffix), draw_all(tmp_path, suffix)
    assert first == second
    assert not any(re.search(rb"CreationDate|dc:date|tIME|20\d\d-\d\d-\d\d", each) for each in first.values())


def test_a_reader_s_own_settings_change_nothing_and_are_not_changed(tmp_path: Path) -> None:
    import matplotlib

    before = draw_all(tmp_path, "svg")
    with matplotlib.rc_context(
        {"font.size": 30, "svg.fonttype": "path", "lines.linewidth": 9, "axes.grid": True}
    ):
        mine = dict(matplotlib.rcParams)
        assert draw_all(tmp_path, "svg") == before
        assert dict(matplotlib.rcParams) == mine


def test_text_stays_text_and_markup_stays_data(tmp_path: Path) -> None:
    draw_all(tmp_path, "svg")
    labels = [each.text for each in texts(tmp_path / "r.svg")]
    assert {"水墨画", "Καλλιγραφία", "الخط", "$x^2$ <script>&amp;"} <= set(labels)
    raw = (tmp_path / "r.svg").read_text("utf-8")
    assert "<script" not in raw
    assert "'DejaVu Sans', sans-serif" in raw


def test_control_characters_and_turned_text_never_reach_a_file(tmp_path: Path) -> None:
    name = "a\x1b[2J\x00\u202eb\ud800\n"
    for suffix in ("svg", "png", "pdf"):
        save_ratings(ratings([name, "b"]), tmp_path / f"r.{suffix}")
    (text,) = (each.text for each in texts(tmp_path / "r.svg") if each.text.startswith("a"))
    assert text.strip() == "a\\x1b[2J\\x00\\u202eb\\ud800"


def test_what_no_font_has_is_told_for_pictures_and_left_to_the_viewer_of_an_svg(tmp_path: Path) -> None:
    rated = ratings(["a \U000f0001", "b"])
    assert save_ratings(rated, tmp_path / "r.png").lacking == {"\U000f0001"}
    assert save_ratings(rated, tmp_path / "r.svg").lacking == frozenset()


def test_a_drawing_that_fails_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), sheet.sheet(tmp_path / "x.svg", title="x") as page:
        page.resize(1, 1 / 0)
    assert list(tmp_path.iterdir()) == []


def test_other_kinds_of_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"A plot is a \.svg, \.png or \.pdf file, not x\.gif\."):
        save_scatter([1, 2], [1, 2], tmp_path / "x.gif")


def test_a_missing_library_is_an_extra_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"semiosis\[plots\]"):
        save_scatter([1, 2], [1, 2], tmp_path / "x.svg")


def test_inks_are_those_of_the_page() -> None:
    style = (Path(html.__file__).parent / "page.css").read_text("utf-8").split("@media")[0]
    for name, colour in (("ink", sheet.INK), ("soft", sheet.SOFT), ("rule", sheet.RULE)):
        assert f"--{name}:{colour};" in style


def test_no_window_system_and_no_pyplot_are_loaded(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "import semiosis.reports.plots as plots\n"
        "assert 'matplotlib' not in sys.modules and 'numpy' not in sys.modules\n"
        f"plots.save_scatter([1, 2, 3], [1, 3, 2], {str(tmp_path / 'x.png')!r})\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=120)
