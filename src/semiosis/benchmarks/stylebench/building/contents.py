"""Step 1: content pictures from a folder, each with a caption, given or written by a model.

Captions are given in captions.jsonl or captions.csv there (columns file and caption), or in a .txt file
of the same name beside a picture.
"""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, StringConstraints, TypeAdapter

from ....backbones.pictures import ENCODERS, prepare, size_of
from ....building.asking import Ask, Made, Response
from ....building.steps import Files, sha256_of, write_bytes
from ....building.texts import ONE_LINE, checked
from ....core.errors import BadPicture, BadRecord, BadSetting
from ....core.item import BadRow
from ....core.outcome import Failure
from ....core.sign import Artifact
from ....core.value import Value
from ....methods.template import prompt_file
from ....sources import files
from ....sources.folder import SUFFIXES
from ....sources.rows import bad_row

LISTS = ("captions.jsonl", "captions.csv")
NAMES = ("file", "file_name", "filename", "image")
CAPTIONS = ("caption", "text", "prompt")
CHECKED_AT = 64
MAX_SIDECAR_BYTES = 16_384

Caption = Annotated[str, StringConstraints(max_length=1000), ONE_LINE]
_CAPTION: TypeAdapter[str] = TypeAdapter(Caption)


class Content(Value):
    """A content picture. `file` is its name where it came from, `path` where it lies in `base`."""

    index: int
    sha256: str
    file: str
    path: Annotated[str, StringConstraints(pattern=r"^images/[1-9][0-9]{0,8}\.[a-z]+$")]
    width: int
    height: int
    source: str
    caption: str | None = None
    captioned: Literal["given", "model"] | None = None
    failure: Failure | None = None
    by: Made | None = None

    def captioned_by(self, response: "Response[CaptionShape]") -> "Content":
        value, by = response.value, response.by
        if isinstance(value, Failure):
            return self.model_copy(update={"failure": value, "by": by})
        return self.model_copy(
            update={"caption": value.caption, "captioned": "model", "failure": None, "by": by}
        )


class Contents(Value):
    contents: tuple[Content, ...] = ()
    bad: tuple[BadRow, ...] = ()


class CaptionShape(BaseModel):
    caption: Caption


def gather(folder: Path, before: Contents | None) -> tuple[Contents, dict[str, Artifact]]:
    """The pictures of a folder in the order of their names, and by hash; captions of `before` are kept."""
    try:
        paths = sorted((path for path in folder.iterdir() if _looks_like_one(path)), key=_by_name)
    except OSError as error:
        raise BadSetting(f"The contents {folder} cannot be listed: {error.strerror or error}.") from None
    if not paths:
        raise BadSetting(f"{folder} holds no pictures ({', '.join(SUFFIXES)}): name a folder of contents.")
    bad: list[BadRow] = []
    captions = _listed(folder, {_text(path.name) for path in paths}, bad)
    by_hash = {content.sha256: content for content in before.contents} if before else {}
    names: dict[str, str] = {}
    contents: list[Content] = []
    artifacts: dict[str, Artifact] = {}
    with ThreadPoolExecutor(ENCODERS) as pool:
        for path, looked in zip(paths, pool.map(_look, paths), strict=True):
            name = _text(path.name)
            if isinstance(looked, str):
                bad.append(bad_row(name, looked))
                continue
            artifact, (width, height) = looked
            if (other := names.setdefault(artifact.sha256, name)) != name:
                bad.append(bad_row(name, f"It is the same picture as {other}."))
                continue
            index = len(contents) + 1
            content = Content(
                index=index,
                sha256=artifact.sha256,
                file=name,
                path=f"images/{index}{path.suffix.lower()}",
                width=width,
                height=height,
                source=_text(folder.resolve().name),
            )
            contents.append(_captioned(content, captions.get(name) or _beside(path, bad), by_hash))
            artifacts[artifact.sha256] = artifact
    if not contents:
        raise BadSetting(f"Not one file of {folder} can be used. {bad[0].where}: {bad[0].reason}")
    return Contents(contents=tuple(contents), bad=tuple(bad)), artifacts


