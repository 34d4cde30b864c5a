"""The pages in a real Chromium: `pytest -m long tests/reports`."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from semiosis.benchmarks.samples.page import IndexedPair, Room, save_index
from semiosis.core.cascade import SemiosisGap
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.question import Answer
from semiosis.reports.page import save_html

pytestmark = pytest.mark.long

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
OUTCOMES = (
    *("judgment", "direct", "gap", "interpretation", "answer", "failure"),
    *("asked_score", "asked_judgment"),
)
PAGES = (*OUTCOMES, "index")
WIDTHS = (400, 1024, 1600)

OVERFLOWING = """() => [...document.querySelectorAll(
    '.card, .speech, .evidence li, .room, .hall, .link, .facts > div, .scales table, .ledger')]
  .filter(e => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.className + ' ' + e.id)"""

FOCUSED = """() => {
  const element = document.activeElement;
  if (element === document.body) return null;
  const outline = getComputedStyle(element);
  const section = element.closest('main section');
  const classes = [...(section || element).classList].filter(name => name !== 'wide');
  const visible = outline.outlineStyle !== 'none' && parseFloat(outline.outlineWidth) >= 2;
  return [classes[0], visible, element.matches('[data-cite]')];
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=list(ARGUMENTS)
            )
        except Error as error:
            pytest.fail(
                "No Chromium to test the pages with: install the system's `chromium` package or run "
                f"`playwright install chromium`. {str(error).splitlines()[0]}"
            )
        yield started
        started.close()


@pytest.fixture(scope="module")
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    outcomes = {name: request.getfixturevalue(name) for name in OUTCOMES}
    written = {name: save_html(outcome, folder / f"{name}.html") for name, outcome in outcomes.items()}
    judgment: Judgment = outcomes["judgment"]
    answer: Answer = outcomes["answer"]
    pictures = {"meaning": judgment.pair.a, "drift": judgment.pair.b}
    room = Room(
        "first",
        judgment.pair.prompt.text,
        pictures,
        (IndexedPair("meaning", "drift", judgment, "judgment.html", "meaning"),),
        {name: SemiosisGap(distance=0.4, coverage=None) for name in pictures},
        ((answer, "answer.html"),),
    )
    return {**written, "index": save_index([room], folder / "index.html")}


