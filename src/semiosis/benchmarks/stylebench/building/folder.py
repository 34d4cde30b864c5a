"""The folder of a build, which may have passed through other hands: whether a build began it, what of it the
build wrote and may take away again, and that nothing in it leads elsewhere."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints

from ....core.errors import BadSetting
from ....core.value import Value
from .artefacts import read, write

STEPS = "steps"
STORE = "build.sqlite"
PARTS = (STEPS, "base", "base/images", "painting", "2AFC")

_NUMBERED = (
    r"base/images/\d+\.[a-z]+|base/(content|style)_\d+k?\.json|2AFC/2AFC_(instance|global)_N_\d+\.json"
)
Numbered = Annotated[str, StringConstraints(pattern=rf"^({_NUMBERED})$")]


class Names(Value):
    """By kind, the files that the build wrote, as they lie in its folder."""

    names: dict[str, tuple[Numbered, ...]] = {}


class Files:
    """The files whose names have a number in them, which change with it. They are noted before they are
    written, so that one that a kill left behind is known too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._list = folder / STEPS / "files.json"
        self._noted = dict((read(self._list, Names) or Names()).names)

    @contextmanager
    def only(self, kind: str, *names: str) -> Generator[None]:
        """Around their writing; what was written of that kind under other names goes."""
        before = self._noted.get(kind, ())
        self._note(kind, tuple(dict.fromkeys((*before, *names))))
        yield
        for name in before:
            if name not in names:
                (self.folder / name).unlink(missing_ok=True)
        self._note(kind, names)

    def _note(self, kind: str, names: tuple[str, ...]) -> None:
        if self._noted.get(kind, ()) != names:
            self._noted[kind] = names
            write(self._list, Names(names=self._noted))


def check(folder: Path) -> None:
    """Refuse a folder that holds something and was not begun by a build, and one that leads elsewhere."""
    if not folder.is_dir():
        return
    parts = [folder / part for part in PARTS]
    within = [
        path for part in (folder / STEPS, folder / "painting") if part.is_dir() for path in part.iterdir()
    ]
    for path in (*parts, *within):
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
            raise BadSetting(
                f"{path} is a link that leads out of {folder}: put what it leads to in its place."
            )
    if not (folder / STEPS / STORE).is_file() and any(
        not path.name.startswith(".") for path in folder.iterdir()
    ):
        raise not_begun(folder)


def not_begun(folder: Path) -> BadSetting:
    return BadSetting(
        f"{folder} holds files and was not begun as a build: name a new folder, or an empty one."
    )
