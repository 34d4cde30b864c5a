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

torch: Any = pytest.importorskip("torch", reason="the transformers extra is not installed")
hugging: Any = pytest.importorskip("transformers", reason="the transformers extra is not installed")
tokenizers: Any = pytest.importorskip("tokenizers", reason="the transformers extra is not installed")

TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {% for p in m['content'] %}"
    "{% if p['type'] == 'image' %}<image>{% else %}{{ p['text'] }}{% endif %}{% endfor %}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


class Verdict(BaseModel):
    winner: str
    weight: int


def save_tiny_llava(folder: Path) -> None:
    bytewise = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    core = tokenizers.Tokenizer(tokenizers.models.BPE())
    core.pre_tokenizer, core.decoder = bytewise, tokenizers.decoders.ByteLevel()
    special = ["<pad>", "<s>", "</s>", "<image>"]
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, initial_alphabet=bytewise.alphabet(), show_progress=False
    )
    core.train_from_iterator(["sign object interpretant"], trainer)
    tokenizer = hugging.PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        additional_special_tokens=special,
    )
    images = hugging.CLIPImageProcessorPil(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28})
    processor = hugging.LlavaProcessor(
        image_processor=images,
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    )
    small = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = hugging.LlavaConfig(
        vision_config=hugging.CLIPVisionConfig(**small, image_size=28, patch_size=14, projection_dim=32),
        text_config=hugging.LlamaConfig(
            **small, vocab_size=len(tokenizer), pad_token_id=0, bos_token_id=1, eos_token_id=2
        ),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    torch.manual_seed(0)
    model = hugging.LlavaForConditionalGeneration(config)
    # Louder than initialised, so that what is seen shows in what is said.
    for parameter in model.parameters():
        parameter.data.mul_(4)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


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
