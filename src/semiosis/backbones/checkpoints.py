"""Checkpoints in their authors' layouts, as the classes of transformers have them; read without running code.

state = tensors_of(folder / "HPS_v2_compressed.pt")
model = assembled("CLIPModel", config, of_open_clip(state), source="HPS_v2_compressed.pt")
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ..core.errors import SetupError

Tensors = dict[str, Any]

_OPEN_CLIP = (
    (r"^visual\.class_embedding$", "vision_model.embeddings.class_embedding"),
    (r"^visual\.conv1\.", "vision_model.embeddings.patch_embedding."),
    (r"^visual\.positional_embedding$", "vision_model.embeddings.position_embedding.weight"),
    (r"^visual\.ln_pre\.", "vision_model.pre_layrnorm."),
    (r"^visual\.ln_post\.", "vision_model.post_layernorm."),
    (r"^visual\.transformer\.resblocks\.", "vision_model.encoder.layers."),
    (r"^visual\.proj$", "visual_projection.weight"),
    (r"^token_embedding\.", "text_model.embeddings.token_embedding."),
    (r"^positional_embedding$", "text_model.embeddings.position_embedding.weight"),
    (r"^transformer\.resblocks\.", "text_model.encoder.layers."),
    (r"^ln_final\.", "text_model.final_layer_norm."),
    (r"^text_projection$", "text_projection.weight"),
    (r"\.ln_([12])\.", r".layer_norm\1."),
    (r"\.mlp\.c_fc\.", ".mlp.fc1."),
    (r"\.mlp\.c_proj\.", ".mlp.fc2."),
    (r"\.attn\.", ".self_attn."),
)
_BLIP_VISION = (
    (r"^cls_token$", "embeddings.class_embedding"),
    (r"^pos_embed$", "embeddings.position_embedding"),
    (r"^patch_embed\.proj\.", "embeddings.patch_embedding."),
    (r"^blocks\.", "encoder.layers."),
    (r"^norm\.", "post_layernorm."),
    (r"\.norm([12])\.", r".layer_norm\1."),
    (r"\.attn\.proj\.", ".self_attn.projection."),
    (r"\.attn\.", ".self_attn."),
)


def tensors_of(file: Path) -> Tensors:
    """What a checkpoint holds by name: tensors and nothing that would run."""
    try:
        if file.suffix == ".safetensors":
            import safetensors.torch

            return cast("Tensors", cast(Any, safetensors.torch).load_file(file))
        import torch

        held: Any = cast(Any, torch).load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # noqa: BLE001 - a damaged file leads its readers to raise anything
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200].rstrip(".")
        raise SetupError(
            f"{file} cannot be read as a checkpoint that holds only tensors: {reason}."
        ) from None
    tensors = _by_name(_by_name(held).get("state_dict", held))
    if not any(hasattr(each, "shape") for each in tensors.values()):
        raise SetupError(f"{file} holds no tensors by name.")
    return {name: each for name, each in tensors.items() if hasattr(each, "shape")}


def _by_name(held: Any) -> Tensors:
    named = cast("dict[Any, Any]", held) if isinstance(held, dict) else {}
    return {str(name): each for name, each in named.items()}


def of_open_clip(tensors: Mapping[str, Any]) -> Tensors:
    """Those of open_clip, as transformers' CLIPModel names them."""
    state: Tensors = {}
    for name, tensor in tensors.items():
        renamed = _renamed(name, _OPEN_CLIP)
        if ".in_proj_" in renamed:
            for part, piece in zip("qkv", tensor.chunk(3), strict=True):
                state[renamed.replace("in_proj_", f"{part}_proj.")] = piece
        else:
            # open_clip multiplies from the left, a linear layer from the right.
            turned = renamed in ("visual_projection.weight", "text_projection.weight")
            state[renamed] = tensor.T if turned else tensor
    return state


def of_blip_vision(tensors: Mapping[str, Any]) -> Tensors:
    """Those of BLIP's picture encoder, as transformers' BlipVisionModel names them."""
    return {_renamed(name, _BLIP_VISION): tensor for name, tensor in tensors.items()}


def _renamed(name: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for pattern, replacement in pairs:
        name = re.sub(pattern, replacement, name)
    return name


def within(tensors: Mapping[str, Any], prefix: str) -> Tensors:
    """Those whose names begin so, without that beginning."""
    return {name.removeprefix(prefix): each for name, each in tensors.items() if name.startswith(prefix)}


def assembled(kind: str, config: Any, state: Tensors, source: str, **settings: Any) -> Any:
    """A model of transformers with exactly these tensors, in float32."""
    import torch
    import transformers

    model_class: Any = getattr(transformers, kind)
    with torch.device("meta"):
        empty = model_class(config, **settings)
    wanted = {(name, tuple(tensor.shape)) for name, tensor in empty.state_dict().items()}
    faults = sorted(wanted ^ {(name, tuple(tensor.shape)) for name, tensor in state.items()})
    if faults:
        raise SetupError(
            f"{source} is not laid out as {kind} expects: {len(faults)} tensors differ, as {faults[0]}."
        )
    return model_class.from_pretrained(None, config=config, state_dict=state, dtype=torch.float32, **settings)
