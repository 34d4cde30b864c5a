"""A scorer of another package becomes a method: both shapes of calls, what it breaks with, which way it points."""

import asyncio
import importlib
from pathlib import Path
from typing import Any

import pytest

from command_line import Run
from semiosis.core.errors import UnknownName
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Prompt
from semiosis.methods.contract import find
from stored import picture

MODULE = '''
import threading

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

class Inheriting(Matrix):
    """Called as its base is."""

class Forwarding:
    """Called as a module of torch is."""
    def __call__(self, *args, **settings):
        return self.forward(*args, **settings)
    def forward(self, images, texts):
        return Matrix()(images, texts)

class Rewards:
    """As ImageReward is called."""
    def score(self, prompt, images):
        return [red(each) + len(prompt) for each in images]

class Broken:
    def __call__(self, images, texts):
        raise RuntimeError("out of memory")

class Quitting:
    def __call__(self, images, texts):
        raise SystemExit(3)

class Huge:
    def __call__(self, images, texts):
        return [[10**400]]

class Unlisted:
    def __call__(self, images, texts):
        return self
    def tolist(self):
        raise RuntimeError("on another device")

class Vague:
    def __call__(self, images, texts):
        return [[1.0, 2.0]]

gate, entries = threading.Event(), []

class Stuck:
    """Returns when the gate is opened."""
    def __call__(self, images, texts):
        entries.append(texts)
        gate.wait(10)
        return 1.0

meeting = threading.Barrier(2)

class Meeting:
    """1 where another call is made meanwhile, else 0."""
    def __call__(self, images, texts):
        try:
            meeting.wait(0.2)
        except threading.BrokenBarrierError:
            return 0.0
        return 1.0

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


@pytest.mark.parametrize("name", ["matrix", "Matrix", "Inheriting", "Forwarding", "Rewards"])
async def test_both_shapes_of_calls_are_known(name: str, module: str) -> None:
    for better, value in (("higher", 204.0), ("lower", -204.0)):
        score = await scored(f"{module}:{name}", picture(200), better=better)
        assert isinstance(score, Score)
        assert score.value == value


@pytest.mark.parametrize(
    ("name", "reason", "words"),
    [
        ("Broken", "error", "RuntimeError: out of memory"),
        ("Quitting", "error", "SystemExit: 3"),
        ("Huge", "error", "OverflowError"),
        ("Unlisted", "error", "RuntimeError: on another device"),
        ("Vague", "invalid", "one finite number"),
    ],
)
async def test_what_it_breaks_with_is_a_failure(
    name: str, reason: str, words: str, module: str, png: Any
) -> None:
    failure = await scored(f"{module}:{name}", Artifact.of(png()))
    assert isinstance(failure, Failure)
    assert failure.reason == reason
    assert words in failure.message


async def test_a_call_that_does_not_return_in_time_is_the_last_of_all(module: str) -> None:
    first = await scored(f"{module}:Stuck", picture(1), timeout_s=0.2)
    scorers = importlib.import_module(module)
    scorers.gate.set()
    for failure in (first, await scored(f"{module}:Stuck", picture(1), better="lower")):
        assert isinstance(failure, Failure)
        assert failure.reason == "timeout"
    assert len(scorers.entries) <= 1


async def test_no_two_calls_are_made_at_once_whoever_makes_them(module: str) -> None:
    place, artifact = f"{module}:Meeting", picture(1)
    scores = await asyncio.gather(
        scored(place, artifact),
        scored(place, artifact, better="lower"),
        asyncio.to_thread(asyncio.run, scored(place, artifact)),
    )
    assert [each.value for each in scores if isinstance(each, Score)] == [0.0, 0.0, 0.0]


def test_one_event_loop_after_another_may_call_it(module: str) -> None:
    async def both() -> list[Score | Failure]:
        return await asyncio.gather(*(scored(f"{module}:matrix", picture(each)) for each in (1, 2)))

    for _ in range(2):
        assert [each.value for each in asyncio.run(both()) if isinstance(each, Score)] == [5.0, 6.0]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("raise RuntimeError('CUDA not available')", "RuntimeError: CUDA not available"),
        ("import sys; sys.exit('no gpu')", "SystemExit: no gpu"),
        ("{}['weights']", "KeyError: 'weights'"),
        ("1 +", "SyntaxError: "),
    ],
)
def test_a_module_that_breaks_as_it_is_loaded_is_said_in_a_sentence(
    line: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"breaks_{len(line)}"
    (tmp_path / f"{name}.py").write_text(line)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UnknownName, match=f"The method {name}:scorer cannot be loaded: {error}"):
        find(f"{name}:scorer")


async def test_a_call_that_only_waited_leaves_a_stuck_scorer_stuck(module: str) -> None:
    place, artifact = f"{module}:Stuck", picture(1)
    failures = await asyncio.gather(
        scored(place, artifact, timeout_s=0.3),
        asyncio.to_thread(asyncio.run, scored(place, artifact, timeout_s=0.6)),
    )
    scorers = importlib.import_module(module)
    scorers.gate.set()
    failures.append(await scored(place, artifact))
    assert [each.reason for each in failures if isinstance(each, Failure)] == ["timeout"] * 3
    assert len(scorers.entries) <= 1


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
