"""Step 5: what stylizers made of the combinations, from a folder each.

A picture is named by content and style, <content>_<style>.png, or as in FineArtBench by content and the
style's place among those of its content, content_<content>_style_<place>.jpg. JPEGs are taken byte for byte;
pictures in other formats are written as JPEG, which is what the layout has.
"""

import io
import os
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints

from ....backbones.pictures import ENCODERS, MAX_SIDE_ACCEPTED, prepare
from ....building.steps import write_bytes
from ....core.errors import BadPicture, BadSetting
from ....core.item import BadRow
from ....core.sign import Artifact
from ....core.text import brief
from ....core.value import Value
from ....sources.folder import SUFFIXES
from ....sources.rows import bad_row
from .combinations import Combination, painting_name
from .contents import CHECKED_AT

QUALITY = 95

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
Name = Annotated[str, StringConstraints(pattern=rf"^{_NAME.pattern}$")]
_BY_INDEX = re.compile(r"([1-9][0-9]{0,8})_([1-9][0-9]{0,8})")
_BY_PLACE = re.compile(r"content_([1-9][0-9]{0,8})_style_([1-9][0-9]{0,8})")
Painting = Annotated[str, StringConstraints(pattern=rf"^{_BY_PLACE.pattern}\.jpg$")]

Instance = tuple[int, int]


class PaintedPicture(Value):
    """One picture: the name and SHA-256 of the file it came from, and whether that was another format."""

    file: str
    sha256: str
    converted: bool = False


class Stylizer(Value):
    """One stylizer's pictures by the names they have here; what was no picture; names that fit nothing."""

    pictures: dict[Painting, PaintedPicture] = {}
    bad: tuple[BadRow, ...] = ()
    unmatched: tuple[str, ...] = ()


class Results(Value):
    stylizers: dict[Name, Stylizer] = {}


def named(argument: str) -> tuple[str, Path]:
    """NAME=DIR as it was typed."""
    name, equals, folder = argument.partition("=")
    if not equals or not folder:
        raise BadSetting(f"Results are given as NAME=DIR, not {argument!r}.")
    if not _NAME.fullmatch(name):
        raise BadSetting(f"A stylizer's name is letters, digits, dots, dashes and underscores, not {name!r}.")
    if not Path(folder).is_dir():
        raise BadSetting(f"The results of {name} are to be in {folder}, which is no folder.")
    return name, Path(folder)


def take_in(name: str, folder: Path, combination: Combination, painting: Path, before: Stylizer) -> Stylizer:
    """What was taken in before stays where the folder has nothing newer."""
    paths, unmatched, bad = _matched(name, folder, combination)
    take = partial(_take, painting / name, before)
    pictures = dict(before.pictures)
    with ThreadPoolExecutor(ENCODERS) as pool:
        for target, picture in pool.map(take, paths.items()):
            if isinstance(picture, PaintedPicture):
                pictures[target] = picture
            else:
                bad.append(picture)
    return Stylizer(
        pictures=dict(sorted(pictures.items())), bad=tuple(bad), unmatched=tuple(sorted(unmatched))
    )


def missing(stylizer: Stylizer, combination: Combination) -> list[str]:
    wanted = (painting_name(content, place) for content, _, place in combination.instances)
    return [name for name in wanted if name not in stylizer.pictures]


def present(results: Results, painting: Path) -> Results:
    """Without the pictures that somebody has taken away since."""
    return Results(
        stylizers={
            name: stylizer.model_copy(
                update={
                    "pictures": {
                        file: picture
                        for file, picture in stylizer.pictures.items()
                        if (painting / name / file).is_file()
                    }
                }
            )
            for name, stylizer in results.stylizers.items()
        }
    )


def discard(results: Results, painting: Path) -> None:
    for name, stylizer in results.stylizers.items():
        for file in stylizer.pictures:
            (painting / name / file).unlink(missing_ok=True)


def painted(results: Results, combination: Combination) -> Mapping[Instance, tuple[str, ...]]:
    """The stylizers that have a picture of each combination."""
    return {
        (content, style): tuple(
            name
            for name, stylizer in sorted(results.stylizers.items())
            if painting_name(content, place) in stylizer.pictures
        )
        for content, style, place in combination.instances
    }


def _matched(
    name: str, folder: Path, combination: Combination
) -> tuple[dict[str, Path], list[str], list[BadRow]]:
    paths: dict[str, Path] = {}
    unmatched: list[str] = []
    bad: list[BadRow] = []
    for path in _files(folder):
        target = _target(path, combination, name)
        if target is None:
            unmatched.append(_shown(path))
        elif target in paths:
            reason = f"{_shown(paths[target])} is of the same content and style, and was taken."
            bad.append(bad_row(path.name, reason))
        else:
            paths[target] = path
    return paths, unmatched, bad


def _files(folder: Path) -> Iterator[Path]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if not entry.name.startswith("."))
    except OSError as error:
        raise BadSetting(f"The results {folder} cannot be listed: {error.strerror or error}.") from None
    return (folder / name for name in names if Path(name).suffix.lower() in SUFFIXES)


def _target(path: Path, combination: Combination, name: str) -> str | None:
    """The name of the painting; None where the file's name says no combination."""
    if by_index := _BY_INDEX.fullmatch(path.stem):
        content, style = int(by_index[1]), int(by_index[2])
        styles = combination.styles.get(content, ())
        return painting_name(content, styles.index(style) + 1) if style in styles else None
    if by_place := _BY_PLACE.fullmatch(path.stem):
        content, place = int(by_place[1]), int(by_place[2])
        styles = combination.styles.get(content, ())
        if styles and place > len(styles):
            # Some of its names would fit by accident, and the wrong picture be taken for another.
            raise BadSetting(
                f"{_shown(path)} of {name} counts beyond the {len(styles)} styles of its content: "
                f"content_C_style_N means the Nth of them; by the style's index, a name is C_S{path.suffix}."
            )
        return painting_name(content, place) if styles else None
    return None


def _take(folder: Path, before: Stylizer, each: tuple[str, Path]) -> tuple[str, PaintedPicture | BadRow]:
    target, path = each
    try:
        artifact = Artifact.of(path)
        picture = before.pictures.get(target)
        if picture and picture.sha256 == artifact.sha256 and (folder / target).is_file():
            return target, picture
        data, converted = _as_jpeg(artifact)
    except BadPicture as error:
        return target, bad_row(path.name, str(error))
    write_bytes(folder / target, data)
    return target, PaintedPicture(file=_shown(path), sha256=artifact.sha256, converted=converted)


def _as_jpeg(artifact: Artifact) -> tuple[bytes, bool]:
    """The picture as a JPEG, once it was decoded to its end."""
    from PIL import Image

    data = artifact.read()
    if data.startswith(b"\xff\xd8\xff"):
        prepare(artifact, CHECKED_AT)
        return data, False
    upright = prepare(artifact, MAX_SIDE_ACCEPTED)
    if upright.media_type == "image/jpeg":
        return upright.data, True
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(upright.data)) as image:
        image.save(buffer, "JPEG", quality=QUALITY)
    return buffer.getvalue(), True


def _shown(path: Path) -> str:
    return brief(path.name)
