"""VQAScore on a tiny LLaVA of random weights and from live servers: a probability, or a failure that says why."""

import io
from math import exp, log
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from chat import completion, says
from loopback import Answer, Loopback, Script, json_answer
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.pictures import prepare
from semiosis.backbones.transformers import Transformers
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Pair, Prompt
from semiosis.methods.vqascore import VQAScore
from tiny_clip import painted
from tiny_llava import save_tiny_llava, torch

TEXT = 'a "red" bowl'
QUESTION = 'Does this figure show "a "red" bowl"? Please answer yes or no.'


def tokens(**likely: float) -> Answer:
    """A reply whose first token could have been any of these."""
    entries = [
        {"token": name.replace("_", " "), "logprob": log(each) if each else -9999.0, "bytes": None}
        for name, each in likely.items()
    ]
    answer = completion("Yes")
    first = entries[0] | {"top_logprobs": entries}
    answer["choices"][0]["logprobs"] = {"content": [first], "refusal": None}
    return json_answer(answer)


async def scored(*answers: Answer, artifacts: int = 1) -> tuple[list[Score | Failure], Script]:
    script = Script(*answers)
    with Loopback(script.app) as server:
        backbone = OpenAI("m", provider="custom", base_url=f"{server.url}/v1", api_key="k")
        method = VQAScore(backbone)
        outcomes = [await method.score(Prompt(text=TEXT), painted(each)) for each in range(artifacts)]
        await backbone.aclose()
    return outcomes, script


async def test_it_is_the_probability_that_the_models_own_loss_says(tmp_path: Path) -> None:
    save_tiny_llava(tmp_path / "tiny-llava")
    backbone = Transformers(tmp_path / "tiny-llava", device="cpu")
    artifact = painted(3)
    score = await VQAScore(backbone).score(Prompt(text=TEXT), artifact)
    assert isinstance(score, Score)
    assert score.provenance is not None
    exchange = score.provenance.exchanges[0]
    assert QUESTION in exchange.sent[-1][1]
    assert exchange.parameters["answers_by"] == "all tokens of each"
    assert score.value == pytest.approx(exp(-_loss(backbone, artifact)), abs=1e-4, rel=1e-3)
    await backbone.aclose()


def _loss(backbone: Transformers, artifact: Artifact) -> float:
    """Summed over the tokens of the answer, as transformers itself computes it."""
    processor, model = backbone._parts()
    image = Image.open(io.BytesIO(prepare(artifact).data)).convert("RGB")
    content = [{"type": "image", "image": image}, {"type": "text", "text": QUESTION}]
    inputs: Any = processor.apply_chat_template(
        [{"role": "user", "content": content}],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
    )
    answer = processor.tokenizer("Yes", add_special_tokens=False, return_tensors="pt")["input_ids"]
    ids = torch.cat([inputs["input_ids"], answer], dim=1)
    labels = ids.clone()
    labels[:, : -answer.shape[1]] = -100
    with torch.inference_mode():
        pixels = inputs["pixel_values"].to(model.dtype)
        loss = model(
            input_ids=ids, attention_mask=torch.ones_like(ids), pixel_values=pixels, labels=labels
        ).loss
    return float(loss) * answer.shape[1]


async def test_a_server_is_asked_for_its_likeliest_tokens_and_spellings_are_summed() -> None:
    [score], script = await scored(tokens(Yes=0.5, _yes=0.25, No=0.125, Y=0.0625, Yesterday=0.03125))
    assert isinstance(score, Score)
    assert score.value == pytest.approx(0.75)
    body = script.seen[0].json
    assert (body["logprobs"], body["top_logprobs"], body["max_tokens"]) == (True, 20, 1)
    assert body["temperature"] == 0
    assert body["messages"][0]["content"][-1]["text"] == QUESTION


@pytest.mark.parametrize("likely", [{"No": 0.9, "Y": 0.05}, {"No": 1.0, "Yes": 0.0}])
async def test_an_answer_that_is_not_among_the_tokens_is_no_zero(likely: dict[str, float]) -> None:
    [score], _ = await scored(tokens(**likely))
    assert isinstance(score, Failure)
    assert score.reason == "invalid"
    assert "says nothing of 'Yes'" in score.message


@pytest.mark.parametrize("content", [None, [], "garbage", [{}], [{"top_logprobs": [{"token": 3}]}]])
async def test_a_server_that_gives_no_probabilities_gives_no_score(content: Any) -> None:
    answer = completion("Yes")
    answer["choices"][0]["logprobs"] = {"content": content}
    [score], _ = await scored(json_answer(answer))
    assert isinstance(score, Failure)
    assert score.reason in ("invalid", "unparsable")
    [score], _ = await scored(says("Yes"))
    assert isinstance(score, Failure)
    assert "gives no probabilities of answers, and vqascore is made of these" in score.message


async def test_pairs_are_judged_by_it_and_each_picture_is_asked_about_once() -> None:
    script = Script(tokens(Yes=0.5), tokens(Yes=0.25), tokens(Yes=0.125))
    with Loopback(script.app) as server:
        backbone = OpenAI("m", provider="custom", base_url=f"{server.url}/v1", api_key="k")
        method, pictures = VQAScore(backbone), [painted(each) for each in range(3)]
        judgments = [
            await method.judge(Pair(prompt=TEXT, a=pictures[a], b=pictures[b]))
            for a, b in ((0, 1), (1, 2), (2, 0))
        ]
        await backbone.aclose()
    assert len(script.seen) == 3
    values: dict[str, float] = {}
    for judgment in judgments:
        assert isinstance(judgment, Judgment)
        assert judgment.score_a is not None
        assert judgment.score_b is not None
        values |= {
            judgment.pair.a.sha256: judgment.score_a.value,
            judgment.pair.b.sha256: judgment.score_b.value,
        }
        assert judgment.winner == ("a" if judgment.score_a.value > judgment.score_b.value else "b")
    assert sorted(values.values()) == pytest.approx([0.125, 0.25, 0.5])
