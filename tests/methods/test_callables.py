"""A scorer of another package becomes a method: both shapes of calls, what it breaks with, which way it points."""

from pathlib import Path
from typing import Any

import pytest

from command_line import Run
from semiosis.core.errors import UnknownName
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Prompt
from semiosis.methods.contract import find

MODULE = '''
import numpy as np
from PIL import Image

def red(path):
    with Image.open(path) as image:
        return float(np.asarray(image.convert("RGB"))[..., 0].mean())

class Matrix:
    """As t2v_metrics is called."""
    def __call__(self, images, texts):
        assert all(isinstance(each, str) for each in images)
        return np.array([[red(each) + len(text) for text in texts] for each in images])

class Rewards:
    """As ImageReward is called."""
    def score(self, prompt, images):
        return [red(each) for each in images]

class Broken:
    def __call__(self, images, texts):
        raise RuntimeError("out of memory")

class Vague:
    def __call__(self, images, texts):
        return [[1.0, 2.0]]

matrix = Matrix()
nothing = 3
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"scorers_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


async def scored(place: str, artifact: Artifact, **settings: Any) -> Score | Failure:
    return await find(place).make(**settings).score(Prompt(text="four"), artifact)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "value"), [("matrix", 204.0), ("Matrix", 204.0), ("Rewards", 200.0)])
async def test_both_shapes_of_calls_are_known(name: str, value: float, module: str, png: Any) -> None:
    picture = Artifact.of(png((200, 0, 0), (8, 8)))
    score = await scored(f"{module}:{name}", picture)
    assert isinstance(score, Score)
    assert score.value == pytest.approx(value, abs=30)
    lower = await scored(f"{module}:{name}", picture, better="lower")
    assert isinstance(lower, Score)
    assert lower.value == -score.value


@pytest.mark.parametrize(
    ("name", "reason", "words"),
    [("Broken", "error", "RuntimeError: out of memory"), ("Vague", "invalid", "one finite number")],
)
async def test_what_it_breaks_with_is_a_failure(
    name: str, reason: str, words: str, module: str, png: Any
) -> None:
    failure = await scored(f"{module}:{name}", Artifact.of(png()))
    assert isinstance(failure, Failure)
    assert failure.reason == reason
    assert words in failure.message


def test_what_is_called_in_no_known_way_is_refused(module: str) -> None:
    with pytest.raises(UnknownName, match="neither a method"):
        find(f"{module}:nothing")


def test_a_run_of_another_s_scorer_by_the_command_line(
    module: str, run: Run, tmp_path: Path, png: Any
) -> None:
    for name, colour in (("a", "red"), ("b", "black")):
        (tmp_path / f"{name}.png").write_bytes(png(colour))
    (tmp_path / "pairs.jsonl").write_text('{"prompt": "red", "a": "a.png", "b": "b.png", "winner": "a"}\n')
    done = run("run", "pairs.jsonl", "--method", f"{module}:matrix", "--name", "it", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "1 of 1" in done.stdout
