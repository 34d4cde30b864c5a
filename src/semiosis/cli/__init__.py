"""The command line: parse -> library call -> print.

Exit codes: 0 done; 1 the verdict fell below --fail-under; 2 the input or the setup is at fault; 3 the model
gave no usable result (a Failure); 130 interrupted.
"""

import sys

import typer

from . import demo, interpret, judge, models

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
        app()
    except SemiosisError as error:
        print(f"semiosis: {error}", file=sys.stderr)
        sys.exit(EXIT_USAGE)
    except KeyboardInterrupt:
        print("semiosis: interrupted; what was answered is in the cache.", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        sys.exit(0)
