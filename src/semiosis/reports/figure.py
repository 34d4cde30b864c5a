"""A sheet to draw on, measured in inches from its top left corner, that ends as an SVG, PNG or PDF file.

    with sheet("out.svg", title="Ratings") as drawn:
        drawn.resize(6, 2)
        drawn.text(0.5, 1, "a label", size=9)

The same drawing gives the same bytes: no date, no random names. Text stays text in an SVG. Nothing of
matplotlib's own state is touched, and a reader's own settings of it do not change a figure.
"""

import io
import unicodedata
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, cast

from ..core.errors import BadSetting, MissingExtra
from ..core.text import brief

# As in html/page.css.
INK, SOFT, RULE, PAPER = "#211d17", "#635b4e", "#dcd4c3", "#ffffff"
FONT = "DejaVu Sans"
FORMATS = (".svg", ".png", ".pdf")

_DPI = 200
_POINT = 1 / 72
_STYLE: dict[str, object] = {
    "font.family": [FONT, "sans-serif"],
    "font.sans-serif": [FONT],
    "svg.fonttype": "none",
    "svg.hashsalt": "semiosis",
    "pdf.fonttype": 42,
    # A label is never a formula, whatever dollar signs it holds.
    "text.parse_math": False,
}
# They turn the text around them; a label may not.
_TURNS = {ord(mark): None for mark in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"}

Align = Literal["left", "center", "right"]
Shape = Literal["circle", "square", "triangle", "diamond"]
Point = tuple[float, float]

_MARKERS: dict[Shape, str] = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D"}


class Sheet:
    """Draws in inches, y downwards. `lacking` gathers characters that no font on this machine has."""

    def __init__(self, figure: Any, *, keeps_text: bool) -> None:
        self._figure = figure
        self._renderer = figure.canvas.get_renderer()
        self._axes = figure.add_axes((0, 0, 1, 1))
        self._axes.set_axis_off()
        self._keeps_text = keeps_text
        self._drawn = 0
        self.lacking: set[str] = set()

    def resize(self, width: float, height: float) -> None:
        self._figure.set_size_inches(width, height)
        self._axes.set_xlim(0, width)
        self._axes.set_ylim(height, 0)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 9,
        colour: str = INK,
        bold: bool = False,
        align: Align = "left",
    ) -> None:
        """One line; `y` is the middle of its digits, so that it sits level with a mark at the same y."""
        self._axes.text(
            x,
            y + 0.36 * size * _POINT,
            text,
            fontsize=size,
            color=colour,
            fontweight="bold" if bold else "normal",
            horizontalalignment=align,
            verticalalignment="baseline",
            fontfamily=self._families(text),
            zorder=self._above(),
        )

    def upright(self, x: float, y: float, text: str, *, size: float = 9) -> None:
        """One line from bottom to top, with its middle at y."""
        self._axes.text(
            x,
            y,
            text,
            fontsize=size,
            color=INK,
            horizontalalignment="center",
            verticalalignment="baseline",
            rotation=90,
            rotation_mode="anchor",
            fontfamily=self._families(text),
            zorder=self._above(),
        )

    def width(self, text: str, size: float, *, bold: bool = False) -> float:
        from matplotlib.font_manager import FontProperties

        font = cast(Any, FontProperties)(
            family=self._families(text), size=size, weight="bold" if bold else "normal"
        )
        measured = self._renderer.get_text_width_height_descent(text, font, ismath=False)[0]
        wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
        missing = wide if self._keeps_text else 0
        # What a viewer's font will draw in a square is measured here by a narrower box.
        return measured / self._figure.dpi + missing * 0.4 * size * _POINT

    def fitted(self, text: str, size: float, most: float) -> str:
        """A label as one printable line no wider than `most`; what is left out goes from its middle."""
        label = brief(text).translate(_TURNS)
        whole, keep = label, len(label)
        while keep > 2 and self.width(label, size) > most:
            keep = min(keep - 1, int(keep * most / self.width(label, size)) + 1)
            head = (keep + 1) // 2
            label = f"{whole[:head].rstrip()}…{whole[len(whole) - (keep - head) :].lstrip()}"
        return label

    def line(
        self, start: Point, end: Point, *, colour: str = RULE, width: float = 0.6, round_: bool = False
    ) -> None:
        self._axes.plot(
            (start[0], end[0]),
            (start[1], end[1]),
            color=colour,
            linewidth=width,
            solid_capstyle="round" if round_ else "butt",
            zorder=self._above(),
        )

    def dots(
        self,
        xs: Sequence[float],
        ys: Sequence[float],
        *,
        areas: float | Sequence[float],
        colour: str,
        alpha: float = 1.0,
        rim: str = "none",
        shape: Shape = "circle",
    ) -> None:
        """`areas` are in square points."""
        self._axes.scatter(
            xs,
            ys,
            s=areas,
            c=colour,
            alpha=alpha,
            linewidths=0.8,
            edgecolors=rim,
            marker=_MARKERS[shape],
            zorder=self._above(),
        )

    def arrow(self, x: float, y: float, *, right: bool, colour: str) -> None:
        """The head of an arrow whose point is at x."""
        back, half = (-0.075 if right else 0.075), 0.045
        self.area([(x, y), (x + back, y - half), (x + back, y + half)], colour)

    def area(self, corners: Sequence[Point], colour: str) -> None:
        from matplotlib.patches import Polygon

        patch = Polygon(corners, closed=True, facecolor=colour, edgecolor="none", zorder=self._above())
        self._axes.add_patch(patch)

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        self.area([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], colour)

    def _above(self) -> int:
        """What is drawn later covers what was drawn before, whatever its kind."""
        self._drawn += 1
        return self._drawn

    def _families(self, text: str) -> list[str]:
        wanted = frozenset(text) - _own()
        if not wanted or self._keeps_text:
            return [FONT, "sans-serif"]
        others, lacking = _others(wanted)
        self.lacking |= lacking
        return [FONT, *others]


