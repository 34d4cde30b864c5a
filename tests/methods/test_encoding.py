"""What all scorers that look at vectors share, shown on one of them: through every command, and where it fails."""

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import RunHere
from semiosis.backbones.weights import EXTRA
from semiosis.core.errors import SetupError
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Pair, Prompt
from semiosis.methods.clipscore import ClipScore
from semiosis.methods.contract import asks_a_model
from semiosis.runs.plan import Plan
from tiny_clip import np, painted, save_tiny_clip

PROMPT = Prompt(text="Everything glows, nothing lasts.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("weights") / "tiny-clip"
    save_tiny_clip(place)
    return place


@pytest.fixture
def pictures(tmp_path: Path) -> list[str]:
    """Four, of which the one with the highest score is not the first."""
    for number in range(4):
        (tmp_path / f"{number}.png").write_bytes(painted(number).read())
    return [f"{number}.png" for number in range(4)]


@pytest.fixture
def options(folder: Path) -> list[str]:
    return ["--method", "clipscore", "--set", f"weights={folder}", "--set", "device=cpu"]


def scores(folder: Path, pictures: list[str], tmp_path: Path) -> dict[str, float]:
    method = ClipScore(weights=str(folder), device="cpu")
    row = [method.score_sync(PROMPT, Artifact.of(tmp_path / each)) for each in pictures]
    return {name: each.value for name, each in zip(pictures, row, strict=True) if isinstance(each, Score)}


def test_judge_prefers_the_higher_score(
    run_here: RunHere, pictures: list[str], options: list[str], folder: Path, tmp_path: Path
) -> None:
    expected = scores(folder, pictures, tmp_path)
    done = run_here("judge", PROMPT.text, "0.png", "1.png", *options, "--json")
    assert done.code == 0, done.err
    judgment = json.loads(done.out)
    assert judgment["winner"] == ("a" if expected["0.png"] > expected["1.png"] else "b")
    assert [judgment[f"score_{side}"]["value"] for side in "ab"] == [expected["0.png"], expected["1.png"]]
    configuration = judgment["provenance"]["configuration"]
    assert (configuration["weights"], len(configuration["revision"])) == ("tiny-clip", 16)
    assert not {"device", "batch", "cache", "encoder"} & configuration.keys()


def test_rank_orders_by_score(
    run_here: RunHere, pictures: list[str], options: list[str], folder: Path, tmp_path: Path
) -> None:
    expected = scores(folder, pictures, tmp_path)
    done = run_here("rank", PROMPT.text, *pictures, *options, "--json", "--quiet")
    assert done.code == 0, done.err
    names = [each["name"] for each in json.loads(done.out)["standings"]]
    # A cosine below 0 scores 0, and equals stand in any order.
    assert [expected[name] for name in names] == sorted(expected.values(), reverse=True)


def test_run_scores_ratings_and_pairs_and_is_resumed_on_another_device(
    run_here: RunHere, pictures: list[str], options: list[str], folder: Path, tmp_path: Path
) -> None:
    expected = scores(folder, pictures, tmp_path)
    rows: list[dict[str, Any]] = [{"prompt": PROMPT.text, "image": name} for name in pictures]
    rows += [{"prompt": PROMPT.text, "a": "0.png", "b": "1.png", "winner": "a"}]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run_here("run", "items.jsonl", *options, "--name", "one", "--limit", "2", "--quiet")
    assert done.code == 0, done.err
    options[-1] = "device=none"
    done = run_here("run", "items.jsonl", *options, "--name", "one", "--resume", "--quiet", "--json")
    assert done.code == 0, done.err
    run_here("runs", "export", "one", "--to", "out.jsonl")
    records = [json.loads(line)["record"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [each["value"] for each in records[:4]] == list(expected.values())
    assert records[4]["winner"] == ("a" if expected["0.png"] > expected["1.png"] else "b")


def test_other_weights_are_another_run(
    run_here: RunHere, pictures: list[str], options: list[str], tmp_path: Path
) -> None:
    (tmp_path / "items.jsonl").write_text(json.dumps({"prompt": PROMPT.text, "image": pictures[0]}) + "\n")
    assert run_here("run", "items.jsonl", *options, "--name", "one", "--quiet").code == 0
    save_tiny_clip(tmp_path / "tiny-clip", seed=1)
    options[3] = f"weights={tmp_path / 'tiny-clip'}"
    done = run_here("run", "items.jsonl", *options, "--name", "one", "--resume", "--quiet")
    assert done.code == 2
    assert "revision" in done.err


def test_a_dry_run_asks_for_nothing_and_loads_nothing(
    run_here: RunHere, pictures: list[str], options: list[str], tmp_path: Path
) -> None:
    (tmp_path / "items.jsonl").write_text(json.dumps({"prompt": PROMPT.text, "image": pictures[0]}) + "\n")
    options[3] = "weights=owner/never-there"
    done = run_here("run", "items.jsonl", *options, "--dry-run", "--json")
    assert (done.code, json.loads(done.out)) == (0, []), done.err


def test_no_cache_keeps_nothing(
    run_here: RunHere, pictures: list[str], options: list[str], tmp_path: Path
) -> None:
    kept = tmp_path / "home" / "embeddings.sqlite"
    assert run_here("judge", PROMPT.text, "0.png", "1.png", *options, "--no-cache").code == 0
    assert not kept.exists()
    assert run_here("judge", PROMPT.text, "0.png", "1.png", *options).code == 0
    assert kept.exists()


def test_missing_weights_are_said_before_anything_is_done(
    run_here: RunHere, pictures: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "no-cache"))
    done = run_here("judge", PROMPT.text, "0.png", "1.png", "--method", "clipscore")
    assert done.code == 2
    assert "the weights openai/clip-vit-base-patch32 (`hf download openai/clip-vit-base-patch32`" in done.err
    assert "Traceback" not in done.err


def test_require_names_the_extra_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "no-cache"))
    monkeypatch.setattr("semiosis.backbones.weights.is_installed", lambda: False)
    with pytest.raises(SetupError, match="needs what is not on this machine") as caught:
        ClipScore().require()
    assert EXTRA in str(caught.value)
    assert "openai/clip-vit-base-patch32" in str(caught.value)


