"""An outcome for eyes: a page and lines of a terminal, by its kind. Without one of its own it has plain ones.

    @page("critique")
    class CritiquePage(Page):
        def html(self, outcome: Critique) -> str:
            return fill_outcome("critique.html.j2", outcome, beside=__file__)

One file a kind in pages/; another package names its module in the entry-point group `semiosis.pages`.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..core.errors import UnknownName
from ..core.outcome import Outcome
from ..core.registry import Registry
from ..core.sign import Artifact, letters
from ..core.value import Value
from .lines import facts, line

if TYPE_CHECKING:
    from rich.console import RenderableType


class Page:
    """What an outcome of any kind can be shown as: its headline, its pictures, where it came from."""

    def html(self, outcome: Any) -> str:
        """One self-contained HTML document."""
        from .html.marks import marks_of
        from .html.page import fill_outcome
        from .html.plates import plate

        pictures = artifacts_in(outcome)
        plates = [
            plate(picture, picture.name, marks_of(letter, None), None, outcome.provenance)
            for letter, picture in zip(letters(len(pictures)), pictures, strict=True)
        ]
        cells = {name.replace("_", " "): cell for name, cell in outcome.cells.items()}
        return fill_outcome("plain.html.j2", outcome, cells=cells, plates=plates)

    def lines(self, outcome: Any) -> "list[RenderableType]":
        """For a terminal, good at 80 columns."""
        cells = [(f"  {name.replace('_', ' ')}", str(cell), "") for name, cell in outcome.cells.items()]
        return [line((str(outcome.kind).capitalize(), "bold")), facts(cells)]


PAGES: Registry[Page] = Registry("page", "semiosis.reports.pages", group="semiosis.pages")
_PLAIN = Page()
P = TypeVar("P", bound=Page)


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
        return _PLAIN


def artifacts_in(outcome: Outcome) -> list[Artifact]:
    """Every picture it holds, once."""
    return list(dict.fromkeys(_artifacts(outcome)))


def _artifacts(part: Any) -> Iterator[Artifact]:
    match part:
        case Artifact():
            yield part
        case Value():
            for name in type(part).model_fields:
                yield from _artifacts(getattr(part, name))
        case tuple():
            for each in cast("tuple[Any, ...]", part):
                yield from _artifacts(each)
        case _:
            pass
