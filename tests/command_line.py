"""`semiosis` as a person calls it: in a process of its own, or, where it is called often, in this one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

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
