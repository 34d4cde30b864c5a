"""Where FineArtBench's files lie, as its authors publish them (songrise/MLLM4Art):

    data/human_annotation/{global,instance}_annotation[_paper].json
    data/2AFC/2AFC_{global,instance}_N_5000.json
    data/base/content_1k.json, style_1k.json, images/<n>.png
    data/painting/content_style_combination.json, <method>/content_<c>_style_<n>.jpg

The folder may be the one above `data`, `data` itself, or a flat one with these files side by side; any of the
JSON files may be gzipped.
"""

import gzip
import json
import zlib
from pathlib import Path
from typing import Literal

from ...core.errors import BadRecord, BadSetting
from ...core.text import brief
from ...sources.fineartbench import COMBINATIONS

Kind = Literal["global", "instance"]
Edition = Literal["extended", "paper"]

# The numbers in names say how many there are: another benchmark of the kind has others.
CONTENTS = "content_[0-9]*.json"
STYLES = "style_[0-9]*.json"
_FOLDERS = ("", "human_annotation", "2AFC", "base", "painting")


def annotations(kind: Kind, edition: Edition) -> str:
    return f"{kind}_annotation{'_paper' if edition == 'paper' else ''}.json"


def tasks(kind: Kind) -> str:
    return f"2AFC_{kind}_N_*.json"


def find(folder: Path, name: str) -> Path | None:
    """The file of that name, gzipped or not. Raises where it is a pattern that several files meet."""
    for above in (folder, folder / "data"):
        for each in _FOLDERS:
            paths = [
                path for end in ("", ".gz") for path in (above / each).glob(f"{name}{end}") if path.is_file()
            ]
            if len(paths) > 1:
                names = ", ".join(sorted(path.name for path in paths))
                raise BadSetting(
                    f"{above / each} holds {names}, and one of them is wanted: move the others away."
                )
            if paths:
                return paths[0]
    return None


def need(folder: Path, name: str) -> Path:
    if not folder.is_dir():
        raise BadSetting(f"There is no folder {folder}: name the one that holds FineArtBench's data.")
    if (path := find(folder, name)) is None:
        raise BadSetting(
            f"{folder} holds no {name.replace('[0-9]', '')}, in data/ or beside it: download FineArtBench as "
            "github.com/songrise/MLLM4Art says, and name its folder."
        )
    return path


def paintings(folder: Path) -> Path:
    """The folder that holds a folder of pictures for each method."""
    return need(folder, COMBINATIONS).parent


def methods(folder: Path) -> tuple[str, ...]:
    """Those that have a folder of pictures."""
    return tuple(sorted(each.name for each in paintings(folder).iterdir() if each.is_dir()))


def content_pictures(folder: Path) -> Path | None:
    """The folder that `image_path` of a content is relative to, where the pictures were downloaded."""
    contents = find(folder, CONTENTS)
    return contents.parent if contents and (contents.parent / "images").is_dir() else None


def read_json(path: Path) -> object:
    try:
        data = path.read_bytes()
        return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise BadRecord(brief(f"{path.name} cannot be read as JSON: {error}.")) from None
