"""`semiosis` as a person calls it: in a process of its own, or, where it is called often, in this one."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from semiosis.cli import program

Run = Callable[..., subprocess.CompletedProcess[str]]


class Done(NamedTuple):
    code: int
    out: str
    err: str


RunHere = Callable[..., Done]


def run_in(folder: Path) -> Run:
    """A call in this folder, on a terminal of 100 columns unless said."""

    def call(*args: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "semiosis", *args],
            capture_output=True,
            input=stdin,
            check=False,
            text=True,
            cwd=folder,
            timeout=120,
            env={**os.environ, "COLUMNS": "100", **env},
        )

    return call


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command there is, with the words it is called by."""
    loaded = command or program()
    yield path, loaded
    for name, each in getattr(loaded, "commands", {}).items():
        yield from commands(each.load(), (*path, name))
