"""`semiosis run minimal-pairs` from end to end: a real server, a store, the tables of `runs show`."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chat import BOX, Judge, picture_graph
from command_line import Run
from loopback import Loopback

Call = Callable[..., subprocess.CompletedProcess[str]]


class Pointing(Judge):
    """Prefers the picture that is shown first, and points at most of either."""

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        if stage.startswith("picture_graphs"):
            whole = {"x0": 10, "y0": 10, "x1": 990, "y1": 990}
            return {"a": picture_graph("a", [whole], []), "b": picture_graph("b", [BOX], [])}
        return super().reply(stage, body)


@pytest.fixture
def server() -> Iterator[tuple[Pointing, str]]:
    judge = Pointing()
    with Loopback(judge.app) as loopback:
        yield judge, f"{loopback.url}/v1"


@pytest.fixture
def asking(run: Run, server: tuple[Pointing, str]) -> Call:
    def call(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
        return run("run", *args, "--model", "m", "--base-url", server[1], "--orders", "ab", "-q", **env)

    return call


def test_a_run_at_64_pixels_is_shown_with_its_tables(
    asking: Call, run: Run, server: tuple[Pointing, str]
) -> None:
    done = asking("minimal-pairs", "--scale", "64", "--limit", "5", "--name", "small")
    assert done.returncode == 0, done.stderr
    shown = json.loads(run("runs", "show", "small", "--json").stdout)
    assert shown["about"]["configuration"]["scale"] == "64"
    assert [table["title"] for table in shown["tables"]] == [
        "minimal pairs, by what was changed",
        "minimal pairs, by how sure the verdict is",
        "minimal pairs, how far certainty tells broken from harmless",
        "minimal pairs, whether the evidence is on the spot",
    ]
    preferred, _, _, spots = (table["rows"] for table in shown["tables"])
    assert [preferred[0][0], preferred[0][1], preferred[0][2]["count"]] == ["broken", 3, 3]
    assert [preferred[-1][0], preferred[-1][1], preferred[-1][2]["count"]] == ["harmless", 2, 2]
    assert [spots[0][1], spots[0][2], spots[0][3]["count"], spots[0][4]["count"]] == [3, 0, 3, 3]
    text = run("runs", "show", "small").stdout
    assert "minimal pairs, whether the evidence is on the spot" in text
    assert "100.0% (43.9 to 100.0), 3 of 3" in text
    # Five edits of one picture: its prompt's graph is made once, each pair's pictures and verdict for itself.
    assert len(server[0].asked) == 11
    outcome = json.loads(
        run("runs", "show", "small", "--item", "annunciation-geometry/same_1", "--json").stdout
    )
    sent = [picture for call in outcome["provenance"]["exchanges"] for picture in call["pictures"]]
    assert {(picture["width"], picture["height"]) for picture in sent} == {(64, 48)}
    assert sent[0]["note"] == "1024 x 768 brought to 64 x 48 pixels"


def test_a_run_goes_on_at_the_scale_it_was_begun_with(asking: Call, server: tuple[Pointing, str]) -> None:
    first = ("minimal-pairs", "--limit", "1", "--name", "first")
    assert asking(*first, "--scale", "64").returncode == 0
    asked = len(server[0].asked)
    for scale, other in (((), "none"), (("--scale", "65"), "65")):
        refused = asking(*first, *scale, "--resume")
        assert refused.returncode == 2
        assert f"The run first was begun with scale 64, not {other}" in " ".join(refused.stderr.split())
    assert asking(*first, "--scale", "64", "--resume").returncode == 0
    assert len(server[0].asked) == asked
    assert asking(*first[:-1], "plain").returncode == 0
    refused = asking(*first[:-1], "plain", "--scale", "64", "--resume")
    assert "The run plain was begun with scale none, not 64" in " ".join(refused.stderr.split())


def test_a_method_without_boxes_points_nowhere(asking: Call, run: Run) -> None:
    done = asking("minimal-pairs", "--method", "direct", "--limit", "3", "--scale", "64", "--name", "direct")
    assert done.returncode == 0, done.stderr
    spots = json.loads(run("runs", "show", "direct", "--json").stdout)["tables"][3]["rows"]
    assert spots[0] == ["broken", 3, 3, None, None, None]


def test_a_folder_of_ones_own_runs_and_its_bad_initiative_is_told(
    asking: Call, run: Run, folder: Path
) -> None:
    (folder / "broken").mkdir()
    done = asking("minimal-pairs/folder", "--name", "mine", SEMIOSIS_MINIMAL_PAIRS=str(folder))
    assert done.returncode == 0, done.stderr
    shown = json.loads(run("runs", "show", "mine", "--json").stdout)
    assert shown["counts"]["settled"] == 2
    assert [row[1] for row in shown["tables"][0]["rows"]] == [1, 1, 0, 0, 1, 0, 0, 1]
    told = json.loads(run("runs", "show", "mine", "--bad-rows", "--json").stdout)
    assert told == [
        {
            "where": "broken/edits.json",
            "reason": "broken/edits.json cannot be read: No such file or directory.",
        }
    ]
