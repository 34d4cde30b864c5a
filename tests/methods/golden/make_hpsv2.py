"""What HPSv2's own code gives for seeded weights: python make_hpsv2.py writes hpsv2.json

In an environment of its own: torch, torchvision 0.28, transformers 4.46.3, ftfy, regex, tqdm, and hpsv2 1.2.0
without its dependencies, beside its wheel the vocabulary that it lacks, which is open_clip's.
"""

import json
from pathlib import Path

import torch
import torchvision_without_ops  # noqa: F401 - before whatever imports torchvision
from hpsv2.src.open_clip.model import CLIP
from hpsv2.src.open_clip.transform import image_transform
from PIL import Image

from bytewise import bytewise_tokenizer
from seeded import WORDS, seeded, seeded_picture

SIZES = [(32, 32), (50, 40), (41, 97), (64, 64), (33, 70)]

tokenizer = bytewise_tokenizer()
model = CLIP(
    embed_dim=48,
    vision_cfg={"layers": 2, "width": 64, "head_width": 16, "patch_size": 8, "image_size": 32},
    text_cfg={"context_length": 24, "vocab_size": len(tokenizer), "width": 64, "heads": 4, "layers": 2},
    output_dict=True,
)
state = {name: torch.from_numpy(seeded(name, tuple(each.shape))) for name, each in model.state_dict().items()}
model.load_state_dict(state)
model.eval()
# As create_model_and_transforms has it where augmentation is light, which it is where HPSv2 scores.
prepare = image_transform(32, is_train=False, resize_longest_max=True)
rows = []
for number, (size, text) in enumerate(zip(SIZES, WORDS, strict=True)):
    pixels = prepare(Image.fromarray(seeded_picture(number, size)))[None]
    ids = tokenizer([text], padding="max_length", max_length=24, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        outputs = model(pixels, ids)
        logits = outputs["image_features"] @ outputs["text_features"].T
    rows.append({"picture": number, "size": size, "text": text, "score": torch.diagonal(logits).item()})
shapes = {name: list(each.shape) for name, each in state.items()}
Path(__file__).with_name("hpsv2.json").write_text(json.dumps({"shapes": shapes, "rows": rows}) + "\n")
