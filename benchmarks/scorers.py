"""What scoring with weights costs, with and without kept vectors, beside others on the same weights.

    python benchmarks/scorers.py            a minute or two on two cores

A CLIP ViT-B/32 of random weights is built in a temporary folder: it computes what the published one
computes, and its numbers mean nothing. Pictures are different JPEG files of 512 x 512. The rows take
turns; medians are shown.
"""

import argparse
import asyncio
import io
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers
from PIL import Image
from torchmetrics.functional.multimodal.clip_score import _clip_score_update

from semiosis.core.kinds.rating import Score
from semiosis.core.sign import Artifact, Prompt
from semiosis.methods.clipscore import ClipScore

PICTURES, ROUNDS, SIDE = 48, 3, 512
PROMPT = "A vanitas still life for the age of the smartphone: everything glows, nothing lasts."


def save_clip(folder: Path) -> None:
    """ViT-B/32 as transformers has it by default, with a small byte-level tokenizer.

    Texts are turned towards pictures: a cosine below 0 would be cut to 0, and all that are cut are equal.
    """
    torch.manual_seed(0)
    core = tokenizers.Tokenizer(tokenizers.models.BPE())
    core.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<pad>", "<|startoftext|>", "<|endoftext|>"]
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    core.train_from_iterator([PROMPT], trainer)
    core.add_special_tokens(special)
    pad, start, end = map(core.token_to_id, special)
    core.post_processor = tokenizers.processors.TemplateProcessing(
        single=f"{special[1]} $A {special[2]}", special_tokens=[(special[1], start), (special[2], end)]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=core,
        model_max_length=77,
        pad_token=special[0],
        bos_token=special[1],
        eos_token=special[2],
    )
    text = {"pad_token_id": pad, "bos_token_id": start, "eos_token_id": end}
    model = transformers.CLIPModel(transformers.CLIPConfig(text_config=text)).eval()
    images = transformers.CLIPImageProcessorPil()
    with torch.inference_mode():
        seen = images(images=[Image.open(io.BytesIO(drawn(0))).convert("RGB")], return_tensors="pt")
        out = model(**tokenizer([PROMPT], return_tensors="pt"), **seen)
        if float(out.image_embeds @ out.text_embeds.T) < 0:
            model.text_projection.weight.neg_()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    images.save_pretrained(folder)


def drawn(number: int) -> bytes:
    noise = np.random.default_rng(number).integers(0, 255, (16, 16, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).resize((SIDE, SIDE), Image.Resampling.BICUBIC).save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


class Peers:
    """The same folder as others load it: one picture and its text at a time, as their examples do."""

    def __init__(self, folder: Path) -> None:
        self.model = transformers.CLIPModel.from_pretrained(folder).eval()
        self.images = transformers.CLIPImageProcessorPil.from_pretrained(folder)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        # torchmetrics 1.9 looks for vectors where transformers 4 had them.
        self.bare = SimpleNamespace(
            config=self.model.config,
            get_image_features=lambda pixels: self.model.get_image_features(pixels).pooler_output.detach(),
            get_text_features=lambda ids, mask: self.model.get_text_features(
                ids, mask
            ).pooler_output.detach(),
        )
        self.bare.to = lambda device: self.bare

    def processed(self, text: Any = None, images: Any = None, **settings: Any) -> Any:
        if text is not None:
            return self.tokenizer(text, return_tensors="pt", padding=True)
        return self.images(images, return_tensors="pt")

    def plain(self, files: Sequence[bytes], texts: Sequence[str]) -> list[float]:
        """Through transformers: all that model(**inputs) computes, and 100 x the cosine."""
        numbers: list[float] = []
        with torch.inference_mode():
            for data in files:
                image = Image.open(io.BytesIO(data)).convert("RGB")
                for text in texts:
                    words, seen = self.processed(text=[text]), self.processed(images=[image])
                    out = self.model(**words, **seen)
                    numbers.append(100 * float(out.image_embeds @ out.text_embeds.T))
        return numbers

    def metrics(self, files: Sequence[bytes]) -> list[float]:
        numbers: list[float] = []
        with torch.inference_mode():
            for data in files:
                pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).copy()
                tensor = torch.as_tensor(pixels).permute(2, 0, 1)
                score, _ = _clip_score_update(tensor, PROMPT, self.bare, self.processed)
                numbers.append(float(score))
        return numbers


def ours(folder: Path, files: Sequence[bytes], texts: Sequence[str], *, kept: bool) -> list[float]:
    """Each call with a method of its own; vectors of earlier calls are found in the file, if at all."""

    async def score() -> list[float]:
        method = ClipScore(weights=str(folder), device="cpu", cache=kept)
        table = await method.matrix(
            [Prompt(text=text) for text in texts], [Artifact.of(data) for data in files]
        )
        scores = [each for row in table for each in row]
        assert all(isinstance(each, Score) for each in scores), scores[0]
        return [each.value for each in scores if isinstance(each, Score)]

    return asyncio.run(score())


