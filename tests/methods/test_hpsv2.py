"""HPSv2 from a checkpoint in its authors' layout, against what their own code gave for the same weights.

golden/make_hpsv2.py made the numbers, in an environment where their package runs.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from bytewise import bytewise_tokenizer
from seeded import seeded
from semiosis.core.errors import SetupError
from semiosis.core.kinds.rating import Score
from semiosis.core.sign import Prompt
from semiosis.methods.contract import find
from semiosis.methods.hpsv2 import CHECKPOINTS, Hpsv2
from tiny_clip import hugging, painted, torch

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "hpsv2.json").read_text())


def save_checkpoint(file: Path, wrap: str = "state_dict", **changes: Any) -> None:
    state = {name: torch.from_numpy(seeded(name, tuple(shape))) for name, shape in GOLDEN["shapes"].items()}
    torch.save({wrap: state | changes, "epoch": 1}, file)


def save_base(folder: Path) -> None:
    """What the checkpoint takes from elsewhere: shape and tokenizer."""
    tokenizer = bytewise_tokenizer()
    layers = {"hidden_size": 64, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4}
    text = {
        "vocab_size": len(tokenizer),
        "max_position_embeddings": 24,
        "eos_token_id": tokenizer.eos_token_id,
    }
    config = hugging.CLIPConfig(
        text_config={**layers, **text, "hidden_act": "gelu"},
        vision_config={**layers, "image_size": 32, "patch_size": 8, "hidden_act": "gelu"},
        projection_dim=48,
    )
    config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("weights") / "HPSv2"
    save_base(place)
    save_checkpoint(place / CHECKPOINTS["v2"])
    return place


async def value(method: Any, row: dict[str, Any]) -> float:
    score = await method.score(Prompt(text=row["text"]), painted(row["picture"], tuple(row["size"])))
    assert isinstance(score, Score), score
    return score.value


async def test_it_is_the_number_of_the_authors_code(folder: Path) -> None:
    method = Hpsv2(weights=str(folder), device="cpu")
    for row in GOLDEN["rows"]:
        assert await value(method, row) == pytest.approx(row["score"], abs=1e-4)
    assert len({row["score"] for row in GOLDEN["rows"]}) == 5


async def test_the_later_edition_has_a_checkpoint_of_its_own(folder: Path) -> None:
    method = find("hpsv2/v2.1").make(weights=str(folder), device="cpu")
    assert method.label == "hpsv2/v2.1"
    with pytest.raises(SetupError, match=r"HPSv2 has no HPS_v2\.1_compressed\.pt"):
        method.require()
    turned = torch.from_numpy(-seeded("visual.proj", tuple(GOLDEN["shapes"]["visual.proj"])))
    save_checkpoint(folder / CHECKPOINTS["v2.1"], **{"visual.proj": turned})
    row = GOLDEN["rows"][0]
    assert await value(method, row) == pytest.approx(-row["score"], abs=1e-4)


async def test_shape_and_tokenizer_may_lie_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEMIOSIS_WEIGHTS", str(tmp_path))
    (tmp_path / "HPSv2").mkdir()
    save_checkpoint(tmp_path / "HPSv2" / CHECKPOINTS["v2"])
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "no-cache"))
    with pytest.raises(SetupError, match="the weights laion/CLIP-ViT-H-14-laion2B-s32B-b79K"):
        Hpsv2().require()
    save_base(tmp_path / "CLIP-ViT-H-14-laion2B-s32B-b79K")
    method = Hpsv2(device="cpu")
    method.require()
    row = GOLDEN["rows"][1]
    assert await value(method, row) == pytest.approx(row["score"], abs=1e-4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"visual.proj": [2, 2]}, r"is not laid out as CLIPModel expects: 2 tensors differ"),
        ({"extra.weight": [2]}, r"1 tensors differ, as \('extra\.weight', \(2,\)\)"),
    ],
)
async def test_a_checkpoint_of_another_shape_is_said(
    tmp_path: Path, changes: dict[str, list[int]], message: str
) -> None:
    save_base(tmp_path / "HPSv2")
    save_checkpoint(
        tmp_path / "HPSv2" / CHECKPOINTS["v2"],
        **{name: torch.zeros(shape) for name, shape in changes.items()},
    )
    with pytest.raises(SetupError, match=message):
        await value(Hpsv2(weights=str(tmp_path / "HPSv2"), device="cpu"), GOLDEN["rows"][0])


async def test_a_checkpoint_that_would_run_code_is_not_read(tmp_path: Path) -> None:
    class Harmful:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "harm",))

    save_base(tmp_path / "HPSv2")
    torch.save({"state_dict": Harmful()}, tmp_path / "HPSv2" / CHECKPOINTS["v2"])
    with pytest.raises(SetupError, match="cannot be read as a checkpoint that holds only tensors"):
        await value(Hpsv2(weights=str(tmp_path / "HPSv2"), device="cpu"), GOLDEN["rows"][0])
    assert not (tmp_path / "harm").exists()
