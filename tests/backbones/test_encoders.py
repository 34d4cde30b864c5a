"""An encoder embeds each picture and each text once, with whatever else waits; equal weights are loaded once."""

import asyncio
import gc
import io
import weakref
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from seeded import WORDS
from semiosis.backbones.dual_sources import DUAL, Pretrained
from semiosis.backbones.encoders import (
    DualEncoder,
    RehearsedEncoder,
    cosine,
    encoder_of,
    likeness,
)
from semiosis.backbones.weights import Weights
from semiosis.core.errors import BackboneError, BadPicture, SetupError
from semiosis.core.sign import Artifact
from tiny_clip import hugging, np, painted, pixels_of, save_tiny_clip, save_tiny_siglip, torch


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("weights") / "tiny-clip"
    save_tiny_clip(place)
    return place


def encoder(folder: Path, **settings: Any) -> DualEncoder:
    ours = encoder_of(Pretrained(Weights(str(folder), DUAL)), **{"device": "cpu", **settings})
    for batcher in (ours.model.pictures, ours.model.texts):
        batcher.rows = batcher.batches = 0
    return ours


def counts(*encoders: DualEncoder) -> list[tuple[int, int]]:
    return [(each.model.pictures.rows, each.model.texts.rows) for each in encoders]


async def test_vectors_are_those_of_transformers(folder: Path) -> None:
    model = hugging.CLIPModel.from_pretrained(folder)
    processor = hugging.CLIPImageProcessorPil.from_pretrained(folder)
    tokenizer = hugging.AutoTokenizer.from_pretrained(folder)
    artifact, ours = painted(3, (70, 45)), encoder(folder)
    pixels = processor(Image.fromarray(pixels_of(artifact)), return_tensors="pt")
    with torch.no_grad():
        picture = model.get_image_features(**pixels).pooler_output[0].numpy()
        text = (
            model.get_text_features(**tokenizer(["two cats"], return_tensors="pt")).pooler_output[0].numpy()
        )
    assert np.allclose(await ours.picture(artifact), picture, atol=1e-5)
    # Beside a longer one, which it is padded to.
    short, _ = await asyncio.gather(ours.text("two cats"), ours.text(WORDS[0]))
    assert np.allclose(short, text, atol=1e-5)
    assert await ours.scaling() == (pytest.approx(model.logit_scale.exp().item()), 0.0)


async def test_siglip_reads_texts_of_one_length_in_lower_case(tmp_path: Path) -> None:
    model = save_tiny_siglip(tmp_path / "siglip")
    tokenizer = hugging.AutoTokenizer.from_pretrained(tmp_path / "siglip")
    ours = encoder(tmp_path / "siglip")
    ids = tokenizer(["two cats"], padding="max_length", max_length=16, return_tensors="pt")
    with torch.no_grad():
        text = model.get_text_features(input_ids=ids["input_ids"]).pooler_output[0].numpy()
    assert np.allclose(await ours.text("Two CATS"), text, atol=1e-5)
    assert await ours.scaling() == (pytest.approx(np.e**2, rel=1e-5), -1.0)


async def test_each_picture_and_each_text_goes_through_the_model_once(folder: Path) -> None:
    ours = encoder(folder)
    pictures, texts = [painted(number) for number in range(5)], [f"text {number}" for number in range(10)]
    for _ in range(2):
        await asyncio.gather(*(likeness(ours, each, text) for each in pictures for text in texts))
    assert counts(ours) == [(5, 10)]


async def test_a_batch_is_no_larger_than_asked(folder: Path) -> None:
    ours = encoder(folder, batch=4)
    await asyncio.gather(*(ours.text(f"text {number}") for number in range(9)))
    assert ours.model.texts.rows == 9
    assert ours.model.texts.batches >= 3


async def test_a_batch_changes_no_vector(folder: Path) -> None:
    one, many = encoder(folder, batch=1, cache=False), encoder(folder, batch=32)
    pictures = [painted(number, (60, 33 + number)) for number in range(6)]
    alone = [await one.picture(each) for each in pictures]
    together = await asyncio.gather(*(many.picture(each) for each in pictures))
    assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(alone, together, strict=True))


async def test_the_next_process_loads_no_model_for_what_is_kept(folder: Path) -> None:
    first = encoder(folder)
    vector, scaling = await first.picture(painted(1)), await first.scaling()
    del first
    gc.collect()
    second = encoder(folder)
    assert (await second.picture(painted(1))).tolist() == vector.tolist()
    assert await second.scaling() == scaling
    assert counts(second) == [(0, 0)]
    await second.text("new")
    assert counts(second) == [(0, 1)]


async def test_a_vector_is_of_its_weights(folder: Path, tmp_path: Path) -> None:
    save_tiny_clip(tmp_path / "tiny-clip", seed=1)
    one, other = encoder(folder), encoder(tmp_path / "tiny-clip")
    assert (one.name, other.name) == ("tiny-clip", "tiny-clip")
    assert one.revision != other.revision
    assert not np.allclose(await one.text("two cats"), await other.text("two cats"), atol=1e-2)


