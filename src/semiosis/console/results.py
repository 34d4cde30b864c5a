"""What commands do with any result: print it as tables or as JSON, draw it, say what failed."""

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NoReturn, cast

import typer
from pydantic_core import to_jsonable_python

from ..core.errors import BadSetting
from ..core.outcome import Failure, Outcome
from ..core.records import dump
from ..core.table import Table
from ..core.text import plain
from ..reports.figure import drawable
from ..reports.page import save_html
from ..reports.plots import Drawn
from ..reports.tables import html, latex, markdown, terminal
from ..reports.terminal import show
from . import exits
from .places import writable
from .screen import console


def check_drawable(plot: Path | None) -> None:
    """Refuse before reading and fitting what could not be drawn after it."""
    if plot is None:
        return

    drawable(plot)
    writable(plot)
    if not plot.parent.is_dir():
        raise BadSetting(f"{plot} cannot be written: there is no folder {plot.parent}.")


def say_drawn(drawn: Drawn) -> None:
    print(f"plot: {drawn.path}", file=sys.stderr)
    if drawn.lacking:
        some = "".join(sorted(drawn.lacking)[:10])
        console(stderr=True).print(
            f"No font here has {some}: an .svg file shows them with the fonts of whoever looks at it."
        )


Form = Literal["terminal", "markdown", "latex", "html"]
_WRITERS: dict[Form, Callable[[Table], str]] = {"markdown": markdown, "latex": latex, "html": html}


def print_tables(*parts: Table | str, form: Form = "terminal") -> None:
    """Tables, and sentences between them."""
    if form == "terminal":
        console().print(terminal(*parts))
        return
    tables = (each if isinstance(each, Table) else Table.facts((), notes=(each,)) for each in parts)
    print("\n\n".join(_WRITERS[form](table) for table in tables))


def print_json(value: Any) -> None:
    """A value, a list of values or plain data, as `semiosis schema` says it looks."""
    print(json.dumps(_finite(to_jsonable_python(value)), indent=2, allow_nan=False))


def show_outcome(outcome: Outcome, page: Path | None, *, as_json: bool) -> None:
    """Print an outcome, and write its page where one is wanted."""
    if as_json:
        print(dump(outcome, indent=2))
    else:
        show(outcome, console())
    if page is not None:
        print(f"page: {save_html(outcome, page)}", file=sys.stderr)


def _finite(value: Any) -> Any:
    """JSON has no infinity and no NaN: both are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in cast("list[Any]", value)]
    return value


def by_options(sentence: str) -> str:
    """A library's way out, as it is typed here."""
    typed = sentence.replace("prior=", "--prior ")
    if "resamples have no" in typed:
        return f"{typed.removesuffix('.')}, or say --resamples 0 for Wald intervals."
    return typed


def leave_by(failure: Failure) -> NoReturn:
    """Say the cause on standard error, and end the command."""
    print(f"semiosis: {failure.reason}: {plain(failure.message)}", file=sys.stderr)
    raise typer.Exit(exits.BUDGET if failure.reason == "budget" else exits.NO_RESULT)
