"""CLIP-IQA against torchmetrics on the same tiny weights; the prompt plays no part."""

from pathlib import Path
from typing import Any

import pytest

from semiosis.core.kinds.rating import Score
from semiosis.core.sign import Prompt
from semiosis.methods.clip_iqa import ClipIqa
from tiny_clip import for_torchmetrics, painted, pixels_of, save_tiny_clip, torch

oracle: Any = pytest.importorskip(
    "torchmetrics.functional.multimodal.clip_iqa", reason="torchmetrics is not installed"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("weights") / "tiny-clip"
    save_tiny_clip(place)
    return place


def theirs(folder: Path, number: int, good: str, bad: str) -> float:
    model, processor = for_torchmetrics(folder)
    # It divides by the range and its processor by 255: given so, both together do it once.
    pixels = torch.as_tensor(pixels_of(painted(number))).permute(2, 0, 1)[None].float()
    prompts, names = oracle._clip_iqa_format_prompts(((good, bad),))
    anchors = oracle._clip_iqa_get_anchor_vectors("tiny", model, processor, prompts, "cpu")
    features = oracle._clip_iqa_update("tiny", pixels, model, processor, 1.0, "cpu")
    return float(oracle._clip_iqa_compute(features, anchors, names))


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize(("good", "bad"), [("Good photo.", "Bad photo."), ("Happy photo.", "Sad photo.")])
async def test_it_is_the_number_of_torchmetrics(folder: Path, number: int, good: str, bad: str) -> None:
    method = ClipIqa(weights=str(folder), device="cpu", good=good, bad=bad)
    score = await method.score(Prompt(text="whatever"), painted(number))
    assert isinstance(score, Score)
    assert score.value == pytest.approx(theirs(folder, number, good, bad), abs=1e-4)


async def test_the_prompt_plays_no_part_and_the_antonyms_change_places(folder: Path) -> None:
    assert not ClipIqa.card.sees_prompt
    one, other = [
        await ClipIqa(weights=str(folder), device="cpu").score(Prompt(text=text), painted(1))
        for text in ("two cats", "memento mori")
    ]
    turned = await ClipIqa(weights=str(folder), device="cpu", good="Bad photo.", bad="Good photo.").score(
        Prompt(text="two cats"), painted(1)
    )
    assert isinstance(one, Score)
    assert isinstance(other, Score)
    assert isinstance(turned, Score)
    assert one.value == other.value
    assert one.value + turned.value == pytest.approx(1.0)
