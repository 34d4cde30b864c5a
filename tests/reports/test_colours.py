"""Every pair of ink and ground the page uses, in both schemes, against WCAG AA."""

import re
from pathlib import Path

import pytest

from semiosis.reports import html
from semiosis.reports.palette import LINES, hue_of

STYLE = (Path(html.__file__).parent / "page.css").read_text("utf-8")
HUES = range(6)
# The strongest tint of a card's wash, as the gradients in `.card::before` mix it.
DEEPEST = 0.62


def scheme(name: str) -> dict[str, str]:
    light, dark = STYLE.split("@media screen and (prefers-color-scheme:dark)", 1)
    colours = dict(re.findall(r"--([\w-]+):(#[0-9a-f]{6})", light))
    return (
        colours
        if name == "light"
        else colours | dict(re.findall(r"--([\w-]+):(#[0-9a-f]{6})", dark.split("}}")[0]))
    )


def channels(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def mixed(over: str, under: str, share: float) -> str:
    pairs = zip(channels(over), channels(under), strict=True)
    return "#" + "".join(f"{round(o * share + u * (1 - share)):02x}" for o, u in pairs)


def luminance(colour: str) -> float:
    linear = [
        c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4
        for c in channels(colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_is_21_to_1() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_text_on_paper_and_cards_meets_aa(name: str) -> None:
    c = scheme(name)
    for ink in ("ink", "soft", "doubt", "gold"):
        assert contrast(c[ink], c["paper"]) >= 4.5, ink
    for ink in ("ink", "soft"):
        assert contrast(c[ink], c["sheet"]) >= 4.5, ink
    for hue in HUES:
        for ground in (c[f"wash-{hue}"], mixed(c[f"deep-{hue}"], c[f"wash-{hue}"], DEEPEST)):
            assert contrast(c["ink"], ground) >= 4.5, hue
            assert contrast(c[f"ink-{hue}"], ground) >= 4.5, hue
        assert contrast(c["doubt"], c[f"wash-{hue}"]) >= 4.5, hue


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("ground", ["iconic", "symbolic", "indexical"])
def test_pills_meet_aa(name: str, ground: str) -> None:
    c = scheme(name)
    assert contrast(c[f"on-{ground}"], c[ground]) >= 4.5


def test_white_numbers_on_box_colours_meet_aa() -> None:
    assert all(contrast("#ffffff", line) >= 4.5 for line in LINES)


def test_five_parts_have_five_colours_and_a_sixth_begins_again() -> None:
    assert [hue_of(position) for position in range(8)] == [0, 1, 2, 3, 4, 5, 1, 2]
    assert len(set(LINES)) == 6
