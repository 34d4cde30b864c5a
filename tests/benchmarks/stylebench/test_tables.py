"""Tables II to V of ArtCoT, filled by commands from a live server that looks at drawn pictures.

What the server says of a pair follows from what it is sent: who painted either side, by colour, and what it was told.
So the numbers in every cell are known beforehand.
"""

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from command_line import RunHere
from fineartbench import METHODS, choices, painter_of
from panel import Panel, words_of

# As `--method` takes them, and the names of their runs.
TABLES = {
    "direct/base": "all-direct-base",
    "direct/cot": "all-direct-cot",
    "artcot": "all-artcot",
    "artcot,critique=false": "all-artcot-critique-false",
    "artcot,analysis=false": "all-artcot-analysis-false",
    "artcot,resolution=full": "all-artcot-resolution-full",
    "artcot,resolution=quarter": "all-artcot-resolution-quarter",
    "artcot,resolution=eighth": "all-artcot-resolution-eighth",
    "artcot,without=content": "all-artcot-without-content",
    "artcot,without=style": "all-artcot-without-style",
}


class Gallery(Panel):
    """Prefers the painter that comes first by name, where it can tell them apart.

    Without an analysis it is blind to one of the painters, and without a critic to another; so it is at small
    sizes, and without the content or the style. The base prompt has it see only what is far apart. Where it
    cannot tell, it says A.
    """

    def __init__(self) -> None:
        super().__init__(
            art_base=lambda body: {"winner": self.winner(body, blind=METHODS[1:5])},
            art_cot=lambda body: {
                "thinking": "I feel the lovely A.",
                "winner": self.winner(body, blind=METHODS[2:4]),
            },
            art_analysis=self.analysis,
            art_critique={"reflection": "The source has one circle. The dots of the style are there."},
            art_summary=lambda body: {"winner": self.winner(body, blind=self.unseen(body))},
        )

    def analysis(self, body: dict[str, Any]) -> dict[str, str]:
        reason = "The ground is blue and the circle is whole."
        winner = self.winner(body, blind=())
        return {
            "style_reason": reason,
            "content_reason": reason,
            "style_winner": winner,
            "content_winner": winner,
        }

    def winner(self, body: dict[str, Any], blind: Any) -> str:
        left, right = painters(body)
        if left in blind or right in blind:
            return "A"
        return "A" if METHODS.index(left) < METHODS.index(right) else "B"

    def unseen(self, body: dict[str, Any]) -> tuple[str, ...]:
        words, picture = words_of(body), picture_of(body)
        unseen = {
            "brush": "The ground is blue" not in words,
            "ink": "one circle" not in words,
            "wash": picture.width < 100,
            "glaze": picture.width < 50,
            "etching": picture.height < picture.width,
            "charcoal": "The style:" not in words,
        }
        return tuple(painter for painter, is_unseen in unseen.items() if is_unseen)


def picture_of(body: dict[str, Any]) -> Image.Image:
    (url,) = (
        part["image_url"]["url"]
        for message in body["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    )
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")


def painters(body: dict[str, Any]) -> tuple[str, str]:
    """Of the two results at the bottom of the composed picture, by its lower corners."""
    picture = picture_of(body)
    size, bottom = picture.width // 32 + 1, picture.height
    lefts = (0, picture.width - size)
    corners = [picture.crop((left, bottom - size, left + size, bottom)).resize((4, 4)) for left in lefts]
    left, right = map(painter_of, corners)
    assert left
    assert right
    return left, right


def expected(kind: str, blind: tuple[str, ...]) -> float:
    """The share of people's choices that a judge blind to these painters agrees with, shown in order (A, B)."""
    rows = choices()[kind]
    # The group with a skipped row is one that the filters of instance rows drop, and no run asks about.
    dropped = {row.group for row in rows if row.winner is None} if kind == "instance" else set()
    asked = [row for row in rows if row.winner is not None and row.group not in dropped]
    return sum(row.winner == _said(row.a, row.b, blind) for row in asked) / len(asked)


def _said(a: str, b: str, blind: tuple[str, ...]) -> str:
    if a in blind or b in blind:
        return "a"
    return "a" if METHODS.index(a) < METHODS.index(b) else "b"


BLIND = {
    "all-direct-base": METHODS[1:5],
    "all-direct-cot": METHODS[2:4],
    "all-artcot": (),
    "all-artcot-critique-false": ("ink",),
    "all-artcot-analysis-false": ("brush",),
    "all-artcot-resolution-full": (),
    "all-artcot-resolution-quarter": ("wash",),
    "all-artcot-resolution-eighth": ("wash", "glaze"),
    "all-artcot-without-content": ("etching",),
    "all-artcot-without-style": ("charcoal",),
}


@pytest.mark.parametrize(
    ("benchmark", "kind"), [("stylebench", "global"), ("stylebench/instance", "instance")]
)
def test_one_command_runs_what_two_more_fill_the_tables_with(
    benchmark: str, kind: str, drawn_fineartbench: Path, run_here: RunHere
) -> None:
    methods = [word for each in TABLES for word in ("--method", each)]
    with Gallery().at_address() as url:
        done = run_here(
            "run",
            benchmark,
            *methods,
            "--model",
            "custom/m",
            "--base-url",
            url,
            "--orders",
            "ab",
            "--name",
            "all",
            "-q",
        )
    assert done.code == 0, done.err
    judges = [word for each in TABLES.values() for word in ("--judge", each)]
    scores = ("stylebench", "score", str(drawn_fineartbench), "--kind", kind, *judges, "--json", "--base")
    table_2, table_5 = (json.loads(run_here(*scores, base).out) for base in ("all-direct-base", "all-artcot"))
    agreements = {judge["name"]: judge["agreement"]["value"] for judge in table_2["judges"]}
    assert agreements == pytest.approx({name: expected(kind, tuple(blind)) for name, blind in BLIND.items()})
    part = "per_method" if kind == "global" else "per_instance"
    rho = {each["name"]: each[part]["elo"]["value"] for each in table_2["judges"]}
    assert rho["all-artcot"] == max(rho.values()) > rho["all-direct-cot"] > rho["all-direct-base"]
    for table, base in ((table_2, "all-direct-base"), (table_5, "all-artcot")):
        changes = {each["name"]: each["change"] for each in table["compared"][part].get("elo", [])}
        if rho[base] < 1:
            assert {name: changes[name] for name in rho} == pytest.approx(
                {name: (value - rho[base]) / (1 - rho[base]) for name, value in rho.items()}
            )
    table_3 = json.loads(run_here("runs", "talk", "all-direct-cot", "all-artcot", "--json").out)
    assert [run["method"] for run in table_3] == ["direct/cot", "artcot"]
    assert [run["subjective_share"]["value"] for run in table_3] == [0.4, 0]