class Visit:
    """A page in a profile of its own, with everything it asked for and complained of."""

    def __init__(self, browser: Any, path: Path, width: int = 1600, scheme: str = "light") -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 1000}, color_scheme=scheme, reduced_motion="reduce"
        )
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on(
            "console",
            lambda message: (
                self.complaints.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())

    def __enter__(self) -> "Visit":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def lit(self, selector: str) -> bool:
        return self.page.evaluate("s => document.querySelector(s).classList.contains('lit')", selector)

    def style(self, selector: str, name: str) -> str:
        return self.page.evaluate(
            "([s, n]) => getComputedStyle(document.querySelector(s))[n]", [selector, name]
        )


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_nothing_of_the_network_and_does_not_complain(
    browser: Any, pages: dict[str, Path], name: str
) -> None:
    with Visit(browser, pages[name]) as visit:
        outside = [url for url in visit.requests if not url.startswith("data:")]
        assert outside == [pages[name].as_uri()]
        assert visit.complaints == []
        assert visit.page.evaluate("document.querySelectorAll('script').length") <= 2


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overflows(browser: Any, pages: dict[str, Path], name: str, width: int) -> None:
    with Visit(browser, pages[name], width) as visit:
        sizes = visit.page.evaluate(
            "[document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]"
        )
        assert sizes[0] <= sizes[1]
        assert visit.page.evaluate(OVERFLOWING) == []


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Any, pages: dict[str, Path], name: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with Visit(browser, pages[name], 1280, scheme) as visit:
        visit.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        violations = Axe().run(visit.page).response["violations"]
        grave = [
            (rule["id"], [node["html"][:200] for node in rule["nodes"]][:3])
            for rule in violations
            if rule["impact"] in ("serious", "critical")
        ]
        assert grave == []


@pytest.mark.parametrize("way", ["hover", "focus"])
def test_a_citation_lights_its_card_and_its_box(browser: Any, pages: dict[str, Path], way: str) -> None:
    with Visit(browser, pages["judgment"]) as visit:
        cite = visit.page.locator('.evidence a[data-node="a-1"]').first
        thin = float(visit.style('[data-box="a-1"] .line', "strokeWidth").removesuffix("px"))
        assert not visit.lit('[data-card="a-1"]')
        cite.hover() if way == "hover" else cite.focus()
        assert visit.lit('[data-card="a-1"]')
        assert visit.lit('[data-box="a-1"]')
        assert float(visit.style('[data-box="a-1"] .line', "strokeWidth").removesuffix("px")) > thin
        assert float(visit.style('[data-box="a-1"] .shade', "opacity")) > 0.4
        assert not visit.lit('[data-card="a-2"]')
        assert not visit.lit('[data-box="b-1"]')


def test_an_inline_citation_of_a_swapped_vote_lights_the_right_picture(
    browser: Any, pages: dict[str, Path]
) -> None:
    with Visit(browser, pages["judgment"]) as visit:
        visit.page.locator(".speech", has_text="is warmer").locator("a.chip").first.hover()
        assert visit.lit('[data-box="b-1"]')
        assert not visit.lit('[data-box="a-1"]')
        assert visit.page.locator("#peek").is_visible()


def test_a_click_stays_lit_and_brings_the_card_into_view(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["judgment"]) as visit:
        cite = visit.page.locator('.evidence a[data-node="a-1"]').first
        cite.click()
        box = visit.page.locator('[data-card="a-1"]').bounding_box()
        assert box is not None
        assert -1 <= box["y"] < 1000
        visit.page.mouse.move(2, 2)
        assert visit.lit('[data-card="a-1"]')
        assert cite.get_attribute("aria-current") == "true"
        visit.page.keyboard.press("Escape")
        assert not visit.lit('[data-card="a-1"]')


def test_a_prompt_citation_lights_its_words(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["judgment"]) as visit:
        visit.page.locator('.evidence a[data-node="prompt-1"]').first.focus()
        assert visit.lit('.span[data-node~="prompt-1"]')
        assert not visit.lit('.span[data-node~="prompt-5"]')


def test_the_keyboard_alone_reaches_everything_in_order(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["judgment"]) as visit:
        places: list[tuple[str, bool, bool]] = []
        for _ in range(200):
            visit.page.keyboard.press("Tab")
            place = visit.page.evaluate(FOCUSED)
            if place is None:
                break
            places.append(tuple(place))
        assert places[0][0] == "skip"
        assert all(visible for _, visible, _ in places)
        order = list(dict.fromkeys(name for name, *_ in places))
        assert order == [
            "skip",
            "asked",
            "verdict",
            "plates",
            "why",
            "words",
            "reading",
            "readings",
            "failures",
            "provenance",
        ]
        assert sum(cites for *_, cites in places) > 10


def test_the_skip_link_moves_the_focus_past_the_masthead(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["judgment"]) as visit:
        visit.page.keyboard.press("Tab")
        visit.page.keyboard.press("Enter")
        assert visit.page.evaluate("document.activeElement.id") == "main"


def test_print_is_black_on_white_even_in_a_dark_scheme(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["judgment"], scheme="dark") as visit:
        assert visit.style("body", "backgroundColor") != "rgb(255, 255, 255)"
        visit.page.emulate_media(media="print")
        assert visit.style("body", "backgroundColor") == "rgb(255, 255, 255)"
        assert visit.style("body", "color") == "rgb(0, 0, 0)"
        assert visit.page.pdf()[:5] == b"%PDF-"


def test_right_to_left_words_are_set_right_to_left(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["judgment"]) as visit:
        speech = visit.page.locator(".speech .prose").last
        assert speech.evaluate("e => getComputedStyle(e).direction") == "rtl"


def test_a_notebook_frame_lights_up_too(browser: Any, judgment: Judgment, tmp_path: Path) -> None:
    from semiosis.reports.page import notebook

    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>n</title>{notebook(judgment)}", "utf-8")
    with Visit(browser, path) as visit:
        frame = visit.page.frame_locator("iframe")
        frame.locator('.evidence a[data-node="a-1"]').first.hover()
        assert "lit" in (frame.locator('[data-card="a-1"]').get_attribute("class") or "")
        assert visit.complaints == []


def test_every_sample_fits_at_every_width(browser: Any, samples: list[Any], tmp_path: Path) -> None:
    for sample in samples:
        path = save_html(sample.judgment("literal", "drift"), tmp_path / f"{sample.name}.html")
        for width in WIDTHS:
            with Visit(browser, path, width) as visit:
                assert visit.page.evaluate(OVERFLOWING) == []
                assert visit.page.evaluate("document.scrollingElement.scrollWidth") <= width
