"""From what was typed to the things the library takes."""

import os
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import BadGraph

if TYPE_CHECKING:
    from collections.abc import Generator

    from rich.console import Console

    from ..backbones.base import Backbone
    from ..core.graph import HSG
    from ..core.sign import Artifact


class Reaching:
    """How models are reached and paid for; all of them share one budget."""

    def __init__(
        self, base_url: str | None, timeout_s: float, budget_usd: float | None, cached: bool
    ) -> None:
        from ..backbones.wrappers import Purse

        self._base_url = base_url
        self._timeout_s = timeout_s
        self._purse = None if budget_usd is None else Purse(budget_usd)
        self._cached = cached

    def backbone(self, model: str | None) -> "Backbone":
        from ..backbones.resolve import backbone
        from ..backbones.wrappers import Budgeted, Cached

        found = backbone(model, base_url=self._base_url, timeout_s=self._timeout_s)
        if self._purse is not None:
            found = Budgeted(found, self._purse)
        return Cached(found, home() / "replies.sqlite") if self._cached else found


def home() -> Path:
    """Where the cache and pulled models live."""
    return Path(os.environ.get("SEMIOSIS_HOME") or Path.home() / ".cache" / "semiosis")


def text(argument: str) -> str:
    """The argument itself, or standard input for `-`."""
    if argument != "-":
        return argument
    import sys

    return sys.stdin.read().removesuffix("\n")


def picture(source: str) -> "Artifact":
    """A path or a URL; refused at once when it is not a picture."""
    from ..backbones.fetch import fetch, is_url
    from ..backbones.pictures import size_of
    from ..core.sign import Artifact

    artifact = fetch(source) if is_url(source) else Artifact.of(source)
    size_of(artifact)
    return artifact


def pictures(sources: Sequence[str] | None) -> "tuple[Artifact, ...]":
    return tuple(picture(source) for source in sources or ())


def graph(path: Path | None) -> "HSG | None":
    """A graph from a file: what `interpret --json` printed, or the graph alone."""
    if path is None:
        return None
    import json

    from pydantic import ValidationError

    from ..core.graph import HSG

    try:
        read = json.loads(path.read_text("utf-8"))
        return HSG.model_validate(read["reading"]["graph"] if "reading" in read else read)
    except OSError as error:
        raise BadGraph(f"{path} cannot be read: {error}.") from None
    except (ValueError, TypeError, KeyError, ValidationError) as error:
        raise BadGraph(f"{path} is not a graph: {str(error).splitlines()[0]}.") from None


def console(*, stderr: bool = False) -> "Console":
    from rich.console import Console

    return Console(stderr=stderr)


@contextmanager
def waiting(text: str) -> "Generator[None]":
    """A spinner on a terminal; nothing elsewhere."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield
        return
    with err.status(text):
        yield
