"""Pulling a model over loopback from a server that imitates the Hugging Face hub, through HF_ENDPOINT."""

import random
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from loopback import Loopback
from model_hub import COMMIT, ModelHub
from semiosis.backbones.hub import DEFAULT, LocalModel, find, mmproj_beside, models_folder, pull
from semiosis.core.errors import MissingExtra, SetupError

constants = pytest.importorskip("huggingface_hub.constants", reason="the local extra is not installed")

MODEL = random.Random(1).randbytes(300_000)
FILES = {
    "tiny-Q8_0.gguf": b"x" * 9,
    "tiny-Q4_K_M.gguf": MODEL,
    "tiny-Q4_K_M-00001-of-00002.gguf": b"y",
    "mmproj-tiny-f32.gguf": b"z",
    "mmproj-tiny-f16.gguf": b"projector",
}
TOKEN = "hf_a_very_secret_token"

Served = Callable[[ModelHub], ModelHub]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Generator[Served]:
    """Puts a hub behind HF_ENDPOINT."""
    monkeypatch.delenv("HF_TOKEN", raising=False)
    # As `hub` has it, where the client was not loaded before: it would ask huggingface.co whom to report.
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)
    with ExitStack() as servers:

        def serve(hub: ModelHub) -> ModelHub:
            monkeypatch.setenv("HF_ENDPOINT", servers.enter_context(Loopback(hub.app)).url)
            return hub

        yield serve


def test_a_model_and_its_projector_are_pulled_and_found_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = served(ModelHub(FILES))
    assert find("owner/tiny") is None
    model = pull("owner/tiny")
    assert (model.gguf.name, model.gguf.read_bytes()) == ("tiny-Q4_K_M.gguf", MODEL)
    assert model.mmproj is not None
    assert (model.mmproj.name, model.mmproj.read_bytes()) == ("mmproj-tiny-f16.gguf", b"projector")
    assert models_folder() in model.gguf.parents
    assert pull("owner/tiny") == model
    assert [file for file, _ in hub.requests] == ["info", "mmproj-tiny-f16.gguf", "tiny-Q4_K_M.gguf", "info"]
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert find("owner/tiny") == model


def test_one_file_can_be_named(served: Served) -> None:
    served(ModelHub(FILES))
    assert pull("owner/tiny:tiny-Q8_0.gguf").gguf.name == "tiny-Q8_0.gguf"
    assert find("owner/tiny:tiny-Q4_K_M.gguf") is None


def test_a_wrong_checksum_removes_the_file_and_says_so(served: Served) -> None:
    hub = served(ModelHub(FILES, damaged={"tiny-Q4_K_M.gguf"}))
    with pytest.raises(
        SetupError, match=r"tiny-Q4_K_M.gguf does not have the hub.s checksum and was removed"
    ):
        pull("owner/tiny")
    assert find("owner/tiny") is None
    hub.damaged.clear()
    assert pull("owner/tiny").gguf.read_bytes() == MODEL


@pytest.mark.parametrize(
    ("model", "status", "message"),
    [
        ("owner/none", 200, "has no owner/none .404.: check the name"),
        ("owner/tiny:absent.gguf", 200, "owner/tiny on the hub has no absent.gguf"),
        ("owner/tiny", 401, "not open to everyone.* set HF_TOKEN"),
        ("owner/tiny", 403, "not open to everyone.* set HF_TOKEN"),
        ("owner/tiny", 410, "answered 410 for owner/tiny"),
        ("owner/tiny", 204, "127.0.0.1:.* for owner/tiny"),
        ("not a name", 200, "'not a name' is not a hub model: write owner/repo"),
        ("../../etc", 200, "is not a hub model"),
        ("../etc", 200, "is not a hub model"),
    ],
)
def test_trouble_is_one_sentence(served: Served, model: str, status: int, message: str) -> None:
    served(ModelHub(FILES, status=status))
    with pytest.raises(SetupError, match=message) as caught:
        pull(model)
    assert "\n" not in str(caught.value)


def test_no_connection_is_one_sentence(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(SetupError, match=r"127.0.0.1:9 cannot be reached .* check the connection") as caught:
        pull()
    assert caught.value.__cause__ is None


def test_offline_nothing_is_asked(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = served(ModelHub(FILES))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(SetupError, match="owner/tiny"):
        pull("owner/tiny")
    assert hub.requests == []


def test_a_folder_that_cannot_be_written_is_said(
    served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    served(ModelHub(FILES))
    (tmp_path / "file").touch()
    monkeypatch.setenv("SEMIOSIS_HOME", str(tmp_path / "file"))
    with pytest.raises(SetupError, match=r"owner/tiny cannot be kept in .*models: Not a directory"):
        pull("owner/tiny")


def test_the_token_goes_to_the_hub_and_to_no_other_host(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    storage = ModelHub(FILES)
    with Loopback(storage.app) as cdn:
        front = served(ModelHub(FILES, cdn=cdn.url.replace("127.0.0.1", "localhost")))
        pull("owner/tiny")
    assert ("info", f"Bearer {TOKEN}") in front.requests
    assert sorted(storage.requests) == [("mmproj-tiny-f16.gguf", ""), ("tiny-Q4_K_M.gguf", "")]


def test_the_default_is_pulled_at_its_pinned_commit(served: Served) -> None:
    assert DEFAULT.licence == "Apache-2.0"
    hub = served(ModelHub(FILES, repo=DEFAULT.repo.split("/")[1], commit=DEFAULT.revision))
    model = pull()
    assert find() == model
    assert DEFAULT.revision in model.gguf.parts
    assert hub.commit != COMMIT


def test_without_the_extra_nothing_is_found_and_a_pull_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert find("owner/tiny") is None
    with pytest.raises(MissingExtra, match=r"semiosis\[local\]"):
        pull("owner/tiny")


def test_the_hubs_client_is_loaded_when_it_is_needed() -> None:
    code = (
        "import sys, semiosis.backbones.llamacpp, semiosis.backbones.lookup;"
        "print([name for name in sys.modules if name.startswith(('huggingface_hub', 'httpx'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_projector_of_a_folder_with_several_is_the_one_named_alike(tmp_path: Path) -> None:
    for name in ("alpha-Q4.gguf", "beta-Q4.gguf", "mmproj-alpha-f16.gguf", "beta-mmproj-f16.gguf"):
        (tmp_path / name).touch()
    assert mmproj_beside(tmp_path / "alpha-Q4.gguf") == tmp_path / "mmproj-alpha-f16.gguf"
    assert mmproj_beside(tmp_path / "beta-Q4.gguf") == tmp_path / "beta-mmproj-f16.gguf"
    assert find(str(tmp_path / "beta-Q4.gguf")) == LocalModel(
        tmp_path / "beta-Q4.gguf", tmp_path / "beta-mmproj-f16.gguf"
    )
