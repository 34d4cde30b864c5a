"""SigLIP's probability is that of transformers' own forward pass, on tiny weights."""

import math
from pathlib import Path

import pytest
from PIL import Image

from seeded import WORDS
from semiosis.core.kinds.rating import Score
from semiosis.core.sign import Prompt
from semiosis.methods.siglip import SigLip, sigmoid
from tiny_clip import hugging, painted, pixels_of, save_tiny_siglip, torch


async def test_it_is_the_sigmoid_of_the_model_s_own_logit(tmp_path: Path) -> None:
    model = save_tiny_siglip(tmp_path / "siglip")
    tokenizer = hugging.AutoTokenizer.from_pretrained(tmp_path / "siglip")
    processor = hugging.SiglipImageProcessorPil.from_pretrained(tmp_path / "siglip")
    method = SigLip(weights=str(tmp_path / "siglip"), device="cpu")
    for number, text in enumerate(WORDS):
        ids = tokenizer([text], padding="max_length", max_length=16, truncation=True, return_tensors="pt")
        pixels = processor(Image.fromarray(pixels_of(painted(number))), return_tensors="pt")
        with torch.no_grad():
            logit = model(input_ids=ids["input_ids"], **pixels).logits_per_image
        score = await method.score(Prompt(text=text), painted(number))
        assert isinstance(score, Score)
        assert score.value == pytest.approx(torch.sigmoid(logit).item(), abs=1e-4)


@pytest.mark.parametrize("logit", [-800.0, -3.0, 0.0, 0.5, 800.0])
def test_the_sigmoid_holds_at_both_ends(logit: float) -> None:
    assert sigmoid(logit) == pytest.approx(0.5 * (1 + math.tanh(logit / 2)), abs=1e-15)
    assert sigmoid(logit) + sigmoid(-logit) == pytest.approx(1.0)
