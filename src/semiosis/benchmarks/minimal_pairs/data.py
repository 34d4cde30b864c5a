"""Initiatives with edits of one picture, read from a folder: bundled here, or anybody's.

FOLDER/vanitas-screen/edits.json        {"prompt": "...", "original": "original.webp", "edits": [...]}
FOLDER/vanitas-screen/original.webp     and the files that the edits name, beside it

A name in the file is that of a file in the same folder: no path leads out of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from ...core.errors import BadPicture, BadRecord
from ...core.graph import GroundType
from ...core.item import BadRow
from ...core.value import Value, first_fault
from ...sources.folder import visible

SHEET = "edits.json"
SHEET_BYTES = 1_000_000
WHOLE = 1000

Kind = Literal["broken", "same"]
Size = Literal["large", "medium", "small"]
Coordinate = Annotated[float, Field(ge=0, le=WHOLE)]
Words = Annotated[str, Field(min_length=1)]
FileName = Annotated[str, Field(pattern=r"^[\w-][\w.-]{0,199}$")]


class Edit(Value):
    """One sign of the original, changed.

    id          its name within the initiative
    file        the edited picture, beside the original
    edit        "broken": it says no longer what the prompt asks; "same": its meaning is as before
    size        how easy the change is to notice
    ground      of the sign that was changed
    box         where: x0, y0, x1, y1 from 0 to 1000
    changed     what was changed
    why         why that breaks the meaning, or does not
    sure        how sure its maker is that an expert would agree, 1 to 5
    """

    id: FileName
    file: FileName
    edit: Kind
    size: Size
    ground: GroundType
    box: tuple[Coordinate, Coordinate, Coordinate, Coordinate]
    changed: Words
    why: Words
    sure: Annotated[int, Field(ge=1, le=5)]

    @model_validator(mode="after")
    def _has_a_place(self) -> Self:
        x0, y0, x1, y1 = self.box
        if not (x0 < x1 and y0 < y1):
            raise ValueError("The box has no area: it is x0, y0, x1, y1 with x0 < x1 and y0 < y1.")
        return self


class Sheet(Value):
    """What edits.json holds: the prompt, the picture that carries its meaning, and the edits of it."""

    prompt: Words
    original: FileName
    edits: Annotated[tuple[Edit, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        ids = [edit.id for edit in self.edits]
        for id in ids:
            if ids.count(id) > 1:
                raise ValueError(f"{ids.count(id)} edits have the id {id!r}.")
        return self


@dataclass(frozen=True)
class Initiative:
    """A sheet and the folder it lies in, whose name is the initiative's id."""

    folder: Path
    sheet: Sheet

    @property
    def id(self) -> str:
        return self.folder.name

    def picture(self, name: str) -> Path:
        """The file of that `name`; raises BadPicture where it is a link that leads elsewhere."""
        return _inside(self.folder, name)


def bundled() -> Path:
    """The folder of what comes with the package."""
    return Path(str(files("semiosis.benchmarks.minimal_pairs"))) / "data"


def initiatives(folder: Path) -> Iterator[Initiative | BadRow]:
    """Those in the folder, by name; one whose sheet cannot be used says why."""
    if not folder.is_dir():
        raise BadRecord(f"There is no folder {folder}: name one that holds a folder for each initiative.")
    try:
        names = [entry.name for entry in visible(folder) if entry.is_dir()]
    except OSError as error:
        raise BadRecord(f"{folder} cannot be read: {error.strerror or error}.") from None
    if not names:
        raise BadRecord(f"{folder} holds no initiative: each is a folder with {SHEET} and its pictures.")
    for name in names:
        try:
            place = _inside(folder, name)
            yield Initiative(place, _sheet(place))
        except (BadRecord, BadPicture) as error:
            yield BadRow(f"{name}/{SHEET}", str(error))


def _sheet(folder: Path) -> Sheet:
    path = _inside(folder, SHEET)
    name = f"{folder.name}/{SHEET}"
    try:
        if path.stat().st_size > SHEET_BYTES:
            raise BadRecord(f"{name} has {path.stat().st_size:,} bytes; at most {SHEET_BYTES:,} are read.")
        return Sheet.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise BadRecord(
            f"{name} is not as docs/minimal-pairs.md describes it: {first_fault(error)}"
        ) from None
    except OSError as error:
        raise BadRecord(f"{name} cannot be read: {error.strerror or error}.") from None


def _inside(folder: Path, name: str) -> Path:
    path = folder / name
    if path.resolve().parent != folder.resolve():
        raise BadPicture(f"{folder.name}/{name} is a link that leads out of its folder: put the file there.")
    return path
