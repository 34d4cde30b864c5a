"""`semiosis models`: what this machine can reach now, and how to reach the rest."""

from typing import Annotated

import typer

from ..backbones.hub import DEFAULT, DEFAULT_LOCAL_MODEL
from ..backbones.hub import pull as download
from ..backbones.lookup import Reach, reachable
from ..console.results import print_json, print_tables
from ..reports.model_tables import models_table

COMMANDS = {"models": "listed", "models pull": "pull"}
SCHEMAS = {"models": (list[Reach], "models")}


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

    providers = reachable()
    if json_:
        print_json(providers)
    else:
        print_tables(models_table(providers))


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
