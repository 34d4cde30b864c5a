"""What ImageReward's own code gives for seeded weights: python make_imagereward.py writes imagereward.json

In an environment of its own: torch, torchvision 0.28, transformers 4.46.3, timm 0.6.13, fairscale 0.4.13, ftfy,
and image-reward 1.5 without its dependencies.
"""

import importlib
import json
import sys
import tempfile
import types
from pathlib import Path

import torch
import torchvision_without_ops  # noqa: F401 - before whatever imports torchvision
from PIL import Image
from torch import nn
from transformers import BertTokenizer

from seeded import WORDS, seeded, seeded_picture

# The package imports CLIP and diffusers for scores and training that are not asked for here.
for absent in ("clip", "diffusers"):
    sys.modules[absent] = types.ModuleType(absent)
sys.modules["ImageReward.ReFL"] = types.ModuleType("ImageReward.ReFL")

package = importlib.import_module("ImageReward.ImageReward")
from ImageReward.models.BLIP import blip_pretrain  # noqa: E402
from ImageReward.models.BLIP.vit import VisionTransformer  # noqa: E402

SIZES = [(224, 224), (250, 230), (97, 341), (64, 64), (333, 270)]
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
VOCABULARY = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    *LETTERS,
    *(f"##{each}" for each in LETTERS),
    "two",
]
MED = {
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1,
    "layer_norm_eps": 1e-12,
    "hidden_size": 128,
    "intermediate_size": 96,
    "max_position_embeddings": 40,
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "pad_token_id": 0,
    "type_vocab_size": 2,
    "vocab_size": len(VOCABULARY) + 2,
    "encoder_width": 64,
    "add_cross_attention": True,
}


def small_vit(*_: object) -> tuple[nn.Module, int]:
    return VisionTransformer(img_size=224, patch_size=56, embed_dim=64, depth=2, num_heads=1), 64


folder = Path(tempfile.mkdtemp())
(folder / "med_config.json").write_text(json.dumps(MED))
(folder / "vocab.txt").write_text("\n".join(VOCABULARY))
tokenizer = BertTokenizer(str(folder / "vocab.txt"))
blip_pretrain.create_vit = small_vit
blip_pretrain.init_tokenizer = lambda: tokenizer
large = package.MLP
package.MLP = lambda _: large(MED["hidden_size"])
model = package.ImageReward(str(folder / "med_config.json"))
state = {name: each for name, each in model.state_dict().items() if not name.endswith("position_ids")}
tensors = {name: torch.from_numpy(seeded(name, tuple(each.shape))) for name, each in state.items()}
model.load_state_dict(tensors, strict=False)
model.eval()
rows = []
with torch.no_grad():
    for number, (size, text) in enumerate(zip(SIZES, [*WORDS[:-1], "glows " * 20], strict=True)):
        score = model.score(text, Image.fromarray(seeded_picture(number, size)))
        rows.append({"picture": number, "size": size, "text": text, "score": score})
shapes = {name: list(each.shape) for name, each in tensors.items()}
golden = {"vocabulary": VOCABULARY, "shapes": shapes, "rows": rows}
Path(__file__).with_name("imagereward.json").write_text(json.dumps(golden) + "\n")
