"""One outcome, one self-contained HTML file: no network, no fonts, no libraries, everything escaped.

save_html(judgment, "judgment.html")
"""

import base64
import hashlib
import html
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...core.outcome import Answer, Failure, Interpretation, Judgment, Outcome, Score
from ...core.records import dump
from ..palette import LINES

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent


def render(outcome: Outcome) -> str:
    """The page of an outcome, as one HTML document."""
    match outcome:
        case Judgment():
            from .judging import judgment_page

            return _fill("judgment.html.j2", outcome, page=judgment_page(outcome))
        case Interpretation():
            from .alone import interpretation_page

            return _fill("single.html.j2", outcome, page=interpretation_page(outcome))
        case Score():
            from .alone import score_page

            return _fill("single.html.j2", outcome, page=score_page(outcome))
        case Answer():
            from .alone import answer_page

            return _fill("answer.html.j2", outcome, page=answer_page(outcome))
        case Failure():
            return _fill("failure.html.j2", outcome)


def save_html(outcome: Outcome, path: str | Path) -> Path:
    """Write `outcome` to `path` as one HTML file that needs nothing else, and return the path."""
    return write(render(outcome), path)


def notebook(outcome: Outcome, height: int = 900) -> str:
    """The page in a frame that can run its own script and nothing else, for `_repr_html_`."""
    page = html.escape(render(outcome), quote=True)
    return (
        f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="semiosis {outcome.kind}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )


def write(page: str, path: str | Path) -> Path:
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # A lone surrogate from a model's reply cannot be encoded; the page shows a question mark instead.
    target.write_bytes(page.encode("utf-8", "replace"))
    return target


def fill(template: str, **values: Any) -> str:
    """A template with the style, the script and the policy that allows only these."""
    script = (_HERE / "page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    return environment().get_template(template).render(style=_style(), script=script, policy=policy, **values)


def _fill(template: str, outcome: Outcome, **values: Any) -> str:
    from ..provenance import account

    provenance = outcome.provenance
    return fill(
        template,
        outcome=outcome,
        account=account(provenance) if provenance else None,
        record=embedded(dump(outcome)),
        **values,
    )


def embedded(json_text: str) -> str:
    """JSON that can stand in a script element: no sequence in it can end the element or open a comment."""
    return json_text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from .. import words
    from ..verdict import is_computed, shown_as

    made = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    cast(dict[str, Any], made.filters)["share"] = words.share
    cast(dict[str, Any], made.globals).update(count=words.count, shown_as=shown_as, is_computed=is_computed)
    return made


@cache
def _style() -> str:
    lines = "".join(f"--line-{hue}:{colour};" for hue, colour in enumerate(LINES))
    return f":root{{{lines}}}\n" + (_HERE / "page.css").read_text("utf-8")