def copy(contents: Contents, artifacts: dict[str, Artifact], files: Files) -> None:
    """Byte for byte, named by index."""
    targets = {f"base/{content.path}": content.sha256 for content in contents.contents}
    with files.only("images", *targets):
        for target, sha256 in targets.items():
            if sha256_of(files.folder / target) != sha256:
                write_bytes(files.folder / target, artifacts[sha256].read())


def ask(picture: Artifact) -> Ask[CaptionShape]:
    return Ask(prompt_file("caption", __file__), CaptionShape, {"picture": picture})


def with_captions(
    contents: Contents, uncaptioned: Sequence[Content], responses: Sequence[Response[CaptionShape]]
) -> Contents:
    by_index = {
        content.index: content.captioned_by(response)
        for content, response in zip(uncaptioned, responses, strict=True)
    }
    return contents.model_copy(
        update={"contents": tuple(by_index.get(each.index, each) for each in contents.contents)}
    )


def _looks_like_one(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".")


def _by_name(path: Path) -> list[str | int]:
    """As people count: 2.png before 10.png."""
    parts = re.split(r"([0-9]+)", path.name)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def _text(name: str) -> str:
    # A file may be named by bytes that are not text, which could not be stored.
    return name.encode("utf-8", "replace").decode()


def _look(path: Path) -> tuple[Artifact, tuple[int, int]] | str:
    """The picture and its size, once it was decoded to its end; or why it cannot be used."""
    try:
        artifact = Artifact.of(path)
        prepare(artifact, CHECKED_AT)
        return artifact, size_of(artifact)
    except BadPicture as error:
        return str(error)


def _listed(folder: Path, names: set[str], bad: list[BadRow]) -> dict[str, str]:
    captions: dict[str, str] = {}
    path = next((folder / name for name in LISTS if (folder / name).is_file()), None)
    for row in files.read(path) if path else ():
        if isinstance(row, BadRow):
            bad.append(row)
            continue
        cells = {name.strip().lower(): value for name, value in row.cells.items()}
        file, caption = (
            next((cells[each] for each in usual if each in cells), None) for usual in (NAMES, CAPTIONS)
        )
        if not isinstance(file, str) or file not in names:
            bad.append(bad_row(row.where, f"There is no picture {str(file)[:80]!r} in the folder."))
            continue
        try:
            captions[file] = checked(str(caption or ""), _CAPTION, "caption")
        except BadRecord as error:
            bad.append(bad_row(row.where, str(error)))
    return captions


def _beside(path: Path, bad: list[BadRow]) -> str | None:
    sidecar = path.with_suffix(".txt")
    if not sidecar.is_file():
        return None
    try:
        with sidecar.open("rb") as file:
            return checked(file.read(MAX_SIDECAR_BYTES).decode("utf-8-sig"), _CAPTION, "caption")
    except (OSError, UnicodeDecodeError) as error:
        bad.append(bad_row(sidecar.name, f"The caption cannot be read: {error}."))
    except BadRecord as error:
        bad.append(bad_row(sidecar.name, str(error)))
    return None


def _captioned(content: Content, caption: str | None, by_hash: dict[str, Content]) -> Content:
    if caption is not None:
        return content.model_copy(update={"caption": caption, "captioned": "given"})
    before = by_hash.get(content.sha256)
    if before is None or before.captioned == "given":
        return content
    earlier = {name: getattr(before, name) for name in ("caption", "captioned", "failure", "by")}
    return content.model_copy(update=earlier)


def artifact_of(content: Content, base: Path) -> Artifact:
    """The picture as it was copied; a file changed since is refused."""
    artifact = Artifact.of(base / content.path)
    if artifact.sha256 != content.sha256:
        raise BadPicture(f"{base / content.path} changed after it was taken in: give its folder again.")
    return artifact
