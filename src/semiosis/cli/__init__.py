"""The command line: parse -> library call -> print. What exit codes say is in exits.py."""

import sys
from importlib.metadata import version as installed
from typing import Annotated, Any

import typer

from ..console.exits import INTERRUPTED, USAGE
from ..console.help_pages import group, usage_sentence
from ..core.errors import SemiosisError
from ..core.text import plain
from .commands import find

# Typer shows its usage errors as a box of several lines; its base class is all it exports of them.
UsageError: Any = typer.BadParameter.__base__

ABOUT = "Does generated art mean what its prompt meant? Judges by meaning, with evidence that was checked."


def program() -> Any:
    """The whole command line. A command's module is imported when the command is named."""
    return group(
        "semiosis",
        _options,
        find().under(),
        help=ABOUT,
        add_completion=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"semiosis {installed('semiosis')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit


def main() -> None:
    try:
        code = program()(standalone_mode=False, prog_name="semiosis") or 0
        if code == INTERRUPTED:
            _say("interrupted.")
        sys.exit(code)
    except SemiosisError as error:
        _say(str(error))
        sys.exit(USAGE)
    except OSError as error:
        _say(f"{error.filename or 'A file'} cannot be written or read: {error.strerror or error}.")
        sys.exit(USAGE)
    except UsageError as error:
        _say(usage_sentence(error))
        sys.exit(USAGE)
    except (KeyboardInterrupt, typer.Abort):
        _say("interrupted.")
        sys.exit(INTERRUPTED)


def _say(sentence: str) -> None:
    """One line, whatever the names in it hold."""
    print(f"semiosis: {plain(sentence)}", file=sys.stderr)
