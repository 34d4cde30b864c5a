"""ImageReward from a checkpoint in its authors' layout, against what their own code gave for the same weights.

golden/make_imagereward.py made the numbers, in an environment where their package runs.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from command_line import RunHere
from seeded import seeded
from semiosis.backbones.blip_reward import CHECKPOINT
from semiosis.core.errors import SetupError
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Pair, Prompt
from semiosis.methods.imagereward import ImageReward
from tiny_clip import painted, torch

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "imagereward.json").read_text())


def save_checkpoint(file: Path, *without: str, **changes: Any) -> None:
    state = {name: torch.from_numpy(seeded(name, tuple(shape))) for name, shape in GOLDEN["shapes"].items()}
    # Older releases of transformers, with which it was saved, count these among the weights.
    state |= {"blip.text_encoder.embeddings.position_ids": torch.arange(40)[None], **changes}
    torch.save({name: tensor for name, tensor in state.items() if name not in without}, file)


def save_tokenizer(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(GOLDEN["vocabulary"]))
    (folder / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "BertTokenizer", "do_lower_case": true}'
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("weights") / "ImageReward"
    save_tokenizer(place)
    save_checkpoint(place / CHECKPOINT)
    return place


def picture(row: dict[str, Any]) -> Artifact:
    return painted(row["picture"], tuple(row["size"]))


async def value(method: ImageReward, row: dict[str, Any]) -> float:
    score = await method.score(Prompt(text=row["text"]), picture(row))
    assert isinstance(score, Score), score
    return score.value


async def test_it_is_the_number_of_the_authors_code(folder: Path) -> None:
    method = ImageReward(weights=str(folder), device="cpu")
    for row in GOLDEN["rows"]:
        assert await value(method, row) == pytest.approx(row["score"], abs=1e-4)


async def test_a_batch_changes_no_number(folder: Path) -> None:
    method = ImageReward(weights=str(folder), device="cpu", cache=False)
    values = await asyncio.gather(*(value(method, row) for row in GOLDEN["rows"]))
    assert values == pytest.approx([row["score"] for row in GOLDEN["rows"]], abs=1e-4)


async def test_five_pictures_under_ten_prompts_are_looked_at_five_times(folder: Path) -> None:
    method = ImageReward(weights=str(folder), device="cpu")
    model: Any = method.model
    before = model.model.pictures.rows, model.model.pairs.rows
    prompts = [Prompt(text=f"two cats and {number}") for number in range(10)]
    table = await method.matrix(prompts, [painted(number) for number in range(5)])
    assert all(isinstance(each, Score) for row in table for each in row)
    assert (model.model.pictures.rows - before[0], model.model.pairs.rows - before[1]) == (5, 50)
    again = ImageReward(weights=str(folder), device="cpu")
    await again.matrix(prompts, [painted(number) for number in range(5)])
    assert (model.model.pictures.rows - before[0], model.model.pairs.rows - before[1]) == (5, 50)


def test_the_command_judges_by_it(run_here: RunHere, folder: Path, tmp_path: Path) -> None:
    rows = [GOLDEN["rows"][0] | {"picture": number} for number in (0, 1)]
    for number, row in enumerate(rows):
        (tmp_path / f"{number}.png").write_bytes(picture(row).read())
    method = ImageReward(weights=str(folder), device="cpu")
    first, second = (asyncio.run(value(method, row)) for row in rows)
    options = ["--method", "imagereward", "--set", f"weights={folder}", "--set", "device=cpu"]
    done = run_here("judge", rows[0]["text"], "0.png", "1.png", *options, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["winner"] == ("a" if first > second else "b")


def test_all_that_is_missing_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "no-cache"))
    monkeypatch.setenv("SEMIOSIS_WEIGHTS", str(tmp_path))
    with pytest.raises(SetupError, match=r"^imagereward needs .* the weights THUDM/ImageReward"):
        ImageReward().require()
    (tmp_path / "ImageReward").mkdir()
    save_checkpoint(tmp_path / "ImageReward" / CHECKPOINT)
    with pytest.raises(SetupError, match="the weights google-bert/bert-base-uncased"):
        ImageReward().require()
    save_tokenizer(tmp_path / "bert-base-uncased")
    ImageReward().require()
    row = GOLDEN["rows"][2]
    assert asyncio.run(value(ImageReward(device="cpu"), row)) == pytest.approx(row["score"], abs=1e-4)


@pytest.mark.parametrize(
    ("without", "changes", "message"),
    [
        (
            "blip.visual_encoder.pos_embed",
            {},
            "ImageReward.pt is not laid out as ImageReward's: it has no 'pos_embed'",
        ),
        (
            "",
            {"blip.visual_encoder.norm.weight": [3]},
            "not laid out as BlipVisionModel expects: 2 tensors differ",
        ),
        (
            "blip.text_encoder.encoder.layer.1.output.dense.bias",
            {},
            "as BlipTextModel expects: 1 tensors differ",
        ),
    ],
)
async def test_a_checkpoint_of_another_layout_is_said(
    tmp_path: Path, without: str, changes: dict[str, list[int]], message: str
) -> None:
    save_tokenizer(tmp_path / "other")
    save_checkpoint(
        tmp_path / "other" / CHECKPOINT,
        without,
        **{name: torch.zeros(shape) for name, shape in changes.items()},
    )
    with pytest.raises(SetupError, match=message):
        await value(ImageReward(weights=str(tmp_path / "other"), device="cpu"), GOLDEN["rows"][0])


async def test_a_model_that_breaks_is_a_failure_of_its_item(tmp_path: Path) -> None:
    save_tokenizer(tmp_path / "broken")
    save_checkpoint(tmp_path / "broken" / CHECKPOINT, **{"mlp.layers.7.bias": torch.tensor([float("nan")])})
    outcome = await ImageReward(weights=str(tmp_path / "broken"), device="cpu").score(
        Prompt(text="two cats"), painted(1)
    )
    assert isinstance(outcome, Failure)
    assert outcome.reason == "invalid"


def test_a_rehearsal_loads_nothing() -> None:
    rehearsed = ImageReward(weights="owner/never-there").with_models(lambda backbone: backbone)
    judgment = rehearsed.judge_sync(Pair(Prompt(text="two cats"), painted(1), painted(2)))
    assert isinstance(judgment, Judgment)
