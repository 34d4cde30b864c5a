"""Fixtures every test may use."""

import io
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from command_line import Done, Run, RunHere, run_in
from fineartbench import lay_out
from semiosis.cli import main
from semiosis.core.sign import Pair

_PERSONAL = ("SEMIOSIS_MODEL", "SEMIOSIS_PRICES", "SEMIOSIS_WEIGHTS")


@pytest.fixture
def png() -> Callable[..., bytes]:
    """A small picture that differs with its colour."""

    def make(colour: str = "teal", size: tuple[int, int] = (96, 64)) -> bytes:
        image = Image.new("RGB", size, colour)
        ImageDraw.Draw(image).ellipse((4, 4, size[0] // 2, size[1] - 4), fill="white")
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        return buffer.getvalue()

    return make


@pytest.fixture
def pair(png: Callable[..., bytes]) -> Pair:
    text = "A vanitas still life: everything glows, nothing lasts."
    return Pair(prompt=text, a=png("teal"), b=png("maroon"))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`semiosis` in a process of its own, in the test's folder."""
    return run_in(tmp_path)


@pytest.fixture
def run_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunHere:
    """`semiosis` in this process, in the test's folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*args: str) -> Done:
        monkeypatch.setattr("sys.argv", ["semiosis", *args])
        with pytest.raises(SystemExit) as ending:
            main()
        output = capsys.readouterr()
        return Done(int(ending.value.code or 0), output.out, output.err)

    return call


@pytest.fixture
def drawn_fineartbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small FineArtBench with drawn pictures, which StyleBench's runs are on."""
    folder = lay_out(tmp_path / "FineArtBench")
    monkeypatch.setenv("SEMIOSIS_STYLEBENCH", str(folder))
    return folder


@pytest.fixture
def shared_data() -> Path:
    """Real data by others, kept beside the checkout and never in it."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SEMIOSIS_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}; set SEMIOSIS_DATA")
    return folder


@pytest.fixture
def shared_papers(shared_data: Path) -> Path:
    """The papers' texts, kept beside that data."""
    folder = shared_data.parent / "papers"
    if not folder.is_dir():
        pytest.skip(f"no papers at {folder}")
    return folder


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reaches beyond this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(
            ("127.", "::1")
        ):
            raise OSError(f"a test tried to reach {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def no_surprises(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, model or cache of the person who runs the tests."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL")) or name in _PERSONAL:
            monkeypatch.delenv(name)
    monkeypatch.setenv("SEMIOSIS_HOME", str(tmp_path / "home"))
