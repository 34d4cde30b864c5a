"""The transformers backbone on a tiny LLaVA of random weights, saved and loaded as any model is."""

import io
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pydantic import BaseModel

from semiosis.backbones.backbone import Message, Reply, Request
from semiosis.backbones.pictures import Prepared, prepare
from semiosis.backbones.providers import ProviderSettings, find
from semiosis.backbones.query import Query, ask
from semiosis.backbones.schemas import schema_of
from semiosis.backbones.transformers import INSTRUCTION, Transformers, _conversation
from semiosis.core.errors import BackboneError, MissingExtra, SetupError
from semiosis.core.outcome import Exchange, Failure
from semiosis.core.sign import Artifact
from tiny_llava import save_tiny_llava, torch


class Verdict(BaseModel):
    winner: str
    weight: int


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("models") / "tiny-llava"
    save_tiny_llava(place)
    return place


@pytest.fixture
async def backbone(folder: Path) -> AsyncIterator[Transformers]:
    model = Transformers(folder, device="cpu")
    yield model
    await model.aclose()


def picture(colour: str) -> Prepared:
    buffer = io.BytesIO()
    Image.new("RGB", (40, 40), colour).save(buffer, "PNG")
    return prepare(Artifact.of(buffer.getvalue()))


def request(*parts: str | Prepared, **changes: Any) -> Request:
    settings: dict[str, Any] = {"task": "look", "max_tokens": 8, "logprobs": True} | changes
    return Request(messages=(Message("system", ("You judge.",)), Message("user", parts)), **settings)


def logprobs(reply: Reply) -> list[float]:
    assert reply.logprobs is not None
    return [entry.logprob for entry in reply.logprobs]


async def test_a_saved_model_is_loaded_and_answers(backbone: Transformers):
    reply = await backbone.complete(request("Look: ", picture("red")))
    assert backbone.name == "transformers/tiny-llava"
    assert (reply.finish, reply.output_tokens, reply.cost_usd) == ("length", 8, 0.0)
    assert reply.input_tokens is not None
    assert reply.input_tokens > 20
    assert len(logprobs(reply)) == 8
    assert all(value <= 0 for value in logprobs(reply))


async def test_the_picture_changes_what_the_model_expects(backbone: Transformers):
    red, blue, again = [
        await backbone.complete(request("Look: ", picture(colour))) for colour in ("red", "blue", "red")
    ]
    assert logprobs(red)[0] != pytest.approx(logprobs(blue)[0], abs=1e-3)
    assert logprobs(red) == pytest.approx(logprobs(again), abs=1e-5)
    assert red.text == again.text


async def test_warm_sampling_follows_its_seed(backbone: Transformers):
    first, same, other = [
        await backbone.complete(request("Look.", temperature=2.0, seed=seed)) for seed in (1, 1, 2)
    ]
    assert first.text == same.text != other.text


async def test_a_reply_that_ends_by_itself_is_whole(backbone: Transformers):
    _, model = backbone._parts()
    model.generation_config.eos_token_id = list(range(len(model.get_input_embeddings().weight)))
    reply = await backbone.complete(request("Look."))
    assert (reply.finish, reply.output_tokens) == ("stop", 1)


def test_the_schema_is_written_under_the_last_question_only():
    messages = (Message("user", ("One?",)), Message("assistant", ("Yes.",)), Message("user", ("Two?",)))
    turns = _conversation(Request(messages=messages, task="x", schema=schema_of(Verdict)))
    assert [len(turn["content"]) for turn in turns] == [1, 1, 2]
    assert turns[2]["content"][1]["text"].strip().startswith(INSTRUCTION)
    assert '"winner"' in turns[2]["content"][1]["text"]


async def test_garbage_becomes_a_failure_never_a_value(backbone: Transformers):
    log: list[Exchange] = []
    _, model = backbone._parts()
    model.generation_config.eos_token_id = list(range(100, 300))
    query = Query(
        task="verdict", stage="verdict", messages=request("Which?").messages, reply=Verdict, max_tokens=40
    )
    response = await ask(backbone, query, log)
    assert isinstance(response, Failure)
    assert response.reason in ("unparsable", "invalid", "truncated")
    assert 2 <= len(log) <= 3


async def test_a_cut_reply_becomes_a_failure(backbone: Transformers):
    query = Query(
        task="verdict", stage="verdict", messages=request("Which?").messages, reply=Verdict, max_tokens=4
    )
    response = await ask(backbone, query, [])
    assert isinstance(response, Failure)
    assert response.reason == "truncated"


async def test_time_is_up_between_two_tokens(folder: Path):
    with pytest.raises(BackboneError) as caught:
        await Transformers(folder, timeout_s=0.0).complete(request("Look.", max_tokens=400))
    assert caught.value.kind == "timeout"


async def test_a_folder_without_a_model_is_said_in_one_sentence(tmp_path: Path):
    with pytest.raises(SetupError, match="cannot be loaded by transformers") as caught:
        await Transformers(tmp_path).complete(request("Look."))
    assert "\n" not in str(caught.value)


async def test_it_is_found_by_name_and_names_its_extra(monkeypatch: pytest.MonkeyPatch):
    backbone = find("transformers").make("owner/model", ProviderSettings())
    assert backbone.name == "transformers/owner/model"
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"semiosis\[transformers\]"):
        await backbone.complete(request("Look."))


def loss_of(backbone: Transformers, asked: Request, reply: str, opening: str = "") -> tuple[float, int]:
    """What transformers itself calls the loss on the reply's tokens, and how many these are."""
    processor, model = backbone._parts()
    before = f"{opening} " if opening else ""
    inputs: Any = processor.apply_chat_template(
        _conversation(asked),
        add_generation_prompt=not opening,
        continue_final_message=bool(opening),
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
    )
    bare = processor.tokenizer(opening, add_special_tokens=False)["input_ids"]
    tokens = processor.tokenizer(before + reply, add_special_tokens=False)["input_ids"][len(bare) :]
    ids = torch.cat([inputs["input_ids"], torch.tensor([tokens])], dim=1)
    labels = ids.clone()
    labels[:, : -len(tokens)] = -100
    with torch.inference_mode():
        loss = model(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            pixel_values=inputs["pixel_values"].to(model.dtype),
            labels=labels,
        ).loss
    return float(loss), len(tokens)


@pytest.mark.parametrize("opening", ["", "The quality of the image is"])
async def test_answers_are_as_probable_as_the_models_own_loss_says(backbone: Transformers, opening: str):
    answers = ("Yes", "No", "sign object")
    asked = request(picture("red"), "Does it?", answers=answers, opening=opening, logprobs=False)
    reply = await backbone.complete(asked)
    assert reply.answer_logprobs is not None
    lengths: set[int] = set()
    for answer in answers:
        loss, length = loss_of(backbone, asked, answer, opening)
        lengths.add(length)
        assert reply.answer_logprobs[answer] == pytest.approx(-loss * length, abs=1e-4)
    assert len(lengths) > 1, "answers of several tokens count them all"


async def test_a_reply_goes_on_from_its_opening(backbone: Transformers):
    plain = await backbone.complete(request("Look."))
    opened = await backbone.complete(request("Look.", opening="The quality is"))
    assert backbone.traits.opens
    assert opened.text.startswith("The quality is")
    assert opened.text.removeprefix("The quality is") != plain.text
    assert (opened.input_tokens or 0) > (plain.input_tokens or 0)
