"""Where things are kept, and whether they can be written there."""

import os
from pathlib import Path

from ..core.errors import BadSetting
from ..runs.store import SUFFIX


def runs_folder(named: Path | None) -> Path:
    """Where runs are kept: as named, else SEMIOSIS_RUNS, else beside the work at hand."""
    return named or Path(os.environ.get("SEMIOSIS_RUNS") or "semiosis-runs")


def run_file(name: str, runs: Path | None) -> Path:
    """The file of a run that is named, or whose .sqlite file is."""
    return Path(name) if name.endswith(SUFFIX) else runs_folder(runs) / f"{name}{SUFFIX}"


def home() -> Path:
    """Where the cache and pulled models live."""
    return Path(os.environ.get("SEMIOSIS_HOME") or Path.home() / ".cache" / "semiosis")


def writable(path: Path | None, *, folder: bool = False) -> None:
    """Refuse a place that cannot be written before anything is asked and paid for."""
    if path is None:
        return
    if path.is_dir() != folder and path.exists():
        raise BadSetting(f"{path} is {'not ' if folder else ''}a folder.")
    place = path
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        raise BadSetting(f"{path} cannot be written: {place} is read-only.")
