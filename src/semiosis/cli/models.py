"""`semiosis models`: what this machine can reach now, and how to reach the rest."""

from typing import Annotated

import typer
from rich.text import Text

from ..backbones.hub import DEFAULT, DEFAULT_LOCAL_MODEL
from ..backbones.hub import pull as download
from ..backbones.lookup import Reach, reachable
from ..console.results import print_json
from ..console.screen import console
from ..core.text import plain
from ..reports.tables import Sheet

COMMANDS = {"models": "listed", "models pull": "pull"}
SCHEMAS = {"models": (list[Reach], "models")}

SHOWN = 12


def listed(
    context: typer.Context,
    json_: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the providers: which are ready, what the others need.

    Example:

      semiosis models
    """
    if context.invoked_subcommand is not None:
        return

    found = reachable()
    if json_:
        print_json(found)
        return
    sheet = Sheet("", "", "", "", flow=(2, 3), heading=2)
    for item in sorted(found, key=lambda item: not item.ready):
        mark = Text("ready", style="green") if item.ready else Text("-", style="dim")
        models = [f"--model {model}" for model in item.models[1:SHOWN]]
        more = len(item.models) - SHOWN
        models += [f"and {more:,} more: --json lists all"] if more > 0 else []
        sheet.add(mark, Text(plain(item.provider), style="bold"), item.about, "\n".join((item.how, *models)))
    console().print(sheet)


def pull(
    model: Annotated[
        str | None,
        typer.Argument(help="A hub id, as owner/repo or owner/repo:file.gguf; the default model without."),
    ] = None,
) -> None:
    """Download a local model once. Afterwards `semiosis judge` needs neither key nor server.

    Example:

      semiosis models pull
    """
    name = model or DEFAULT_LOCAL_MODEL
    if model is None:
        typer.echo(f"{DEFAULT.repo} ({DEFAULT.licence})", err=True)
    path = download(name).gguf
    print(f"{path}")
    typer.echo(
        f"Use it with --model local/{path}, or without --model where no key or server is found.",
        err=True,
    )
