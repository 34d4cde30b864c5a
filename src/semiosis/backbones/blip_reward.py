"""ImageReward's model: BLIP reads the prompt while it looks at the picture, and a head makes a number of it.

    parts = BlipReward(Weights("THUDM/ImageReward", FILES), Weights(BERT, (TOKENIZER,))).load()

The authors' checkpoint is laid into transformers' own BLIP classes; its shape is read off its tensors.
"""

import re
from dataclasses import dataclass
from typing import Any

from ..core.errors import SetupError
from .checkpoints import Tensors, assembled, of_blip_vision, tensors_of, within
from .dual_sources import auto
from .matchers import MatchParts
from .squares import Square
from .weights import TOKENIZER, Files, Weights, at_hand, found, holds

CHECKPOINT = "ImageReward.pt"
FILES: Files = ((CHECKPOINT,),)
# Of a prompt, its first tokens are read.
TOKENS = 35
# Over the pictures it was trained on (github.com/THUDM/ImageReward, ImageReward.py).
MEAN, SPREAD = 0.16717362830052426, 1.0333394966054072
# BLIP's heads of attention are 64 wide, in both halves and all its sizes.
_HEAD = 64


@dataclass(frozen=True)
class BlipReward:
    """The checkpoint, and where its tokenizer is, if not beside it."""

    weights: Weights
    tokenizer: Weights

    @property
    def manner(self) -> str:
        return "image-reward"

    @property
    def dtype(self) -> str:
        return "float32"

    @property
    def wanted(self) -> tuple[Weights, ...]:
        folder = found(self.weights)
        if folder is None or holds(folder, (TOKENIZER,)):
            return (self.weights,)
        return (self.weights, self.tokenizer)

    def load(self) -> MatchParts:
        import torch

        tensors = tensors_of(at_hand(self.weights) / CHECKPOINT)
        tokenizer = auto(at_hand(self.wanted[-1]), "AutoTokenizer")
        try:
            vision, side = _vision(within(tensors, "blip.visual_encoder."))
            text = _text(within(tensors, "blip.text_encoder."))
            head = _head(within(tensors, "mlp.layers."))
        except KeyError as error:
            raise SetupError(f"{CHECKPOINT} is not laid out as ImageReward's: it has no {error}.") from None

        def judge(glances: Any, texts: list[str]) -> Any:
            tokens = tokenizer(
                texts, padding="max_length", truncation=True, max_length=TOKENS, return_tensors="pt"
            ).to(glances.device)
            read = text(
                input_ids=tokens["input_ids"],
                attention_mask=tokens["attention_mask"],
                encoder_hidden_states=glances,
                encoder_attention_mask=torch.ones(glances.shape[:2], device=glances.device),
            )
            return (head(read.last_hidden_state[:, 0]) - MEAN) / SPREAD

        modules = torch.nn.ModuleList([vision, text, head])
        return MatchParts(
            modules, Square(side, "crop"), lambda pixels: vision(pixels).last_hidden_state, judge
        )


def _vision(tensors: Tensors) -> tuple[Any, int]:
    """The picture encoder, and the side of what it sees."""
    import transformers

    width, _, patch, _ = tensors["patch_embed.proj.weight"].shape
    side = round((tensors["pos_embed"].shape[1] - 1) ** 0.5) * patch
    config = transformers.BlipVisionConfig(
        hidden_size=width,
        intermediate_size=tensors["blocks.0.mlp.fc1.weight"].shape[0],
        num_hidden_layers=_depth(tensors, r"blocks\.(\d+)\."),
        num_attention_heads=width // _HEAD,
        image_size=side,
        patch_size=patch,
        hidden_act="gelu",
        layer_norm_eps=1e-6,
    )
    return assembled("BlipVisionModel", config, of_blip_vision(tensors), source=CHECKPOINT), side


def _text(tensors: Tensors) -> Any:
    """The reader, which attends to the picture in every layer, and to the text in both directions."""
    import transformers

    tensors = {name: tensor for name, tensor in tensors.items() if not name.endswith("position_ids")}
    vocabulary, width = tensors["embeddings.word_embeddings.weight"].shape
    config = transformers.BlipTextConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        encoder_hidden_size=tensors["encoder.layer.0.crossattention.self.key.weight"].shape[1],
        intermediate_size=tensors["encoder.layer.0.intermediate.dense.weight"].shape[0],
        num_hidden_layers=_depth(tensors, r"encoder\.layer\.(\d+)\."),
        num_attention_heads=width // _HEAD,
        max_position_embeddings=tensors["embeddings.position_embeddings.weight"].shape[0],
        hidden_act="gelu",
        layer_norm_eps=1e-12,
        pad_token_id=0,
        is_decoder=True,
    )
    return assembled("BlipTextModel", config, tensors, source=CHECKPOINT, add_pooling_layer=False)


def _head(tensors: Tensors) -> Any:
    """Linear layers in their order; nothing stands between them but dropout."""
    import torch

    numbers = sorted({int(name.partition(".")[0]) for name in tensors})
    layers: list[Any] = []
    for number in numbers:
        weight, bias = tensors[f"{number}.weight"], tensors[f"{number}.bias"]
        layer = torch.nn.Linear(weight.shape[1], weight.shape[0])
        layer.load_state_dict({"weight": weight, "bias": bias})
        layers.append(layer)
    return torch.nn.Sequential(*layers)


def _depth(tensors: Tensors, pattern: str) -> int:
    numbers = [int(part[1]) for name in tensors if (part := re.match(pattern, name))]
    return 1 + max(numbers, default=-1)
