"""From what was typed to the things the library takes."""

import os
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..core.errors import BadGraph, BadSetting

if TYPE_CHECKING:
    from collections.abc import Generator

    from pydantic import ValidationError
    from rich.console import Console

    from ..backbones.backbone import Backbone
    from ..core.graph import HSG
    from ..core.sign import Artifact


AT_ONCE = 16


def runs_folder(named: Path | None) -> Path:
    """Where runs are kept: as named, else SEMIOSIS_RUNS, else beside the work at hand."""
    return named or Path(os.environ.get("SEMIOSIS_RUNS") or "semiosis-runs")


class Wrapping:
    """How models are asked and paid for; all of them share one budget."""

    def __init__(self, budget_usd: float | None, *, cached: bool) -> None:
        from ..backbones.purse import Purse

        self._purse = None if budget_usd is None else Purse(budget_usd)
        self._cached = cached

    def wrap(self, backbone: "Backbone") -> "Backbone":
        from ..backbones.budget import Budgeted
        from ..backbones.cache import Cached
        from ..backbones.wrapper import Limited, Retrying

        found: Backbone = Retrying(backbone)
        if self._purse is not None:
            found = Budgeted(found, self._purse)
        limited = Limited(found, at_once=AT_ONCE)
        return Cached(limited, home() / "replies.sqlite") if self._cached else limited


def home() -> Path:
    """Where the cache and pulled models live."""
    return Path(os.environ.get("SEMIOSIS_HOME") or Path.home() / ".cache" / "semiosis")


def text(argument: str) -> str:
    """The argument itself, or standard input for `-`."""
    if argument != "-":
        return argument
    import sys

    return sys.stdin.read().replace("\r\n", "\n").removesuffix("\n")


def picture(source: str) -> "Artifact":
    """A path or a URL; refused at once when it is not a picture."""
    from ..backbones.downloads import fetch, is_url
    from ..backbones.pictures import size_of
    from ..core.sign import Artifact

    artifact = fetch(source) if is_url(source) else Artifact.of(source)
    size_of(artifact)
    return artifact


def pictures(sources: Sequence[str] | None) -> "tuple[Artifact, ...]":
    return tuple(picture(source) for source in sources or ())


def graph(path: Path | None, of: Literal["prompt", "artifact"]) -> "HSG | None":
    """A graph from a file: what `interpret --json` printed, or the graph alone."""
    if path is None:
        return None
    import json

    from pydantic import ValidationError

    from ..core.graph import HSG

    try:
        read = json.loads(path.read_text("utf-8"))
        if "reading" in read and read["reading"]["of"] != of:
            raise BadGraph(f"{path} holds the graph of a {read['reading']['of']}, not of a {of}.")
        return HSG.model_validate(read["reading"]["graph"] if "reading" in read else read)
    except OSError as error:
        raise BadGraph(f"{path} cannot be read: {error}.") from None
    except ValidationError as error:
        raise BadGraph(f"{path} is not a graph: {first_fault(error)}.") from None
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadGraph(f"{path} is not a graph: {error}.") from None


def first_fault(error: "ValidationError") -> str:
    fault = error.errors()[0]
    return f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"


def writable(path: Path | None, *, folder: bool = False) -> None:
    """Refuse a place that cannot be written before anything is asked and paid for."""
    if path is None:
        return
    if path.is_dir() != folder and path.exists():
        raise BadSetting(f"{path} is {'not ' if folder else ''}a folder.")
    place = path
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        raise BadSetting(f"{path} cannot be written: {place} is read-only.")


def console(*, stderr: bool = False) -> "Console":
    from rich.console import Console

    # Names and models come from outside: nothing in them is markup.
    return Console(stderr=stderr, markup=False, highlight=False)


@contextmanager
def waiting(text: str) -> "Generator[None]":
    """A spinner on a terminal; nothing elsewhere."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield
        return
    with err.status(text):
        yield
