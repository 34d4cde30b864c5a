"""How commands are found: ours by their modules' literals, another package's by its entry points."""

import json
import os
from pathlib import Path

import pytest

from command_line import Run
from semiosis.cli.commands import Command, Commands, find, modules

PLUGIN = '''
from typing import Annotated
import typer
from pydantic import BaseModel

class Greeting(BaseModel):
    words: str

SCHEMAS = {"greeting": (Greeting, "greet")}

def greet(name: Annotated[str, typer.Argument()], json_: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Greet somebody."""
    print(f"hello {name}")

def build(folder: str) -> None:
    """Build a house."""
    print(f"built in {folder}")

def people() -> None:
    """Count people."""
    print("two")

def judge() -> None:
    """Not the judge that was meant."""
    print("mine")
'''
ENTRY_POINTS = """
[semiosis.commands]
greet = plugged:greet
build.house = plugged:build
village.people = plugged:people
judge = plugged:judge
judge.fast = plugged:judge
broken = nowhere:command
"""


@pytest.fixture
def plugged(tmp_path: Path) -> str:
    """The path with a distribution on it as pip would leave one."""
    site = tmp_path / "site"
    info = site / "village_tools-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "plugged.py").write_text(PLUGIN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: village-tools\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return f"{site}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"


def test_every_function_that_a_literal_names_is_there_and_says_what_it_does() -> None:
    for module in modules():
        for function in module.commands.values():
            assert module.docstrings[function], (module.name, function)
    for words, command in find().paths.items():
        assert callable(command.load()), words


def test_help_lists_a_plugin_s_commands_with_their_package_and_without_importing_them(
    run: Run, plugged: str, tmp_path: Path
) -> None:
    (tmp_path / "site" / "plugged.py").write_text("raise SystemExit('imported')")
    done = run("--help", PYTHONPATH=plugged)
    assert done.returncode == 0, done.stderr
    rows = dict(line.split(maxsplit=1) for line in done.stdout.partition("Commands:\n")[2].splitlines())
    assert rows["greet"] == rows["village"] == rows["broken"] == "Of the package village-tools."
    assert rows["judge"] == "Tell which picture carries what the prompt means, and why."
    assert "house       Of the package village-tools." in run("build", "-h", PYTHONPATH=plugged).stdout


def test_a_plugin_s_commands_are_called_by_their_names(run: Run, plugged: str) -> None:
    assert run("greet", "you", PYTHONPATH=plugged).stdout == "hello you\n"
    assert run("build", "house", "here", PYTHONPATH=plugged).stdout == "built in here\n"
    assert run("village", "people", PYTHONPATH=plugged).stdout == "two\n"
    page = run("greet", "--help", PYTHONPATH=plugged).stdout
    assert page.startswith("Usage: semiosis greet [OPTIONS] NAME\n\n  Greet somebody.")


def test_a_plugin_takes_no_command_of_ours(run: Run, plugged: str) -> None:
    page = run("judge", "--help", PYTHONPATH=plugged).stdout
    assert page.startswith("Usage: semiosis judge [OPTIONS] PROMPT A B")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("broken",),
            "The command broken of the package village-tools cannot be loaded: ModuleNotFoundError: "
            "No module named 'nowhere'.",
        ),
        (("village",), "Missing command; see `semiosis village --help`."),
        (
            ("village", "peple"),
            "No such command 'peple' (did you mean people?); see `semiosis village --help`.",
        ),
        (("gret",), "No such command 'gret' (did you mean greet?); see `semiosis --help`."),
    ],
)
def test_what_is_wrong_with_a_plugin_s_command_is_one_sentence(
    words: tuple[str, ...], sentence: str, run: Run, plugged: str
) -> None:
    done = run(*words, PYTHONPATH=plugged)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"semiosis: {sentence}\n")


def test_a_plugin_s_json_is_published(run: Run, plugged: str) -> None:
    assert "greeting        greet\n" in run("schema", PYTHONPATH=plugged).stdout
    published = json.loads(run("schema", "greeting", PYTHONPATH=plugged).stdout)
    assert published["properties"]["words"]["type"] == "string"


def test_words_that_are_taken_stay_what_they_are() -> None:
    ours = Command("m", "f", "ours")
    commands = Commands({("judge",): ours, ("runs",): ours, ("runs", "list"): ours})
    for words in (("judge",), ("judge", "fast"), ("runs", "list"), ("runs", "list", "all")):
        commands.add(words, Command("p", "f", "theirs", "package"))
    commands.add(("runs", "tidy"), Command("p", "f", "theirs", "package"))
    assert list(commands.paths) == [("judge",), ("runs",), ("runs", "list"), ("runs", "tidy")]
