"""CLIPScore against torchmetrics on the same tiny weights, in its two forms, and against people's own numbers."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from seeded import WORDS
from semiosis.core.kinds.rating import Score
from semiosis.core.sign import Artifact, Prompt
from semiosis.methods.clipscore import ClipScore
from semiosis.methods.contract import find
from tiny_clip import for_torchmetrics, painted, pixels_of, save_tiny_clip, torch

oracle: Any = pytest.importorskip(
    "torchmetrics.functional.multimodal.clip_score", reason="torchmetrics is not installed"
)

# Before a fixture takes it away.
WEIGHTS = os.environ.get("SEMIOSIS_WEIGHTS", "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("weights") / "tiny-clip"
    save_tiny_clip(place)
    return place


def theirs(folder: Path, artifact: Artifact, text: str) -> float:
    """As torchmetrics computes it from the same folder, before it cuts what is below zero."""
    pixels = torch.as_tensor(pixels_of(artifact)).permute(2, 0, 1)
    score, _ = oracle._clip_score_update(pixels, text, *for_torchmetrics(folder))
    return float(score)


async def value(method: ClipScore, artifact: Artifact, text: str) -> float:
    score = await method.score(Prompt(text=text), artifact)
    assert isinstance(score, Score)
    return score.value


async def test_it_is_the_number_of_torchmetrics_cut_at_zero(folder: Path) -> None:
    expected: list[float] = []
    for number, text in enumerate(WORDS):
        artifact = painted(number, (50, 40 + 7 * number))
        expected.append(theirs(folder, artifact, text))
        ours = await value(ClipScore(weights=str(folder), device="cpu"), artifact, text)
        assert ours == pytest.approx(max(expected[-1], 0.0), abs=1e-4)
    assert min(expected) < -1 < 1 < max(expected)


async def test_the_paper_s_form_has_its_weight_and_its_prefix(folder: Path) -> None:
    method = find("clipscore/paper").make(weights=str(folder), device="cpu")
    assert isinstance(method, ClipScore)
    assert method.label == "clipscore/paper"
    expected = theirs(folder, painted(1), "A photo depicts two cats")
    assert await value(method, painted(1), "two cats") == pytest.approx(2.5 * expected / 100, abs=1e-4)


async def test_a_text_too_long_is_cut_and_keeps_its_end(folder: Path) -> None:
    """The tokenizer keeps the end token, from which CLIP reads the text."""
    method = ClipScore(weights=str(folder), device="cpu")
    long = "memento mori " * 40
    cut = await value(method, painted(1), long)
    assert cut == pytest.approx(await value(method, painted(1), long + "and more"), abs=1e-4)
    assert cut != pytest.approx(await value(method, painted(1), "memento mori"), abs=1e-2)


async def test_real_weights_give_the_numbers_that_were_published(shared_data: Path) -> None:
    """TIFA's 160 pictures, but for those that were downscaled: 100 x cosine, to 0.1."""
    if not (Path(WEIGHTS) / "clip-vit-base-patch32").is_dir():
        pytest.skip("no clip-vit-base-patch32 where SEMIOSIS_WEIGHTS points")
    method = ClipScore(weights=str(Path(WEIGHTS) / "clip-vit-base-patch32"))
    rows: dict[str, dict[str, Any]] = json.loads((shared_data / "tifa160/human_annotations.json").read_text())
    apart: dict[str, float] = {}
    for name, row in rows.items():
        if not name.endswith("stable_diffusion_v2_1"):
            picture = Artifact.of(shared_data / "tifa160" / "images" / row["image_path"])
            apart[name] = abs(await value(method, picture, row["text"]) - row["clipscore_vitb32"])
    assert len(apart) == 160
    assert max(apart.values()) <= 0.1
