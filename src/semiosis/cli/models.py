"""`semiosis models`: what this machine can reach now, and how to reach the rest."""

from typing import Annotated

import typer

from .pages import Commands

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
    from rich.table import Table
    from rich.text import Text

    from ..backbones.resolve import reachable
    from .results import print_json
    from .setting import console

    found = reachable()
    if json_:
        print_json(found)
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for item in sorted(found, key=lambda item: not item.ready):
        mark = Text("ready", style="green") if item.ready else Text("-", style="dim")
        table.add_row(mark, Text(item.provider, style="bold"), Text(item.about), Text(item.how))
        for model in item.models[1:12]:
            table.add_row("", "", "", Text(f"--model {model}"))
    console().print(table)


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
    from ..backbones.hub import DEFAULT, DEFAULT_LOCAL_MODEL, progress_bar
    from ..backbones.hub import pull as download

    name = model or DEFAULT_LOCAL_MODEL
    if model is None:
        typer.echo(f"{DEFAULT.repo} ({DEFAULT.licence})", err=True)
    with progress_bar() as progress:
        found = download(name, progress=progress)
    print(f"{found.gguf}")
    typer.echo(
        f"Use it with --model local/{found.gguf}, or without --model where no key or server is found.",
        err=True,
    )