async def test_five_pictures_and_ten_prompts_are_fifteen_passes_of_a_row(folder: Path) -> None:
    method = ClipScore(weights=str(folder), device="cpu", cache=False)
    model: Any = method.model
    before = model.model.pictures.rows, model.model.texts.rows
    prompts = [Prompt(text=f"prompt {number}") for number in range(10)]
    table = await method.matrix(prompts, [painted(number) for number in range(5)])
    assert (len(table), {len(row) for row in table}) == (5, {10})
    assert (model.model.pictures.rows - before[0], model.model.texts.rows - before[1]) == (5, 10)
    single = await method.score(prompts[7], painted(3))
    assert isinstance(single, Score)
    assert single == table[3][7]


async def test_a_model_that_breaks_is_a_failure_of_its_item(folder: Path, tmp_path: Path) -> None:
    save_tiny_clip(tmp_path / "broken")
    method = ClipScore(weights=str(tmp_path / "broken"), device="cpu")
    good = await method.score(PROMPT, painted(1))
    assert isinstance(good, Score)
    encoder: Any = method.model
    encoder.model.loaded.parts().model.get_image_features = lambda **_: 1 / 0
    for outcome in (
        await method.score(PROMPT, painted(2)),
        await method.judge(Pair(PROMPT, painted(1), painted(2))),
    ):
        assert isinstance(outcome, Failure)
        assert (outcome.reason, outcome.stage) == ("rejected", "computing")


async def test_weights_that_give_no_number_are_a_failure(folder: Path, tmp_path: Path) -> None:
    class Empty:
        name, revision = "empty", ""

        async def picture(self, artifact: Artifact) -> Any:
            return np.zeros(4, np.float32)

        async def text(self, text: str) -> Any:
            return np.ones(4, np.float32)

        async def scaling(self) -> tuple[float, float]:
            return 1.0, 0.0

        def require(self) -> None: ...

    outcome = await ClipScore(encoder=Empty()).score(PROMPT, painted(1))
    assert isinstance(outcome, Failure)
    assert outcome.reason == "invalid"


def test_a_rehearsal_needs_no_weights() -> None:
    method = ClipScore(weights="owner/never-there")
    assert not asks_a_model(method)
    rehearsed = method.with_models(lambda backbone: backbone)
    judgment = rehearsed.judge_sync(Pair(PROMPT, painted(1), painted(2)))
    assert isinstance(judgment, Judgment)
    plan = Plan(method)
    plan.rehearse(lambda each: each.judge(Pair(PROMPT, painted(1), painted(2))))
    assert plan.stages() == ()
