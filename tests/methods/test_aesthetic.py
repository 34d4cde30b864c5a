"""The aesthetic predictor's heads, in every layout they were published in, computed by torch beside it."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from semiosis.backbones.encoders import RehearsedEncoder
from semiosis.core.errors import SetupError
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Pair, Prompt
from semiosis.methods.aesthetic import Aesthetic
from tiny_clip import hugging, np, painted, pixels_of, save_tiny_clip, torch

WIDTH = 48
SIZES = (WIDTH, 1024, 128, 64, 16, 1)
nn = torch.nn
PROMPT = Prompt(text="whatever")


def plain() -> Any:
    """The layers of improved-aesthetic-predictor's linearMSE heads."""
    one, two, three, four, five = (nn.Linear(a, b) for a, b in pairwise(SIZES))
    return nn.Sequential(one, nn.Dropout(0.2), two, nn.Dropout(0.2), three, nn.Dropout(0.1), four, five)


def with_relu() -> Any:
    """The layers of its reluMSE head."""
    *hidden, last = (nn.Linear(a, b) for a, b in pairwise(SIZES))
    layers = [each for linear in hidden for each in (linear, nn.ReLU(), nn.Dropout(0.1))]
    return nn.Sequential(*layers[:-1], last)


def single() -> Any:
    """LAION's first predictor."""
    return nn.Linear(WIDTH, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("weights") / "tiny-clip"
    save_tiny_clip(place)
    return place


def saved(head: Any, file: Path, prefix: str) -> Any:
    torch.manual_seed(0)
    for parameter in head.parameters():
        parameter.data.normal_(0.0, 0.3)
    file.parent.mkdir(parents=True, exist_ok=True)
    torch.save({f"{prefix}{name}": tensor for name, tensor in head.state_dict().items()}, file)
    return head.eval()


def expected(folder: Path, head: Any, number: int) -> float:
    """The head on the normalised vector, by torch."""
    model = hugging.CLIPModel.from_pretrained(folder)
    processor = hugging.CLIPImageProcessorPil.from_pretrained(folder)
    pixels = processor(Image.fromarray(pixels_of(painted(number))), return_tensors="pt")
    with torch.no_grad():
        vector = model.get_image_features(**pixels).pooler_output
        return head(vector / vector.norm(dim=-1, keepdim=True)).item()


async def value(method: Aesthetic, number: int) -> float:
    score = await method.score(PROMPT, painted(number))
    assert isinstance(score, Score), score
    return score.value


@pytest.mark.parametrize(
    ("layers", "prefix"),
    [(plain, "layers."), (with_relu, "layers."), (plain, ""), (single, ""), (single, "predictor.")],
    ids=["linear", "relu", "without a name", "one layer", "one layer in a whole model"],
)
async def test_a_head_gives_what_torch_gives(folder: Path, tmp_path: Path, layers: Any, prefix: str) -> None:
    head = saved(layers(), tmp_path / "head.pth", prefix)
    method = Aesthetic(weights=str(folder), head=str(tmp_path / "head.pth"), device="cpu")
    values = [await value(method, number) for number in range(3)]
    assert values == pytest.approx([expected(folder, head, number) for number in range(3)], abs=1e-4)
    assert len(set(values)) == 3


async def test_a_head_is_found_by_hub_id_and_told_from_another(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEMIOSIS_WEIGHTS", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "no-cache"))
    method = Aesthetic(weights=str(folder), device="cpu")
    with pytest.raises(SetupError, match=r"^aesthetic needs .*trl-lib/ddpo-aesthetic-predictor.*--set head="):
        method.require()
    file = tmp_path / "ddpo-aesthetic-predictor" / "aesthetic-model.pth"
    head = saved(plain(), file, "layers.")
    method.require()
    before = method.configuration()
    assert before["head"] == "trl-lib/ddpo-aesthetic-predictor"
    assert await value(method, 1) == pytest.approx(expected(folder, head, 1), abs=1e-4)
    saved(single(), file, "")
    assert (
        Aesthetic(weights=str(folder), device="cpu").configuration()["head_revision"]
        != before["head_revision"]
    )


async def test_any_function_of_a_vector_may_be_the_head(folder: Path) -> None:
    method = Aesthetic(weights=str(folder), head=lambda vector: float((vector**2).sum()), device="cpu")
    assert await value(method, 1) == pytest.approx(1.0, abs=1e-5)


async def test_a_vector_of_zeros_has_no_direction_and_no_score() -> None:
    class Blind(RehearsedEncoder):
        async def picture(self, artifact: Artifact) -> Any:
            return np.zeros(WIDTH, np.float32)

    outcome = await Aesthetic(encoder=Blind(), head=lambda _: 5.0).score(PROMPT, painted(1))
    assert isinstance(outcome, Failure)
    assert outcome.reason == "invalid"


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        (
            {"layers.0.weight": [1, WIDTH], "layers.0.bias": [1]},
            r"holds no head that is known: its layers are \[0\]",
        ),
        ({"weight": [1, 7], "bias": [1]}, "takes vectors of 7 numbers, and the encoder gives 48"),
    ],
)
async def test_a_head_that_does_not_fit_is_said(
    folder: Path, tmp_path: Path, tensors: dict[str, list[int]], message: str
) -> None:
    torch.save({name: torch.zeros(shape) for name, shape in tensors.items()}, tmp_path / "head.pth")
    with pytest.raises(SetupError, match=message):
        await value(Aesthetic(weights=str(folder), head=str(tmp_path / "head.pth"), device="cpu"), 1)


def test_a_rehearsal_loads_no_head() -> None:
    rehearsed = Aesthetic(weights="owner/never", head="owner/there").with_models(lambda backbone: backbone)
    score = rehearsed.judge_sync(Pair(PROMPT, painted(1), painted(2)))
    assert score.kind == "judgment"
