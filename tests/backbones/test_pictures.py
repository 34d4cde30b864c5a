"""Every kind of picture works, or is refused in one sentence."""

import base64
import dataclasses
import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

import profiles
from semiosis.backbones.backbone import Message, Request
from semiosis.backbones.pictures import MAX_SIDE_ACCEPTED, Prepared, prepare, size_of
from semiosis.core.errors import BadPicture
from semiosis.core.sign import Artifact, Pair


def encoded(image: Image.Image, format: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()


def decoded(prepared: Prepared) -> Image.Image:
    image = Image.open(io.BytesIO(prepared.data))
    image.load()
    return image


def two_tone(mode: str = "RGB", size: tuple[int, int] = (200, 100)) -> Image.Image:
    """Red on the left, blue on the right."""
    image = Image.new("RGB", size, "red")
    image.paste("blue", (size[0] // 2, 0, size[0], size[1]))
    return image.convert(mode)


@pytest.mark.parametrize("form", ["path", "text path", "bytes", "PIL", "data URL"])
def test_path_bytes_pil_and_data_url_are_the_same_picture(form: str, tmp_path: Path) -> None:
    data = encoded(two_tone())
    path = tmp_path / "picture.png"
    path.write_bytes(data)
    url = "data:image/png;base64," + base64.b64encode(data).decode()
    source = {"path": path, "text path": str(path), "bytes": data, "PIL": two_tone(), "data URL": url}[form]
    prepared = prepare(Artifact.of(source))
    assert (prepared.width, prepared.height) == (200, 100)
    assert decoded(prepared).getpixel((10, 50))[0] > 200  # type: ignore[index]


def test_the_camera_s_rotation_is_applied() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    artifact = Artifact.of(encoded(two_tone(), "JPEG", exif=exif.tobytes(), quality=95))
    prepared = prepare(artifact)
    assert (prepared.width, prepared.height) == (100, 200) == size_of(artifact)
    top, bottom = (decoded(prepared).getpixel((50, y)) for y in (20, 180))
    assert top[0] > 200 > bottom[0]  # type: ignore[index]


def test_a_pil_image_keeps_its_rotation_and_says_what_was_done() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    turned = Image.open(io.BytesIO(encoded(two_tone(), "JPEG", exif=exif.tobytes())))
    prepared = prepare(Artifact.of(turned))
    assert (prepared.width, prepared.height) == (100, 200)
    frames = [Image.new("RGB", (90, 90), colour) for colour in ("red", "blue")]
    moving = Image.open(io.BytesIO(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])))
    assert "first frame of 2" in prepare(Artifact.of(moving)).note
    assert "CMYK" in prepare(Artifact.of(two_tone("CMYK"))).note
    with pytest.raises(BadPicture, match="cannot be used"):
        Artifact.of(Image.new("RGB", (0, 0)))


def test_transparency_is_laid_on_white_and_said() -> None:
    prepared = prepare(Artifact.of(encoded(Image.new("RGBA", (90, 90), (255, 0, 0, 0)))))
    assert min(decoded(prepared).convert("RGB").getpixel((40, 40))) > 250  # type: ignore[type-var]
    assert prepared.note == "transparency laid on white"


def test_cmyk_and_grey_and_palette_become_rgb() -> None:
    for mode, format in (("CMYK", "JPEG"), ("L", "PNG"), ("P", "PNG"), ("1", "PNG"), ("LA", "PNG")):
        assert decoded(prepare(Artifact.of(encoded(two_tone(mode), format)))).mode == "RGB"


def test_sixteen_bits_keep_their_middle_grey() -> None:
    image = Image.new("I;16", (90, 90), 32768)
    prepared = prepare(Artifact.of(encoded(image)))
    assert decoded(prepared).getpixel((40, 40))[0] == pytest.approx(127, abs=3)  # type: ignore[index]
    assert "16-bit" in prepared.note


def test_the_first_frame_of_an_animation_is_taken_and_said() -> None:
    frames = [Image.new("RGB", (90, 90), colour) for colour in ("red", "blue", "green")]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    prepared = prepare(Artifact.of(data))
    assert prepared.note == "first frame of 3"
    assert decoded(prepared).getpixel((40, 40))[0] > 200  # type: ignore[index]


def test_one_pixel_works() -> None:
    prepared = prepare(Artifact.of(encoded(Image.new("RGB", (1, 1), "red"))))
    assert (prepared.width, prepared.height) == (1, 1)


def test_twenty_thousand_pixels_work_and_one_more_is_refused() -> None:
    wide = prepare(Artifact.of(encoded(Image.new("L", (MAX_SIDE_ACCEPTED, 40), 128))))
    assert (wide.width, wide.height) == (1024, 2)
    with pytest.raises(BadPicture, match="20001 x 40 pixels; at most 20000"):
        prepare(Artifact.of(encoded(Image.new("L", (MAX_SIDE_ACCEPTED + 1, 40), 128))))


def bomb(side: int) -> bytes:
    """A PNG of a few kilobytes that unpacks to side x side pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes((side // 8 + 1) * 64))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [16_000, 19_999])
def test_a_decompression_bomb_is_refused_without_unpacking_it(side: int) -> None:
    with pytest.raises(BadPicture, match=r"decompression bomb|would unpack to more than"):
        prepare(Artifact.of(bomb(side)))


def test_a_truncated_file_is_refused() -> None:
    with pytest.raises(BadPicture, match="damaged or incomplete"):
        prepare(Artifact.of(encoded(two_tone(size=(900, 900)), "JPEG")[:4000]))


@pytest.mark.parametrize(
    "data", [b"just text", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"%PDF-1.7", b"<svg/>", b"\xff\xd8\xff"]
)
def test_what_is_not_a_picture_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(data)
    with pytest.raises(BadPicture, match=r"a\.png"):
        prepare(Artifact.of(path))


def test_a_truncated_png_is_refused_by_the_first_look(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(two_tone(size=(900, 900)))[:300])
    with pytest.raises(BadPicture, match="damaged or incomplete"):
        size_of(Artifact.of(path))


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_a_device_is_not_a_picture(path: str) -> None:
    with pytest.raises(BadPicture, match="is not a file"):
        Artifact.of(path)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nowhere.png", "no file nowhere.png"),
        (".", "folder"),
        (b"", "empty"),
        ("data:image/png,xx", "base64"),
        ("data:image/png;base64,@@", "not valid base64"),
        (42, "not int"),
        ("a\x00b.png", "cannot be read"),
    ],
)
def test_a_bad_source_is_named(source: object, words: str) -> None:
    with pytest.raises(BadPicture, match=words):
        Artifact.of(source)


def test_the_same_picture_twice_is_refused() -> None:
    data = encoded(two_tone())
    with pytest.raises(BadPicture, match="same picture"):
        Pair(prompt="x", a=data, b=data)


def test_a_file_that_changed_after_it_was_hashed_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(two_tone()))
    artifact = Artifact.of(path)
    path.write_bytes(encoded(two_tone("L")))
    with pytest.raises(BadPicture, match="changed"):
        artifact.read()


def test_a_picture_is_encoded_once_per_hash_and_size() -> None:
    data = encoded(two_tone(size=(1500, 700)))
    first, again = prepare(Artifact.of(data)), prepare(Artifact.of(data))
    small = prepare(Artifact.of(data), 300)
    assert first is again
    assert (first.width, first.height, small.width, small.height) == (1024, 478, 300, 140)
    assert first.record.bytes == len(first.data)


def sent_colour(artifact: Artifact) -> tuple[int, ...]:
    prepared = prepare(artifact)
    assert prepared.media_type == "image/png"
    return tuple(decoded(prepared).getpixel((8, 8)))  # type: ignore[arg-type]


COLOURS = [(200, 60, 40), (30, 180, 90), (90, 90, 90), (10, 20, 120), (255, 0, 0), (255, 255, 255)]


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("form", ["file", "JPEG", "PIL", "transparent", "palette"])
def test_display_p3_is_brought_to_srgb(form: str, colour: tuple[int, int, int]) -> None:
    profile = profiles.rgb_profile("Display P3", profiles.DISPLAY_P3)
    image = Image.new("RGB", (16, 16), colour)
    image.info["icc_profile"] = profile
    source: object = {
        "file": lambda: encoded(image, icc_profile=profile),
        "JPEG": lambda: encoded(image, "JPEG", quality=100, subsampling=0, icc_profile=profile),
        "PIL": lambda: image,
        "transparent": lambda: encoded(image.convert("RGBA"), icc_profile=profile),
        "palette": lambda: encoded(image.convert("P", palette=Image.Palette.ADAPTIVE), icc_profile=profile),
    }[form]()
    linear = profiles.srgb_linear(np.array(colour) / 255)
    expected = profiles.srgb_of_xyz(profiles.to_d50(profiles.DISPLAY_P3) @ linear)
    artifact = Artifact.of(source)
    assert sent_colour(artifact) == pytest.approx(tuple(expected), abs=4 if form == "JPEG" else 2)
    assert prepare(artifact).record.note == "colours brought to sRGB from Display P3"


@pytest.mark.parametrize("colour", COLOURS)
def test_adobe_rgb_is_brought_to_srgb(colour: tuple[int, int, int]) -> None:
    profile = profiles.rgb_profile("Adobe RGB (1998)", profiles.ADOBE_RGB, profiles.ADOBE_GAMMA)
    artifact = Artifact.of(encoded(Image.new("RGB", (16, 16), colour), icc_profile=profile))
    linear = (np.array(colour) / 255) ** profiles.ADOBE_GAMMA
    expected = profiles.srgb_of_xyz(profiles.to_d50(profiles.ADOBE_RGB) @ linear)
    assert sent_colour(artifact) == pytest.approx(tuple(expected), abs=2)
    assert prepare(artifact).note == "colours brought to sRGB from Adobe RGB (1998)"


@pytest.mark.parametrize("inks", [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 1, 1, 0), (0, 0, 0, 1)])
@pytest.mark.parametrize("form", ["TIFF", "JPEG", "PIL"])
def test_cmyk_is_brought_to_srgb_by_its_profile(form: str, inks: tuple[int, ...]) -> None:
    profile = profiles.cmyk_profile("Four inks")
    image = Image.new("CMYK", (16, 16), tuple(255 * ink for ink in inks))
    image.info["icc_profile"] = profile
    options: dict[str, object] = {"quality": 100, "subsampling": 0} if form == "JPEG" else {}
    source = image if form == "PIL" else encoded(image, form, icc_profile=profile, **options)
    expected = profiles.srgb_of_xyz(profiles.xyz_of_lab(profiles.lab_of_cmyk(tuple(map(float, inks)))))
    artifact = Artifact.of(source)
    assert sent_colour(artifact) == pytest.approx(tuple(expected), abs=3)
    assert prepare(artifact).note == "colours brought to sRGB from Four inks"


@pytest.mark.parametrize("mode", ["L", "LA", "I;16"])
def test_grey_is_brought_to_srgb_by_its_profile(mode: str) -> None:
    profile = profiles.grey_profile("Dot gain", 1.8)
    grey = (
        Image.new("L", (16, 16), 120).convert(mode)
        if mode != "I;16"
        else Image.new(mode, (16, 16), 120 * 257)
    )
    artifact = Artifact.of(encoded(grey, icc_profile=profile))
    expected = profiles.srgb_of_xyz(profiles.D50 * (120 / 255) ** 1.8)
    assert sent_colour(artifact) == pytest.approx(tuple(expected), abs=2)
    assert prepare(artifact).note.endswith("colours brought to sRGB from Dot gain")


@pytest.mark.parametrize("profile", ["none", "by hand", "by lcms"])
def test_what_is_srgb_already_stays_as_it_is(profile: str) -> None:
    held = {
        "none": None,
        "by hand": profiles.rgb_profile("any name", profiles.SRGB),
        "by lcms": ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes(),
    }[profile]
    artifact = Artifact.of(encoded(Image.new("RGB", (16, 16), (10, 20, 120)), icc_profile=held))
    assert sent_colour(artifact) == (10, 20, 120)
    assert prepare(artifact).note == ""


def test_a_profile_that_cannot_be_used_is_noted_and_the_picture_taken_as_it_is() -> None:
    image = Image.new("RGB", (16, 16), (200, 60, 40))
    whole = profiles.rgb_profile("Display P3", profiles.DISPLAY_P3)
    for broken in (b"no profile", whole[:200], whole[:128] + bytes(len(whole) - 128)):
        artifact = Artifact.of(encoded(image, icc_profile=broken))
        assert sent_colour(artifact) == (200, 60, 40)
        assert prepare(artifact).note == "colours taken as sRGB: the colour profile is damaged"
    # What a CMYK picture becomes when it is converted without its profile, which it keeps.
    image.info["icc_profile"] = profiles.cmyk_profile("Four inks")
    artifact = Artifact.of(image)
    assert sent_colour(artifact) == (200, 60, 40)
    assert prepare(artifact).note == "colours taken as sRGB: the colour profile is for CMYK, not for RGB"


def test_the_name_of_a_profile_is_shown_as_plain_short_text() -> None:
    name = "P3\x1b[31m\n" + "x" * 200
    profile = profiles.rgb_profile(name, profiles.DISPLAY_P3)
    note = prepare(Artifact.of(encoded(Image.new("RGB", (16, 16), "red"), icc_profile=profile))).note
    assert note.isprintable()
    assert len(note) < 120


def test_a_turned_cmyk_image_of_pil_is_sent_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    turned = Image.open(io.BytesIO(encoded(two_tone("CMYK"), "JPEG", exif=exif.tobytes(), quality=95)))
    prepared = prepare(Artifact.of(turned))
    assert (prepared.width, prepared.height) == (100, 200)
    assert prepared.note == "CMYK converted to RGB"


def test_a_recoloured_picture_is_another_request_than_the_same_file_sent_as_it_was() -> None:
    plain = prepare(Artifact.of(encoded(two_tone())))
    recoloured = dataclasses.replace(plain, note="colours brought to sRGB from Display P3")
    keys = {Request((Message("user", (each,)),), task="t").sha256 for each in (plain, recoloured)}
    assert len(keys) == 2
