"""`semiosis models`: what this machine can reach now, and how to reach the rest."""

from typing import Annotated

import typer

from ..console.help_pages import Commands

app = Commands(invoke_without_command=True)


@app.callback()
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
    from ..backbones.lookup import reachable
    from ..console.results import print_json, print_tables
    from ..reports.model_tables import models_table

    providers = reachable()
    if json_:
        print_json(providers)
    else:
        print_tables(models_table(providers))


@app.command("pull")
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
    from ..backbones.hub import DEFAULT, DEFAULT_LOCAL_MODEL
    from ..backbones.hub import pull as download

    name = model or DEFAULT_LOCAL_MODEL
    if model is None:
        typer.echo(f"{DEFAULT.repo} ({DEFAULT.licence})", err=True)
    found = download(name)
    print(f"{found.gguf}")
    typer.echo(
        f"Use it with --model local/{found.gguf}, or without --model where no key or server is found.",
        err=True,
    )
