"""Pulling a model from a loopback server that imitates the Hugging Face hub."""

import asyncio
import dataclasses
import hashlib
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from aiohttp import web

from loopback import Loopback
from semiosis.backbones import hub
from semiosis.backbones.hub import LocalModel, find, mmproj_beside, pull
from semiosis.core.errors import SetupError

MODEL = random.Random(1).randbytes(3_000_000)
PROJECTOR = random.Random(2).randbytes(50_000)
TOKEN = "hf_a_very_secret_token"


class Hub:
    """The tree and resolve endpoints; `dies_at` cuts the model's first download there."""

    def __init__(self) -> None:
        self.files = {
            "tiny-Q8_0.gguf": b"x" * 9,
            "tiny-Q4_K_M.gguf": MODEL,
            "mmproj-tiny-f16.gguf": PROJECTOR,
        }
        self.sums = {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}
        self.dies_at: int | None = None
        self.waits_at: int | None = None
        self.status = 200
        self.asked: list[tuple[str, str, str]] = []
        self.waiting = threading.Event()
        self.cdn = ""

    @property
    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/api/models/{owner}/{repo}/tree/main", self._tree)
        app.router.add_get("/{owner}/{repo}/resolve/{revision}/{file}", self._resolve)
        return app

    def sent(self, file: str) -> list[str]:
        """The Range header of each request for the file."""
        return [span for name, span, _ in self.asked if name == file]

    async def _tree(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(("tree", "", request.headers.get("Authorization", "")))
        if self.status != 200 or request.match_info["repo"] != "tiny":
            return web.Response(status=404 if self.status == 200 else self.status)
        return web.json_response(
            [
                {"type": "file", "path": "README.md", "size": 3, "oid": "0"},
                *(
                    {"type": "file", "path": name, "size": len(data), "lfs": {"oid": self.sums[name]}}
                    for name, data in self.files.items()
                ),
            ]
        )

    async def _resolve(self, request: web.Request) -> web.StreamResponse:
        file, span = request.match_info["file"], request.headers.get("Range", "")
        self.asked.append((file, span, request.headers.get("Authorization", "")))
        if self.cdn:
            raise web.HTTPFound(f"{self.cdn}{request.path}")
        data = self.files[file]
        start = int(span.removeprefix("bytes=").rstrip("-")) if span else 0
        response = web.StreamResponse(status=206 if span else 200)
        response.content_length = len(data) - start
        await response.prepare(request)
        stop, self.dies_at = (self.dies_at, None) if data is MODEL else (None, self.dies_at)
        if stop:
            await response.write(data[start:stop])
            assert request.transport is not None
            request.transport.close()
            return response
        if self.waits_at and data is MODEL and not span:
            await response.write(data[: self.waits_at])
            self.waiting.set()
            await asyncio.Event().wait()
        await response.write(data[start:])
        return response


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_TOKEN", "HF_ENDPOINT", "SEMIOSIS_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_a_model_and_its_projector_are_pulled_checked_and_found_again(tmp_path: Path):
    remote, told = Hub(), list[tuple[str, int, int]]()
    with Loopback(remote.app) as server:
        model = pull(
            "owner/tiny", folder=tmp_path, endpoint=server.url, progress=lambda *step: told.append(step)
        )
        asked = len(remote.asked)
        again = pull("owner/tiny", folder=tmp_path, endpoint=server.url)
    place = tmp_path / "owner--tiny"
    assert model == again == LocalModel(place / "tiny-Q4_K_M.gguf", place / "mmproj-tiny-f16.gguf")
    assert model.gguf.read_bytes() == MODEL
    assert told[-1] == ("tiny-Q4_K_M.gguf", len(MODEL), len(MODEL))
    assert [entry[0] for entry in remote.asked[asked:]] == ["tree"]
    assert find("owner/tiny", folder=tmp_path) == model
    assert sorted(path.suffix for path in place.glob("*.gguf*")) == [".gguf", ".gguf"]


def test_one_file_can_be_named(tmp_path: Path):
    with Loopback(Hub().app) as server:
        model = pull("owner/tiny:tiny-Q8_0.gguf", folder=tmp_path, endpoint=server.url)
    assert model.gguf.name == "tiny-Q8_0.gguf"
    assert find("owner/tiny:tiny-Q4_K_M.gguf", folder=tmp_path) is None


def test_a_connection_that_dies_is_taken_up_where_it_broke(tmp_path: Path):
    remote = Hub()
    remote.dies_at = 1_000_000
    with Loopback(remote.app) as server:
        model = pull("owner/tiny", folder=tmp_path, endpoint=server.url)
    first, second = remote.sent("tiny-Q4_K_M.gguf")
    assert first == ""
    assert 0 < int(second.removeprefix("bytes=").rstrip("-")) <= 1_000_000
    assert model.gguf.read_bytes() == MODEL


def test_a_wrong_checksum_removes_the_file_and_says_so(tmp_path: Path):
    remote = Hub()
    remote.sums["tiny-Q4_K_M.gguf"] = "0" * 64
    with (
        Loopback(remote.app) as server,
        pytest.raises(SetupError, match=r"tiny-Q4_K_M.gguf does not have the checksum .* was removed"),
    ):
        pull("owner/tiny", folder=tmp_path, endpoint=server.url)
    assert [path.name for path in (tmp_path / "owner--tiny").glob("*.gguf*")] == ["mmproj-tiny-f16.gguf"]
    assert find("owner/tiny", folder=tmp_path) is None


@pytest.mark.parametrize(
    ("model", "status", "said"),
    [
        ("owner/none", 200, "has no owner/none .404.: check the name"),
        ("owner/tiny:absent.gguf", 200, "owner/tiny on the hub has no absent.gguf"),
        ("owner/tiny", 401, "not open to everyone .* set HF_TOKEN"),
        ("owner/tiny", 503, "answered 503 for owner/tiny"),
        ("not a name", 200, "'not a name' is not a hub model: write owner/repo"),
        ("../../etc", 200, "is not a hub model"),
    ],
)
def test_trouble_is_one_sentence(tmp_path: Path, model: str, status: int, said: str):
    remote = Hub()
    remote.status = status
    with Loopback(remote.app) as server, pytest.raises(SetupError, match=said) as caught:
        pull(model, folder=tmp_path, endpoint=server.url)
    assert "\n" not in str(caught.value)


def test_no_connection_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(SetupError, match=r"127.0.0.1:9 cannot be reached: check the connection") as caught:
        pull(folder=tmp_path)
    assert caught.value.__cause__ is None


def test_the_token_goes_to_the_hub_and_to_no_other_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    front, storage = Hub(), Hub()
    with Loopback(storage.app) as cdn, Loopback(front.app) as server:
        front.cdn = cdn.url
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        pull("owner/tiny", folder=tmp_path)
    assert {token for *_, token in front.asked} == {f"Bearer {TOKEN}"}
    assert {token for *_, token in storage.asked} == {""}


def test_a_killed_pull_leaves_a_part_that_is_resumed(tmp_path: Path):
    remote = Hub()
    remote.waits_at = 1_200_000
    with Loopback(remote.app) as server:
        code = "import sys; from semiosis.backbones.hub import pull; pull('owner/tiny', endpoint=sys.argv[1])"
        environment = os.environ | {"SEMIOSIS_HOME": str(tmp_path)}
        started = subprocess.Popen([sys.executable, "-c", code, server.url], env=environment)
        part = tmp_path / "models" / "owner--tiny" / "tiny-Q4_K_M.gguf.part"
        assert remote.waiting.wait(60)
        while not part.exists() or part.stat().st_size == 0:
            assert started.poll() is None
        with pytest.raises(SetupError, match="Another process is pulling"):
            pull("owner/tiny", folder=tmp_path / "models", endpoint=server.url)
        started.send_signal(signal.SIGKILL)
        started.wait(10)
        left = part.stat().st_size
        model = pull("owner/tiny", folder=tmp_path / "models", endpoint=server.url)
    assert 0 < left <= 1_200_000
    assert remote.sent("tiny-Q4_K_M.gguf") == ["", f"bytes={left}-"]
    assert model.gguf.read_bytes() == MODEL
    assert not part.exists()


def test_the_default_is_pulled_by_its_pinned_names_and_sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    remote = Hub()
    assert hub.DEFAULT.licence == "Apache-2.0"
    assert len(hub.DEFAULT.revision) == 40
    assert all(len(file.sha256) == 64 for file in hub.DEFAULT.files)
    small = tuple(
        hub.RemoteFile(file.name, len(data), hashlib.sha256(data).hexdigest())
        for file, data in zip(hub.DEFAULT.files, (MODEL, PROJECTOR), strict=True)
    )
    remote.files = dict(zip((file.name for file in small), (MODEL, PROJECTOR), strict=True))
    monkeypatch.setattr(hub, "DEFAULT", dataclasses.replace(hub.DEFAULT, files=small))
    with Loopback(remote.app) as server:
        model = pull(folder=tmp_path, endpoint=server.url)
    assert find(folder=tmp_path) == model
    assert model.mmproj is not None
    assert model.mmproj.read_bytes() == PROJECTOR
    assert "tree" not in [name for name, *_ in remote.asked]


def test_a_disk_without_room_is_said_before_the_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    huge = hub.RemoteFile("huge.gguf", 10**18, "0" * 64)
    monkeypatch.setattr(hub, "DEFAULT", dataclasses.replace(hub.DEFAULT, files=(huge,)))
    with pytest.raises(SetupError, match=r"needs 1000000000.0 GB more in .* GB free"):
        pull(folder=tmp_path, endpoint="http://127.0.0.1:9")


def test_the_projector_of_a_folder_with_several_is_the_one_named_alike(tmp_path: Path):
    for name in ("alpha-Q4.gguf", "beta-Q4.gguf", "mmproj-alpha-f16.gguf", "beta-mmproj-f16.gguf"):
        (tmp_path / name).touch()
    assert mmproj_beside(tmp_path / "alpha-Q4.gguf") == tmp_path / "mmproj-alpha-f16.gguf"
    assert mmproj_beside(tmp_path / "beta-Q4.gguf") == tmp_path / "beta-mmproj-f16.gguf"
    assert find(str(tmp_path / "beta-Q4.gguf")) == LocalModel(
        tmp_path / "beta-Q4.gguf", tmp_path / "beta-mmproj-f16.gguf"
    )
