"""`semiosis models`: what this machine can reach now, and how to reach the rest."""

from typing import Annotated

import typer

SHOWN = 12

app = typer.Typer(
    invoke_without_command=True,
    rich_markup_mode=None,
)


@app.callback()
def listed(
    context: typer.Context,
    json_: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the providers: which are ready, which models they offer, what the others need.

    Example:

      semiosis models
    """
    if context.invoked_subcommand is not None:
        return
    import json
    from dataclasses import asdict

    from rich.table import Table
    from rich.text import Text

    from ..backbones.resolve import reachable
    from .setting import console

    found = reachable()
    if json_:
        print(json.dumps([asdict(item) for item in found], indent=2))
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for item in sorted(found, key=lambda item: not item.ready):
        mark = Text("ready", style="green") if item.ready else Text("-", style="dim")
        table.add_row(mark, Text(item.provider, style="bold"), Text(item.about), Text(item.how))
        for model in item.models[1:SHOWN]:
            table.add_row("", "", "", Text(f"--model {model}"))
        if len(item.models) > SHOWN:
            table.add_row("", "", "", Text(f"and {len(item.models) - SHOWN:,} more: --json lists all"))
    console().print(table)


@app.command("pull")
def pull(
    model: Annotated[
        str | None,
        typer.Argument(help="A hub id, as owner/repo or owner/repo:file.gguf; the default model without."),
    ] = None,
) -> None:
    """Download a local model once; afterwards `semiosis judge` needs neither key nor server.

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
