"""The command line: parse -> library call -> print. What exit codes say is in exits.py."""

import sys
from typing import Annotated, Any

import typer

from ..benchmarks.samples import commands as demo
from ..benchmarks.stylebench import build_command as build
from ..benchmarks.stylebench import commands as stylebench
from ..console.exits import INTERRUPTED, USAGE
from ..console.help_pages import Commands, usage_sentence
from . import interpret, judge, models, rank, reward, run, runs, schema, stats

# Typer shows its usage errors as a box of several lines; its base class is all it exports of them.
UsageError: Any = typer.BadParameter.__base__

app = Commands(
    name="semiosis",
    help="Does generated art mean what its prompt meant? Judges by meaning, with evidence that was checked.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"semiosis {installed('semiosis')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit


app.command("judge")(judge.judge)
app.command("interpret")(interpret.interpret)
app.command("rank")(rank.rank)
app.command("run")(run.run)
app.command("demo")(demo.demo)
app.add_typer(runs.app, name="runs")
app.add_typer(build.app, name="build")
app.command("reward")(reward.reward)
app.add_typer(stats.app, name="stats")
app.add_typer(stylebench.app, name="stylebench")
app.add_typer(models.app, name="models")
app.command("schema")(schema.schema)


def main() -> None:
    from ..core.errors import SemiosisError

    try:
        code = app(standalone_mode=False, prog_name="semiosis") or 0
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
    from ..core.text import plain

    print(f"semiosis: {plain(sentence)}", file=sys.stderr)