def drawable(to: str | Path) -> str:
    """The kind of file, if it can be drawn here: asked before the work whose result it shows."""
    path = Path(to)
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise BadSetting(f"A plot is a {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file, not {path.name}.")
    if find_spec("matplotlib") is None:
        raise MissingExtra("Drawing a plot", extra="plots")
    return kind


@contextmanager
def sheet(to: str | Path, *, title: str) -> Generator[Sheet]:
    """Written when the drawing is done; a drawing that fails leaves no file."""
    kind = drawable(to)
    import matplotlib
    from matplotlib import style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rc_context = cast(Any, matplotlib).rc_context
    with style.context("default"), rc_context(_STYLE), warnings.catch_warnings():
        # Said by `lacking`, in a sentence.
        warnings.filterwarnings("ignore", message="Glyph")
        figure = cast(Any, Figure)(figsize=(6, 4), dpi=_DPI, facecolor=PAPER)
        FigureCanvasAgg(figure)
        drawn = Sheet(figure, keeps_text=kind == ".svg")
        yield drawn
        out = io.BytesIO()
        figure.savefig(out, format=kind[1:], metadata=_about(kind, title))
    Path(to).write_bytes(out.getvalue())


def _about(kind: str, title: str) -> dict[str, str | None]:
    plain = brief(title)
    match kind:
        case ".svg":
            return {"Title": plain, "Date": None, "Creator": "semiosis"}
        case ".pdf":
            return {"Title": plain, "CreationDate": None, "Creator": "semiosis", "Producer": None}
        case _:
            return {"Title": plain, "Software": None}


@cache
def _own() -> frozenset[str]:
    from matplotlib import font_manager

    fonts = cast(Any, font_manager)
    return _characters(str(fonts.findfont(fonts.FontProperties(family=[FONT]))))


@cache
def _characters(file: str) -> frozenset[str]:
    from matplotlib import font_manager

    return frozenset(map(chr, cast(Any, font_manager).get_font(file).get_charmap()))


@cache
def _others(wanted: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Fonts of this machine that have what ours lacks, and what none of them has."""
    from matplotlib.font_manager import fontManager

    lacking = wanted
    names: list[str] = []
    fonts = {
        entry.name: entry.fname
        for entry in fontManager.ttflist
        # The last resort has a box for every script and a letter of none.
        if entry.style == "normal" and entry.weight == 400 and not entry.name.startswith("Last Resort")
    }
    for name in sorted(fonts, key=lambda each: ("Sans" not in each, each)):
        if not lacking:
            break
        more = lacking & _characters(fonts[name])
        if more:
            names.append(name)
            lacking -= more
    return tuple(names), lacking
