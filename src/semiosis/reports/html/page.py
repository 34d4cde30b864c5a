"""One self-contained HTML file: no network, no fonts, no libraries, everything escaped."""

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...core.outcome import Outcome
from ...core.records import dump
from .. import words
from ..palette import LINES
from ..provenance import account
from .plates import thumbnail

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent


def write(page: str, path: str | Path) -> Path:
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # A lone surrogate from a model's reply cannot be encoded; the page shows a question mark instead.
    target.write_bytes(page.encode("utf-8", "replace"))
    return target


def fill(template: str, *, beside: str = "", **values: Any) -> str:
    """A template with the style, the script and the policy that allows only these.

    It is one of ours, or lies beside the module whose `__file__` is given; either may extend ours.
    """
    script = (_HERE / "page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    filled = environment(str(Path(beside).parent) if beside else "").get_template(template)
    return filled.render(style=_style(), script=script, policy=policy, **values)


def fill_outcome(template: str, outcome: Outcome, *, beside: str = "", **values: Any) -> str:
    """A template with an outcome, its whole record, and the account of where it came from."""
    provenance = outcome.provenance
    return fill(
        template,
        beside=beside,
        outcome=outcome,
        account=account(provenance) if provenance else None,
        record=embedded(dump(outcome)),
        **values,
    )


def embedded(json_text: str) -> str:
    """JSON that can stand in a script element: no sequence in it can end the element or open a comment."""
    return json_text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def environment(folder: str = "") -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader([*([folder] if folder else []), _HERE / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    cast(dict[str, Any], templates.filters)["fraction"] = words.fraction
    cast(dict[str, Any], templates.globals).update(
        count=words.count, shown_as=words.shown_as, thumbnail=thumbnail
    )
    return templates


@cache
def _style() -> str:
    lines = "".join(f"--line-{hue}:{colour};" for hue, colour in enumerate(LINES))
    return f":root{{{lines}}}\n" + (_HERE / "page.css").read_text("utf-8")
