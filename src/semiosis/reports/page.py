"""An outcome for eyes: a page and lines of a terminal, by its kind. Without one of its own it has plain ones.

    @page("critique")
    class CritiquePage(Page):
        def html(self, outcome: Critique) -> str:
            return fill_outcome("critique.html.j2", outcome, beside=__file__)

    save_html(critique, "critique.html")

One file a kind in pages/; another package names its module in the entry-point group `semiosis.pages`.
"""

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..core.errors import UnknownName
from ..core.outcome import Outcome
from ..core.registry import Registry
from ..core.sign import Artifact, letters, with_artifacts
from ..core.text import brief
from .html.marks import marks_of
from .html.page import fill_outcome, write
from .html.plates import plate
from .lines import facts, line

if TYPE_CHECKING:
    from rich.console import RenderableType


class Page:
    """What an outcome of any kind can be shown as: its headline, its pictures, where it came from.

    `fault` says why this stands in the place of its kind's own page, where it does.
    """

    fault: str = ""

    def html(self, outcome: Any) -> str:
        """One self-contained HTML document."""
        pictures = artifacts_in(outcome)
        plates = [
            plate(picture, picture.name, marks_of(letter, None), None, outcome.provenance)
            for letter, picture in zip(letters(len(pictures)), pictures, strict=True)
        ]
        cells = {name.replace("_", " "): cell for name, cell in outcome.cells.items()}
        return fill_outcome("plain.html.j2", outcome, cells=cells, plates=plates, fault=self.fault)

    def lines(self, outcome: Any) -> "list[RenderableType]":
        """For a terminal, good at 80 columns."""
        cells = [(f"  {name.replace('_', ' ')}", str(cell), "") for name, cell in outcome.cells.items()]
        fault = [line((self.fault, "yellow"))] if self.fault else []
        return [line((str(outcome.kind).capitalize(), "bold")), facts(cells), *fault]


PAGES: Registry[Page] = Registry("page", "semiosis.reports.pages", group="semiosis.pages")
P = TypeVar("P", bound=Page)
T = TypeVar("T")


def page(kind: str) -> Callable[[type[P]], type[P]]:
    """Register the page of a kind of outcomes."""

    def register(cls: type[P]) -> type[P]:
        PAGES.add(kind, cls())
        return cls

    return register


def page_of(outcome: Outcome) -> Page:
    """The page of its kind, or a plain one."""
    try:
        return PAGES.find(outcome.kind)
    except UnknownName:
        fault = PAGES.fault(outcome.kind)
        return _instead(outcome, fault) if fault else Page()


def render(outcome: Outcome) -> str:
    """The page of an outcome, as one HTML document."""

    def show(page: Page) -> str:
        text: Any = page.html(outcome)
        return _of(text, isinstance(text, str), "a text")

    return _shown(outcome, show)


def lines_of(outcome: Outcome) -> "list[RenderableType]":
    """An outcome as lines of a terminal."""
    from rich.protocol import is_renderable

    def show(page: Page) -> "list[RenderableType]":
        return [_of(line, is_renderable(line), "a line") for line in page.lines(outcome)]

    return _shown(outcome, show)


def save_html(outcome: Outcome, path: str | Path) -> Path:
    """Write `outcome` to `path` as one HTML file that needs nothing else, and return the path."""
    return write(render(outcome), path)


def notebook(outcome: Outcome, height: int = 900) -> str:
    """The page in a frame that can run its own script and nothing else, for `_repr_html_`."""
    return (
        f'<iframe srcdoc="{escape(render(outcome))}" sandbox="allow-scripts" title="semiosis {outcome.kind}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )


def artifacts_in(outcome: Outcome) -> list[Artifact]:
    """Every picture it holds, once."""
    pictures: dict[Artifact, None] = {}

    def note(artifact: Artifact) -> Artifact:
        pictures[artifact] = None
        return artifact

    with_artifacts(outcome, note)
    return list(pictures)


def _shown(outcome: Outcome, show: Callable[[Page], T]) -> T:
    """By its own page; by a plain one that says why, where that cannot be made."""
    try:
        return show(page_of(outcome))
    except Exception as error:  # noqa: BLE001 - whatever a page does, the outcome is paid for and shown
        return show(_instead(outcome, f"{type(error).__name__}: {error}"))


def _of(part: T, fits: bool, what: str) -> T:
    if not fits:
        raise TypeError(f"{type(part).__name__} is not {what}")
    return part


def _instead(outcome: Outcome, why: str) -> Page:
    plain = Page()
    plain.fault = brief(f"The page of the kind {outcome.kind} could not be made: {why.rstrip('.')}.")
    return plain
