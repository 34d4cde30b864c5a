"""CLIP and SigLIP of random weights, a few hundred kilobytes, saved as any model of theirs is; and pictures.

save_tiny_clip(tmp_path / "clip")                   deterministic: the same weights each time
"""

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from seeded import seeded_picture
from semiosis.core.sign import Artifact

torch: Any = pytest.importorskip("torch", reason="the transformers extra is not installed")
hugging: Any = pytest.importorskip("transformers", reason="the transformers extra is not installed")

from bytewise import bytewise_tokenizer  # noqa: E402

SIDE = 32
SMALL = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}


def loud(model: Any, seed: int = 0) -> Any:
    """Weights large enough that what goes in shows in what comes out."""
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.data.normal_(0.0, 0.2, generator=generator)
    return model.eval()


def save_tiny_clip(folder: Path, seed: int = 0) -> Any:
    torch.manual_seed(seed)
    tokenizer = bytewise_tokenizer()
    config = hugging.CLIPConfig(
        text_config={
            **SMALL,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": 24,
            "bos_token_id": tokenizer.bos_token_id,
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
        },
        vision_config={**SMALL, "image_size": SIDE, "patch_size": 8},
        projection_dim=48,
    )
    model = loud(hugging.CLIPModel(config), seed)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    hugging.CLIPImageProcessorPil(
        size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}
    ).save_pretrained(folder)
    return model


def save_tiny_siglip(folder: Path, seed: int = 0) -> Any:
    torch.manual_seed(seed)
    tokenizer = bytewise_tokenizer(16)
    config = hugging.SiglipConfig(
        text_config={**SMALL, "vocab_size": len(tokenizer), "max_position_embeddings": 16},
        vision_config={**SMALL, "image_size": SIDE, "patch_size": 8},
    )
    model = loud(hugging.SiglipModel(config), seed)
    model.logit_scale.data.fill_(2.0)
    model.logit_bias.data.fill_(-1.0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    hugging.SiglipImageProcessorPil(size={"height": SIDE, "width": SIDE}).save_pretrained(folder)
    return model


def painted(number: int, size: tuple[int, int] = (50, 40)) -> Artifact:
    """A picture of its own for each number, without a loss."""
    buffer = io.BytesIO()
    Image.fromarray(seeded_picture(number, size)).save(buffer, "PNG")
    return Artifact.of(buffer.getvalue())


def pixels_of(artifact: Artifact) -> Any:
    return np.asarray(Image.open(io.BytesIO(artifact.read())).convert("RGB")).copy()


def for_torchmetrics(folder: Path) -> tuple[Any, Any]:
    """Model and processor as torchmetrics asks for them, which looks for vectors where transformers 4 had them."""
    model = hugging.CLIPModel.from_pretrained(folder)
    images = hugging.CLIPImageProcessorPil.from_pretrained(folder)
    tokenizer = hugging.AutoTokenizer.from_pretrained(folder)

    def process(text: Any = None, images_: Any = None, **settings: Any) -> Any:
        if text is not None:
            return tokenizer(text, return_tensors="pt", padding=True)
        return images(settings["images"], return_tensors="pt")

    bare = SimpleNamespace(
        config=model.config,
        scale=model.logit_scale.detach().exp(),
        get_image_features=lambda pixels: model.get_image_features(pixels).pooler_output.detach(),
        get_text_features=lambda ids, mask: model.get_text_features(ids, mask).pooler_output.detach(),
    )
    bare.to = lambda device: bare
    return bare, process
