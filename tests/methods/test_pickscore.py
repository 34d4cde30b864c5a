"""PickScore: the model's own scale x cosine, as its model card computes it, on tiny weights."""

from pathlib import Path

import pytest

from bytewise import bytewise_tokenizer
from seeded import WORDS
from semiosis.core.errors import SetupError
from semiosis.core.kinds.rating import Score
from semiosis.core.sign import Prompt
from semiosis.methods.encoding import LAION_CLIP_H
from semiosis.methods.pickscore import PickScore
from tiny_clip import for_torchmetrics, painted, pixels_of, save_tiny_clip, torch

PROCESSING = ("tokenizer.json", "tokenizer_config.json", "preprocessor_config.json")


def by_the_model_card(folder: Path, number: int, text: str) -> float:
    """Section "How to use" of the card of PickScore_v1, with the vectors where transformers 5 has them."""
    model, process = for_torchmetrics(folder)
    pixels = torch.as_tensor(pixels_of(painted(number))).permute(2, 0, 1)
    picture = model.get_image_features(process(images=[pixels])["pixel_values"])
    ids = process(text=[text])
    words = model.get_text_features(ids["input_ids"], ids["attention_mask"])
    picture, words = (each / torch.norm(each, dim=-1, keepdim=True) for each in (picture, words))
    return (model.scale * (words @ picture.T)[0]).item()


async def test_it_is_the_number_of_the_model_card(tmp_path: Path) -> None:
    save_tiny_clip(tmp_path / "pick")
    method = PickScore(weights=str(tmp_path / "pick"), device="cpu")
    for number, text in enumerate(WORDS):
        score = await method.score(Prompt(text=text), painted(number))
        assert isinstance(score, Score)
        assert score.value == pytest.approx(by_the_model_card(tmp_path / "pick", number, text), abs=1e-4)


async def test_tokenizer_and_image_processor_may_lie_with_the_clip_it_was_tuned_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEMIOSIS_WEIGHTS", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "no-cache"))
    folder, base = tmp_path / "PickScore_v1", tmp_path / LAION_CLIP_H.rpartition("/")[2]
    save_tiny_clip(folder)
    whole = PickScore(device="cpu").score_sync(Prompt(text="two cats"), painted(1))
    base.mkdir()
    for name in PROCESSING:
        (folder / name).rename(base / name)
    apart = PickScore(device="cpu")
    apart.require()
    score = apart.score_sync(Prompt(text="two cats"), painted(1))
    assert isinstance(score, Score)
    assert isinstance(whole, Score)
    assert score.value == pytest.approx(whole.value, abs=1e-4)
    (base / "preprocessor_config.json").unlink()
    with pytest.raises(SetupError, match=f"the weights {LAION_CLIP_H}"):
        PickScore().require()


def test_the_tokenizer_of_these_tests_ends_a_text() -> None:
    tokenizer = bytewise_tokenizer()
    ids = tokenizer("two cats")["input_ids"]
    assert (ids[0], ids[-1]) == (tokenizer.bos_token_id, tokenizer.eos_token_id)
    assert max(ids) == ids[-1]
