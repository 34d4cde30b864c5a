"""Weights are found where they lie, fetched only where a person named them, and told apart by what they hold."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopback import Loopback
from model_hub import COMMIT, ModelHub
from semiosis.backbones import weights as module
from semiosis.backbones.embeddings import Embeddings
from semiosis.backbones.weights import MODEL, TOKENIZER, Files, Weights, at_hand, check, fingerprint, found
from semiosis.core.errors import SetupError

hub: Any = pytest.importorskip("huggingface_hub", reason="the transformers extra is not installed")

FILES: Files = (*MODEL, TOKENIZER)
HELD = {
    "config.json": b"{}",
    "model.safetensors": b"tensors",
    "pytorch_model.bin": b"the same, and it may hold code",
    "vocab.json": b'{"a": 0}',
    "picture.png": b"x",
}


@pytest.fixture(autouse=True)
def no_hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "hub-cache"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(folder))
    return folder


def write(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in names or HELD:
        (folder / name).write_bytes(HELD[name])
    return folder


def test_a_folder_is_found_under_its_own_name(tmp_path: Path) -> None:
    folder = write(tmp_path / "mine")
    weights = Weights(str(folder), FILES)
    assert (found(weights), weights.label) == (folder, "mine")


def test_a_folder_that_lacks_something_says_what(tmp_path: Path) -> None:
    folder = write(tmp_path / "mine", "config.json")
    lacks = r"mine has no model\.safetensors or .* and no tokenizer\.json or vocab\.json"
    with pytest.raises(SetupError, match=lacks):
        found(Weights(str(folder), FILES))


@pytest.mark.parametrize("name", ["nothing-there", "a/b/c", "../up/and/away", "owner/name with spaces"])
def test_what_is_neither_a_folder_nor_a_hub_id_is_said(name: str) -> None:
    with pytest.raises(SetupError, match="neither a folder nor a hub id"):
        found(Weights(name, FILES))


def test_a_hub_id_is_looked_for_in_the_folder_of_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEMIOSIS_WEIGHTS", str(tmp_path / "all"))
    weights = Weights("owner/model", FILES)
    assert found(weights) is None
    folder = write(tmp_path / "all" / "model")
    assert (found(weights), weights.label) == (folder, "owner/model")
    (folder / "vocab.json").unlink()
    assert found(weights) is None


def test_a_hub_id_is_found_in_the_cache_of_the_hub_s_client(no_hub_cache: Path) -> None:
    repo = no_hub_cache / "models--owner--model"
    snapshot = write(repo / "snapshots" / COMMIT)
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text(COMMIT)
    weights = Weights("owner/model", FILES)
    assert found(weights) == snapshot
    assert COMMIT in fingerprint(snapshot, FILES, Embeddings(None))
    (snapshot / "model.safetensors").unlink()
    (snapshot / "pytorch_model.bin").unlink()
    assert found(weights) is None


def test_one_sentence_names_all_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "is_installed", lambda: False)
    with pytest.raises(SetupError) as caught:
        check("clipscore", Weights("owner/model", FILES), Weights("owner/head", FILES, option="head"))
    sentence = str(caught.value)
    assert sentence.startswith(
        "clipscore needs what is not on this machine: pip install 'semiosis[transformers]';"
    )
    assert (
        "the weights owner/model (`hf download owner/model`, a folder model where SEMIOSIS_WEIGHTS"
        in sentence
    )
    assert "--set head=owner/head to have them downloaded)." in sentence
    assert sentence.count(". ") == 0


def test_what_is_there_needs_nothing(tmp_path: Path) -> None:
    check("clipscore", Weights(str(write(tmp_path / "mine")), FILES))


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelHub]:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    # As `hub_client` has it, where the client was not loaded before.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_TELEMETRY", True)
    model_hub = ModelHub(dict(HELD))
    with Loopback(model_hub.app) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield model_hub


def test_nothing_is_fetched_that_nobody_named(served: ModelHub) -> None:
    with pytest.raises(SetupError, match=r"owner/tiny is not on this machine: .*--set weights=owner/tiny"):
        at_hand(Weights("owner/tiny", FILES))
    with pytest.raises(SetupError, match="hf download owner/tiny"):
        check("clipscore", Weights("owner/tiny", FILES))
    assert served.requests == []


def test_what_is_named_is_fetched_once_and_in_the_safe_form(served: ModelHub) -> None:
    weights = Weights("owner/tiny", FILES, named=True)
    check("clipscore", weights)
    folder = at_hand(weights)
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.json",
        "model.safetensors",
        "vocab.json",
    ]
    assert sorted({file for file, _ in served.requests} - {"info"}) == [
        "config.json",
        "model.safetensors",
        "vocab.json",
    ]
    asked = len(served.requests)
    assert at_hand(weights) == folder
    assert len(served.requests) == asked


def test_a_repository_without_the_files_is_said(served: ModelHub) -> None:
    del served.files["vocab.json"]
    with pytest.raises(SetupError, match=r"owner/tiny on the hub has no tokenizer\.json or vocab\.json"):
        check("clipscore", Weights("owner/tiny", FILES, named=True))


def test_a_repository_that_is_not_there_is_one_sentence(served: ModelHub) -> None:
    with pytest.raises(SetupError, match=r"127\.0\.0\.1:\d+ has no owner/other \(404\)"):
        check("clipscore", Weights("owner/other", FILES, named=True))


def test_shards_belong_to_their_index_which_comes_after_them() -> None:
    listed = [
        "model.safetensors.index.json",
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
        "other-00001-of-00002.safetensors",
        "pytorch_model.bin",
        "onnx/model.onnx",
        "preprocessor_config.json",
        "config.json",
    ]
    assert module.wanted_of(listed, MODEL) == [
        "preprocessor_config.json",
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
        "config.json",
        "model.safetensors.index.json",
    ]


@pytest.mark.parametrize(
    ("name", "differs"),
    [("model.safetensors", True), ("vocab.json", True), ("config.json", True), ("picture.png", False)],
)
def test_a_folder_s_fingerprint_is_of_what_decides(tmp_path: Path, name: str, differs: bool) -> None:
    folder = write(tmp_path / "mine")
    before = fingerprint(folder, FILES, Embeddings(None))
    (folder / name).write_bytes(b"something else")
    assert (fingerprint(folder, FILES, Embeddings(None)) != before) is differs


def test_equal_folders_have_one_fingerprint(tmp_path: Path) -> None:
    one, other = write(tmp_path / "one"), write(tmp_path / "other")
    assert fingerprint(one, FILES, Embeddings(None)) == fingerprint(other, FILES, Embeddings(None))
