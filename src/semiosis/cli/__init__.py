"""The command line: parse -> library call -> print.

Exit codes: 0 done; 1 the verdict fell below --fail-under; 2 the input or the setup is at fault; 3 the model
gave no usable result (a Failure); 130 interrupted.
"""

import sys
from typing import Any

import typer

from . import demo, interpret, judge, models

# Typer shows its usage errors as a box of several lines; its base class is all it exports of them.
UsageError: Any = typer.BadParameter.__base__

EXIT_BELOW, EXIT_USAGE, EXIT_FAILURE, EXIT_INTERRUPTED = 1, 2, 3, 130

app = typer.Typer(
    name="semiosis",
    help="Does generated art mean what its prompt meant? Judges by meaning, with evidence that was checked.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)
app.command("judge")(judge.judge)
app.command("interpret")(interpret.interpret)
app.command("demo")(demo.demo)
app.add_typer(models.app, name="models")


def main() -> None:
    from ..core.errors import SemiosisError

    try:
        sys.exit(app(standalone_mode=False) or 0)
    except SemiosisError as error:
        print(f"semiosis: {error}", file=sys.stderr)
        sys.exit(EXIT_USAGE)
    except UsageError as error:
        print(f"semiosis: {error.format_message()} See --help.", file=sys.stderr)
        sys.exit(EXIT_USAGE)
    except (KeyboardInterrupt, typer.Abort):
        print("semiosis: interrupted; what was answered is in the cache.", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        sys.exit(0)
