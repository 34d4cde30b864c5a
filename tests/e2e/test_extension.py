"""A package of somebody else brings a benchmark of a new kind, a method, tables, a page, a build step and a command.

It is tests/e2e/titles, built and installed as any other, with no file of ours edited.
"""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from counting import Counting, paint
from loopback import Loopback

PROJECT = Path(__file__).parent / "titles"


class Titling(Counting):
    """Gives points by the picture, so that the same question has the same answer."""

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        if stage == "title":
            return {"title": "Study in something"}
        points = len(json.dumps(body["messages"])) % 11
        return {"points": points, "why": "<script>because</script>"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip put the package's wheel."""
    folder = tmp_path_factory.mktemp("site")
    copy = folder / "project"
    shutil.copytree(PROJECT, copy)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", folder / "wheels", copy], check=True)
    (wheel,) = (folder / "wheels").glob("titles-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", folder / "packages", wheel], check=True)
    return folder / "packages"


@pytest.fixture
def server() -> Iterator[tuple[Titling, str]]:
    titling = Titling(delay_s=0.15)
    with Loopback(titling.app) as loopback:
        yield titling, f"{loopback.url}/v1"


class Shell:
    """The command line in a folder, with the package installed or not."""

    def __init__(self, folder: Path, site: Path) -> None:
        self.folder = folder
        self.site = site

    def start(self, *words: str, installed: bool = True) -> subprocess.Popen[str]:
        path = os.pathsep.join(
            filter(None, [str(self.site) if installed else "", os.environ.get("PYTHONPATH")])
        )
        return subprocess.Popen(
            [sys.executable, "-m", "semiosis", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": path, "COLUMNS": "120", "OPENAI_API_KEY": "none"},
        )

    def __call__(self, *words: str, installed: bool = True, code: int = 0) -> str:
        process = self.start(*words, installed=installed)
        out, err = process.communicate(timeout=120)
        assert process.returncode == code, err
        return out if code == 0 else err


@pytest.fixture
def shell(tmp_path: Path, site: Path) -> Shell:
    return Shell(tmp_path, site)


def run(url: str, *more: str) -> tuple[str, ...]:
    return ("run", "titles", "--method", "titler", "--base-url", url, "--model", "m", "-j", "2", *more)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.long
def test_it_runs_is_killed_resumed_shown_compared_exported_imported_and_reported(
    shell: Shell, server: tuple[Titling, str], tmp_path: Path
) -> None:
    titling, url = server
    process = shell.start(*run(url, "--name", "first", "--quiet"))
    while titling.answered < 4:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    while titling.in_flight:
        time.sleep(0.01)
    with closing(sqlite3.connect(tmp_path / "semiosis-runs" / "first.sqlite")) as store:
        stored = store.execute("select count(*) from calls").fetchone()[0]
    assert 0 < stored < 12
    before = titling.begun
    summary = json.loads(shell(*run(url, "--name", "first", "--resume", "--quiet", "--json")))
    assert titling.begun - before == 12 - stored
    (aptness,) = summary["counts"]["kinds"]
    assert (aptness["kind"], aptness["settled"]) == ("aptness", 12)
    assert sum(aptness["verdicts"].values()) == 12
    assert aptness["agreement"][0]["labels_by"] == "makers"
    assert summary["about"]["benchmark"] == "titles"
    assert summary["tables"][0]["title"] == "Titles by the length of their colour"
    assert sum(row[1] + row[2] for row in summary["tables"][0]["rows"]) == 12

    output = shell("runs", "show", "first")
    assert "Titles by the length of their colour" in output
    assert "Study in black is" in shell("runs", "show", "first", "--item", "titles/0", "--html", "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "A title, weighed" in page
    assert "<script>because" not in page

    # What was stored is not asked again, so another threshold changes verdicts and costs nothing.
    assert "threshold" in shell(*run(url, "--name", "strict", "--set", "threshold=11"), code=2)
    strict = json.loads(shell(*run(url, "--name", "strict", "--set", "threshold=10", "--quiet", "--json")))
    assert strict["about"]["configuration"]["threshold"] == 10
    compared = json.loads(shell("runs", "compare", "first", "strict", "--json"))
    assert compared["items"] == 12

    shell("runs", "export", "first", "--to", "first.jsonl")
    row = rows_of(tmp_path / "first.jsonl")[0]
    assert (row["item_kind"], row["outcome_kind"], row["item"]["title"]) == (
        "title",
        "aptness",
        "Study in black",
    )
    shell("runs", "import", "first.jsonl", "--name", "again")
    again = json.loads(shell("runs", "show", "again", "--json"))
    assert again["counts"] == summary["counts"]

    # Uninstalled, its runs are still there to look at and to hand on, but cannot be made anew.
    assert "first" in shell("runs", "list", installed=False)
    rest = json.loads(shell("runs", "show", "first", "--json", installed=False))
    assert (rest["counts"], rest["tables"]) == (summary["counts"], [])
    assert "12: " in shell("runs", "show", "first", installed=False)
    assert "Study in black" in shell(
        "runs", "show", "first", "--item", "titles/0", "--html", "plain.html", installed=False
    )
    assert "Study in black" in (tmp_path / "plain.html").read_text()
    shell("runs", "export", "first", "--to", "gone.jsonl", installed=False)
    assert rows_of(tmp_path / "gone.jsonl") == rows_of(tmp_path / "first.jsonl")
    assert "There is no kind 'title'" in shell(
        "runs", "import", "gone.jsonl", "--name", "never", installed=False, code=2
    )
    assert "There is no file, folder or benchmark" in shell(
        *run(url, "--name", "never"), installed=False, code=2
    )


@pytest.mark.long
def test_its_items_are_read_from_files_and_its_commands_are_found(
    shell: Shell, server: tuple[Titling, str], tmp_path: Path
) -> None:
    titling, url = server
    for number in range(3):
        paint(tmp_path / f"{number}.png", number)
    rows = [{"title": f"Study {number}", "picture": f"{number}.png", "apt": "apt"} for number in range(3)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = (
        "run",
        "rows.jsonl",
        "--method",
        "titler",
        "--base-url",
        url,
        "--model",
        "m",
        "--name",
        "file",
        "--json",
    )
    summary = json.loads(shell(*words, "--quiet"))
    assert (summary["about"]["source"], summary["about"]["benchmark"]) == ("rows.jsonl", "")
    assert summary["counts"]["kinds"][0]["settled"] == 3
    assert "titler" in shell(
        "run", "rows.jsonl", "--method", "direct", "--base-url", url, "--model", "m", code=2
    )

    assert "titles" in shell("--help")
    assert shell("titles", "count") == "12\n"
    assert "Build titles for colours" in shell("build", "titles", "--help")
    build = (
        "build",
        "titles",
        "more",
        "--colour",
        "red",
        "--colour",
        "blue",
        "--base-url",
        url,
        "--model",
        "m",
    )
    before = titling.begun
    assert shell(*build) == "Study in something\nStudy in something\n"
    assert shell(*build) == "Study in something\nStudy in something\n"
    assert titling.begun == before + 2
    assert "No such command" in shell("titles", "count", installed=False, code=2)