async def test_what_prepares_pictures_is_part_of_what_a_vector_is_of(folder: Path) -> None:
    before = encoder(folder).revision
    settings = folder / "preprocessor_config.json"
    text = settings.read_text()
    settings.write_text(text.replace('"shortest_edge": 32', '"shortest_edge": 40'))
    try:
        assert encoder(folder).revision != before
    finally:
        settings.write_text(text)


def test_equal_weights_are_one_model_until_nobody_holds_it(folder: Path) -> None:
    one, other = encoder(folder), encoder(folder, batch=2, cache=False)
    assert one.model is other.model
    assert encoder(folder, device=None).model is not one.model
    model = one.model
    del one, other
    gc.collect()
    assert encoder(folder).model is model
    left = weakref.ref(model)
    del model
    gc.collect()
    assert left() is None


async def test_without_the_cache_nothing_is_written(folder: Path, tmp_path: Path) -> None:
    await encoder(folder, cache=False).text("two cats")
    assert not (tmp_path / "home" / "embeddings.sqlite").exists()
    await encoder(folder).text("two cats")
    assert (tmp_path / "home" / "embeddings.sqlite").exists()


async def test_a_picture_that_cannot_be_decoded_fails_alone(folder: Path) -> None:
    ours = encoder(folder)
    whole = painted(1).read()
    cut, none = Artifact.of(whole[: len(whole) // 2]), Artifact.of(b"no picture at all")
    ends = await asyncio.gather(
        *(ours.picture(each) for each in (cut, painted(2), none)), return_exceptions=True
    )
    assert [type(each) for each in ends] == [BadPicture, np.ndarray, BadPicture]


async def test_a_picture_is_seen_upright_and_whole(folder: Path) -> None:
    """A photograph on its side, larger than what is sent to servers."""
    ours = encoder(folder)
    upright = Image.fromarray(pixels_of(painted(4, (1300, 845))))
    exif = Image.Exif()
    exif[0x0112] = 6
    buffer = io.BytesIO()
    upright.rotate(90, expand=True).save(buffer, "PNG", exif=exif)
    plain = io.BytesIO()
    upright.save(plain, "PNG")
    turned, straight = [await ours.picture(Artifact.of(each.getvalue())) for each in (buffer, plain)]
    assert np.allclose(turned, straight, atol=1e-5)
    shrunk = io.BytesIO()
    upright.resize((1024, 666)).save(shrunk, "PNG")
    assert not np.array_equal(await ours.picture(Artifact.of(shrunk.getvalue())), straight)


async def test_a_model_that_breaks_is_an_error_of_its_call(folder: Path) -> None:
    ours = encoder(folder)
    await ours.text("two cats")
    ours.model.loaded.parts().model.get_text_features = lambda **_: 1 / 0
    with pytest.raises(BackboneError, match="tiny-clip failed to answer: ZeroDivisionError"):
        await ours.text("three cats")


@pytest.mark.parametrize(
    ("device", "message"),
    [("warp", "'warp' is no device"), ("cuda:7", "The device cuda:7 is not on this machine, which has cpu")],
)
async def test_a_device_that_is_not_there_is_said(folder: Path, device: str, message: str) -> None:
    if device.startswith("cuda") and torch.cuda.is_available():
        pytest.skip("there is a graphics card")
    with pytest.raises(SetupError, match=message):
        await encoder(folder, device=device).text("two cats")


async def test_a_folder_of_something_else_is_said(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "text-only"
    for file in folder.iterdir():
        (other / file.name).parent.mkdir(exist_ok=True)
        (other / file.name).write_bytes(file.read_bytes())
    hugging.CLIPTextModel(
        hugging.CLIPTextConfig(**{"hidden_size": 32, "num_attention_heads": 2})
    ).save_pretrained(other)
    with pytest.raises(SetupError, match="CLIPTextModel is no model of pictures and texts"):
        await encoder(other).text("two cats")
    (other / "model.safetensors").write_bytes(b"cut")
    with pytest.raises(SetupError, match="text-only cannot be loaded by transformers: ") as caught:
        await encoder(other).text("two cats")
    assert "\n" not in str(caught.value)


async def test_a_rehearsal_s_vectors_differ_with_what_they_are_of() -> None:
    stand_in = RehearsedEncoder()
    one, same, other = [await stand_in.picture(painted(number)) for number in (1, 1, 2)]
    assert one.tolist() == same.tolist() != other.tolist()
    assert not np.isnan(await likeness(stand_in, painted(1), "two cats"))


def test_a_vector_without_length_is_like_nothing() -> None:
    assert np.isnan(cosine(np.zeros(3, np.float32), np.ones(3, np.float32)))
