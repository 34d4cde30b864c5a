"""`semiosis methods`: every judge, scorer and reader by name, and what is missing to run each here."""

from typing import Annotated

import typer

from ..backbones.lookup import choose
from ..console.results import print_json, print_tables
from ..core.errors import SemiosisError
from ..methods.contract import names
from ..methods.sheet import MethodSheet, sheet_of
from ..reports.method_tables import methods_table, sheet_tables

COMMANDS = {"methods": "listed", "methods NAME": "shown"}
SCHEMAS = {"methods": (list[MethodSheet], "methods"), "method": (MethodSheet, "methods NAME")}

AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


def listed(context: typer.Context, json_: AsJson = False) -> None:
    """List the methods: what each does, what it lacks here.

    Examples:

      semiosis methods

      semiosis methods viescore

      semiosis methods mine:scorer
    """
    if context.invoked_subcommand is not None:
        return
    model = _model()
    sheets = [sheet_of(name, model_at_hand=model is not None, whole=False) for name in names()]
    if json_:
        print_json(sheets)
    else:
        print_tables(methods_table(sheets, model))


def shown(
    context: typer.Context,
    prompts: Annotated[bool, typer.Option("--prompts", help="Print its prompts in full.")] = False,
    json_: AsJson = False,
) -> None:
    """Show one method: its settings, prompts, paper and licence.

    Example:

      semiosis methods viescore --prompts
    """
    sheet = sheet_of(str(context.info_name), model_at_hand=_model() is not None)
    if json_:
        print_json(sheet)
    else:
        print_tables(*sheet_tables(sheet, whole=prompts))


def _model() -> str | None:
    """The model that would be asked where none is named."""
    try:
        return choose()
    except SemiosisError:
        return None
