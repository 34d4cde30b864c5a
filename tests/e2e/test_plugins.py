"""Methods, backbones and benchmarks of another package, as a person installs and names them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from counting import paint, write_pairs

PLUGIN = """
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from semiosis.backbones.backbone import Reply, Traits
from semiosis.backbones.providers import provider
from semiosis.benchmarks.registry import benchmark
from semiosis.core.item import candidate
from semiosis.core.kinds.pair import PairItem, Judgment
from semiosis.core.vote import Vote
from semiosis.core.sign import Pair
from semiosis.methods.contract import Judges, method


@method("plugged")
@dataclass(frozen=True)
class Plugged(Judges):
    async def judge(self, pair):
        return Judgment(pair=pair, votes=(Vote(winner="b"),), provenance=self.provenance([]))



class Echo:
    traits = Traits(endpoint="here")

    def __init__(self, model):
        self.name = f"echo/{model}"

    async def complete(self, request):
        return Reply(text='{"discussion": "d", "evidence": [], "winner": "A"}')

    async def aclose(self):
        return None


@provider("echo", about="says A")
def echo(model, settings):
    return Echo(model)


@benchmark("plugged-items")
class Items:
    name = "plugged-items"

    def candidates(self):
        here = Path(__file__).parent
        for number in range(3):
            pair = Pair(prompt="Nothing lasts.", a=here / f"{number}.png", b=here / f"{number + 1}.png")
            yield candidate(PairItem(id=str(number), pair=pair))
"""
ENTRY_POINTS = """
[semiosis.methods]
plugged = plugged:Plugged
[semiosis.backbones]
echo = plugged:echo
[semiosis.benchmarks]
plugged-items = plugged:Items
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder on the path, with a distribution in it as pip would leave one."""
    (tmp_path / "plugged.py").write_text(PLUGIN)
    info = tmp_path / "plugged-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    for number in range(4):
        paint(tmp_path / f"{number}.png", number)
    return tmp_path


def semiosis(site: Path, *words: str, path: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "semiosis", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=site,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(site) if path else ""},
    )


def test_entry_points_make_methods_backbones_and_benchmarks_known_by_name(site: Path) -> None:
    done = semiosis(site, "run", "plugged-items", "--method", "plugged", "--name", "x", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["kinds"][0]["verdicts"] == {"b": 3}
    done = semiosis(
        site, "run", "plugged-items", "--method", "direct", "--model", "echo/1", "--name", "y", "--json"
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["counts"]["kinds"][0]["verdicts"] == {"(undecided)": 3}
    assert report["counts"]["kinds"][0]["flips"]["count"] == 3
    assert "says A" in semiosis(site, "models").stdout


def test_a_module_and_a_name_are_enough(site: Path) -> None:
    pairs = write_pairs(site, 3, pictures=4)
    done = semiosis(
        site, "run", str(pairs), "--method", "direct", "--model", "plugged:echo/2", "--name", "z", "--json"
    )
    assert done.returncode == 0, done.stderr
    done = semiosis(site, "run", str(pairs), "--method", "plugged:Plugged", "--name", "w", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["kinds"][0]["verdicts"] == {"b": 3}


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--model", "nowhere:make/m", "The provider nowhere:make cannot be loaded"),
        ("--model", "plugged:absent/m", "The provider plugged:absent cannot be loaded"),
        ("--method", "plugged:Echo", "is neither a method"),
        ("--method", "plugged:absent", "cannot be loaded"),
    ],
)
def test_a_plugin_that_is_not_there_is_said_in_a_sentence(
    site: Path, option: str, value: str, message: str
) -> None:
    wanted = {"--method": "direct", "--model": "echo/1"} | {option: value}
    words = [word for pair in wanted.items() for word in pair]
    done = semiosis(site, "run", "plugged-items", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
