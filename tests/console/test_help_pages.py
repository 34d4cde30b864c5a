"""Help as a person meets it: whole lines, what is required, and a way out of every typo."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import RunHere, commands
from stored import first_run

PATHS = [path for path, _ in commands()]


@pytest.fixture
def run(run_here: RunHere, monkeypatch: pytest.MonkeyPatch) -> RunHere:
    monkeypatch.setenv("COLUMNS", "80")
    return run_here


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_h_is_help(path: tuple[str, ...], run: RunHere) -> None:
    code, short, _ = run(*path, "-h")
    assert (code, short) == (0, run(*path, "--help")[1])
    assert short.startswith(" ".join(("Usage: semiosis", *path)))


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_no_description_is_cut(
    path: tuple[str, ...], columns: int, run: RunHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    _, page, _ = run(*path, "--help")
    listed = page.partition("\nCommands:\n")[2].splitlines()
    assert [line for line in listed if line.endswith("...")] == []
    if columns >= 80:
        assert all(re.match(r"  ([a-z]|NAME  )", line) for line in listed), (
            "a summary takes more than one line"
        )


USAGES = {
    ("judge",): "[OPTIONS] PROMPT A B",
    ("interpret",): "[OPTIONS] [PICTURES]...",
    ("rank",): "[OPTIONS] PROMPT PICTURES...",
    ("run",): "[OPTIONS] ITEMS_OR_BENCHMARK",
    ("runs",): "[OPTIONS] [COMMAND] [ARGS]...",
    ("runs", "compare"): "[OPTIONS] NAME NAME",
    ("build",): "[OPTIONS] COMMAND [ARGS]...",
    ("schema",): "[OPTIONS] [KIND]",
}


@pytest.mark.parametrize("path", USAGES, ids=" ".join)
def test_usage_says_what_is_required(path: tuple[str, ...], run: RunHere) -> None:
    assert run(*path, "-h")[1].splitlines()[0] == " ".join(("Usage: semiosis", *path, USAGES[path]))


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_what_an_option_takes_is_named_alike_everywhere(path: tuple[str, ...], run: RunHere) -> None:
    _, page, _ = run(*path, "--help")
    assert re.findall(r"<[a-z]\w*(?:[ \[]\w+\]?)?>", page) == []
    for option, takes in {
        "--graph-a": "FILE",
        "--html": "FILE",
        "--base-url": "TEXT",
        "--runs": "FOLDER",
        "--seed": "INTEGER",
    }.items():
        assert re.findall(rf"{option} (\S+)", page.partition("Options:")[2])[:1] in ([], [takes])


def test_shell_completion_can_be_shown_and_completes(tmp_path: Path) -> None:
    def bash(*args: str, **env: str) -> str:
        program = tmp_path / "semiosis"
        program.write_text(f"#!{sys.executable}\nfrom semiosis.cli import main\nmain()\n")
        program.chmod(0o755)
        done = subprocess.run(
            [program, *args], capture_output=True, text=True, check=False, env={**os.environ, **env}
        )
        return done.stdout

    assert "_SEMIOSIS_COMPLETE=complete_bash" in bash(
        "--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1"
    )
    line = {"_SEMIOSIS_COMPLETE": "complete_bash", "COMP_WORDS": "semiosis runs s", "COMP_CWORD": "2"}
    assert bash(**line).split() == ["show"]


TYPOS = {
    "a command": (("jude",), "No such command 'jude' (did you mean judge?); see `semiosis --help`."),
    "a command of a group": (
        ("runs", "sho"),
        "No such command 'sho' (did you mean show?); see `semiosis runs --help`.",
    ),
    "an option": (
        ("judge", "x", "a", "b", "--modl", "m"),
        "No such option: --modl (did you mean --model?); see `semiosis judge --help`.",
    ),
    "a picture that is missing": (
        ("judge", "x", "a.png"),
        "Missing argument 'B' in semiosis judge [OPTIONS] PROMPT A B; see `semiosis judge --help`.",
    ),
    "an option that is missing": (
        ("runs", "export", "first"),
        "Missing option '--to' in semiosis runs export [OPTIONS] NAME; see `semiosis runs export --help`.",
    ),
    "a value out of range": (
        ("judge", "x", "a", "b", "--repeat", "0"),
        "Invalid value '0' for '--repeat': Input should be greater than or equal to 1; see `semiosis judge --help`.",
    ),
    "no command": (("build",), "Missing command; see `semiosis build --help`."),
    "a method": (
        ("judge", "x", "a.png", "b.png", "--model", "openai/m", "--method", "semjuge"),
        "There is no method 'semjuge' (did you mean semjudge?); there are aesthetic, artcot, ",
    ),
    "a provider": (
        ("judge", "x", "a.png", "b.png", "--model", "opnai/m"),
        "There is no provider 'opnai' (did you mean openai?); there are ",
    ),
    "a benchmark": (
        ("run", "smaples", "--model", "openai/m"),
        "There is no file, folder or benchmark 'smaples' (did you mean samples?); the benchmarks are ",
    ),
    "a run": (
        ("runs", "show", "frist"),
        "There is no run frist in semiosis-runs (did you mean first?); `semiosis runs list` names those there are.",
    ),
    "a sample": (
        ("demo", "--only", "vanitas"),
        "There is no sample 'vanitas' (did you mean vanitas-screen?); ",
    ),
}


@pytest.mark.parametrize("name", TYPOS)
def test_a_typo_is_told_in_one_line_with_a_way_out(
    name: str, run: RunHere, tmp_path: Path, png: Callable[..., bytes]
) -> None:
    args, sentence = TYPOS[name]
    for picture, colour in (("a", "teal"), ("b", "maroon")):
        (tmp_path / f"{picture}.png").write_bytes(png(colour))
    first_run(tmp_path / "semiosis-runs" / "first.sqlite")
    code, out, err = run(*args)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"semiosis: {sentence}")