def passes(folder: Path) -> tuple[int, int]:
    """How many pictures and texts go through the model for five pictures under ten prompts."""

    async def count() -> tuple[int, int]:
        method = ClipScore(weights=str(folder), device="cpu", cache=False)
        model: Any = method.model
        before = model.model.pictures.rows, model.model.texts.rows
        prompts = [Prompt(text=f"{PROMPT} {number}") for number in range(10)]
        await method.matrix(prompts, [Artifact.of(drawn(10_000 + number)) for number in range(5)])
        return model.model.pictures.rows - before[0], model.model.texts.rows - before[1]

    return asyncio.run(count())


Work = Callable[[], list[float]]


def measure(folder: Path) -> dict[str, Any]:
    peers = Peers(folder)
    # Loaded and warm, all of them.
    warm = [drawn(20_000 + number) for number in range(4)]
    for work in works(folder, peers, warm, warm, [PROMPT]).values():
        work()
    seconds: dict[str, list[float]] = {}
    for turn in range(ROUNDS):
        files = [drawn(PICTURES * turn + number) for number in range(PICTURES)]
        few = [drawn(30_000 + 5 * turn + number) for number in range(5)]
        texts = [f"{PROMPT} {number} of {turn}" for number in range(10)]
        numbers: dict[str, list[float]] = {}
        for name, work in works(folder, peers, files, few, texts).items():
            start = time.perf_counter()
            numbers[name] = work()
            seconds.setdefault(name, []).append(time.perf_counter() - start)
        check(numbers)
    return {"seconds": seconds, "passes": passes(folder)}


def works(
    folder: Path, peers: Peers, files: Sequence[bytes], few: Sequence[bytes], texts: Sequence[str]
) -> dict[str, Work]:
    """What is timed, in this order: the second row finds the vectors that the first one kept."""
    return {
        "ours": lambda: ours(folder, files, [PROMPT], kept=True),
        "kept": lambda: ours(folder, files, [PROMPT], kept=True),
        "transformers": lambda: peers.plain(files, [PROMPT]),
        "torchmetrics": lambda: peers.metrics(files),
        "ours, 5 x 10": lambda: ours(folder, few, texts, kept=True),
        "transformers, 5 x 10": lambda: peers.plain(few, texts),
    }


def check(numbers: dict[str, list[float]]) -> None:
    """All compute the same, and different numbers for different pictures and texts."""
    for name, other in (
        ("kept", "ours"),
        ("transformers", "ours"),
        ("torchmetrics", "ours"),
        ("transformers, 5 x 10", "ours, 5 x 10"),
    ):
        assert min(numbers[other]) > 0, other
        assert len({round(each, 4) for each in numbers[other]}) > len(numbers[other]) / 2, other
        assert np.allclose(numbers[name], numbers[other], atol=1e-3), name


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        os.environ["SEMIOSIS_HOME"] = place
        folder = Path(place) / "clip"
        save_clip(folder)
        result = measure(folder)
    seconds: dict[str, list[float]] = result["seconds"]
    if arguments.json:
        print(json.dumps(result))
    rate = {
        name: (50 if "5 x 10" in name else PICTURES) / statistics.median(each)
        for name, each in seconds.items()
    }

    def ratio(one: str, other: str) -> float:
        return statistics.median(b / a for a, b in zip(seconds[one], seconds[other], strict=True))

    targets = [
        ("a picture a text: ours / transformers, scores a second", ratio("ours", "transformers"), 0.9),
        ("a picture a text: ours / torchmetrics", ratio("ours", "torchmetrics"), 0.9),
        ("vectors kept / not kept", ratio("kept", "ours"), 10),
        ("5 pictures, 10 texts: ours / transformers", ratio("ours, 5 x 10", "transformers, 5 x 10"), 3),
    ]
    if not arguments.json:
        print(f"{'scores a second':<58}{'median':>9}")
        for name, value in rate.items():
            print(f"{name:<58}{value:>9.1f}")
        print(f"\n{'target':<58}{'measured':>9}   limit")
        for name, value, limit in targets:
            print(f"{name:<58}{value:>9.2f}   >= {limit:<5}{'pass' if value >= limit else 'MISSED'}")
        pictures, texts = result["passes"]
        print(f"{'5 pictures, 10 texts: through the model':<58}{f'{pictures}, {texts}':>9}   = 5, 10")
    met = all(value >= limit for _, value, limit in targets) and tuple(result["passes"]) == (5, 10)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
