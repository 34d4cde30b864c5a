"""Commands by the words that are typed, found without importing what they are made of.

    COMMANDS = {"runs": "runs", "runs list": "list_", "runs show": "show"}

With such a literal a module of this folder, or a benchmark's `*commands.py`, says which of its functions are
commands. It is read from the source with their docstrings, which are the help; the module is imported when
one of its commands is named. Words with others below them are a group.

Another package names its functions in the entry-point group `semiosis.commands`, with dots for spaces:

    [project.entry-points."semiosis.commands"]
    "build.mine" = "mine.commands:build"

They are listed by these names. One that cannot be loaded is an error only where it is named, and words that
are taken stay what they are.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from .. import benchmarks
from ..console import help_pages
from ..console.help_pages import Late
from ..core.errors import SemiosisError, UnknownName

ENTRY_POINTS = "semiosis.commands"
# What help lists first, in this order.
FIRST = (
    *("judge", "interpret", "rank", "run", "audit", "demo", "reward", "schema"),
    *("runs", "build", "stats", "stylebench", "methods", "models"),
)

Words = tuple[str, ...]


@dataclass(frozen=True)
class CommandModule:
    """A module as its source shows it: its functions by the words that call them, and their docstrings."""

    name: str
    commands: Mapping[str, str]
    docstrings: Mapping[str, str]


@dataclass(frozen=True)
class Command:
    """Where a command's function is, what help says of it, and of which other package it is."""

    module: str
    function: str
    help: str
    package: str = ""

    def load(self) -> Any:
        return getattr(import_module(self.module), self.function)


@dataclass(frozen=True)
class Commands:
    """All that there are, by the words that are typed."""

    paths: dict[Words, Command]

    def under(self, words: Words = ()) -> dict[str, Late]:
        """The next words, each with what is loaded when it is named."""
        depth = len(words)
        names = dict.fromkeys(each[depth] for each in self.paths if each[:depth] == words and each[depth:])
        return {name: self._late((*words, name)) for name in names}

    def add(self, words: Words, command: Command) -> None:
        """Unless the words, or some of them, are a command already."""
        above = [words[:depth] for depth in range(1, len(words))]
        if words not in self.paths and not any(each in self.paths and not self.under(each) for each in above):
            self.paths[words] = command

    def _late(self, words: Words) -> Late:
        command = self.paths.get(words)
        some = command or next(each for path, each in self.paths.items() if path[: len(words)] == words)

        def load() -> Any:
            try:
                name, below = words[-1], self.under(words)
                if command is None:
                    return help_pages.group(name, _nothing, below, help=some.help)
                function = command.load()
                return (
                    help_pages.group(name, function, below) if below else help_pages.command(name, function)
                )
            except Exception as error:
                if isinstance(error, SemiosisError) or not some.package:
                    raise
                raise UnknownName(
                    f"The command {' '.join(words)} of the package {some.package} cannot be loaded: "
                    f"{type(error).__name__}: {str(error).rstrip('.')}."
                ) from None

        return Late(words[-1], some.help, load)


def modules() -> Iterator[CommandModule]:
    """Those of this folder, and of the benchmarks."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        yield from _read(f"{__package__}.{path.stem}", path)
    for folder in benchmarks.__path__:
        for path in sorted(Path(folder).glob("*/*commands.py")):
            yield from _read(f"{benchmarks.__name__}.{path.parent.name}.{path.stem}", path)


def plugins() -> list[EntryPoint]:
    """The functions that other packages name."""
    return sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name)


def find() -> Commands:
    """Every command there is, ours first."""
    ours = {
        tuple(words.split()): Command(module.name, function, module.docstrings[function])
        for module in modules()
        for words, function in module.commands.items()
    }
    place = {name: number for number, name in enumerate(FIRST)}
    commands = Commands(dict(sorted(ours.items(), key=lambda each: place.get(each[0][0], len(FIRST)))))
    for entry in plugins():
        package = entry.dist.name if entry.dist else entry.module
        command = Command(entry.module, entry.attr, f"Of the package {package}.", package)
        commands.add(tuple(entry.name.split(".")), command)
    return commands


def _read(name: str, path: Path) -> Iterator[CommandModule]:
    docstrings: dict[str, str] = {}
    commands: dict[str, str] = {}
    for node in ast.parse(path.read_text("utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="COMMANDS")], value=literal):
                commands = ast.literal_eval(literal)
            case ast.FunctionDef():
                docstrings[node.name] = ast.get_docstring(node) or ""
            case _:
                pass
    if commands:
        yield CommandModule(name, commands, docstrings)


def _nothing() -> None: ...
